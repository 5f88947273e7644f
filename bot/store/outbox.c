#include "bot/store/outbox.h"

#include <inttypes.h>
#include <sysexits.h>
#include "bot/store/outbox_row.h"

static enum status id_of_key(struct store *s, struct slice key, int64_t *ret,
			     struct err *err)
{
	struct sql q = sql_start(s, "SELECT id FROM outbox WHERE key = ?");

	sql_text(&q, key);
	return sql_one(&q, ret, err);
}

enum status outbox_add(struct store *s, const struct outbox_row *row,
		       int64_t *ret_id, struct err *err)
{
	struct sql q;
	enum status st = id_of_key(s, row->key, ret_id, err);

	if (st != PH_NONE)
		return st == PH_OK ? PH_NONE : st;
	q = sql_start(s, "INSERT INTO outbox(key, kind, channel, target, patch,"
			 " message, facts, state, reason, created, due,"
			 " next_try) VALUES(?,?,?,?,?, ?,?,?,?,?,?, ?)");
	sql_text(&q, row->key);
	sql_int(&q, row->kind);
	sql_text(&q, row->channel);
	sql_text(&q, row->target);
	sql_id(&q, row->patch);
	sql_id(&q, row->message);
	sql_text(&q, row->facts);
	sql_int(&q, row->state);
	sql_text(&q, row->reason);
	sql_int(&q, row->created);
	sql_int(&q, row->due);
	sql_int(&q, row->due);
	st = sql_run(&q, err);
	if (st == PH_OK)
		*ret_id = sql_new_id(s);
	return st;
}

enum status outbox_told(struct store *s, int64_t patch, struct slice channel,
			struct slice target, bool held_counts, int64_t *ret_at,
			struct err *err)
{
	struct sql q = sql_start(
		s, "SELECT max(created) FROM outbox WHERE"
		   " patch IN " PATCH_GROUP(
			   "?1") " AND channel = ?2 AND target = ?3"
				 " AND (state IN (1, 2, 3) OR state = 0 AND ?4)"
				 " HAVING count(*)");

	sql_int(&q, patch);
	sql_text(&q, channel);
	sql_text(&q, target);
	sql_int(&q, held_counts);
	return sql_one(&q, ret_at, err);
}

enum status outbox_last_told(struct store *s, int64_t patch, int64_t *ret,
			     struct err *err)
{
	struct sql q = sql_start(s, "SELECT ifnull(max(created), 0)"
				    " FROM outbox WHERE state < 4"
				    " AND patch IN " PATCH_GROUP("?1"));

	sql_int(&q, patch);
	return sql_one(&q, ret, err);
}

enum status outbox_count_since(struct store *s, struct slice channel,
			       int64_t since, int64_t *ret, struct err *err)
{
	struct sql q = sql_start(s, "SELECT count(*) FROM outbox WHERE"
				    " channel = ? AND created >= ?"
				    " AND state != 5");

	sql_text(&q, channel);
	sql_int(&q, since);
	return sql_one(&q, ret, err);
}

enum status outbox_count_target(struct store *s, struct slice target,
				int64_t since, int64_t *ret, struct err *err)
{
	struct sql q = sql_start(s, "SELECT count(*) FROM outbox WHERE"
				    " target = ? COLLATE NOCASE"
				    " AND target != '' AND created >= ?"
				    " AND state != 5");

	sql_text(&q, target);
	sql_int(&q, since);
	return sql_one(&q, ret, err);
}

enum status outbox_count_all(struct store *s, int64_t since, int64_t *ret,
			     struct err *err)
{
	struct sql q = sql_start(s, "SELECT count(*) FROM outbox WHERE"
				    " created >= ? AND state != 5");

	sql_int(&q, since);
	return sql_one(&q, ret, err);
}

void outbox_take_row(struct sql *q, struct arena *arena, struct outbox_row *ret)
{
	ret->id = sql_take_int(q);
	ret->key = sql_take_text(q, arena);
	ret->kind = (enum notice_kind)sql_take_int(q);
	ret->channel = sql_take_text(q, arena);
	ret->target = sql_take_text(q, arena);
	ret->patch = sql_take_int(q);
	ret->message = sql_take_int(q);
	ret->facts = sql_take_text(q, arena);
	ret->state = (enum outbox_state)sql_take_int(q);
	ret->reason = sql_take_text(q, arena);
	ret->created = sql_take_int(q);
	ret->due = sql_take_int(q);
	ret->next_try = sql_take_int(q);
	ret->sent_at = sql_take_int(q);
	ret->tries = (uint32_t)sql_take_int(q);
	ret->maybe_dup = sql_take_int(q);
	ret->rendered = !sql_take_is_null(q);
	ret->parcel.body = arena_copy(arena, sql_take_blob(q));
	ret->parcel.message_id = sql_take_text(q, arena);
	ret->parcel.recipient = sql_take_text(q, arena);
	ret->parcel.extra = sql_take_text(q, arena);
	ret->endpoint = sql_take_text(q, arena);
	ret->remote_id = sql_take_text(q, arena);
}

enum status outbox_get(struct store *s, int64_t id, struct arena *arena,
		       struct outbox_row *ret, struct err *err)
{
	struct sql q = sql_start(s, "SELECT" OUTBOX_COLUMNS
				    "FROM outbox WHERE id = ?");
	enum status st;

	sql_int(&q, id);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	outbox_take_row(&q, arena, ret);
	sql_stop(&q);
	return PH_OK;
}

enum status outbox_by_message_id(struct store *s, struct slice id,
				 struct arena *arena, struct outbox_row *ret,
				 struct err *err)
{
	struct sql q = sql_start(s, "SELECT" OUTBOX_COLUMNS "FROM outbox"
				    " WHERE message_id = ? AND message_id != ''"
				    " ORDER BY id LIMIT 1");
	enum status st;

