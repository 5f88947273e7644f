#include "bot/store/outbox.h"
#include "bot/store/outbox_row.h"
#include "bot/store/patch.h"

/* What the courier does with the outbox. */

/*
 * Due, not on a paused channel, not passed over, and no older notice of the
 * same patch to the same target under way: an update must find its thread.
 * ?1 is now, ?2 the channels to skip.
 */
#define CLAIMABLE                                                           \
	" FROM outbox o WHERE state = 1"                                    \
	" AND channel NOT IN (SELECT value FROM json_each(?2))"             \
	" AND NOT EXISTS (SELECT 1 FROM channel c WHERE c.name = o.channel" \
	" AND c.paused_since NOTNULL AND (c.gone OR c.next_try > ?1))"      \
	" AND NOT EXISTS (SELECT 1 FROM outbox b WHERE b.patch = o.patch"   \
	" AND b.channel = o.channel AND b.target = o.target"                \
	" AND b.id < o.id AND b.state IN (1, 2))"

static struct slice skip_list(struct slice skip)
{
	return skip.len ? skip : S("[]");
}

static enum status first_due(struct store *s, int64_t now, struct slice skip,
			     int64_t *ret_id, struct err *err)
{
	struct sql q = sql_start(s, "SELECT id" CLAIMABLE " AND next_try <= ?1"
				    " ORDER BY next_try, id LIMIT 1");

	sql_int(&q, now);
	sql_text(&q, skip_list(skip));
	return sql_one(&q, ret_id, err);
}

static enum status mark_sending(struct store *s, int64_t id, struct err *err)
{
	struct sql q = sql_start(s, "UPDATE outbox SET state = 2 WHERE id = ?");

	sql_int(&q, id);
	return sql_run(&q, err);
}

static enum status claim(struct store *s, int64_t now, struct slice skip,
			 struct arena *arena, struct outbox_row *ret,
			 struct err *err)
{
	int64_t id;
	enum status st = first_due(s, now, skip, &id, err);

	if (st == PH_OK)
		st = mark_sending(s, id, err);
	if (st == PH_OK)
		st = outbox_get(s, id, arena, ret, err);
	return st;
}

enum status outbox_claim(struct store *s, int64_t now, struct slice skip,
			 struct arena *arena, struct outbox_row *ret,
			 struct err *err)
{
	int64_t id;
	/* an idle courier looks each second: no write lock for nothing */
	enum status st = first_due(s, now, skip, &id, err);

	if (st == PH_OK)
		st = store_begin(s, err);
	if (st != PH_OK)
		return st;
	return store_end(s, claim(s, now, skip, arena, ret, err), err);
}

enum status outbox_next_due(struct store *s, struct slice skip, int64_t *ret,
			    struct err *err)
{
	struct sql q = sql_start(
		s, "SELECT ifnull(min(max(o.next_try, ifnull(c.next_try, 0))),"
		   " 0) FROM outbox o LEFT JOIN channel c"
		   " ON c.name = o.channel AND c.paused_since NOTNULL"
		   " WHERE o.state = 1 AND NOT ifnull(c.gone, 0)"
		   " AND o.channel NOT IN (SELECT value FROM json_each(?))"
		   " AND NOT EXISTS (SELECT 1 FROM outbox b"
		   " WHERE b.patch = o.patch AND b.channel = o.channel"
		   " AND b.target = o.target AND b.id < o.id"
		   " AND b.state IN (1, 2))");

	sql_text(&q, skip_list(skip));
	return sql_one(&q, ret, err);
}

enum status outbox_thread(struct store *s, const struct outbox_row *row,
			  struct arena *arena, struct slice *ret_message_id,
			  struct slice *ret_remote_id, struct err *err)
{
	struct sql q;
	int64_t patch;
	enum status st;

	if (!row->patch)
		return PH_NONE;
	st = patch_root(s, row->patch, &patch, err);
	if (st != PH_OK)
		return st;
	q = sql_start(
		s,
		"SELECT message_id, remote_id FROM outbox"
		" WHERE patch IN " PATCH_GROUP(
			"?1") " AND channel = ?2 AND target = ?3 AND state = 3"
			      " AND id != ?4 AND kind IN (0, 1, 2)"
			      " ORDER BY id LIMIT 1");
	sql_int(&q, patch);
	sql_text(&q, row->channel);
	sql_text(&q, row->target);
	sql_int(&q, row->id);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	*ret_message_id = sql_take_text(&q, arena);
	*ret_remote_id = sql_take_text(&q, arena);
	sql_stop(&q);
	return PH_OK;
}

/* Runs one statement in a transaction of its own. */
static enum status run_alone(struct store *s, struct sql *q, int64_t *ret_n,
			     struct err *err)
{
	enum status st = store_begin(s, err);

	if (st != PH_OK) {
		sql_stop(q);
		return st;
	}
	st = sql_run(q, err);
	if (st == PH_OK && ret_n)
		*ret_n = sql_changes(s);
	return store_end(s, st, err);
}

enum status outbox_rendered(struct store *s, int64_t id,
			    const struct parcel *parcel, struct slice endpoint,
			    struct err *err)
{
	struct sql q = sql_start(s, "UPDATE outbox SET body = ?,"
				    " message_id = ?, recipient = ?,"
				    " extra = ?, endpoint = ? WHERE id = ?");

	sql_blob(&q, parcel->body);
	sql_text(&q, parcel->message_id);
	sql_text(&q, parcel->recipient);
	sql_text(&q, parcel->extra);
	sql_text(&q, endpoint);
	sql_int(&q, id);
	return run_alone(s, &q, NULL, err);
}

