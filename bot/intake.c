#include "bot/intake.h"

#include "bot/reply.h"
#include "bot/store/pack.h"
#include "ph/limits.h"

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

static void take_proof(struct message_in *in, const struct proof *proof,
		       struct arena *arena)
{
	in->proof = arena_copy(arena, slice_of(proof->why));
	if (proof->verdict == PROOF_PROVEN)
		in->proven = proven_by(proof->how);
	if (proof->verdict != PROOF_LATER)
		return;
	in->state = MESSAGE_WAITING;
	in->reason = in->proof;
}

/* Only a report, or a reply that gives us a command, is worth a key lookup;
 * whatever else says nothing to anyone. */
static void prove(struct prover *prover, struct slice raw, struct arena *arena,
		  struct message_in *in)
{
	int64_t arrived = in->by_hand ? 0 : in->arrived;
	struct reply_command command;
	struct proof proof;

	if (in->report->kind == REPORT_PERFORMANCE) {
		proof_check(prover, raw, in->message, arrived, in->now, &proof);
		take_proof(in, &proof, arena);
	} else if (in->report->kind == REPORT_REPLY &&
		   reply_read(in->message->text, &command)) {
		proof_check_sender(prover, raw, in->message, arrived, in->now,
				   &proof);
		take_proof(in, &proof, arena);
	} else {
		in->proof = S("not asked for: no performance report");
	}
}

/* The text of what is none of our business is not kept. Of a bounce the front
 * of the raw mail is: what it says stands in parts that are no text. */
#define BOUNCE_KEPT (64 * KIB)

void intake_set_aside(const struct message_in *origin, enum message_state state,
		      struct slice reason, struct message_in *ret)
{
	*ret = *origin;
	ret->state = state;
	ret->reason = reason;
	ret->proven = PROVEN_NOT;
}

static void set_aside_err(const struct message_in *origin,
			  const struct err *err, struct arena *arena,
			  struct message_in *ret)
{
	intake_set_aside(origin, MESSAGE_BAD,
			 arena_copy(arena, slice_of(err->text)), ret);
}

void intake_read(struct store *s, struct prover *prover, struct slice raw,
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
	if (m->bounce)
		ret->packed = pack_text(s, arena, slice_head(raw, BOUNCE_KEPT));
	else if (r->kind != REPORT_OTHER)
		ret->packed = pack_text(s, arena, m->text);
}
