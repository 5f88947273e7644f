/*
 * health - how things stand, and whether that needs a person: for `status`, and
 * for the file and the ping that a watch keeps.
 */
#ifndef BOT_HEALTH_H
#define BOT_HEALTH_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "bot/store/query.h"
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/json.h"

#define HEALTH_WEEKS 4 /* over which the share of fields is told */

struct health {
	const struct config *config;
	struct store *store;
	struct arena *arena;
	int64_t now;
	bool needs;    /* a person; whoever finds a reason sets it */
	struct json j; /* of health_json */
};

/* No report for longer than usual_gap. */
bool health_is_silent(const struct health *h, const struct mailbox_row *m);
/* The server does not do with read mails what `done` says. */
bool health_is_refused(const struct health *h, const struct mailbox_row *m);
/* One of these, or it cannot be read. */
bool health_is_bad(const struct health *h, const struct mailbox_row *m);
/* A notice is due for too long. */
bool health_is_late(const struct health *h, const struct store_counts *c);

/* In how many reports each field was read; the list ends with a total of 0. */
enum status health_shares(const struct health *h, struct field_row **ret,
			  struct err *err);

/* All of it as one line of JSON. Sets h->needs. */
enum status health_json(struct health *h, bool watching, struct buf *ret,
			struct err *err);

#endif
