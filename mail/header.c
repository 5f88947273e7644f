#include "mail/header.h"

/* RFC 5322 section 3.6.8: printable ASCII without the colon. */
static bool is_name_char(char c)
{
	return c > ' ' && c < 0x7f && c != ':';
}

static bool take_name(struct slice *s, struct slice *ret)
{
	struct slice rest = *s;
	size_t len = 0;

	while (len < rest.len && is_name_char(rest.ptr[len]))
		len++;
	*ret = slice_head(rest, len);
	rest = slice_from(rest, len);
	slice_skip_blanks(&rest);
	if (!len || !slice_skip(&rest, S(":")))
		return false;
	*s = rest;
	return true;
}

/* The end of the folded lines that start at s: after their last LF. */
static const char *fold_end(struct slice s)
{
	const char *end = s.ptr + s.len, *lf;

	do {
		lf = s.len ? memchr(s.ptr, '\n', s.len) : NULL;
		if (!lf)
			return end;
		s = slice_between(lf + 1, end);
	} while (s.len && is_blank(*s.ptr));
	return s.ptr;
}

bool header_take(struct slice *in, struct header_field *ret)
{
	struct slice rest = *in;
	const char *end;

	if (!take_name(&rest, &ret->name))
		return false;
	end = fold_end(rest);
	ret->value = slice_trim(slice_between(rest.ptr, end));
	*in = slice_between(end, in->ptr + in->len);
	if (end > rest.ptr && end[-1] == '\n')
		end--;
	if (end > rest.ptr && end[-1] == '\r')
		end--;
	ret->raw = slice_between(ret->name.ptr, end);
	return true;
}

bool header_is(const struct header_field *f, struct slice name)
{
	return slice_caseeq(f->name, name);
}

void header_split(struct slice raw, struct slice *ret_header,
		  struct slice *ret_body)
{
	struct slice rest = raw, line;
	struct header_field f;
	const char *start;

	if (slice_starts(rest, S("From ")) || slice_starts(rest, S(">From ")))
		slice_take_line(&rest, &line);
	start = rest.ptr;
	while (header_take(&rest, &f))
		;
	*ret_header = slice_between(start, rest.ptr);
	if (!slice_skip(&rest, S("\n")))
		slice_skip(&rest, S("\r\n"));
	*ret_body = rest;
}

/* ASCII without blanks and controls. */
static bool is_id(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] >= 0x7f)
			return false;
	return s.len > 0;
}

bool header_take_id(struct slice *in, struct slice *ret)
{
	struct slice rest = *in, before, id;

	if (!slice_take_until(&rest, '<', &before) ||
	    !slice_take_until(&rest, '>', &id))
		return false;
	if (!is_id(id))
		id.len = 0;
	*in = rest;
	*ret = id;
	return true;
}

bool header_take_bare_id(struct slice value, struct slice *ret)
{
	struct slice id = slice_trim(value);

	if (!is_id(id) || !slice_chr(id, '@') || slice_chr(id, '<'))
		return false;
	*ret = id;
	return true;
}
