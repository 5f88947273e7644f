#include "mail/report/row.h"

#include "mail/report/cell.h"

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

static bool take_joined(struct slice text, struct slice next,
			struct row_form form, struct arena *arena,
			struct row_draft *ret)
{
	struct slice joined = slice_of(
		arena_printf(arena, "%.*s %.*s", S_FMT(text), S_FMT(next)));

	return take_line(joined, form, ret) && ret->metric.len;
}

bool row_take(struct slice text, struct row_form form, struct lines *ahead,
	      struct arena *arena, struct row_draft *ret)
{
	struct lines next = *ahead;
	struct line line;

	if (take_line(text, form, ret)) {
		if (ret->metric.len)
			return true;
		if (!lines_take(&next, &line) ||
		    !take_name_line(line.text, &ret->metric))
			return false;
	} else {
		if (!row_begins(text) || !lines_take(&next, &line) ||
		    !slice_trim(line.text).len ||
		    !take_joined(text, line.text, form, arena, ret))
			return false;
	}
	*ahead = next;
	return true;
}
