#include "bot/store/jump.h"

#include "bot/store/sql.h"

/* ?1 is now, ?2 the latest that passes for it. The order matters: a wait is
 * measured by times that are mended after it. */
static const char *const mends[] = {
	/* since when it was last tried, or made */
	"UPDATE outbox SET next_try = next_try - ahead FROM"
	" (SELECT o.id AS row, max(o.created, ifnull(max(a.at), 0)) - ?1"
	" AS ahead FROM outbox o LEFT JOIN attempt a ON a.outbox = o.id"
	" WHERE o.state IN (0, 1, 2) GROUP BY o.id)"
	" WHERE id = row AND ahead > ?2 - ?1",

	"UPDATE outbox SET due = due - (created - ?1)"
	" WHERE state IN (0, 1, 2) AND created > ?2",

	"UPDATE attempt SET at = ?1 WHERE at > ?2",

	/* of those that were sent too: they are counted by the hour */
	"UPDATE outbox SET created = ?1 WHERE created > ?2",

	/* it is tried each hour (DELIVERY_CHANNEL_WAIT), so no wait is longer */
	"UPDATE channel SET next_try = ?1, paused_since = min(paused_since, ?1)"
	" WHERE paused_since NOTNULL AND next_try - 3600 > ?2",

	"UPDATE later SET at = ?1 WHERE outbox ISNULL AND at > ?2",

	/* the time of the last digest: the next is the next that is due */
	"UPDATE meta SET value = ?1 WHERE name GLOB 'digest.*' AND value > ?2",

	"UPDATE mailbox SET opened = ?1 WHERE opened > ?2",
};

static enum status mend(struct store *s, const char *text, int64_t now,
			bool *mended, struct err *err)
{
	struct sql q = sql_start(s, text);
	enum status st;

	sql_int(&q, now);
	sql_int(&q, now + JUMP_SLACK);
	st = sql_run(&q, err);
	if (st == PH_OK && sql_changes(s))
		*mended = true;
	return st;
}

static enum status mend_all(struct store *s, int64_t now, struct err *err)
{
	enum status st = PH_OK;
	bool mended = false;

	for (size_t i = 0; i < ARRAY_LEN(mends) && st == PH_OK; i++)
		st = mend(s, mends[i], now, &mended, err);
	return st == PH_OK && !mended ? PH_NONE : st;
}

enum status jump_mend(struct store *s, int64_t now, struct err *err)
{
	enum status st = store_begin(s, err);

	return st == PH_OK ? store_end(s, mend_all(s, now, err), err) : st;
}
