/*
 * Joins each result with its table row, and says where the parts of a report
 * disagree: the mail is written by several programs and by people.
 */
#include "mail/report/parse.h"

#include <math.h>

static struct slice axis(const struct table *t, struct slice key)
{
	for (size_t i = 0; i < t->n_axes; i++)
		if (slice_eq(t->axes[i].key, key))
			return t->axes[i].value;
	return (struct slice){ 0 };
}

/* The robot's hosts: a site, a code, more. The code may be of a processor that
 * is newer than our list; "vm-" begins other words, too. */
static bool is_host(struct slice s)
{
	if (slice_starts(s, S("vm-")))
		return host_cpu(s).len > 0;
	return slice_starts(s, S("lkp-")) || slice_starts(s, S("igk-"));
}

/* Where a value holds a slash the axes stand unparted: then it is the one
 * part that reads like a host. */
static struct slice host_of(const struct table *t)
{
	struct slice found = axis(t, S("tbox_group")), rest, part;

	if (found.len || t->n_axes != 1)
		return found;
	rest = t->axes[0].value;
	while (slice_take_until(&rest, '/', &part))
		if (is_host(part))
			return part;
	return is_host(rest) ? rest : (struct slice){ 0 };
}

static const struct row *find_row(const struct report *r, const struct table *t,
				  struct slice metric)
{
	const struct row *row = r->rows + t->first_row;

	for (uint32_t i = 0; i < t->n_rows; i++)
		if (slice_eq(row[i].metric, metric))
			return &row[i];
	return NULL;
}

/* The robot blames the commit of the last column. */
static const struct cell *
last_cell(const struct report *r, const struct table *t, const struct row *row)
{
	return row_cells(r, row) + t->n_columns - 1;
}

/*
 * Half a unit of the last printed digit, and what one more rounding on the way
 * may do: one decimal below 100000, two digits above.
 */
static bool same_magnitude(double percent, double change)
{
	double a = fabs(percent), b = fabs(change);

	return fabs(a - b) <= 0.0501 || (b >= 1e5 && fabs(a - b) <= 0.06 * b);
}

static bool params_agree(const struct result *result, const struct table *t)
{
	for (size_t i = 0; i < result->n_params; i++) {
		struct slice value = axis(t, result->params[i].key);

		if (value.len && !slice_eq(value, result->params[i].value))
			return false;
	}
	return true;
}

/* How well a table fits; 0: the metric has no row there. */
static int fit(const struct report *r, size_t result, size_t table)
{
	const struct result *res = &r->results[result];
	const struct table *t = &r->tables[table];
	const struct row *row = find_row(r, t, res->metric);

	if (!row)
		return 0;
	return 1 +
	       4 * same_magnitude(res->percent, last_cell(r, t, row)->change) +
	       3 * params_agree(res, t) + 2 * (result == table);
}

/* The robot's rule: the sign of the change times that of the direction. */
static bool contradicts(const struct result *result)
{
	bool up = result->change > 0;

	if (result->better == BETTER_UNKNOWN || !result->has_change ||
	    result->change == 0 || !result->verdict)
		return false;
	return (up == (result->better == BETTER_HIGHER)) !=
	       (result->verdict == VERDICT_IMPROVEMENT);
}

static void check_row(struct parse *p, struct result *result, uint32_t line)
{
	if (!same_magnitude(result->percent, result->change))
		parse_warn(p, line,
			   "%.*s changes by %g here, by %g%% in the text",
			   S_FMT(slice_head(result->metric, 80)),
			   result->change, result->percent);
	result->contradicts = contradicts(result);
	if (result->contradicts)
		parse_warn(p, line, "called %s, but %.*s went %s",
			   result->verdict == VERDICT_IMPROVEMENT
				   ? "an improvement"
				   : "a regression",
			   S_FMT(slice_head(result->metric, 80)),
			   result->change > 0 ? "up" : "down");
}

