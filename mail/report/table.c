/*
 * A comparison table (lkp-tests lib/compare.rb, show_group):
 *
 *	"====" rule
 *	axis keys joined by "/" ":"
 *	  axis values joined by "/"
 *
 *	"commit:"
 *	  one line a column
 *
 *	column heads
 *	---------------- --------------------------- ...	n groups
 *	[ fail:runs heads, failure rows ]
 *	[ %stddev heads, value rows ]
 *
 * It ends at the first line that is no row, unless the next one is.
 */
#include "mail/report/parse.h"

#include "mail/report/cell.h"
#include "mail/report/row.h"

#define GROUP_MIN  14  /* dashes; the robot prints 16 and 27 (26 until 2019) */
#define ROW_BYTES  100 /* of a usual row */
#define GUESS_ROWS 4096

/* The number of dash groups when the line is nothing else; else 0. */
static size_t count_groups(struct slice text)
{
	struct slice s = text, word;
	size_t n = 0;

	while (slice_take_word(&s, &word)) {
		if (!line_is_rule(word, '-', GROUP_MIN))
			return 0;
		n++;
	}
	return n;
}

/* A line between the dashes and the rows, which says nothing. */
static bool is_heading(struct slice s)
{
	static const struct slice words[] = {
		S_INIT("%stddev"),
		S_INIT("fail:runs"),
		S_INIT("%change"),
		S_INIT("%reproduction"),
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (slice_find(s, words[i]))
			return true;
	for (size_t i = 0; i < s.len; i++)
		if (!is_blank(s.ptr[i]) && s.ptr[i] != '|' && s.ptr[i] != '\\')
			return false;
	return s.len > 0;
}

static enum status over(struct parse *p, uint32_t line, const char *what,
			unsigned limit)
{
	return err_set(p->err, PH_BAD, "line %u: %s over the ceiling of %u",
		       line, what, limit);
}

static void *reserve(struct parse *p, void *list, size_t *cap, size_t used,
		     size_t n, size_t size)
{
	while (used + n > *cap)
		list = arena_grow(p->arena, list, cap, *cap, size);
	return list;
}

/* Room for one row's cells behind those that are kept. */
static inline struct cell *reserve_cells(struct parse *p, size_t n)
{
	struct report *r = p->rep;

	r->cells = reserve(p, r->cells, &p->cap_cells, p->n_cells, n,
			   sizeof(*r->cells));
	return r->cells + p->n_cells;
}

static struct fail_cell *reserve_fails(struct parse *p, size_t n)
{
	struct report *r = p->rep;

	r->fail_cells = reserve(p, r->fail_cells, &p->cap_fail_cells,
				p->n_fail_cells, n, sizeof(*r->fail_cells));
	return r->fail_cells + p->n_fail_cells;
}

/* Keeps the row whose cells already stand in the room reserved for them. */
static inline enum status keep_row(struct parse *p, struct table *t,
				   struct slice metric, uint32_t line)
{
	struct report *r = p->rep;

	if (r->n_rows == LIMIT_ROWS)
		return over(p, line, "rows of a report", LIMIT_ROWS);
	if (metric.len > LIMIT_METRIC)
		return over(p, line, "bytes of a metric's name", LIMIT_METRIC);
	r->rows = reserve(p, r->rows, &p->cap_rows, r->n_rows, 1,
			  sizeof(*r->rows));
	r->rows[r->n_rows++] =
		(struct row){ metric, (uint32_t)p->n_cells, line };
	p->n_cells += t->n_columns;
	t->n_rows++;
	return PH_OK;
}

static enum status keep_failure(struct parse *p, struct table *t,
				struct slice metric, uint32_t line)
{
	struct report *r = p->rep;

	if (r->n_failures == LIMIT_ROWS)
		return over(p, line, "failure rows of a report", LIMIT_ROWS);
	if (metric.len > LIMIT_METRIC)
		return over(p, line, "bytes of a failure's name", LIMIT_METRIC);
	r->failures = reserve(p, r->failures, &p->cap_failures, r->n_failures,
			      1, sizeof(*r->failures));
	r->failures[r->n_failures++] =
		(struct row){ metric, (uint32_t)p->n_fail_cells, line };
	p->n_fail_cells += t->n_columns;
	t->n_failures++;
	return PH_OK;
}

static enum status keep_draft(struct parse *p, struct table *t,
			      const struct row_draft *d, uint32_t line)
{
	size_t n = t->n_columns;

	if (d->failure) {
		memcpy(reserve_fails(p, n), d->fails, n * sizeof(*d->fails));
		return keep_failure(p, t, d->metric, line);
	}
	memcpy(reserve_cells(p, n), d->cells, n * sizeof(*d->cells));
	return keep_row(p, t, d->metric, line);
}

static bool ends_table(struct slice text)
{
	return line_is_rule(text, '=', 20) || line_is_rule(text, '*', 20) ||
	       count_groups(text) > 1;
}

/*
 * Whether a row or heading comes at *at, over blank lines, which *at is then
 * moved past: looking over them twice would take the square of their number.
 */
static bool row_follows(struct parse *p, struct lines *at, struct row_form form)
{
	struct lines before = *at, ahead = *at;
	struct row_draft d;
	struct line line;

	while (lines_take(&ahead, &line) && !slice_trim(line.text).len)
		before = ahead;
	if (ahead.at == before.at || ends_table(line.text))
		return false;
	if (!is_heading(line.text) &&
	    !row_take(line.text, form, &ahead, p->arena, &d))
		return false;
	*at = before;
	return true;
}

/* A cut mail ends inside its table: no blank line, no footer. */
static void warn_of_cut(struct parse *p, uint32_t line)
{
	parse_warn(p, line, "the text ends inside a table");
	p->rep->partial = true;
}

/* Whether the last line of the text, which is no row, was about to be one. */
static bool is_cut(const struct parse *p, const struct table *t,
		   const struct line *line)
{
	return row_begins(line->text) || (!t->n_rows && !t->n_failures) ||
	       p->lines.end[-1] != '\n';
}

/*
 * A line that is no row. PH_OK: passed over, since rows go on behind it; a
 * blank one silently, any other counted. PH_NONE: the table ends before it.
 */
static enum status pass_over(struct parse *p, struct table *t,
			     struct row_form form, const struct line *line,
			     struct lines ahead)
{
	bool last = ahead.at == ahead.end;

	if (!row_follows(p, &ahead, form)) {
		if (last && is_cut(p, t, line))
			warn_of_cut(p, line->number);
		return PH_NONE;
	}
	p->lines = ahead;
	if (slice_trim(line->text).len) {
		t->leftover++;
		parse_warn(p, line->number, "not a row of the table around it");
	}
	return PH_OK;
}

/* A line that does not stand as printed: a damaged row, a heading, the end. */
static enum status take_other_line(struct parse *p, struct table *t,
				   struct row_form form,
				   const struct line *line, struct lines ahead)
{
	struct row_draft d;

	if (is_heading(line->text)) {
		p->lines = ahead;
		return PH_OK;
	}
	if (ends_table(line->text))
		return PH_NONE;
	if (!row_take(line->text, form, &ahead, p->arena, &d))
		return pass_over(p, t, form, line, ahead);
	p->lines = ahead;
	return keep_draft(p, t, &d, line->number);
}

static enum status take_rows(struct parse *p, struct table *t,
			     struct row_form form)
{
	struct lines ahead;
	struct slice metric;
	struct line line;
	enum status s = PH_OK;

	while (s == PH_OK) {
		ahead = p->lines;
		if (!lines_take(&ahead, &line)) {
			warn_of_cut(p, p->lines.number);
			return PH_OK;
		}
		if (cell_take_fixed_row(line.text, form.n,
					reserve_cells(p, form.n), &metric)) {
			p->lines = ahead;
			s = keep_row(p, t, metric, line.number);
		} else {
			s = take_other_line(p, t, form, &line, ahead);
		}
	}
	return s == PH_NONE ? PH_OK : s;
}

/* Most reports have one table: then nothing needs to move as it grows. */
static void guess_size(struct parse *p, size_t n)
{
	size_t left = (size_t)(p->lines.end - p->lines.at);
	size_t rows = left / ROW_BYTES + 8;

	if (rows > GUESS_ROWS)
		rows = GUESS_ROWS;
	p->rep->rows = arena_array(p->arena, struct row, rows);
	p->cap_rows = rows;
	p->rep->cells = arena_array(p->arena, struct cell, rows * n);
	p->cap_cells = rows * n;
}

static struct table *add_table(struct parse *p, size_t n, uint32_t line)
{
	struct report *r = p->rep;
	struct table *t;

	if (!p->cap_rows)
		guess_size(p, n);
	r->tables = reserve(p, r->tables, &p->cap_tables, r->n_tables, 1,
			    sizeof(*r->tables));
	t = &r->tables[r->n_tables++];
	*t = (struct table){ .n_columns = n,
			     .columns = arena_array(p->arena, struct column, n),
			     .first_row = (uint32_t)r->n_rows,
			     .first_failure = (uint32_t)r->n_failures,
			     .line = line };
	return t;
}

/* sbin/compare heads its changes "change", without the sign for per cent. */
static bool is_old(const struct parse *p)
{
	struct line line;

	return lines_peek(&p->lines, &line) &&
	       slice_find(line.text, S("%stddev")) &&
	       slice_find(line.text, S(" change "));
}

/* Dashes alone are no table: a row or heading follows, or the cut end of
 * one. */
static bool is_table(struct parse *p, struct row_form form)
{
	struct lines at = p->lines;
	struct line line;

	if (row_follows(p, &at, form))
		return true;
	return !lines_take(&at, &line) || at.at == at.end;
}

/* The columns. Groups that mail has wrapped to lines of their own belong to
 * those before. */
static size_t take_groups(struct parse *p, const struct line *dashes)
{
	size_t n = count_groups(dashes->text), more;
	struct lines ahead = p->lines;
	struct line line;

	while (n > 1 && lines_take(&ahead, &line)) {
		more = count_groups(line.text);
		if (!more || n + more > LIMIT_COLUMNS)
			break;
		n += more;
		p->lines = ahead;
	}
	return n;
}

enum status table_take(struct parse *p, const struct line *dashes)
{
	struct row_form form = { .n = take_groups(p, dashes) };
	struct table *t;

	if (form.n < 2)
		return PH_NONE;
	form.old = is_old(p);
	if (form.n > LIMIT_COLUMNS)
		return over(p, dashes->number, "columns of a table",
			    LIMIT_COLUMNS);
	if (!is_table(p, form))
		return PH_NONE;
	if (p->rep->n_tables == LIMIT_TABLES)
		return over(p, dashes->number, "tables of a report",
			    LIMIT_TABLES);
	t = add_table(p, form.n, dashes->number);
	if (table_head_read(p, dashes, t))
		return PH_BAD;
	return take_rows(p, t, form);
}