static enum status add_attempt(struct store *s, int64_t id,
			       const struct delivery_result *result,
			       int64_t now, struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO attempt(outbox, at, what,"
				    " code, text) VALUES(?, ?, ?, ?, ?)");

	sql_int(&q, id);
	sql_int(&q, now);
	sql_int(&q, result->what);
	sql_int(&q, result->code);
	sql_text(&q, slice_of(result->text));
	return sql_run(&q, err);
}

static enum status move_on(struct store *s, const struct outbox_row *row,
			   const struct delivery_result *result,
			   const struct delivery_next *next, int64_t now,
			   struct err *err)
{
	struct sql q = sql_start(
		s, "UPDATE outbox SET state = ?1, reason = ?2,"
		   " tries = tries + 1, maybe_dup = maybe_dup OR ?3,"
		   " next_try = CASE ?1 WHEN 1 THEN ?4 ELSE next_try END,"
		   " sent_at = CASE ?1 WHEN 3 THEN ?5 ELSE sent_at END,"
		   " remote_id = CASE ?1 WHEN 3 THEN ?6 ELSE remote_id END"
		   " WHERE id = ?7");

	sql_int(&q, next->state);
	sql_text(&q,
		 next->state == OUTBOX_SENT ? S("") : slice_of(result->text));
	sql_int(&q, next->maybe_dup);
	sql_int(&q, next->next_try);
	sql_int(&q, now);
	sql_text(&q, slice_of(result->remote_id));
	sql_int(&q, row->id);
	return sql_run(&q, err);
}

static enum status attempt(struct store *s, const struct outbox_row *row,
			   const struct delivery_result *result, int64_t now,
			   uint32_t jitter, bool *ret_paused, struct err *err)
{
	struct delivery_next next =
		delivery_next(result, row->tries + 1, now, jitter);
	enum status st = add_attempt(s, row->id, result, now, err);

	if (st == PH_OK)
		st = move_on(s, row, result, &next, now, err);
	if (st == PH_OK && next.pause)
		st = channel_row_pause(s, row, &next, slice_of(result->text),
				       now, ret_paused, err);
	else if (st == PH_OK && result->what == DELIVERY_SENT)
		st = channel_row_works(s, row->channel, err);
	return st;
}

enum status outbox_attempt(struct store *s, const struct outbox_row *row,
			   const struct delivery_result *result, int64_t now,
			   uint32_t jitter, bool *ret_paused, struct err *err)
{
	bool paused = false;
	enum status st = store_begin(s, err);

	if (st != PH_OK)
		return st;
	st = store_end(s, attempt(s, row, result, now, jitter, &paused, err),
		       err);
	if (st == PH_OK && ret_paused)
		*ret_paused = paused;
	return st;
}

enum status outbox_set(struct store *s, int64_t id, enum outbox_state state,
		       struct slice reason, int64_t now, struct err *err)
{
	struct sql q = sql_start(s, "UPDATE outbox SET state = ?1, reason = ?2,"
				    " next_try = max(next_try, ?3)"
				    " WHERE id = ?4");

	sql_int(&q, state);
	sql_text(&q, reason);
	sql_int(&q, now);
	sql_int(&q, id);
	return run_alone(s, &q, NULL, err);
}

enum status outbox_revive(struct store *s, int64_t now, int64_t *ret_n,
			  struct err *err)
{
	/* a row claimed but not yet rendered cannot have been sent */
	struct sql q = sql_start(s, "UPDATE outbox SET state = 1,"
				    " maybe_dup = maybe_dup OR body NOTNULL,"
				    " next_try = ?,"
				    " reason = 'the courier ended on the way'"
				    " WHERE state = 2");

	sql_int(&q, now);
	return run_alone(s, &q, ret_n, err);
}

enum status outbox_expire(struct store *s, int64_t now, int64_t *ret_n,
			  struct err *err)
{
	struct sql q = sql_start(s, "SELECT 1 FROM outbox WHERE state IN (0, 1)"
				    " AND due < ? LIMIT 1");
	int64_t some;
	enum status st;

	sql_int(&q, now - DELIVERY_EXPIRE);
	st = sql_one(&q, &some, err);
	*ret_n = 0;
	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	q = sql_start(s, "UPDATE outbox SET state = 4, reason ="
			 " 'could not be sent for 5 days' || CASE reason"
			 " WHEN '' THEN '' ELSE ': ' || reason END"
			 " WHERE state IN (0, 1) AND due < ?");
	sql_int(&q, now - DELIVERY_EXPIRE);
	return run_alone(s, &q, ret_n, err);
}

enum status attempt_each(struct store *s, int64_t outbox, struct arena *arena,
			 void (*fn)(void *arg, const struct attempt_row *row),
			 void *arg, struct err *err)
{
	static const char *const what[] = {
		"sent", "later", "maybe", "refused", "channel", "gone",
	};
	struct sql q = sql_start(s, "SELECT outbox, at, what, code, text"
				    " FROM attempt WHERE outbox = ?"
				    " ORDER BY id");
	enum status st;

	sql_int(&q, outbox);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct attempt_row row;

		row.outbox = sql_take_int(&q);
		row.at = sql_take_int(&q);
		row.what = slice_of(what[sql_take_int(&q)]);
		row.code = (int)sql_take_int(&q);
		row.text = sql_take_text(&q, arena);
		fn(arg, &row);
	}
	return st == PH_NONE ? PH_OK : st;
}
