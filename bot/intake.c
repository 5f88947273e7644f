#include "bot/intake.h"

static enum proven proven_by(enum config_proof how)
{
	switch (how) {
	case PROOF_DKIM:
		return PROVEN_DKIM;
	case PROOF_AUTHRES:
		return PROVEN_AUTHRES;
	case PROOF_NONE:
		break;
	}
	return PROVEN_OPEN;
}

/* Only a report is worth a key lookup; whatever else says nothing to anyone. */
static void prove(struct prover *prover, struct slice raw, struct arena *arena,
		  struct message_in *in)
{
	struct proof proof;

	if (in->report->kind != REPORT_PERFORMANCE) {
		in->proof = S("not asked for: no performance report");
		return;
	}
	proof_check(prover, raw, in->message, in->by_hand ? 0 : in->arrived,
		    in->now, &proof);
	in->proof = arena_copy(arena, slice_of(proof.why));
	if (proof.verdict == PROOF_PROVEN)
		in->proven = proven_by(proof.how);
	if (proof.verdict != PROOF_LATER)
		return;
	in->state = MESSAGE_WAITING;
	in->reason = in->proof;
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

void intake_read(struct prover *prover, struct slice raw,
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
	ret->proven = PROVEN_NOT;
	prove(prover, raw, arena, ret);
	if (worth_keeping(m, r))
		ret->packed = message_pack(arena, m->text);
}
