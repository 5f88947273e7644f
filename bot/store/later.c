#include "bot/store/outbox.h"
#include "bot/store/sql.h"

static enum status is_there(struct store *s, struct slice key, struct err *err)
{
	struct sql q = sql_start(s, "SELECT 1 FROM later WHERE key = ?");
	int64_t one;

	sql_text(&q, key);
	return sql_one(&q, &one, err);
}

enum status later_add(struct store *s, const struct later_row *row,
		      struct err *err)
{
	struct sql q;
	enum status st = is_there(s, row->key, err);

	if (st != PH_NONE)
		return st == PH_OK ? PH_NONE : st;
	q = sql_start(s, "INSERT INTO later(key, channel, target, patch,"
			 " message, facts, at, over)"
			 " VALUES(?,?,?,?, ?,?,?,?)");
	sql_text(&q, row->key);
	sql_text(&q, row->channel);
	sql_text(&q, row->target);
	sql_id(&q, row->patch);
	sql_id(&q, row->message);
	sql_text(&q, row->facts);
	sql_int(&q, row->at);
	sql_int(&q, row->over);
	return sql_run(&q, err);
}

static void take_row(struct sql *q, struct arena *arena, struct later_row *ret)
{
	ret->id = sql_take_int(q);
	ret->key = sql_take_text(q, arena);
	ret->channel = sql_take_text(q, arena);
	ret->target = sql_take_text(q, arena);
	ret->patch = sql_take_int(q);
	ret->message = sql_take_int(q);
	ret->facts = sql_take_text(q, arena);
	ret->at = sql_take_int(q);
	ret->over = sql_take_int(q);
}

enum status later_list(struct store *s, struct slice channel, bool over,
		       struct arena *arena, struct later_row **ret,
		       size_t *ret_n, struct err *err)
{
	struct sql q = sql_start(s, "SELECT id, key, channel, target, patch,"
				    " message, facts, at, over FROM later"
				    " WHERE outbox ISNULL AND channel = ?"
				    " AND over >= ? ORDER BY target, id");
	struct later_row *list = NULL;
	size_t n = 0, cap = 0;
	enum status st;

	sql_text(&q, channel);
	sql_int(&q, over);
	while ((st = sql_row(&q, err)) == PH_OK) {
		list = arena_grow(arena, list, &cap, n, sizeof(*list));
		take_row(&q, arena, &list[n++]);
	}
	if (st != PH_NONE)
		return st;
	*ret = list;
	*ret_n = n;
	return PH_OK;
}

enum status later_taken(struct store *s, int64_t id, int64_t outbox,
			struct err *err)
{
	struct sql q = sql_start(s, "UPDATE later SET outbox = ?"
				    " WHERE id = ?");

	sql_int(&q, outbox);
	sql_int(&q, id);
	return sql_run(&q, err);
}

enum status later_over_since(struct store *s, struct slice channel,
			     int64_t *ret, struct err *err)
{
	struct sql q = sql_start(s, "SELECT ifnull(min(at), 0) FROM later"
				    " WHERE outbox ISNULL AND over"
				    " AND channel = ?");

	sql_text(&q, channel);
	return sql_one(&q, ret, err);
}
