/*
 * The sentence that makes a mail a report, in the forms of its time:
 *
 *	ROBOT noticed a PCT% VERDICT of METRIC on:	since 2023-04
 *	FYI, we noticed a PCT% VERDICT of METRIC due to commit:
 *	ROBOT noticed "ERROR" on:			since 2023-04
 *	FYI, we noticed ERROR due to commit (built with COMPILER):
 *	FYI, we noticed the following commit (built with COMPILER):
 *	FYI, we noticed the below changes on		until 2016
 *	ROBOT noticed the following build errors:
 */
#include "mail/report/parse.h"

/*
 * A headline makes all that was read before it a preface, which may cite an
 * older report; only its tables stay.
 */
static void begin_headline(struct parse *p, const struct line *line,
			   enum headline_form form)
{
	struct report *r = p->rep, keep = *r;

	*r = (struct report){
		.kind = keep.kind,
		.message = keep.message,
		.tables = keep.tables,
		.n_tables = keep.n_tables,
		.rows = keep.rows,
		.n_rows = keep.n_rows,
		.failures = keep.failures,
		.n_failures = keep.n_failures,
		.cells = keep.cells,
		.fail_cells = keep.fail_cells,
		.warnings = keep.warnings,
		.n_warnings = keep.n_warnings,
	};
	p->cap_status = 0;
	p->cap_results = 0;
	p->tagged = false;
	p->headline = form;
	p->headline_line = line->number;
	p->depth = line->depth;
}

/*
 * Whether a headline at this line counts: the robot never quotes its own;
 * elsewhere the least quoted one is meant, and of these the first.
 */
static bool headline_counts(const struct parse *p, const struct line *line)
{
	if (p->author == AUTHOR_ROBOT && line->depth)
		return false;
	return !p->headline || p->headline == HEADLINE_BUILD ||
	       line->depth < p->depth;
}

/* pct "% " verdict " of " metric " on:" / " due to commit:" */
static bool take_performance(struct parse *p, const struct line *line,
			     struct slice s)
{
	struct slice percent, verdict, of, metric;
	struct result *result;
	double value;

	if (!slice_take_word(&s, &percent) || !slice_take_word(&s, &verdict) ||
	    !slice_take_word(&s, &of) || !slice_take_word(&s, &metric))
		return false;
	s = slice_trim(s);
	if (!subject_take_percent(percent, &value) ||
	    !subject_verdict(verdict) || !slice_eq(of, S("of")) ||
	    (!slice_eq(s, S("on:")) && !slice_eq(s, S("due to commit:"))))
		return false;
	if (!headline_counts(p, line))
		return true;
	begin_headline(p, line, HEADLINE_PERFORMANCE);
	result =
		arena_grow(p->arena, NULL, &p->cap_results, 0, sizeof(*result));
	*result = (struct result){ .metric = metric,
				   .percent = value,
				   .verdict = subject_verdict(verdict),
				   .table = -1,
				   .row = -1 };
	p->rep->results = result;
	p->rep->n_results = 1;
	return true;
}

static struct slice between(struct slice s, struct slice from, struct slice to)
{
	const char *a = slice_find(s, from), *b;

	if (!a)
		return (struct slice){ 0 };
	s = slice_between(a + from.len, s.ptr + s.len);
	b = slice_find(s, to);
	return b ? slice_between(s.ptr, b) : (struct slice){ 0 };
}

/* `"id" on:`, `the following commit (built with ...):`, `id due to commit`. */
static bool take_functional(struct parse *p, const struct line *line,
			    struct slice s)
{
	struct slice error = { 0 };
	const char *end;

	if (slice_skip(&s, S("\""))) {
		end = slice_find(s, S("\" on:"));
		if (!end)
			return false;
		error = slice_between(s.ptr, end);
	} else if (!slice_starts(s, S("the following commit"))) {
		end = slice_find(s, S(" due to commit"));
		if (!end)
			return false;
		error = slice_between(s.ptr, end);
	}
	if (!slice_ends(s, S(":")) || !headline_counts(p, line))
		return slice_ends(s, S(":"));
	begin_headline(p, line, HEADLINE_FUNCTIONAL);
	p->rep->error = error;
	p->rep->compiler = between(s, S("(built with "), S(")"));
	return true;
}

/* "FYI, we", or the robot's name, however spelt, stand before "noticed". */
static bool is_robots_word(struct slice before)
{
	before = slice_trim(before);
	return slice_ends(before, S("FYI, we")) || author_is_robot(before);
}

bool headline_take(struct parse *p, const struct line *line)
{
	struct lines back = p->lines;
	struct slice s = line->text, before;
	const char *noticed = slice_find(s, S("noticed"));
	bool taken, robots;

	if (!noticed)
		return false;
	before = slice_between(s.ptr, noticed);
	s = slice_between(noticed + 7, s.ptr + s.len);
	if (s.len && !is_blank(*s.ptr))
		return false;
	slice_skip_blanks(&s);
	robots = is_robots_word(before);
	if (robots && slice_starts(s, S("the following build "))) {
		if (headline_counts(p, line))
			p->headline = HEADLINE_BUILD;
		return true;
	}
	if (robots && (slice_starts(s, S("the below changes on")) ||
		       slice_starts(s, S("the following changes on")))) {
		if (headline_counts(p, line))
			begin_headline(p, line, HEADLINE_CHANGES);
		return true;
	}
	s = parse_unwrap(p, s, S(":"));
	slice_skip_blanks(&s);
	if (slice_skip(&s, S("a ")) || slice_skip(&s, S("an ")))
		taken = take_performance(p, line, s);
	else
		taken = robots && take_functional(p, line, s);
	if (!taken)
		p->lines = back;
	return taken;
}
