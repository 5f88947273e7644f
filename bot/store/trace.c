#include "bot/store/message.h"
#include "bot/store/sql.h"

enum status trace_add(struct store *s, const struct trace *t, struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO trace(at, message, patch,"
				    " step, text) VALUES(?, ?, ?, ?, ?)");

	sql_int(&q, t->at);
	sql_id(&q, t->message);
	sql_id(&q, t->patch);
	sql_text(&q, t->step);
	sql_text(&q, t->text);
	return sql_run(&q, err);
}

enum status trace_clear(struct store *s, int64_t message, struct err *err)
{
	struct sql q = sql_start(s, "DELETE FROM trace WHERE message = ?");

	sql_int(&q, message);
	return sql_run(&q, err);
}

enum status trace_each(struct store *s, int64_t message, int64_t patch,
		       struct arena *arena,
		       void (*fn)(void *arg, const struct trace *t), void *arg,
		       struct err *err)
{
	struct sql q =
		message ? sql_start(s,
				    "SELECT at, message, patch, step, text"
				    " FROM trace WHERE message = ? ORDER BY id")
			: sql_start(s, "SELECT at, message, patch, step, text"
				       " FROM trace WHERE patch = ? AND "
				       "message ISNULL"
				       " ORDER BY id");
	enum status st;

	sql_int(&q, message ? message : patch);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct trace t;

		t.at = sql_take_int(&q);
		t.message = sql_take_int(&q);
		t.patch = sql_take_int(&q);
		t.step = sql_take_text(&q, arena);
		t.text = sql_take_text(&q, arena);
		fn(arg, &t);
	}
	return st == PH_NONE ? PH_OK : st;
}
