#include "bot/print_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "ph/clock.h"
#include "ph/utf8.h"

/* So that all together stays within 25 lines. */
#define ALSO_MAX     3
#define FAILURES_MAX 3
#define WARN_MAX     3

/* One labelled line; more is added by the caller, who ends it. */
static void begin(struct buf *out, const char *label)
{
	buf_printf(out, "%-8s", label);
}

static void put_text(struct buf *out, struct slice s)
{
	utf8_put_clean(out, s);
}

static void put_field(struct buf *out, const char *label, struct slice s)
{
	if (!s.len)
		return;
	begin(out, label);
	put_text(out, s);
	buf_add_char(out, '\n');
}

/* 3373715 as 3,373,715; what a table prints with decimals or an exponent as
 * it stands there. */
static void put_value(struct buf *out, double value)
{
	char digits[32];
	size_t len;

	if (fabs(value) >= 1e9 || value != floor(value)) {
		buf_printf(out, fabs(value) >= 1e8 ? "%.4g" : "%.2f", value);
		return;
	}
	len = (size_t)snprintf(digits, sizeof(digits), "%.0f", fabs(value));
	if (value < 0)
		buf_add_char(out, '-');
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf_add_char(out, ',');
		buf_add_char(out, digits[i]);
	}
}

static void put_deviation(struct buf *out, const struct cell *c)
{
	if (c->dev_pct >= 0)
		buf_printf(out, " ±%d%%", (int)c->dev_pct);
}

/* A base of 0 makes every relative change meaningless. */
static void put_change(struct buf *out, const struct cell *from,
		       const struct cell *to)
{
	const char *unit = to->kind == CHANGE_RELATIVE ? "%" : " points";

	if (from->value == 0 && to->kind == CHANGE_RELATIVE)
		buf_add_str(out, to->value == 0 ? "both print as 0"
						: "from nothing");
	else if (fabs(to->change) >= 1e5)
		buf_printf(out, "%+.2g%s", to->change, unit);
	else
		buf_printf(out, "%+.1f%s", to->change, unit);
}

/* "1,008 ±35% -> 550.53 ±74% operations per second (-45.4%)" */
static void put_move(struct buf *out, const struct report *r,
		     const struct result *result)
{
	const struct table *t = &r->tables[result->table];
	const struct cell *c = row_cells(r, &r->rows[result->row]);
	const struct cell *last = &c[t->n_columns - 1];
	struct slice unit = metric_unit(result->metric);

	put_value(out, c->value);
	put_deviation(out, c);
	buf_add_str(out, " -> ");
	put_value(out, last->value);
	put_deviation(out, last);
	if (unit.len)
		buf_printf(out, " %.*s", S_FMT(unit));
	buf_add_str(out, " (");
	put_change(out, c, last);
	buf_add_char(out, ')');
}

static const char *better_text(enum better better)
{
	if (better == BETTER_HIGHER)
		return ", higher is better";
	return better == BETTER_LOWER ? ", lower is better" : "";
}

static void put_headline(struct buf *out, const struct report *r)
{
	const struct result *first = r->results;

	if (!r->n_results)
		return;
	begin(out, first->verdict ? verdict_name(first->verdict) : "change");
	buf_printf(out, "  %.1f%%  ", first->percent);
	put_text(out, first->metric);
	buf_add_char(out, '\n');
	if (first->row < 0)
		return;
	begin(out, "");
	put_move(out, r, first);
	buf_add_str(out, better_text(first->better));
	buf_add_char(out, '\n');
	if (first->contradicts)
		buf_add_str(out,
			    "        the verdict does not fit this change\n");
}

static void put_commit_line(struct buf *out, const char *label, struct slice id,
			    struct slice title)
{
	if (!id.len)
		return;
	begin(out, label);
	put_text(out, slice_head(id, 12));
	if (title.len) {
		buf_add_str(out, " (\"");
		put_text(out, title);
		buf_add_str(out, "\")");
	}
	buf_add_char(out, '\n');
}

static void put_base(struct buf *out, const struct report *r)
{
	const struct column *base;

	if (!r->n_tables || r->kind == REPORT_REPLY)
		return;
	base = r->tables[0].columns;
	put_commit_line(out, "base", base->id.len ? base->id : base->heading,
			base->title);
}

static void put_tree(struct buf *out, const struct report *r)
{
	if (!r->commit.tree.len && !r->commit.label.len)
		return;
	begin(out, "tree");
	if (r->commit.tree.len) {
		put_text(out, r->commit.tree);
		buf_add_char(out, ' ');
		put_text(out, r->commit.branch);
	}
	if (r->commit.label.len) {
		buf_add_str(out, r->commit.tree.len ? " [" : "[");
		put_text(out, r->commit.label);
		buf_add_char(out, ']');
	}
	buf_add_char(out, '\n');
}

static void put_params(struct buf *out, const struct pair *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_add_char(out, ' ');
		put_text(out, list[i].key);
		buf_add_char(out, '=');
		put_text(out, list[i].value);
	}
}

