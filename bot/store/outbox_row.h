/*
 * outbox_row - how a row of the outbox is read. For bot/store only.
 */
#ifndef BOT_STORE_OUTBOX_ROW_H
#define BOT_STORE_OUTBOX_ROW_H

#include "bot/store/outbox.h"
#include "bot/store/sql.h"

#define OUTBOX_COLUMNS                                                   \
	" id, key, kind, channel, target, patch, message, facts, state," \
	" reason, created, due, next_try, sent_at, tries, maybe_dup,"    \
	" body, message_id, recipient, extra, endpoint, remote_id "

/* Takes OUTBOX_COLUMNS. */
void outbox_take_row(struct sql *q, struct arena *arena,
		     struct outbox_row *ret);

/* bot/store/channel.c, inside the attempt's transaction. *ret_paused: it was
 * not paused before. */
enum status channel_row_pause(struct store *s, const struct outbox_row *row,
			      const struct delivery_next *next,
			      struct slice reason, int64_t now,
			      bool *ret_paused, struct err *err);
/* Something got through: a pause ends. */
enum status channel_row_works(struct store *s, struct slice name,
			      struct err *err);

#endif
