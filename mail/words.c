#include "mail/charset.h"
#include "mail/header.h"
#include "mail/mime.h"
#include "ph/utf8.h"

/*
 * RFC 2047 section 2:
 *	word = "=?" charset ["*" language] "?" ("B" / "Q") "?" text "?="
 * Real mailers put blanks into Q text and break characters over two words;
 * both are read. GMime is not asked, for it would hand the charset's name to
 * iconv, and we know the few we want.
 */
struct word {
	enum charset charset;
	bool base64;
	struct slice text;
};

/* State of one value: bytes that wait for more of the same charset. */
struct words {
	struct buf bytes;
	enum charset charset;
	struct buf out;
};

static bool take_word(struct slice *s, struct word *ret)
{
	struct slice rest = *s, label, language, kind;
	const char *end;

	if (!slice_skip(&rest, S("=?")) ||
	    !slice_take_until(&rest, '?', &label) ||
	    !slice_take_until(&rest, '?', &kind) || kind.len != 1)
		return false;
	end = slice_find(rest, S("?="));
	if (!end)
		return false;
	if (slice_take_until(&label, '*', &language))
		label = language;
	ret->charset = charset_of(label);
	ret->base64 = to_lower(*kind.ptr) == 'b';
	if (!ret->base64 && to_lower(*kind.ptr) != 'q')
		return false;
	ret->text = slice_between(rest.ptr, end);
	*s = slice_between(end + 2, s->ptr + s->len);
	return true;
}

static void decode_q(struct slice s, struct buf *ret)
{
	for (size_t i = 0; i < s.len; i++) {
		int high = -1, low = -1;

		if (s.ptr[i] == '=' && s.len - i > 2) {
			high = hex_value(s.ptr[i + 1]);
			low = hex_value(s.ptr[i + 2]);
		}
		if (high >= 0 && low >= 0) {
			buf_add_char(ret, (char)(high << 4 | low));
			i += 2;
		} else {
			buf_add_char(ret, s.ptr[i] == '_' ? ' ' : s.ptr[i]);
		}
	}
}

static void flush(struct words *w)
{
	charset_put(&w->out, w->charset, buf_slice(&w->bytes));
	buf_reset(&w->bytes);
}

static void add_word(struct words *w, const struct word *word)
{
	if (w->charset != word->charset)
		flush(w);
	w->charset = word->charset;
	if (word->base64)
		mime_decode(S("base64"), word->text, &w->bytes);
	else
		decode_q(word->text, &w->bytes);
}

/* Adds value with its words decoded. Blanks between two words fall away. */
static void decode(struct words *w, struct slice value)
{
	struct slice plain = { value.ptr, 0 };
	bool after_word = false;
	struct word word;

	while (value.len) {
		if (!take_word(&value, &word)) {
			value = slice_from(value, 1);
			plain.len++;
			continue;
		}
		if (!after_word || slice_trim(plain).len) {
			flush(w);
			charset_put(&w->out, CHARSET_GUESS, plain);
		}
		add_word(w, &word);
		after_word = true;
		plain = slice_head(value, 0);
	}
	flush(w);
	charset_put(&w->out, CHARSET_GUESS, plain);
}

/* Runs of blanks become one, none at the ends. */
static size_t squeeze(char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] != ' ')
			text[n++] = text[i];
		else if (n && text[n - 1] != ' ')
			text[n++] = ' ';
	}
	return n && text[n - 1] == ' ' ? n - 1 : n;
}

struct slice header_text(struct slice value, struct arena *arena)
{
	struct words w = { .charset = CHARSET_GUESS };
	struct buf clean;
	struct slice ret;

	buf_init(&w.bytes);
	buf_init(&w.out);
	buf_init(&clean);
	decode(&w, value);
	utf8_put_clean(&clean, buf_slice(&w.out));
	clean.len = squeeze(clean.ptr, clean.len);
	ret = arena_copy(arena, buf_slice(&clean));
	buf_release(&w.bytes);
	buf_release(&w.out);
	buf_release(&clean);
	return ret;
}
