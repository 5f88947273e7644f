#include "bot/intake.h"

#include "ph/addr.h"

static bool listed(const struct config_list *list, struct slice address)
{
	for (size_t i = 0; i < list->n; i++)
		if (addr_eq(slice_of(list->item[i]), address))
			return true;
	return false;
}

static bool trusts_anyone(const struct config_trust *trust)
{
	for (size_t i = 0; i < trust->n_proof; i++)
		if (trust->proof[i] == PROOF_NONE)
			return true;
	return false;
}

/* What stands in the header proves nothing, but a mail that does not even
 * claim to be the robot's is never taken for one. Bare text has no header. */
static void prove(const struct config_trust *trust, struct message_in *in)
{
	const struct message *m = in->message;

	in->proven = PROVEN_NOT;
	if (!trusts_anyone(trust)) {
		in->proof = S("no proof");
	} else if (m->bare) {
		in->proof = S("bare text, no sender");
		if (in->by_hand)
			in->proven = PROVEN_OPEN;
	} else if (m->n_from != 1 || !listed(&trust->from, m->from.address)) {
		in->proof = S("From is not one of trust.from");
	} else {
		in->proof = S("none asked for (trust.proof: none)");
		in->proven = PROVEN_OPEN;
	}
}

/* The text of what is none of our business is not kept; a bounce is looked
 * into for its recipient. */
static bool worth_keeping(const struct message *m, const struct report *r)
{
	return r->kind != REPORT_OTHER || m->bounce;
}

void intake_set_aside(const struct message_in *origin, enum message_state state,
		      struct slice reason, struct message_in *ret)
{
	*ret = *origin;
	ret->state = state;
	ret->reason = reason;
	ret->proven = PROVEN_NOT;
}

static void set_aside_err(const struct message_in *origin, const struct err *err,
			  struct arena *arena, struct message_in *ret)
{
	intake_set_aside(origin, MESSAGE_BAD,
			 arena_copy(arena, slice_of(err->text)), ret);
}

void intake_read(const struct config *config, struct slice raw,
		 const struct message_in *origin, struct arena *arena,
		 struct message_in *ret)
{
	struct message *m = arena_new(arena, struct message);
	struct report *r = arena_new(arena, struct report);
	struct err err;

	raw = arena_copy(arena, raw);
	if (message_read(raw, arena, m, &err)) {
		set_aside_err(origin, &err, arena, ret);
		return;
	}
	if (report_read(m, arena, r, &err)) {
		set_aside_err(origin, &err, arena, ret);
		ret->message = m;
		return;
	}
	*ret = *origin;
	ret->state = MESSAGE_NEW;
	ret->message = m;
	ret->report = r;
	prove(&config->trust, ret);
	if (worth_keeping(m, r))
		ret->packed = message_pack(arena, m->text);
}
