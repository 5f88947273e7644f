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
 * Rows are told by their tokens, since mail moves columns: n values with their
 * changes and a name, or n "fails:runs" with their reproductions and a name.
 */
#include "mail/report/parse.h"

#include "mail/report/cell.h"
#include "ph/limits.h"

#define GROUP_MIN 14 /* dashes; the robot prints 16 and 27 (26 until 2019) */

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
	if (slice_find(s, S("%stddev")) || slice_find(s, S("fail:runs")))
		return true;
	for (size_t i = 0; i < s.len; i++)
		if (!is_blank(s.ptr[i]) && s.ptr[i] != '|' && s.ptr[i] != '\\')
			return false;
	return s.len > 0;
}

/* The row's name; behind it only a person's note, as "<---- (1)". */
static bool take_name(struct slice s, struct slice *ret)
{
	struct slice name;

	cell_skip_blanks(&s);
	if (!slice_take_word(&s, &name))
		return false;
	if (is_digit(*name.ptr) || *name.ptr == '+' || *name.ptr == '-')
		return false;
	cell_skip_blanks(&s);
	if (s.len && !memchr("<(#*[!-", *s.ptr, 7))
		return false;
	*ret = name;
	return true;
}

/* A row's cells; *s is left before the name. */
static bool take_values(struct slice *s, size_t n, struct cell *ret)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = (struct cell){ .dev_pct = -1 };
		if (i && !cell_take_change(s, &ret[i]))
			return false;
		if (!cell_take_value(s, &ret[i]))
			return false;
	}
	return true;
}

static bool take_fails(struct slice *s, size_t n, struct fail_cell *ret)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = (struct fail_cell){ 0 };
		if (i && !cell_take_reproduction(s, &ret[i]))
			return false;
		if (!cell_take_fails(s, &ret[i]))
			return false;
	}
	return true;
}

/* One row, of either kind, as read before it is kept. */
struct draft {
	bool failure;
	struct slice metric; /* empty: the line ends behind the cells */
	uint32_t line;
	struct cell cells[LIMIT_COLUMNS];
	struct fail_cell fails[LIMIT_COLUMNS];
};

static bool draft_read(struct slice text, size_t n, struct draft *ret)
{
	struct slice s = text;

	ret->metric = (struct slice){ 0 };
	ret->failure = false;
	if (!take_values(&s, n, ret->cells)) {
		s = text;
		ret->failure = true;
		if (!take_fails(&s, n, ret->fails))
			return false;
	}
	cell_skip_blanks(&s);
	return !s.len || take_name(s, &ret->metric);
}

static bool is_single_word(struct slice s)
{
	struct slice word;

	return slice_take_word(&s, &word) && !slice_trim(s).len &&
	       !is_digit(*word.ptr) && *word.ptr != '+' &&
	       !line_is_rule(word, '-', 2) && !line_is_rule(word, '=', 2) &&
	       !line_is_rule(word, '*', 2);
}

/*
 * Reads the row at text, and *ahead further where mail has wrapped it: the
 * name alone on the next line, or a break between any two of its tokens.
 */
static bool row_read(struct parse *p, struct slice text, size_t n,
		     struct lines *ahead, struct draft *ret)
{
	struct lines next = *ahead;
	struct line line;
	struct slice joined;

	if (draft_read(text, n, ret)) {
		if (ret->metric.len)
			return true;
		if (!lines_take(&next, &line) || !is_single_word(line.text))
			return false;
		ret->metric = slice_trim(line.text);
		*ahead = next;
		return true;
	}
	cell_skip_blanks(&text);
	if (!text.len || !(is_digit(*text.ptr) || memchr("-:", *text.ptr, 2)) ||
	    !lines_take(&next, &line) || !slice_trim(line.text).len)
		return false;
	joined = slice_of(arena_printf(p->arena, "%.*s %.*s", S_FMT(text),
				       S_FMT(line.text)));
	if (!draft_read(joined, n, ret) || !ret->metric.len)
		return false;
	*ahead = next;
	return true;
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

/* Keeps the row whose n cells already stand at the end of the cells. */
static inline enum status keep_row(struct parse *p, struct table *t, size_t n,
				   struct slice metric, uint32_t line)
{
	struct report *r = p->rep;

