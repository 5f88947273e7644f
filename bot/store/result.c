#include <math.h>
#include <stdlib.h>
#include "bot/store/patch_sql.h"

bool result_same(const struct result_row *a, const struct result_row *b)
{
	return slice_eq(a->testcase, b->testcase) &&
	       slice_eq(a->params, b->params) && slice_eq(a->host, b->host) &&
	       slice_eq(a->metric, b->metric);
}

static int by_key(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return slice_cmp(x->key, y->key);
}

/* Said elsewhere in a result; the order of the rest must not tell two equal
 * sets apart. */
static bool is_said(struct slice key)
{
	return slice_eq(key, S("testcase")) || slice_eq(key, S("tbox_group"));
}

struct slice result_params(const struct result *r, struct arena *arena)
{
	struct pair *sorted = arena_array(arena, struct pair, r->n_params + 1);
	struct slice ret;
	struct buf b;

	for (size_t i = 0; i < r->n_params; i++)
		sorted[i] = r->params[i];
	qsort(sorted, r->n_params, sizeof(*sorted), by_key);
	buf_init(&b);
	for (size_t i = 0; i < r->n_params; i++) {
		if (is_said(sorted[i].key))
			continue;
		buf_printf(&b, "%s%.*s=%.*s", b.len ? " " : "",
			   S_FMT(sorted[i].key), S_FMT(sorted[i].value));
	}
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static void take_cells(const struct report *report, const struct result *r,
		       struct result_row *ret)
{
	const struct cell *cells;
	size_t last;

	if (r->row < 0 || r->table < 0)
		return;
	last = report->tables[r->table].n_columns;
	if (last < 2)
		return;
	cells = row_cells(report, &report->rows[r->row]);
	ret->base = cells[0].value;
	ret->base_dev = cells[0].dev_pct;
	ret->value = cells[last - 1].value;
	ret->value_dev = cells[last - 1].dev_pct;
	ret->has_values = isfinite(ret->base) && isfinite(ret->value);
}

void result_from_report(const struct report *report, size_t n,
			struct arena *arena, struct result_row *ret)
{
	const struct result *r = &report->results[n];

	*ret = (struct result_row){
		.n = (int32_t)n,
		.testcase = r->testcase,
		.params = result_params(r, arena),
		.host = r->machine.host,
		.metric = r->metric,
		.verdict = r->verdict,
		.percent = r->percent,
		.change_kind = r->change_kind,
		.has_change = r->has_change && isfinite(r->change),
		.change = r->change,
		.base_dev = -1,
		.value_dev = -1,
		.commit = report->commit.id,
		.tree = report->commit.tree,
		.branch = report->commit.branch,
	};
	take_cells(report, r, ret);
}

static void double_or_null(struct sql *q, bool has, double value)
{
	if (has)
		sql_double(q, value);
	else
		sql_null(q);
}

enum status result_add(struct store *s, const struct result_row *row,
		       struct err *err)
{
	struct sql q = sql_start(
		s, "INSERT INTO result(message, n, testcase, params, host,"
		   " metric, verdict, percent, change_kind, change, base,"
		   " value, base_dev, value_dev)"
		   " VALUES(?,?,?,?,?, ?,?,?,?,?,?, ?,?,?)");

