#include "mail/report/lines.h"

static void take_quotes(struct line *line)
{
	struct slice s = line->text;

	while (s.len && *s.ptr == '>') {
		s = slice_from(s, 1);
		if (s.len && *s.ptr == ' ')
			s = slice_from(s, 1);
		line->depth++;
	}
	line->text = s;
}

bool lines_take(struct lines *l, struct line *ret)
{
	const char *from = l->at, *to;

	if (from == l->end)
		return false;
	to = memchr(from, '\n', (size_t)(l->end - from));
	l->at = to ? to + 1 : l->end;
	if (!to)
		to = l->end;
	while (to > from && (to[-1] == '\r' || is_blank(to[-1])))
		to--;
	ret->text = slice_between(from, to);
	ret->number = ++l->number;
	ret->depth = 0;
	if (ret->text.len && *from == '>')
		take_quotes(ret);
	return true;
}

bool lines_peek(const struct lines *l, struct line *ret)
{
	struct lines copy = *l;

	return lines_take(&copy, ret);
}

bool lines_take_filled(struct lines *l, struct line *ret)
{
	while (lines_take(l, ret))
		if (slice_trim(ret->text).len)
			return true;
	return false;
}

bool line_is_rule(struct slice text, char c, size_t min)
{
	struct slice s = slice_trim(text);

	if (s.len < min)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != c)
			return false;
	return true;
}
