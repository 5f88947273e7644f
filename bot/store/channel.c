#include "bot/store/outbox.h"
#include "bot/store/outbox_row.h"

/* A channel has a row once it was paused. */

enum status channel_row_pause(struct store *s, const struct outbox_row *row,
			      const struct delivery_next *next,
			      struct slice reason, int64_t now,
			      bool *ret_paused, struct err *err)
{
	struct sql q = sql_start(s, "SELECT 1 FROM channel WHERE name = ?"
				    " AND paused_since NOTNULL");
	int64_t was;
	enum status st;

	sql_text(&q, row->channel);
	st = sql_one(&q, &was, err);
	if (st != PH_OK && st != PH_NONE)
		return st;
	*ret_paused = st == PH_NONE;
	q = sql_start(s, "INSERT INTO channel VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
			 " ON CONFLICT DO UPDATE SET"
			 " paused_since = ifnull(paused_since, ?2),"
			 " reason = ?3, endpoint = ?4, gone = gone OR ?5,"
			 " next_try = ?6");
	sql_text(&q, row->channel);
	sql_int(&q, now);
	sql_text(&q, reason);
	sql_text(&q, row->endpoint);
	sql_int(&q, next->gone);
	sql_int(&q, next->next_try);
	return sql_run(&q, err);
}

enum status channel_row_works(struct store *s, struct slice name,
			      struct err *err)
{
	struct sql q = sql_start(s, "UPDATE channel SET paused_since = NULL,"
				    " gone = 0, next_try = 0 WHERE name = ?");

	sql_text(&q, name);
	return sql_run(&q, err);
}

/* What waited for the channel is due at once. */
static enum status end_pause(struct store *s, struct slice name, int64_t now,
			     struct err *err)
{
	struct sql q;
	enum status st = channel_row_works(s, name, err);

	if (st != PH_OK)
		return st;
	q = sql_start(s, "UPDATE outbox SET next_try = min(next_try, ?)"
			 " WHERE state = 1 AND channel = ?");
	sql_int(&q, now);
	sql_text(&q, name);
	return sql_run(&q, err);
}

enum status channel_row_points(struct store *s, struct slice name,
			       struct slice endpoint, int64_t now,
			       struct err *err)
{
	struct sql q = sql_start(s, "SELECT 1 FROM channel WHERE name = ?"
				    " AND paused_since NOTNULL"
				    " AND endpoint != ?");
	int64_t moved;
	enum status st;

	sql_text(&q, name);
	sql_text(&q, endpoint);
	st = sql_one(&q, &moved, err);
	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	st = store_begin(s, err);
	if (st != PH_OK)
		return st;
	return store_end(s, end_pause(s, name, now, err), err);
}

enum status channel_row_each(struct store *s, struct arena *arena,
			     void (*fn)(void *arg,
					const struct channel_row *row),
			     void *arg, struct err *err)
{
	struct sql q = sql_start(s, "SELECT name, paused_since, reason,"
				    " endpoint, gone, next_try FROM channel"
				    " ORDER BY name");
	enum status st;

	while ((st = sql_row(&q, err)) == PH_OK) {
		struct channel_row row;

		row.name = sql_take_text(&q, arena);
		row.paused_since = sql_take_int(&q);
		row.reason = sql_take_text(&q, arena);
		row.endpoint = sql_take_text(&q, arena);
		row.gone = sql_take_int(&q);
		row.next_try = sql_take_int(&q);
		fn(arg, &row);
	}
	return st == PH_NONE ? PH_OK : st;
}

/* -- people -- */

/* Bounces that say "for good"; one may be a mistake of a relay. */
#define BOUNCES_MAX 3

enum status optout_get(struct store *s, struct slice address,
		       struct arena *arena, struct slice *ret_why,
		       struct err *err)
{
	struct sql q = sql_start(s, "SELECT reason FROM optout"
				    " WHERE address = ?");
	int64_t bounces;
	enum status st;

	sql_text(&q, address);
	st = sql_row(&q, err);
	if (st == PH_OK) {
		*ret_why = sql_take_text(&q, arena);
		sql_stop(&q);
	}
	if (st != PH_NONE)
		return st;
	q = sql_start(s, "SELECT count(*) FROM bounce WHERE address = ?");
	sql_text(&q, address);
	st = sql_one(&q, &bounces, err);
	if (st != PH_OK)
		return st;
	if (bounces < BOUNCES_MAX)
		return PH_NONE;
	*ret_why = slice_of(
		arena_printf(arena, "%d mails to it bounced", (int)bounces));
	return PH_OK;
}

enum status optout_add(struct store *s, struct slice address,
		       struct slice reason, int64_t now, struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO optout VALUES(?, ?, ?)"
				    " ON CONFLICT DO NOTHING");

	sql_text(&q, address);
	sql_text(&q, reason);
	sql_int(&q, now);
	return sql_run(&q, err);
}

enum status bounce_add(struct store *s, struct slice address, struct slice text,
		       int64_t now, struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO bounce(address, text, at)"
				    " VALUES(?, ?, ?)");

	sql_text(&q, address);
	sql_text(&q, text);
	sql_int(&q, now);
	return sql_run(&q, err);
}
