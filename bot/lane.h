/*
 * lane - one channel's way out: the notice that is under way there, from the
 * claim to the record of what became of it.
 *
 * Statuses other than PH_OK are about the state: the courier cannot go on.
 * What goes wrong with the notice or its channel is recorded.
 */
#ifndef BOT_LANE_H
#define BOT_LANE_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/carrier.h"
#include "bot/store/outbox.h"
#include "ph/arena.h"
#include "ph/config.h"

struct lane {
	const struct config *config;
	struct store *store;
	struct carrier *carrier;
	int64_t ready_at; /* monotonic milliseconds: the channel's pace */
	bool broken;	  /* its carrier died: a new courier is needed */

	struct outbox_row row; /* what is under way */
	struct arena arena;    /* what row points into */
};

/*
 * Sees a claimed row off: asks the gate once more, renders it if this is its
 * first claim, hands it to the carrier. Afterwards the carrier is busy, or the
 * row is done with.
 */
enum status lane_send_off(struct lane *l, struct err *err);

/* Takes the carrier's answer and records it. */
enum status lane_finish(struct lane *l, struct err *err);

/* Takes a row out of the queue: held, dead or cancelled, and why. */
enum status lane_take_out(struct store *store, const struct outbox_row *row,
			  enum outbox_state state, struct slice why,
			  struct err *err);

#endif
