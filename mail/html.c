#include "mail/html.h"

#define QUOTES_MAX 8  /* deeper ones look like these */
#define ENTITY_MAX 10 /* bytes between "&" and ";" */

struct html {
	struct slice in;
	struct buf *out;
	unsigned quotes, pre; /* elements that are open */
	bool begun;	      /* the line holds something */
	bool blank;	      /* one is due before the next character */
	bool no_tags;	      /* no ">" is left */
};

static void end_line(struct html *h)
{
	buf_add_char(h->out, '\n');
	h->begun = false;
	h->blank = false;
}

static void end_begun_line(struct html *h)
{
	if (h->begun)
		end_line(h);
}

static void begin_line(struct html *h)
{
	for (unsigned i = 0; !h->begun && i < h->quotes && i < QUOTES_MAX; i++)
		buf_add_str(h->out, "> ");
	h->begun = true;
}

/* What comes before the next character. */
static void begin_text(struct html *h)
{
	begin_line(h);
	if (h->blank)
		buf_add_char(h->out, ' ');
	h->blank = false;
}

static void put(struct html *h, struct slice text)
{
	begin_text(h);
	buf_add_slice(h->out, text);
}

/* A line end of the source is one of the text in <pre> only. */
static void put_space(struct html *h, char c)
{
	if (h->pre && c == '\n')
		end_line(h);
	else if (h->pre && c != '\r')
		put(h, (struct slice){ &c, 1 });
	else if (!h->pre)
		h->blank = h->begun;
}

static bool is_space(char c)
{
	return is_blank(c) || c == '\n' || c == '\r';
}

/* Moves in to the end tag of <script> and the like, whose inside is no text. */
static void skip_inside(struct html *h, struct slice name)
{
	const char *end = h->in.ptr + h->in.len, *open;
	struct slice rest = h->in;

	while ((open = slice_chr(rest, '<'))) {
		rest = slice_between(open + 1, end);
		if (!slice_skip(&rest, S("/")) ||
		    !slice_caseeq(slice_head(rest, name.len), name))
			continue;
		h->in = slice_between(open, end);
		return;
	}
	h->in = slice_from(h->in, h->in.len);
}

static bool is_one_of(struct slice name, const struct slice *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_caseeq(name, list[i]))
			return true;
	return false;
}

static void count(unsigned *open, bool closes)
{
	if (!closes)
		++*open;
	else if (*open)
		--*open;
}

static void act_on(struct html *h, struct slice name, bool closes)
{
	static const struct slice silent[] = {
		S_INIT("script"),
		S_INIT("style"),
		S_INIT("title"),
	};
	static const struct slice lines[] = {
		S_INIT("p"),	      S_INIT("div"),   S_INIT("tr"),
		S_INIT("li"),	      S_INIT("pre"),   S_INIT("h1"),
		S_INIT("h2"),	      S_INIT("h3"),    S_INIT("h4"),
		S_INIT("hr"),	      S_INIT("ul"),    S_INIT("ol"),
		S_INIT("blockquote"), S_INIT("table"), S_INIT("body"),
	};

	if (slice_caseeq(name, S("br"))) {
		begin_line(h);
		end_line(h);
	} else if (slice_caseeq(name, S("td"))) {
		h->blank = h->begun;
	} else if (is_one_of(name, lines, ARRAY_LEN(lines))) {
		end_begun_line(h);
	} else if (!closes && is_one_of(name, silent, ARRAY_LEN(silent))) {
		skip_inside(h, name);
	}
	if (slice_caseeq(name, S("blockquote")))
		count(&h->quotes, closes);
	else if (slice_caseeq(name, S("pre")))
		count(&h->pre, closes);
}

static bool skip_comment(struct html *h)
{
	const char *end;

	if (!slice_skip(&h->in, S("<!--")))
		return false;
	end = slice_find(h->in, S("-->"));
	h->in = end ? slice_between(end + 3, h->in.ptr + h->in.len)
		    : slice_from(h->in, h->in.len);
	return true;
}

/* False: this "<" begins no tag. */
static bool take_tag(struct html *h)
{
	struct slice s = slice_from(h->in, 1);
	bool closes = slice_skip(&s, S("/"));
	size_t len = 0;
	const char *end;

	if (skip_comment(h))
		return true;
	if (h->no_tags || !s.len ||
	    (!is_alpha(*s.ptr) && *s.ptr != '!' && *s.ptr != '?'))
		return false;
	end = slice_chr(s, '>');
	h->no_tags = !end;
	if (!end)
		return false;
	while (is_alpha(s.ptr[len]) || is_digit(s.ptr[len]))
		len++;
	h->in = slice_between(end + 1, s.ptr + s.len);
	act_on(h, slice_head(s, len), closes);
	return true;
}

/* "#177" or "#xb1", without its "#". */
static bool take_code(struct slice s, uint64_t *ret)
{
	bool hex = slice_caseskip(&s, S("x"));
	uint64_t n = 0;

	if (!hex)
		return slice_take_uint(&s, 0x10ffff, ret) && !s.len;
	for (size_t i = 0; i < s.len; i++) {
		int digit = hex_value(s.ptr[i]);

		if (digit < 0)
			return false;
		n = n * 16 + (uint64_t)digit;
	}
	*ret = n;
	return s.len > 0;
}

/* What text may hold: a line end written so would end the line's quote mark. */
static bool is_character(uint64_t n)
{
	return (n == '\t' || n >= ' ') && n != 0x7f && n <= 0x10ffff &&
	       (n < 0xd800 || n > 0xdfff);
}

/* What stands between "&" and ";". A no-break blank is a blank that stays. */
static bool read_entity(struct slice name, uint32_t *ret)
{
	static const struct {
		struct slice name;
		uint32_t point;
	} known[] = {
		{ S_INIT("amp"), '&' },	    { S_INIT("lt"), '<' },
		{ S_INIT("gt"), '>' },	    { S_INIT("quot"), '"' },
		{ S_INIT("apos"), '\'' },   { S_INIT("nbsp"), ' ' },
		{ S_INIT("plusmn"), 0xb1 },
	};
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (slice_eq(name, known[i].name)) {
			*ret = known[i].point;
			return true;
		}
	if (!slice_skip(&name, S("#")) || !take_code(name, &n) ||
	    !is_character(n))
		return false;
	*ret = n == 0xa0 ? ' ' : (uint32_t)n;
	return true;
}

static bool take_entity(struct html *h)
{
	struct slice at = slice_head(slice_from(h->in, 1), ENTITY_MAX), name;
	uint32_t point;

	if (!slice_take_until(&at, ';', &name) || !read_entity(name, &point))
		return false;
	h->in = slice_from(h->in, name.len + 2);
	begin_text(h);
	utf8_put(h->out, point);
	return true;
}

/* The front of in that is neither markup nor a blank; at least one byte. */
static void take_plain(struct html *h)
{
	size_t n = 1;

	while (n < h->in.len && h->in.ptr[n] != '<' && h->in.ptr[n] != '&' &&
	       !is_space(h->in.ptr[n]))
		n++;
	put(h, slice_head(h->in, n));
	h->in = slice_from(h->in, n);
}

void html_text(struct slice html, struct buf *ret)
{
	struct html h = { .in = html, .out = ret };

	while (h.in.len) {
		char c = *h.in.ptr;

		if (is_space(c)) {
			put_space(&h, c);
			h.in = slice_from(h.in, 1);
		} else if ((c != '<' || !take_tag(&h)) &&
			   (c != '&' || !take_entity(&h))) {
			take_plain(&h);
		}
	}
	end_begun_line(&h);
}
