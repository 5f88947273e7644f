/*
 * gate - whether a notice may go out to a target, asked twice: by the desk
 * before it queues, and by the courier when it has claimed the row, since a
 * person may have said no in between.
 */
#ifndef BOT_GATE_H
#define BOT_GATE_H

#include <stdint.h>
#include "bot/store/outbox.h"
#include "ph/arena.h"
#include "ph/config.h"

/*
 * The address alone: grammar, allow list, consent for lists, opt-out, bounces.
 * PH_OK: it may be mailed. PH_NONE: it may not, *ret_why is a sentence.
 */
enum status gate_target(struct store *s, const struct config_channel *ch,
			struct slice target, struct arena *arena,
			struct slice *ret_why, struct err *err);

/* The first second from now at which the channel's hours let anything out. For
 * the courier: what was due in time may have had to wait. */
int64_t gate_opens(const struct config_channel *ch, int64_t now);

/*
 * What a notice says of a patch, against the silences in force now.
 * PH_NONE: its headline, which is why it exists, is silenced; *ret_why says by
 * which.
 */
enum status gate_notice(struct store *s, const struct notice *n, int64_t now,
			struct arena *arena, struct slice *ret_why,
			struct err *err);

/*
 * A claimed row against the configuration and the state of now.
 * PH_OK: send it.
 * PH_NONE: not now; outbox_set it to *ret_state (held or cancelled) with
 *          *ret_why.
 */
enum status gate_check(const struct config *config, struct store *s,
		       const struct outbox_row *row, int64_t now,
		       struct arena *arena, enum outbox_state *ret_state,
		       struct slice *ret_why, struct err *err);

#endif
