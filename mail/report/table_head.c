/*
 * What stands between the "====" rule of a table and its dashes: axis keys and
 * values, and a line a column. Long lines may be wrapped; in a collapsed copy
 * all blank lines are gone.
 */
#include "mail/report/parse.h"

#include "ph/limits.h"

#define HEAD_LINES 64 /* notes and wrapped lines included */

/* The lines of one head, in which blank ones part the pieces. */
struct head {
	struct lines at;
	uint32_t last; /* the line before the dashes */
};

static bool take_line(struct head *h, struct slice *ret)
{
	struct line line;

	if (h->at.number >= h->last || !lines_take(&h->at, &line))
		return false;
	*ret = slice_trim(line.text);
	return true;
}

static bool peek_line(const struct head *h, struct slice *ret)
{
	struct head copy = *h;

	return take_line(&copy, ret);
}

static void skip_empty(struct head *h)
{
	struct slice s;

	while (peek_line(h, &s) && !s.len)
		take_line(h, &s);
}

static struct slice join(struct parse *p, struct slice a, struct slice b,
			 const char *between)
{
	if (!a.len)
		return b;
	return slice_of(arena_printf(p->arena, "%.*s%s%.*s", S_FMT(a), between,
				     S_FMT(b)));
}

/* "a/b/c:", over as many lines as it takes. */
static bool take_keys(struct parse *p, struct head *h, struct slice *ret)
{
	struct slice keys = { 0 }, s;

	skip_empty(h);
	while (take_line(h, &s) && s.len) {
		keys = join(p, keys, s, "");
		if (slice_ends(keys, S(":"))) {
			keys.len--;
			*ret = keys;
			return true;
		}
	}
	return false;
}

/* Up to an empty line, or in a collapsed copy the key of the columns. A copy
 * that doubled all line ends has an empty line before them, too. */
static struct slice take_axis_values(struct parse *p, struct head *h)
{
	struct slice values = { 0 }, s;

	skip_empty(h);
	while (peek_line(h, &s) && s.len && !slice_ends(s, S(":"))) {
		take_line(h, &s);
		values = join(p, values, s, "");
	}
	return values;
}

static size_t count_parts(struct slice s)
{
	struct slice part;
	size_t n = 1;

	while (slice_take_until(&s, '/', &part))
		n++;
	return n;
}

static struct slice take_part(struct slice *s)
{
	struct slice part;

	if (!slice_take_until(s, '/', &part)) {
		part = *s;
		*s = slice_from(*s, s->len);
	}
	return part;
}

/* A value may hold a slash: then no pairing is sure, and the text is kept. */
static enum status split_axes(struct parse *p, struct table *t,
			      struct slice keys, struct slice values)
{
	size_t n = count_parts(keys), cap = 0;

	if (n != count_parts(values))
		return parse_add_pair(p, &t->axes, &t->n_axes, &cap, keys,
				      values, "axes");
	for (size_t i = 0; i < n; i++) {
		struct slice key = take_part(&keys);

		if (parse_add_pair(p, &t->axes, &t->n_axes, &cap, key,
				   take_part(&values), "axes"))
			return PH_BAD;
	}
	return PH_OK;
}

/* `id`, `id ("title")`, `id (title)`; a person's note may follow. */
static void split_column(struct slice s, struct column *ret)
{
	const char *end;

	if (!slice_take_word(&s, &ret->id))
		return;
	slice_skip_blanks(&s);
	if (slice_skip(&s, S("(\""))) {
		for (struct slice at = s; (end = slice_find(at, S("\")")));
		     at = slice_between(end + 1, s.ptr + s.len))
			ret->title = slice_between(s.ptr, end);
	} else if (slice_skip(&s, S("("))) {
		end = slice_rchr(s, ')');
		if (end)
			ret->title = slice_between(s.ptr, end);
	}
}

static bool is_open_title(struct slice s)
{
	return slice_find(s, S(" (\"")) && !slice_find(s, S("\")"));
}

static void take_columns(struct parse *p, struct head *h, struct table *t)
{
	struct slice s, more;
	size_t i = 0;

	while (i < t->n_columns && take_line(h, &s)) {
		if (!s.len)
			continue;
		while (is_open_title(s) && take_line(h, &more) && more.len)
			s = join(p, s, more, " ");
		split_column(s, &t->columns[i++]);
	}
}

/* The column heads: as many words as there are columns, no title. */
static bool read_headings(struct slice s, struct table *t, bool keep)
{
	struct slice word;
	size_t n = 0;

	if (slice_find(s, S("(\"")))
		return false;
	for (; slice_take_word(&s, &word); n++)
		if (keep && n < t->n_columns)
			t->columns[n].heading = word;
	return n == t->n_columns;
}

/* The last line that is not empty before the dashes. */
static void take_headings(struct head *h, struct table *t)
{
	struct head scan = *h, before = *h;
	struct slice s, last = { 0 };
	uint32_t at = 0;

	while (take_line(&scan, &s)) {
		if (s.len) {
			last = s;
			at = before.at.number;
		}
		before = scan;
	}
	if (!last.len || !read_headings(last, t, false))
		return;
	read_headings(last, t, true);
	h->last = at;
}

static struct lines start_of(const struct parse *p, uint32_t dashes)
{
	if (p->rule.at && dashes - p->rule.number <= HEAD_LINES)
		return p->rule;
	if (p->commits.at && dashes - p->commits.number <= HEAD_LINES)
		return p->commits;
	return p->before;
}

enum status table_head_read(struct parse *p, const struct line *dashes,
			    struct table *t)
{
	struct head h = { start_of(p, dashes->number), dashes->number - 1 };
	struct slice keys, values;

	p->rule.at = NULL;
	p->commits.at = NULL;
	if (!h.at.at)
		return PH_OK;
	take_headings(&h, t);
	if (!take_keys(p, &h, &keys))
		return PH_OK;
	if (!slice_eq(keys, S("commit"))) {
		values = take_axis_values(p, &h);
		if (values.len && split_axes(p, t, keys, values))
			return PH_BAD;
		if (!take_keys(p, &h, &keys))
			return PH_OK;
	}
	take_columns(p, &h, t);
	return PH_OK;
}