	sql_text(&q, id);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	outbox_take_row(&q, arena, ret);
	sql_stop(&q);
	return PH_OK;
}

enum status outbox_each(struct store *s, unsigned states, int64_t patch,
			int64_t message, struct arena *arena,
			void (*fn)(void *arg, const struct outbox_row *row),
			void *arg, struct err *err)
{
	struct sql q;
	enum status st;

	if (message)
		q = sql_start(s, "SELECT" OUTBOX_COLUMNS "FROM outbox"
				 " WHERE ?1 >> state & 1 AND message = ?2"
				 " ORDER BY id");
	else if (patch)
		q = sql_start(
			s, "SELECT" OUTBOX_COLUMNS "FROM outbox"
			   " WHERE ?1 >> state & 1 AND patch IN " PATCH_GROUP(
				   "?2") " ORDER BY id");
	else
		q = sql_start(s, "SELECT" OUTBOX_COLUMNS "FROM outbox"
				 " WHERE ?1 >> state & 1 ORDER BY id");
	sql_int(&q, states);
	if (message || patch)
		sql_int(&q, message ? message : patch);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct outbox_row row;

		outbox_take_row(&q, arena, &row);
		fn(arg, &row);
	}
	return st == PH_NONE ? PH_OK : st;
}

enum status outbox_waiting(struct store *s, int64_t patch, struct slice channel,
			   struct slice target, int64_t now,
			   struct arena *arena, struct outbox_row *ret,
			   struct err *err)
{
	struct sql q =
		sql_start(s, "SELECT" OUTBOX_COLUMNS "FROM outbox"
			     " WHERE patch IN " PATCH_GROUP(
				     "?1") " AND channel = ?2 AND target = ?3"
					   " AND state IN (0, 1) AND due > ?4"
					   " AND tries = 0 AND kind IN (0, 1)"
					   " ORDER BY id DESC LIMIT 1");
	enum status st;

	sql_int(&q, patch);
	sql_text(&q, channel);
	sql_text(&q, target);
	sql_int(&q, now);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	outbox_take_row(&q, arena, ret);
	sql_stop(&q);
	return PH_OK;
}

enum status outbox_cancel(struct store *s, int64_t id, struct slice reason,
			  struct err *err)
{
	struct sql q = sql_start(s, "UPDATE outbox SET state = 5, reason = ?"
				    " WHERE id = ?");

	sql_text(&q, reason);
	sql_int(&q, id);
	return sql_run(&q, err);
}

/* -- by hand -- */

enum status outbox_release(struct store *s, int64_t since, int64_t now,
			   bool dry, int64_t *ret_n, struct err *err)
{
	struct sql q;
	enum status st;

	if (dry) {
		q = sql_start(s, "SELECT count(*) FROM outbox"
				 " WHERE state = 0 AND created >= ?");
		sql_int(&q, since);
		return sql_one(&q, ret_n, err);
	}
	q = sql_start(s, "UPDATE outbox SET state = 1, reason = '',"
			 " due = max(due, ?1), next_try = max(next_try, ?1)"
			 " WHERE state = 0 AND created >= ?2");
	sql_int(&q, now);
	sql_int(&q, since);
	st = sql_run(&q, err);
	if (st == PH_OK)
		*ret_n = sql_changes(s);
	return st;
}

enum status outbox_held_counts(struct store *s, int64_t since,
			       struct arena *arena, struct buf *ret,
			       struct err *err)
{
	struct sql q = sql_start(s, "SELECT count(*), count(DISTINCT target),"
				    " channel FROM outbox WHERE state = 0"
				    " AND created >= ? GROUP BY channel"
				    " ORDER BY channel");
	enum status st;

	sql_int(&q, since);
	while ((st = sql_row(&q, err)) == PH_OK) {
		int64_t n = sql_take_int(&q), targets = sql_take_int(&q);
		struct slice channel = sql_take_text(&q, arena);

		buf_printf(ret, "%6" PRId64 " for %.*s, %" PRId64 " target%s\n",
			   n, S_FMT(channel), targets, targets == 1 ? "" : "s");
	}
	return st == PH_NONE ? PH_OK : st;
}

static enum status check_retry(struct store *s, int64_t id, struct arena *arena,
			       struct outbox_row *ret, struct err *err)
{
	enum status st = outbox_get(s, id, arena, ret, err);

	if (st == PH_NONE)
		return err_exit(err, PH_BAD, EX_DATAERR,
				"there is no notice %" PRId64 " in the outbox",
				id);
	if (st == PH_OK &&
	    (ret->state == OUTBOX_SENT || ret->state == OUTBOX_SENDING))
		return err_exit(err, PH_BAD, EX_DATAERR,
				"notice %" PRId64 " is %s", id,
				ret->state == OUTBOX_SENT ? "sent already"
							  : "under way");
	return st;
}

enum status outbox_retry(struct store *s, int64_t id, int64_t now,
			 struct err *err)
{
	struct outbox_row row;
	struct arena arena;
	struct sql q;
	enum status st;

	arena_init(&arena);
	st = check_retry(s, id, &arena, &row, err);
	if (st == PH_OK) {
		q = sql_start(s, "UPDATE outbox SET state = 1, reason = '',"
				 " tries = 0, due = ?1, next_try = ?1"
				 " WHERE id = ?2");
		sql_int(&q, now);
		sql_int(&q, id);
		st = sql_run(&q, err);
	}
	if (st == PH_OK)
		st = channel_row_works(s, row.channel, err);
	arena_release(&arena);
	return st;
}