	sql_int(&q, row->message);
	sql_int(&q, row->n);
	sql_text(&q, row->testcase);
	sql_text(&q, row->params);
	sql_text(&q, row->host);
	sql_text(&q, row->metric);
	sql_int(&q, row->verdict);
	sql_double(&q, row->percent);
	sql_int(&q, row->change_kind);
	double_or_null(&q, row->has_change, row->change);
	double_or_null(&q, row->has_values, row->base);
	double_or_null(&q, row->has_values, row->value);
	sql_int(&q, row->base_dev);
	sql_int(&q, row->value_dev);
	return sql_run(&q, err);
}

void result_take_row(struct sql *q, struct arena *arena, struct result_row *ret)
{
	ret->id = sql_take_int(q);
	ret->message = sql_take_int(q);
	ret->patch = sql_take_int(q);
	ret->n = (int32_t)sql_take_int(q);
	ret->testcase = sql_take_text(q, arena);
	ret->params = sql_take_text(q, arena);
	ret->host = sql_take_text(q, arena);
	ret->metric = sql_take_text(q, arena);
	ret->verdict = (enum verdict)sql_take_int(q);
	ret->percent = sql_take_double(q);
	ret->change_kind = (enum change_kind)sql_take_int(q);
	ret->has_change = sql_take_int(q);
	ret->change = sql_take_double(q);
	ret->has_values = sql_take_int(q);
	ret->base = sql_take_double(q);
	ret->value = sql_take_double(q);
	ret->base_dev = (int32_t)sql_take_int(q);
	ret->value_dev = (int32_t)sql_take_int(q);
	ret->has_effect = sql_take_int(q);
	ret->effect = sql_take_double(q);
	ret->evidence = (enum evidence)sql_take_int(q);
	ret->news = sql_take_int(q);
	ret->why = sql_take_text(q, arena);
	ret->commit = sql_take_text(q, arena);
	ret->tree = sql_take_text(q, arena);
	ret->branch = sql_take_text(q, arena);
	ret->arrived = sql_take_int(q);
}

static enum status take_all(struct sql *q, struct arena *arena,
			    struct result_row **ret, size_t *ret_n,
			    struct err *err)
{
	struct result_row *list = NULL;
	size_t n = 0, cap = 0;
	enum status st;

	while ((st = sql_row(q, err)) == PH_OK) {
		list = arena_grow(arena, list, &cap, n, sizeof(*list));
		result_take_row(q, arena, &list[n++]);
	}
	if (st != PH_NONE)
		return st;
	*ret = list;
	*ret_n = n;
	return PH_OK;
}

enum status result_list(struct store *s, int64_t message, int64_t patch,
			int64_t but, struct arena *arena,
			struct result_row **ret, size_t *ret_n, struct err *err)
{
	struct sql q;

	if (message)
		q = sql_start(s, "SELECT" RESULT_COLUMNS "FROM result r"
				 " JOIN message m ON m.id = r.message"
				 " WHERE r.message = ?1 AND r.message != ?2"
				 " ORDER BY r.n");
	else
		q = sql_start(
			s, "SELECT" RESULT_COLUMNS "FROM result r"
			   " JOIN message m ON m.id = r.message"
			   " WHERE r.patch IN " PATCH_GROUP(
				   "?1") " AND r.message != ?2"
					 " ORDER BY m.arrived, r.message, r.n");
	sql_int(&q, message ? message : patch);
	sql_int(&q, but);
	return take_all(&q, arena, ret, ret_n, err);
}

enum status result_decide(struct store *s, const struct result_row *row,
			  struct err *err)
{
	struct sql q = sql_start(s, "UPDATE result SET patch = ?, news = ?,"
				    " why = ?, effect = ?, evidence = ?"
				    " WHERE id = ?");

	sql_id(&q, row->patch);
	sql_int(&q, row->news);
	sql_text(&q, row->why);
	double_or_null(&q, row->has_effect && isfinite(row->effect),
		       row->effect);
	sql_int(&q, row->evidence);
	sql_int(&q, row->id);
	return sql_run(&q, err);
}

enum status result_same_key(struct store *s, const struct result_row *key,
			    int64_t but_patch, size_t max, struct arena *arena,
			    struct result_row **ret, size_t *ret_n,
			    struct err *err)
{
	struct sql q = sql_start(
		s, "SELECT" RESULT_COLUMNS "FROM result r"
		   " JOIN message m ON m.id = r.message"
		   " WHERE r.metric = ?1 AND r.testcase = ?2 AND r.host = ?3"
		   " AND r.patch NOTNULL AND r.patch NOT IN " PATCH_GROUP(
			   "?4") " ORDER BY r.id DESC LIMIT ?5");

	sql_text(&q, key->metric);
	sql_text(&q, key->testcase);
	sql_text(&q, key->host);
	sql_int(&q, but_patch);
	sql_int(&q, (int64_t)max);
	return take_all(&q, arena, ret, ret_n, err);
}

enum status result_forget(struct store *s, int64_t message, struct err *err)
{
	struct sql q = sql_start(s, "UPDATE result SET patch = NULL, news = 0,"
				    " why = '' WHERE message = ?");

	sql_int(&q, message);
	return sql_run(&q, err);
}

enum status result_drop(struct store *s, int64_t message, struct err *err)
{
	struct sql q = sql_start(s, "DELETE FROM result WHERE message = ?");

	sql_int(&q, message);
	return sql_run(&q, err);
}
