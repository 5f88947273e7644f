#include "mail/charset.h"
#include "ph/utf8.h"

enum charset charset_of(struct slice label)
{
	static const struct {
		struct slice label;
		enum charset charset;
	} known[] = {
		{ S_INIT("utf-8"), CHARSET_UTF8 },
		{ S_INIT("utf8"), CHARSET_UTF8 },
		{ S_INIT("iso-8859-15"), CHARSET_LATIN9 },
		{ S_INIT("iso_8859-15"), CHARSET_LATIN9 },
		{ S_INIT("latin-9"), CHARSET_LATIN9 },
		{ S_INIT("latin9"), CHARSET_LATIN9 },
	};

	label = slice_trim(label);
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (slice_caseeq(label, known[i].label))
			return known[i].charset;
	return CHARSET_GUESS;
}

/* How many bytes at the front are ASCII without CR and NUL. */
static size_t plain_run(struct slice s)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t tops = ones << 7;
	size_t i = 0;

	for (; s.len - i >= 8; i += 8) {
		uint64_t w, cr;

		memcpy(&w, s.ptr + i, 8);
		/* A zero byte in x shows as a top bit of (x - ones) & ~x. */
		cr = w ^ (ones * '\r');
		if ((w | ((w - ones) & ~w) | ((cr - ones) & ~cr)) & tops)
			break;
	}
	while (i < s.len && s.ptr[i] && s.ptr[i] != '\r' &&
	       (unsigned char)s.ptr[i] < 0x80)
		i++;
	return i;
}

/* Like utf8_valid, at the speed of the ASCII between the other bytes. */
static bool is_utf8(struct slice s)
{
	bool bad = false;
	uint32_t point;

	while (s.len && !bad) {
		s = slice_from(s, plain_run(s));
		utf8_take(&s, &point, &bad);
	}
	return !bad;
}

/* Windows code page 1252, 0x80 to 0x9f; 0: not assigned. Latin-1 has control
 * characters there, which no mail means. */
static uint32_t from_cp1252(unsigned char c)
{
	static const uint16_t high[32] = {
		0x20ac, 0,	0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
		0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,	0x017d, 0,
		0,	0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
		0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,	0x017e, 0x0178,
	};

	if (c < 0x80 || c > 0x9f)
		return c;
	return high[c - 0x80] ? high[c - 0x80] : 0xfffd;
}

/* ISO 8859-15 differs from Latin-1 in eight places. */
static uint32_t from_latin9(unsigned char c)
{
	switch (c) {
	case 0xa4:
		return 0x20ac;
	case 0xa6:
		return 0x0160;
	case 0xa8:
		return 0x0161;
	case 0xb4:
		return 0x017d;
	case 0xb8:
		return 0x017e;
	case 0xbc:
		return 0x0152;
	case 0xbd:
		return 0x0153;
	case 0xbe:
		return 0x0178;
	default:
		return from_cp1252(c);
	}
}

static uint32_t take_point(struct slice *s, enum charset charset)
{
	uint32_t point = 0;
	unsigned char c = (unsigned char)*s->ptr;

	if (charset == CHARSET_UTF8) {
		utf8_take(s, &point, NULL);
		return point;
	}
	*s = slice_from(*s, 1);
	return charset == CHARSET_LATIN9 ? from_latin9(c) : from_cp1252(c);
}

/*
 * A run of CR with LF behind it is one line end: a careless relay doubles the
 * CR. Without the LF each is one: a progress bar starts its line anew so.
 * Returns how many were taken.
 */
static size_t take_line_ends(struct slice *s)
{
	size_t n = 0;

	while (n < s->len && s->ptr[n] == '\r')
		n++;
	if (n && n < s->len && s->ptr[n] == '\n') {
		*s = slice_from(*s, n + 1);
		return 1;
	}
	*s = slice_from(*s, n);
	return n;
}

void charset_put(struct buf *b, enum charset charset, struct slice s)
{
	if (charset != CHARSET_UTF8 && is_utf8(s))
		charset = CHARSET_UTF8;
	while (s.len) {
		size_t n = plain_run(s), ends;
		uint32_t point;

		buf_add(b, s.ptr, n);
		s = slice_from(s, n);
		ends = take_line_ends(&s);
		for (size_t i = 0; i < ends; i++)
			buf_add_char(b, '\n');
		if (n || ends)
			continue;
		point = take_point(&s, charset);
		utf8_put(b, point ? point : 0xfffd);
	}
}
