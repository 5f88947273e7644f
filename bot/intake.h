/*
 * intake - one raw mail on its way into the state: screened, decoded,
 * recognised, proven and parsed, in this order, before any transaction.
 */
#ifndef BOT_INTAKE_H
#define BOT_INTAKE_H

#include "bot/store/message.h"
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/proof.h"
#include "ph/slice.h"

/*
 * Reads a raw mail. origin holds where it comes from (source, folder, UIDs,
 * times, by_hand); the rest of *ret is filled here. What cannot be read comes
 * back as such, with the reason: it is kept and listed. Everything in *ret
 * belongs to the arena, the raw bytes are not needed any longer. Of s only what
 * packs the text is used: nothing is written yet.
 */
void intake_read(struct store *s, struct prover *prover, struct slice raw,
		 const struct message_in *origin, struct arena *arena,
		 struct message_in *ret);

/* The same for a mail that is known by its place only: oversized or poison. */
void intake_set_aside(const struct message_in *origin, enum message_state state,
		      struct slice reason, struct message_in *ret);

#endif
