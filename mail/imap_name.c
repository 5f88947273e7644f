#include "mail/imap_session.h"
#include "ph/utf8.h"

/*
 * Modified UTF-7: printable ASCII stands for itself, "&" is "&-", all else is
 * UTF-16 in Base64 with "," for "/" and without padding, between "&" and "-".
 */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz0123456789+,";

static bool is_plain(char c)
{
	return c >= 0x20 && c <= 0x7e && c != '&';
}

/* Bits on their way into digits, or out of them. */
struct bits {
	uint32_t held;
	unsigned n;
};

static void put_unit(struct buf *out, struct bits *b, uint32_t unit)
{
	b->held = b->held << 16 | unit;
	b->n += 16;
	while (b->n >= 6) {
		b->n -= 6;
		buf_add_char(out, digits[b->held >> b->n & 63]);
	}
}

static void put_run(struct buf *out, struct slice *name)
{
	struct bits b = { 0, 0 };
	uint32_t point;

	buf_add_char(out, '&');
	while (name->len && !is_plain(*name->ptr) && *name->ptr != '&') {
		utf8_take(name, &point, NULL);
		if (point > 0xffff) {
			point -= 0x10000;
			put_unit(out, &b, 0xd800 + (point >> 10));
			point = 0xdc00 + (point & 0x3ff);
		}
		put_unit(out, &b, point);
	}
	if (b.n)
		buf_add_char(out, digits[b.held << (6 - b.n) & 63]);
	buf_add_char(out, '-');
}

static char *take_result(struct arena *arena, struct buf *b)
{
	char *str = arena_str(arena, buf_slice(b));

	buf_release(b);
	return str;
}

char *imap_name_to_wire(struct arena *arena, struct slice name)
{
	struct buf out;

	buf_init(&out);
	while (name.len) {
		if (slice_skip(&name, S("&"))) {
			buf_add_str(&out, "&-");
		} else if (is_plain(*name.ptr)) {
			buf_add_char(&out, *name.ptr);
			name = slice_from(name, 1);
		} else {
			put_run(&out, &name);
		}
	}
	return take_result(arena, &out);
}

/* A unit of UTF-16 that completes a point; false for half a pair alone. */
static bool take_unit(struct buf *out, uint32_t *high, uint32_t unit)
{
	if (unit >= 0xd800 && unit < 0xdc00) {
		if (*high)
			return false;
		*high = unit;
		return true;
	}
	if (unit >= 0xdc00 && unit < 0xe000) {
		if (!*high)
			return false;
		unit = 0x10000 + ((*high - 0xd800) << 10) + (unit - 0xdc00);
		*high = 0;
	}
	if (*high)
		return false;
	utf8_put(out, unit);
	return true;
}

static bool take_run(struct buf *out, struct slice run)
{
	struct bits b = { 0, 0 };
	uint32_t high = 0;

	if (!run.len)
		buf_add_char(out, '&');
	for (size_t i = 0; i < run.len; i++) {
		const char *digit = slice_chr(slice_of(digits), run.ptr[i]);

		if (!digit)
			return false;
		b.held = b.held << 6 | (uint32_t)(digit - digits);
		b.n += 6;
		if (b.n < 16)
			continue;
		b.n -= 16;
		if (!take_unit(out, &high, b.held >> b.n & 0xffff))
			return false;
	}
	return !high;
}

char *imap_name_from_wire(struct arena *arena, struct slice name)
{
	struct slice rest = name, run;
	struct buf out;
	bool ok = true;

	buf_init(&out);
	while (ok && rest.len) {
		if (slice_skip(&rest, S("&"))) {
			ok = slice_take_until(&rest, '-', &run) &&
			     take_run(&out, run);
		} else {
			buf_add_char(&out, *rest.ptr);
			rest = slice_from(rest, 1);
		}
	}
	if (!ok) {
		buf_release(&out);
		return arena_str(arena, name);
	}
	return take_result(arena, &out);
}