	if (r->n_rows == LIMIT_ROWS)
		return over(p, line, "rows of a report", LIMIT_ROWS);
	if (metric.len > LIMIT_METRIC)
		return over(p, line, "bytes of a metric's name", LIMIT_METRIC);
	if (r->n_rows == p->cap_rows)
		r->rows = arena_grow(p->arena, r->rows, &p->cap_rows, r->n_rows,
				     sizeof(*r->rows));
	r->rows[r->n_rows++] = (struct row){ metric, (uint32_t)p->n_cells, line };
	p->n_cells += n;
	t->n_rows++;
	return PH_OK;
}

static enum status keep_failure(struct parse *p, struct table *t, size_t n,
				const struct draft *d)
{
	struct report *r = p->rep;

	if (r->n_failures == LIMIT_ROWS)
		return over(p, d->line, "failure rows of a report", LIMIT_ROWS);
	if (d->metric.len > LIMIT_METRIC)
		return over(p, d->line, "bytes of a failure's name",
			    LIMIT_METRIC);
	memcpy(reserve_fails(p, n), d->fails, n * sizeof(*d->fails));
	r->failures = arena_grow(p->arena, r->failures, &p->cap_failures,
				 r->n_failures, sizeof(*r->failures));
	r->failures[r->n_failures++] =
		(struct row){ d->metric, (uint32_t)p->n_fail_cells, d->line };
	p->n_fail_cells += n;
	t->n_failures++;
	return PH_OK;
}

static enum status keep_draft(struct parse *p, struct table *t, size_t n,
			      const struct draft *d)
{
	if (d->failure)
		return keep_failure(p, t, n, d);
	memcpy(reserve_cells(p, n), d->cells, n * sizeof(*d->cells));
	return keep_row(p, t, n, d->metric, d->line);
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
static bool row_follows(struct parse *p, struct lines *at, size_t n)
{
	struct lines before = *at, ahead = *at;
	struct draft d;
	struct line line;

	while (lines_take(&ahead, &line) && !slice_trim(line.text).len)
		before = ahead;
	if (ahead.at == before.at || ends_table(line.text))
		return false;
	if (!is_heading(line.text) && !row_read(p, line.text, n, &ahead, &d))
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

static bool is_begun_row(struct slice s)
{
	cell_skip_blanks(&s);
	return s.len && (is_digit(*s.ptr) || *s.ptr == '-' || *s.ptr == ':');
}

/*
 * A line that is no row. PH_OK: passed over, since rows go on behind it; a
 * blank one silently, any other counted. PH_NONE: the table ends before it.
 */
static enum status pass_over(struct parse *p, struct table *t,
			     const struct line *line, struct lines ahead)
{
	bool last = ahead.at == ahead.end;

	if (!row_follows(p, &ahead, t->n_columns)) {
		if (last && is_begun_row(line->text))
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

/* The row at line when it is not as printed, or whatever else stands there. */
static enum status take_other_line(struct parse *p, struct table *t, size_t n,
				   const struct line *line, struct lines ahead)
{
	struct draft d;

	if (is_heading(line->text)) {
		p->lines = ahead;
		return PH_OK;
	}
	if (ends_table(line->text))
		return PH_NONE;
	d.line = line->number;
	if (!row_read(p, line->text, n, &ahead, &d))
		return pass_over(p, t, line, ahead);
	p->lines = ahead;
	return keep_draft(p, t, n, &d);
}

static enum status take_rows(struct parse *p, struct table *t)
{
	size_t n = t->n_columns;
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
		if (cell_take_fixed_row(line.text, n, reserve_cells(p, n),
					&metric)) {
			p->lines = ahead;
			s = keep_row(p, t, n, metric, line.number);
		} else {
			s = take_other_line(p, t, n, &line, ahead);
		}
	}
	return s == PH_NONE ? PH_OK : s;
}

/* Most reports have one table, and rows of some 100 bytes. */
static void guess_size(struct parse *p, size_t n)
{
	size_t left = (size_t)(p->lines.end - p->lines.at);
	size_t rows = left / 100 < 4096 ? left / 100 + 8 : 4096;

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
	r->tables = arena_grow(p->arena, r->tables, &p->cap_tables, r->n_tables,
			       sizeof(*r->tables));
	t = &r->tables[r->n_tables++];
	*t = (struct table){ .n_columns = n,
			     .columns = arena_array(p->arena, struct column, n),
			     .first_row = (uint32_t)r->n_rows,
			     .first_failure = (uint32_t)r->n_failures,
			     .line = line };
	return t;
}

enum status table_take(struct parse *p, const struct line *dashes)
{
	size_t n = count_groups(dashes->text);
	struct lines at;
	struct table *t;

	if (n < 2)
		return PH_NONE;
	if (legacy_take(p, dashes) == PH_OK)
		return PH_OK;
	if (n > LIMIT_COLUMNS)
		return over(p, dashes->number, "columns of a table",
			    LIMIT_COLUMNS);
	at = p->lines;
	if (at.at != at.end && !row_follows(p, &at, n))
		return PH_NONE;
	if (p->rep->n_tables == LIMIT_TABLES)
		return over(p, dashes->number, "tables of a report",
			    LIMIT_TABLES);
	t = add_table(p, n, dashes->number);
	if (table_head_read(p, dashes, t))
		return PH_BAD;
	return take_rows(p, t);
}
