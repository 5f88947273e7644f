#include "ph/slice.h"

#include <errno.h>
#include <unistd.h>

bool slice_caseeq(struct slice a, struct slice b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (to_lower(a.ptr[i]) != to_lower(b.ptr[i]))
			return false;
	return true;
}

int slice_cmp(struct slice a, struct slice b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int c = len ? memcmp(a.ptr, b.ptr, len) : 0;

	if (c)
		return c;
	return (a.len > b.len) - (a.len < b.len);
}

bool slice_starts(struct slice s, struct slice prefix)
{
	return slice_eq(slice_head(s, prefix.len), prefix);
}

bool slice_ends(struct slice s, struct slice suffix)
{
	return s.len >= suffix.len &&
	       slice_eq(slice_from(s, s.len - suffix.len), suffix);
}

const char *slice_find(struct slice s, struct slice needle)
{
	if (!needle.len)
		return s.ptr;
	if (!s.len)
		return NULL;
	return memmem(s.ptr, s.len, needle.ptr, needle.len);
}

const char *slice_chr(struct slice s, char c)
{
	return s.len ? memchr(s.ptr, c, s.len) : NULL;
}

const char *slice_rchr(struct slice s, char c)
{
	return s.len ? memrchr(s.ptr, c, s.len) : NULL;
}

bool slice_skip(struct slice *s, struct slice prefix)
{
	if (!slice_starts(*s, prefix))
		return false;
	*s = slice_from(*s, prefix.len);
	return true;
}

bool slice_caseskip(struct slice *s, struct slice prefix)
{
	if (!slice_caseeq(slice_head(*s, prefix.len), prefix))
		return false;
	*s = slice_from(*s, prefix.len);
	return true;
}

void slice_skip_blanks(struct slice *s)
{
	while (s->len && is_blank(*s->ptr)) {
		s->ptr++;
		s->len--;
	}
}

static bool is_edge(char c)
{
	return is_blank(c) || c == '\r' || c == '\n';
}

struct slice slice_trim(struct slice s)
{
	while (s.len && is_edge(*s.ptr)) {
		s.ptr++;
		s.len--;
	}
	while (s.len && is_edge(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

bool slice_take_line(struct slice *s, struct slice *ret_line)
{
	const char *lf;

	if (!s->len)
		return false;
	lf = memchr(s->ptr, '\n', s->len);
	if (lf) {
		*ret_line = slice_between(s->ptr, lf);
		*s = slice_between(lf + 1, s->ptr + s->len);
	} else {
		*ret_line = *s;
		*s = slice_from(*s, s->len);
	}
	if (ret_line->len && ret_line->ptr[ret_line->len - 1] == '\r')
		ret_line->len--;
	return true;
}

bool slice_take_word(struct slice *s, struct slice *ret_word)
{
	struct slice rest = *s;
	size_t len = 0;

	slice_skip_blanks(&rest);
	while (len < rest.len && !is_blank(rest.ptr[len]))
		len++;
	if (!len)
		return false;
	*ret_word = slice_head(rest, len);
	*s = slice_from(rest, len);
	return true;
}

bool slice_take_until(struct slice *s, char c, struct slice *ret)
{
	const char *at = slice_chr(*s, c);

	if (!at)
		return false;
	*ret = slice_between(s->ptr, at);
	*s = slice_between(at + 1, s->ptr + s->len);
	return true;
}

bool slice_take_uint(struct slice *s, uint64_t max, uint64_t *ret)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < s->len && is_digit(s->ptr[i]); i++) {
		unsigned d = (unsigned)(s->ptr[i] - '0');

		if (d > max || n > (max - d) / 10)
			return false;
		n = n * 10 + d;
	}
	if (!i)
		return false;
	*ret = n;
	*s = slice_from(*s, i);
	return true;
}

bool slice_write(int fd, struct slice s)
{
	while (s.len) {
		ssize_t n = write(fd, s.ptr, s.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		s = slice_from(s, (size_t)n);
	}
	return true;
}

bool slice_is_web_url(struct slice s)
{
	if (!slice_starts(s, S("https://")) && !slice_starts(s, S("http://")))
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~' ||
		    slice_chr(S("\"<>\\^`{|}"), s.ptr[i]))
			return false;
	return true;
}

static bool glob(struct slice p, struct slice t, bool fold)
{
	size_t i = 0, k = 0;
	size_t star = SIZE_MAX, mark = 0; /* last '*' and where it tried */

	while (k < t.len) {
		bool same =
			i < p.len &&
			(p.ptr[i] == t.ptr[k] ||
			 (fold && to_lower(p.ptr[i]) == to_lower(t.ptr[k])));

		if (i < p.len && p.ptr[i] == '*') {
			star = i++;
			mark = k;
		} else if (i < p.len && (p.ptr[i] == '?' || same)) {
			i++;
			k++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			k = ++mark;
		} else {
			return false;
		}
	}
	while (i < p.len && p.ptr[i] == '*')
		i++;
	return i == p.len;
}

bool slice_glob(struct slice pattern, struct slice text)
{
	return glob(pattern, text, false);
}

bool slice_caseglob(struct slice pattern, struct slice text)
{
	return glob(pattern, text, true);
}
