#include "mail/report/row.h"

#include "mail/report/cell.h"

#define WRAPS_MAX 5	    /* lines that mail may make of one, more */
#define ROW_MAX	  (4 * KIB) /* a name of LIMIT_METRIC, and LIMIT_COLUMNS */

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

static bool begins_note(char c)
{
	return c == '<' || c == '(' || c == '[' || c == '#' || c == '*' ||
	       c == '!' || c == '-';
}

/*
 * The row's name; behind it only a person's note, as "<---- (1)". Until 2016
 * sums stand as "TOTAL metric" and "GEO-MEAN metric".
 */
static bool take_name(struct slice s, struct slice *ret)
{
	struct slice name;

	cell_skip_blanks(&s);
	if (slice_skip(&s, S("TOTAL ")) || slice_skip(&s, S("GEO-MEAN ")))
		cell_skip_blanks(&s);
	if (!slice_take_word(&s, &name))
		return false;
	if (!cell_begins_name(*name.ptr))
		return false;
	cell_skip_blanks(&s);
	if (s.len && !begins_note(*s.ptr))
		return false;
	*ret = name;
	return true;
}

/* metric is empty when the line ends behind the cells. */
static bool take_line(struct slice text, struct row_form form,
		      struct row_draft *ret)
{
	struct slice s = text;

	ret->metric = (struct slice){ 0 };
	ret->failure = false;
	if (form.old ? !legacy_take_values(&s, form.n, ret->cells)
		     : !take_values(&s, form.n, ret->cells)) {
		s = text;
		ret->failure = true;
		if (!take_fails(&s, form.n, ret->fails))
			return false;
	}
	cell_skip_blanks(&s);
	return !s.len || take_name(s, &ret->metric);
}

/* A name wrapped to a line of its own, with its note; a rule is none. */
static bool take_name_line(struct slice s, struct slice *ret)
{
	return take_name(s, ret) && !line_is_rule(*ret, '=', 2) &&
	       !line_is_rule(*ret, '*', 2);
}

bool row_begins(struct slice s)
{
	cell_skip_blanks(&s);
	return s.len && (is_digit(*s.ptr) || *s.ptr == '-' || *s.ptr == ':');
}

/* The name alone on the next line. */
static bool take_next_name(struct lines *ahead, struct slice *ret)
{
	struct lines next = *ahead;
	struct line line;

	if (!lines_take(&next, &line) || !take_name_line(line.text, ret))
		return false;
	*ahead = next;
	return true;
}

/*
 * A row broken between any two tokens, over as many lines as it takes: a line
 * that is a row of its own ends the attempt.
 */
static bool take_broken(struct slice text, struct row_form form,
			struct lines *ahead, struct arena *arena,
			struct row_draft *ret)
{
	struct lines next = *ahead;
	struct line line;

	for (int i = 0; i < WRAPS_MAX && lines_take(&next, &line); i++) {
		if (!slice_trim(line.text).len ||
		    text.len + line.text.len > ROW_MAX ||
		    take_line(line.text, form, ret))
			return false;
		text = slice_of(arena_printf(arena, "%.*s %.*s", S_FMT(text),
					     S_FMT(line.text)));
		if (!take_line(text, form, ret) ||
		    (!ret->metric.len && !take_next_name(&next, &ret->metric)))
			continue;
		*ahead = next;
		return true;
	}
	return false;
}

bool row_take(struct slice text, struct row_form form, struct lines *ahead,
	      struct arena *arena, struct row_draft *ret)
{
	if (take_line(text, form, ret) &&
	    (ret->metric.len || take_next_name(ahead, &ret->metric)))
		return true;
	return row_begins(text) && take_broken(text, form, ahead, arena, ret);
}