static void join_row(struct parse *p, size_t i)
{
	struct report *r = p->rep;
	struct result *result = &r->results[i];
	const struct table *t;
	const struct row *row;
	int best = 0;

	result->better = metric_better(result->metric);
	for (size_t k = 0; k < r->n_tables; k++) {
		int n = fit(r, i, k);

		if (n <= best)
			continue;
		best = n;
		result->table = (int32_t)k;
	}
	if (!best)
		return;
	t = &r->tables[result->table];
	row = find_row(r, t, result->metric);
	result->row = (int32_t)(row - r->rows);
	result->has_change = true;
	result->change = last_cell(r, t, row)->change;
	result->change_kind = last_cell(r, t, row)->kind;
	result->machine.host = host_of(t);
	check_row(p, result, row->line);
}

/* What the text before the table left out, its axes say. */
static void fill_from_axes(struct parse *p)
{
	struct report *r = p->rep;
	const struct table *t = r->tables;

	if (r->n_results && r->results[0].table >= 0)
		t += r->results[0].table;
	if (!r->n_tables)
		return;
	r->machine.host = host_of(t);
	if (!r->testcase.len)
		r->testcase = axis(t, S("testcase"));
	if (!r->kconfig.len)
		r->kconfig = axis(t, S("kconfig"));
	if (!r->compiler.len)
		r->compiler = axis(t, S("compiler"));
}

static void fill_first_result(struct report *r)
{
	struct result *first = r->results;

	first->testcase = r->testcase;
	first->machine = r->machine;
	first->params = r->params;
	first->n_params = r->n_params;
}

static void check_subject(struct parse *p)
{
	const struct subject *s = &p->subject;
	const struct result *first = p->rep->results;
	struct slice id = p->rep->commit.id;

	if (s->commit.len && id.len && !slice_starts(id, s->commit))
		parse_warn(p, 0, "the subject names commit %.*s",
			   S_FMT(s->commit));
	if (!s->verdict || !p->rep->n_results)
		return;
	if (!slice_eq(s->metric, first->metric))
		parse_warn(p, 0, "the subject names metric %.*s",
			   S_FMT(slice_head(s->metric, 80)));
	else if (s->verdict != first->verdict)
		parse_warn(p, 0, "the subject says %s",
			   verdict_name(s->verdict));
	else if (!same_magnitude(s->percent, first->percent))
		parse_warn(p, 0, "the subject says %g%%", s->percent);
}

/* Only the first table is sure to compare with the commit reported. */
static void check_column(struct parse *p)
{
	struct report *r = p->rep;
	const struct column *last;
	size_t n;

	if (!r->n_tables || !r->n_results || r->commit.id.len < 10 ||
	    r->kind != REPORT_PERFORMANCE)
		return;
	last = &r->tables[0].columns[r->tables[0].n_columns - 1];
	n = last->id.len < r->commit.id.len ? last->id.len : r->commit.id.len;
	if (last->id.len >= 10 &&
	    !slice_eq(slice_head(last->id, n), slice_head(r->commit.id, n)))
		parse_warn(p, r->tables[0].line,
			   "the last column is %.*s, not the commit reported",
			   S_FMT(slice_head(last->id, 40)));
}

static void check_complete(struct parse *p)
{
	struct report *r = p->rep;

	for (size_t i = 0; i < r->n_tables; i++)
		if (r->tables[i].leftover)
			r->partial = true;
	if (r->kind != REPORT_PERFORMANCE)
		return;
	if (!r->n_tables) {
		parse_warn(p, p->headline_line, "a headline without a table");
		r->partial = true;
	} else if (!r->n_results || r->results[0].row < 0) {
		parse_warn(p, p->headline_line,
			   "no table has a row for the headline's metric");
		r->partial = true;
	}
}

void verify_report(struct parse *p)
{
	struct report *r = p->rep;

	/* The headline's table is told by the parameters of the text. */
	if (r->n_results)
		fill_first_result(r);
	for (size_t i = 0; i < r->n_results; i++)
		join_row(p, i);
	fill_from_axes(p);
	if (r->n_results)
		fill_first_result(r);
	check_subject(p);
	check_column(p);
	check_complete(p);
}
