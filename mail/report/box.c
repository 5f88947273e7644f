/*
 * The box of further tests, one result an entry:
 *
 *	+------------------+-----------------------------+
 *	| testcase: change | TEST: METRIC PCT% VERDICT   |
 *	| test machine     | MACHINE                     |
 *	| test parameters  | key=value                   |
 *	|                  | key=value                   |
 *	+------------------+-----------------------------+
 */
#include "mail/report/parse.h"

#include "ph/limits.h"

#define WRAPS_MAX 3 /* lines that mail may make of one, more */

enum field { FIELD_OTHER, FIELD_CHANGE, FIELD_MACHINE, FIELD_PARAMETERS };

/* Moves *at past a line of the box and what mail has wrapped of it: up to the
 * bar that ends it. */
static bool take_line(struct parse *p, struct lines *at, struct slice *ret,
		      uint32_t *ret_number)
{
	struct lines ahead;
	struct line line;
	struct slice s;

	if (!lines_take_filled(at, &line))
		return false;
	s = slice_trim(line.text);
	*ret = s;
	*ret_number = line.number;
	ahead = *at;
	for (int i = 0; i < WRAPS_MAX && *s.ptr == '|'; i++) {
		if (slice_ends(s, S("|"))) {
			*ret = s;
			*at = ahead;
			break;
		}
		if (!lines_take(&ahead, &line))
			break;
		s = slice_of(arena_printf(p->arena, "%.*s %.*s", S_FMT(s),
					  S_FMT(slice_trim(line.text))));
	}
	return true;
}

/* "| label | value |": both trimmed. The value may hold a bar. */
static bool split_cells(struct slice s, struct slice *ret_label,
			struct slice *ret_value)
{
	struct slice label;

	if (!slice_skip(&s, S("|")) || !slice_take_until(&s, '|', &label))
		return false;
	s = slice_trim(s);
	if (slice_ends(s, S("|")))
		s.len--;
	*ret_label = slice_trim(label);
	*ret_value = slice_trim(s);
	return true;
}

static enum field field_of(struct slice label, enum field before)
{
	if (!label.len)
		return before;
	if (slice_eq(label, S("testcase: change")))
		return FIELD_CHANGE;
	if (slice_eq(label, S("test machine")))
		return FIELD_MACHINE;
	if (slice_eq(label, S("test parameters")))
		return FIELD_PARAMETERS;
	return FIELD_OTHER;
}

/* "TEST: METRIC PCT% VERDICT" begins a result; the verdict is its word. */
static enum status begin_result(struct parse *p, struct slice value,
				uint32_t line)
{
	struct report *r = p->rep;
	struct result result = { .table = -1, .row = -1 };

	if (!slice_take_until(&value, ':', &result.testcase) ||
	    !subject_take_change(value, &result.metric, &result.percent,
				 &result.verdict)) {
		parse_warn(p, line, "no \"test: metric change\" in this box");
		return PH_NONE;
	}
	if (r->n_results == LIMIT_RESULTS)
		return err_set(p->err, PH_BAD,
			       "line %u: more than %d results in one report",
			       line, LIMIT_RESULTS);
	r->results = arena_grow(p->arena, r->results, &p->cap_results,
				r->n_results, sizeof(*r->results));
	r->results[r->n_results++] = result;
	return PH_OK;
}

static enum status add_parameter(struct parse *p, struct result *result,
				 size_t *cap, struct slice value)
{
	struct slice key;

	if (!slice_take_until(&value, '=', &key))
		return PH_OK;
	return parse_add_pair(p, &result->params, &result->n_params, cap, key,
			      value, "parameters");
}

/* Lines of one entry, up to a frame or the box's end. */
static enum status take_entry(struct parse *p)
{
	enum field field = FIELD_OTHER;
	struct result *result = NULL;
	struct slice text, label, value;
	struct lines ahead = p->lines;
	enum status s = PH_OK;
	uint32_t number;
	size_t cap = 0;

	while (s != PH_BAD && take_line(p, &ahead, &text, &number) &&
	       split_cells(text, &label, &value)) {
		p->lines = ahead;
		field = field_of(label, field);
		if (field == FIELD_CHANGE && label.len) {
			s = begin_result(p, value, number);
			result = s ? NULL
				   : &p->rep->results[p->rep->n_results - 1];
			cap = 0;
		} else if (result && field == FIELD_MACHINE) {
			machine_read(p, value, &result->machine);
		} else if (result && field == FIELD_PARAMETERS) {
			s = add_parameter(p, result, &cap, value);
		}
	}
	return s == PH_BAD ? PH_BAD : PH_OK;
}

enum status box_take(struct parse *p)
{
	struct slice text, label, value;
	struct lines ahead = p->lines;
	uint32_t number;

	while (take_line(p, &ahead, &text, &number)) {
		if (slice_starts(text, S("+--"))) {
			p->lines = ahead;
			continue;
		}
		if (!split_cells(text, &label, &value))
			return PH_OK;
		if (take_entry(p))
			return PH_BAD;
		ahead = p->lines;
	}
	return PH_OK;
}
