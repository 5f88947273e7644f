#include "notify/chat.h"

#include <assert.h>
#include "ph/utf8.h"

/* Some dialects write each of its dots as two characters. */
#define CUT_ROOM ((sizeof(CHAT_CUT) - 1) * 2)

size_t chat_count(struct slice s, enum chat_unit unit)
{
	switch (unit) {
	case UNIT_POINTS:
		return utf8_count(s);
	case UNIT_UTF16:
		return utf8_count16(s);
	case UNIT_BYTES:
		break;
	}
	return s.len;
}

/* How much of s (bytes, on a code point border) fits room when escaped. */
static size_t fitting(struct slice s,
		      void (*put)(struct buf *b, struct slice s), size_t room,
		      enum chat_unit unit)
{
	size_t low = 0, high = s.len;
	struct buf b;

	buf_init(&b);
	while (low < high) {
		struct slice part = utf8_cut(s, low + (high - low + 1) / 2);

		/* the border fell back to where we stand: try beyond it */
		if (part.len <= low) {
			uint32_t point;
			struct slice rest = slice_from(s, low);

			utf8_take(&rest, &point, NULL);
			part = slice_head(s, s.len - rest.len);
		}
		buf_reset(&b);
		put(&b, part);
		if (chat_count(buf_slice(&b), unit) <= room)
			low = part.len;
		else
			high = utf8_cut(s, part.len - 1).len;
	}
	buf_release(&b);
	return low;
}

void chat_put_cut(struct buf *ret, struct slice s,
		  void (*escape)(struct buf *b, struct slice s), size_t limit,
		  enum chat_unit unit)
{
	struct arena arena;
	struct buf b;
	size_t len;

	buf_init(&b);
	escape(&b, s);
	if (chat_count(buf_slice(&b), unit) <= limit) {
		buf_add_slice(ret, buf_slice(&b));
		buf_release(&b);
		return;
	}
	arena_init(&arena);
	assert(limit > CUT_ROOM);
	len = fitting(s, escape, limit - CUT_ROOM, unit);
	escape(ret, slice_of(arena_printf(&arena, "%.*s" CHAT_CUT,
					  S_FMT(slice_head(s, len)))));
	arena_release(&arena);
	buf_release(&b);
}

static void put_span(const struct chat_dialect *d, const struct chat_span *s,
		     struct buf *b)
{
	switch (s->kind) {
	case SPAN_STRONG:
		d->strong(b, s->text);
		return;
	case SPAN_CODE:
		d->code(b, s->text);
		return;
	case SPAN_LINK:
		d->link(b, s->text, s->url);
		return;
	case SPAN_TEXT:
		d->text(b, s->text);
		return;
	}
}

/* A text on its way out; used counts what stands in out. */
struct page {
	const struct chat_dialect *dialect;
	enum chat_unit unit;
	size_t limit, used;
	struct buf *out, piece;
};

static bool put_piece(struct page *p)
{
	size_t size = chat_count(buf_slice(&p->piece), p->unit);

	if (size > p->limit - p->used)
		return false;
	buf_add_slice(p->out, buf_slice(&p->piece));
	p->used += size;
	return true;
}

/* False when the span did not fit: it is then cut, or left out as a link. */
static bool put_within(struct page *p, const struct chat_span *s)
{
	buf_reset(&p->piece);
	put_span(p->dialect, s, &p->piece);
	if (put_piece(p))
		return true;
	if (s->kind != SPAN_LINK && p->limit - p->used > 40)
		chat_put_cut(p->out, s->text,
			     s->kind == SPAN_CODE ? p->dialect->code
						  : p->dialect->text,
			     p->limit - p->used, p->unit);
	return false;
}

static bool put_line(struct page *p, const struct chat_line *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!put_within(p, &l->span[i]))
			return false;
	return true;
}

static bool put_line_end(struct page *p)
{
	buf_reset(&p->piece);
	buf_add_str(&p->piece, p->dialect->line_end);
	return put_piece(p);
}

void chat_write(const struct chat *c, const struct chat_dialect *d,
		size_t limit, enum chat_unit unit, struct buf *ret)
{
	struct page p = { d, unit, limit, 0, ret, { 0 } };
	bool fits = true;

	for (size_t i = 0; i < c->n && fits; i++)
		fits = (!i || put_line_end(&p)) && put_line(&p, &c->line[i]);
	buf_release(&p.piece);
}

static void put_plain(struct buf *b, struct slice s)
{
	buf_add_slice(b, s);
}

static void put_plain_link(struct buf *b, struct slice s, struct slice url)
{
	buf_printf(b, "%.*s <%.*s>", S_FMT(s), S_FMT(url));
}

const struct chat_dialect chat_plain = {
	.text = put_plain,
	.strong = put_plain,
	.code = put_plain,
	.link = put_plain_link,
	.line_end = "\n",
};

void chat_put_html(struct buf *b, struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '&')
			buf_add_str(b, "&amp;");
		else if (s.ptr[i] == '<')
			buf_add_str(b, "&lt;");
		else if (s.ptr[i] == '>')
			buf_add_str(b, "&gt;");
		else if (s.ptr[i] == '"')
			buf_add_str(b, "&quot;");
		else
			buf_add_char(b, s.ptr[i]);
	}
}

/* What a service with another idea of code could take for a mention: an @ that
 * is not inside a word, and Slack's <!word> and <@id>. */
static bool could_mention(struct slice s, size_t i)
{
	char before = i ? s.ptr[i - 1] : ' ';
	char after = i + 1 < s.len ? s.ptr[i + 1] : ' ';

	if (s.ptr[i] == '<')
		return after == '!' || after == '@';
	if (s.ptr[i] != '@')
		return false;
	return !(is_alpha(before) || is_digit(before)) ||
	       !(is_alpha(after) || is_digit(after));
}

static size_t longest_run(struct slice s, char c)
{
	size_t run = 0, longest = 0;

	for (size_t i = 0; i < s.len; i++) {
		run = s.ptr[i] == c ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void put_fence(struct buf *b, size_t len)
{
	while (len--)
		buf_add_char(b, '`');
}

void chat_put_fenced(struct buf *b, struct slice s)
{
	bool touches = s.len && (s.ptr[0] == '`' || s.ptr[s.len - 1] == '`');
	size_t fence = longest_run(s, '`') + 1;

	put_fence(b, fence);
	if (touches)
		buf_add_char(b, ' ');
	for (size_t i = 0; i < s.len; i++) {
		buf_add_char(b, s.ptr[i]);
		if (could_mention(s, i))
			buf_add_str(b, CHAT_BREAK);
	}
	if (touches)
		buf_add_char(b, ' ');
	put_fence(b, fence);
}

/* A dot inside a word could make a domain of it. */
static bool is_bare_dot(struct slice s, size_t i)
{
	bool last = i + 1 == s.len || is_blank(s.ptr[i + 1]);

	return last || (i && is_digit(s.ptr[i - 1]) && is_digit(s.ptr[i + 1]));
}

bool chat_is_bare(struct slice s)
{
	if (!s.len || strchr("-+>/", s.ptr[0]))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (is_alpha(c) || is_digit(c) || (c & 0x80))
			continue;
		if (c == '.' ? !is_bare_dot(s, i) : !strchr(" ,;%'()/+->=", c))
			return false;
	}
	return true;
}
