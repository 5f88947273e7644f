/*
 * delivery - the state table of a notice on its way out (DESIGN section 8), as
 * a function without a clock, a file or a network.
 */
#ifndef BOT_STORE_DELIVERY_H
#define BOT_STORE_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/channel.h"

enum outbox_state {
	OUTBOX_HELD,
	OUTBOX_PENDING,
	OUTBOX_SENDING,
	OUTBOX_SENT,
	OUTBOX_DEAD,
	OUTBOX_CANCELLED,
	OUTBOX_STATES,
};

const char *outbox_state_name(enum outbox_state state); /* "held" */

#define DELIVERY_EXPIRE	      (5 * 86400) /* seconds past due: dead */
#define DELIVERY_BACKOFF      15	  /* seconds, doubled each try */
#define DELIVERY_BACKOFF_MAX  3600
#define DELIVERY_RETRY_MAX    86400 /* of a peer's Retry-After */
#define DELIVERY_CHANNEL_WAIT 3600  /* a paused channel is tried again */

struct delivery_next {
	enum outbox_state state;
	int64_t next_try; /* seconds UTC, where state is pending */
	bool maybe_dup;	  /* the peer may have it already */
	bool pause, gone; /* pause the channel; until its URL changes */
};

/*
 * What follows an attempt from `sending`. tries counts this one (1 at the
 * first); jitter is random over the whole range.
 */
struct delivery_next delivery_next(const struct delivery_result *result,
				   uint32_t tries, int64_t now,
				   uint32_t jitter);

/* Whether a row may go from one state to another at all. */
bool delivery_allowed(enum outbox_state from, enum outbox_state to);

#endif
