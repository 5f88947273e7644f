#include "ph/utf8.h"

/* The length a lead byte promises, and the bits of the point it carries. */
static size_t lead(unsigned char c, uint32_t *bits)
{
	if (c >= 0xc2 && c <= 0xdf) {
		*bits = c & 0x1f;
		return 2;
	}
	if (c >= 0xe0 && c <= 0xef) {
		*bits = c & 0x0f;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*bits = c & 0x07;
		return 4;
	}
	return 0;
}

/* RFC 3629 section 4: the forms that are too long, surrogates, too high. */
static bool allowed(uint32_t point, size_t len)
{
	if (len == 3)
		return point >= 0x800 && (point < 0xd800 || point > 0xdfff);
	if (len == 4)
		return point >= 0x10000 && point <= 0x10ffff;
	return true;
}

bool utf8_take(struct slice *s, uint32_t *ret, bool *ret_bad)
{
	const unsigned char *p = (const unsigned char *)s->ptr;
	uint32_t point;
	size_t len, i;

	if (!s->len)
		return false;
	if (p[0] < 0x80) {
		*ret = p[0];
		*s = slice_from(*s, 1);
		return true;
	}
	len = lead(p[0], &point);
	for (i = 1; i < len && i < s->len && (p[i] & 0xc0) == 0x80; i++)
		point = point << 6 | (p[i] & 0x3f);
	if (!len || i != len || !allowed(point, len)) {
		*ret = 0xfffd;
		*s = slice_from(*s, 1);
		if (ret_bad)
			*ret_bad = true;
		return true;
	}
	*ret = point;
	*s = slice_from(*s, len);
	return true;
}

bool utf8_valid(struct slice s)
{
	uint32_t point;
	bool bad = false;

	while (!bad && utf8_take(&s, &point, &bad))
		;
	return !bad;
}

size_t utf8_count(struct slice s)
{
	uint32_t point;
	size_t n = 0;

	while (utf8_take(&s, &point, NULL))
		n++;
	return n;
}

static size_t units16(uint32_t point)
{
	return point > 0xffff ? 2 : 1;
}

size_t utf8_count16(struct slice s)
{
	uint32_t point;
	size_t n = 0;

	while (utf8_take(&s, &point, NULL))
		n += units16(point);
	return n;
}

struct slice utf8_cut(struct slice s, size_t max_bytes)
{
	size_t len = s.len < max_bytes ? s.len : max_bytes;

	if (len < s.len)
		while (len && ((unsigned char)s.ptr[len] & 0xc0) == 0x80)
			len--;
	return slice_head(s, len);
}

struct slice utf8_cut_points(struct slice s, size_t max_points)
{
	struct slice rest = s;
	uint32_t point;

	while (max_points-- && utf8_take(&rest, &point, NULL))
		;
	return slice_head(s, s.len - rest.len);
}

struct slice utf8_cut16(struct slice s, size_t max_units)
{
	struct slice rest = s, after = s;
	uint32_t point;

	while (utf8_take(&after, &point, NULL)) {
		if (units16(point) > max_units)
			break;
		max_units -= units16(point);
		rest = after;
	}
	return slice_head(s, s.len - rest.len);
}

void utf8_put(struct buf *b, uint32_t point)
{
	char out[4];

	if (point < 0x80) {
		buf_add_char(b, (char)point);
	} else if (point < 0x800) {
		out[0] = (char)(0xc0 | point >> 6);
		out[1] = (char)(0x80 | (point & 0x3f));
		buf_add(b, out, 2);
	} else if (point < 0x10000) {
		out[0] = (char)(0xe0 | point >> 12);
		out[1] = (char)(0x80 | (point >> 6 & 0x3f));
		out[2] = (char)(0x80 | (point & 0x3f));
		buf_add(b, out, 3);
	} else {
		out[0] = (char)(0xf0 | point >> 18);
		out[1] = (char)(0x80 | (point >> 12 & 0x3f));
		out[2] = (char)(0x80 | (point >> 6 & 0x3f));
		out[3] = (char)(0x80 | (point & 0x3f));
		buf_add(b, out, 4);
	}
}

static bool is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
	       point == 0x2028 || point == 0x2029 ||
	       (point >= 0x202a && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069);
}

void utf8_flatten(char *text, size_t len)
{
	struct slice rest = { text, len };
	uint32_t point;
	bool bad = false;

	while (rest.len) {
		char *from = text + (len - rest.len);

		utf8_take(&rest, &point, &bad);
		if (bad || is_control(point))
			memset(from, '?', (size_t)(rest.ptr - from));
		bad = false;
	}
}

void utf8_put_clean(struct buf *b, struct slice s)
{
	uint32_t point;

	while (utf8_take(&s, &point, NULL))
		utf8_put(b, is_control(point) ? ' ' : point);
}