static void put_test(struct buf *out, const struct report *r)
{
	if (!r->testcase.len)
		return;
	begin(out, "test");
	put_text(out, r->testcase);
	put_params(out, r->params, r->n_params);
	buf_add_char(out, '\n');
}

static void put_host(struct buf *out, const struct report *r)
{
	struct slice cpu = { 0 };

	if (!r->machine.host.len && !r->machine.description.len)
		return;
	begin(out, "host");
	put_text(out, r->machine.host);
	if (r->machine.host.len && r->machine.description.len)
		buf_add_str(out, ": ");
	put_text(out, r->machine.description);
	if (!r->machine.codename.len)
		cpu = host_cpu(r->machine.host);
	if (cpu.len)
		buf_printf(out, " (%.*s)", S_FMT(cpu));
	buf_add_char(out, '\n');
}

static void put_build(struct buf *out, const struct report *r)
{
	if (!r->compiler.len && !r->kconfig.len)
		return;
	begin(out, "build");
	put_text(out, r->compiler);
	if (r->compiler.len && r->kconfig.len)
		buf_add_str(out, ", ");
	put_text(out, r->kconfig);
	buf_add_char(out, '\n');
}

static void put_also(struct buf *out, const struct report *r)
{
	for (size_t i = 1; i < r->n_results && i <= ALSO_MAX; i++) {
		const struct result *result = &r->results[i];

		begin(out, i == 1 ? "also" : "");
		buf_printf(out, "%s %.1f%% ", verdict_name(result->verdict),
			   result->percent);
		put_text(out, result->metric);
		if (result->row >= 0) {
			buf_add_str(out, ": ");
			put_move(out, r, result);
		}
		buf_add_char(out, '\n');
	}
	if (r->n_results > ALSO_MAX + 1)
		buf_printf(out, "        and %zu more results\n",
			   r->n_results - ALSO_MAX - 1);
}

static void put_status(struct buf *out, const struct report *r)
{
	if (!r->n_status)
		return;
	begin(out, "status");
	for (size_t i = 0; i < r->n_status && i < 3; i++) {
		if (i)
			buf_add_str(out, ", ");
		put_text(out, r->status[i].text);
		buf_add_char(out, ' ');
		put_text(out, r->status[i].ref);
	}
	buf_add_char(out, '\n');
}

static void put_rate(struct buf *out, const struct fail_cell *c)
{
	buf_printf(out, "%" PRId64 " of %" PRId64 " (%.0f%%)", c->fails,
		   c->runs, fail_rate(c));
}

static void put_failure(struct buf *out, const char *label,
			const struct report *r, const struct table *t,
			const struct row *row)
{
	const struct fail_cell *c = row_fails(r, row);

	begin(out, label);
	put_rate(out, c);
	buf_add_str(out, " -> ");
	put_rate(out, &c[t->n_columns - 1]);
	buf_add_str(out, "  ");
	put_text(out, slice_head(row->metric, 120));
	buf_add_char(out, '\n');
}

static void put_failures(struct buf *out, const struct report *r)
{
	const struct table *t = r->tables;
	size_t n = 0;

	for (size_t i = 0; i < r->n_failures; i++) {
		while (i >= t->first_failure + (size_t)t->n_failures)
			t++;
		if (!failure_is_real(&r->failures[i]))
			continue;
		if (n++ < FAILURES_MAX)
			put_failure(out, n == 1 ? "fails" : "", r, t,
				    &r->failures[i]);
	}
	if (n > FAILURES_MAX)
		buf_printf(out, "        and %zu more\n", n - FAILURES_MAX);
}

static void put_tables(struct buf *out, const struct report *r)
{
	if (!r->n_tables)
		return;
	begin(out, "tables");
	buf_printf(out, "%zu, with %zu rows", r->n_tables, r->n_rows);
	if (r->n_failures)
		buf_printf(out, " and %zu failure rows", r->n_failures);
	buf_add_char(out, '\n');
}

static void put_warnings(struct buf *out, const struct report *r)
{
	size_t n = r->n_warnings < WARN_MAX ? r->n_warnings : WARN_MAX;

	for (size_t i = 0; i < n; i++)
		put_field(out, "warning", r->warnings[i]);
	if (r->n_warnings > n)
		buf_printf(out, "        and %zu more\n", r->n_warnings - n);
}

void print_report_text(struct buf *out, const struct report *r,
		       struct slice where)
{
	put_text(out, where);
	buf_printf(out, ": %s%s\n", report_kind_name(r->kind),
		   r->partial ? ", partial" : "");
	put_headline(out, r);
	put_field(out, "error", r->error);
	put_commit_line(out, "commit", r->commit.id, r->commit.title);
	put_base(out, r);
	put_tree(out, r);
	put_field(out, "patch",
		  r->posted.link.len ? r->posted.link : r->posted.url);
	put_test(out, r);
	put_host(out, r);
	put_build(out, r);
	put_also(out, r);
	put_status(out, r);
	put_failures(out, r);
	put_tables(out, r);
	put_field(out, "report", r->id);
	put_field(out, "rerun", r->archive);
	if (!r->n_results && !r->error.len)
		put_field(out, "subject", r->message->subject);
	put_warnings(out, r);
}
