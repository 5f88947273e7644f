#include "notify/letter.h"

#include "ph/addr.h"
#include "ph/clock.h"
#include "ph/hash.h"
#include "ph/utf8.h"

#define FOLD_AT	      76 /* RFC 2047 section 2: a line with encoded words */
#define ENCODED_BYTES 39 /* of text in one encoded word: 12 + 52 = 64 columns */
#define QP_COLUMNS    75 /* RFC 2045 section 6.7: 76 with the soft break */
#define SHORT_LINE    200 /* longer ones are shown badly: quoted-printable */
#define KEY_DIGITS    40

static bool is_ascii(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] > 0x7e)
			return false;
	return true;
}

/* "=?" in plain text would be read as the start of an encoded word. */
static bool goes_plain(struct slice s)
{
	return is_ascii(s) && !slice_find(s, S("=?"));
}

/*
 * Words folded at blanks (RFC 5322 section 2.2.3). One word that is longer
 * than the header line may be sends the whole text to the encoder.
 */
static bool put_folded(struct buf *b, size_t column, struct slice text)
{
	size_t start = b->len;
	struct slice word;
	bool first = true;

	while (slice_take_word(&text, &word)) {
		if (!first && column + 1 + word.len > FOLD_AT) {
			buf_add_str(b, "\r\n");
			column = 0;
		}
		if (column + 1 + word.len > SHORT_LINE) {
			b->len = start;
			return false;
		}
		if (!first || !column)
			buf_add_char(b, ' ');
		buf_add_slice(b, word);
		column += 1 + word.len;
		first = false;
	}
	return true;
}

/* RFC 2047: UTF-8, Base64, one word a line, cut between code points. */
static void put_encoded(struct buf *b, struct slice text)
{
	bool first = true;

	while (text.len) {
		struct slice part = utf8_cut(text, ENCODED_BYTES);

		buf_add_str(b, first ? "" : "\r\n ");
		buf_add_str(b, "=?UTF-8?B?");
		base64_put(b, part);
		buf_add_str(b, "?=");
		text = slice_from(text, part.len);
		first = false;
	}
}

/* Unstructured text after "Name: "; clean already, and never empty lines. */
static void put_text_field(struct buf *b, const char *name, struct slice text)
{
	buf_printf(b, "%s: ", name);
	if (!goes_plain(text) || !put_folded(b, strlen(name) + 2, text))
		put_encoded(b, text);
	buf_add_str(b, "\r\n");
}

/* A display name: bare words, a quoted string, or encoded words. */
static void put_name(struct buf *b, struct slice name)
{
	static const struct slice special = S_INIT("()<>[]:;@\\,.\"");
	bool quote = false;

	if (!goes_plain(name)) {
		put_encoded(b, name);
		return;
	}
	for (size_t i = 0; i < name.len; i++)
		quote = quote || slice_chr(special, name.ptr[i]);
	if (quote)
		buf_add_char(b, '"');
	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '"' || name.ptr[i] == '\\')
			buf_add_char(b, '\\');
		buf_add_char(b, name.ptr[i]);
	}
	if (quote)
		buf_add_char(b, '"');
}

static void put_from(struct buf *b, const struct config_smtp *smtp,
		     struct arena *arena)
{
	struct slice name = slice_of(smtp->from_name);
	struct buf clean;

	buf_init(&clean);
	utf8_put_clean(&clean, name);
	name = arena_copy(arena, slice_trim(buf_slice(&clean)));
	buf_release(&clean);
	buf_add_str(b, "From: ");
	if (name.len) {
		put_name(b, name);
		buf_add_str(b, name.len > 40 ? "\r\n <" : " <");
	}
	buf_add_str(b, smtp->from_address);
	buf_add_str(b, name.len ? ">\r\n" : "\r\n");
}

/*
 * An id that may stand in our header: printable ASCII around one @, no
 * brackets. Others are left out, and the mail starts a thread of its own.
 */
static bool id_usable(struct slice id)
{
	size_t at = 0;

	if (id.len < 3 || id.len > 250 || id.ptr[0] == '@' ||
	    id.ptr[id.len - 1] == '@')
		return false;
	for (size_t i = 0; i < id.len; i++) {
		if (id.ptr[i] <= ' ' || id.ptr[i] > '~' || id.ptr[i] == '<' ||
		    id.ptr[i] == '>')
			return false;
		at += id.ptr[i] == '@';
	}
	return at == 1;
}

static void put_threading(struct buf *b, const struct notice *n)
{
	struct slice parent = n->thread.len ? n->thread : n->report_id;

	if (!id_usable(parent))
		return;
	buf_printf(b, "In-Reply-To: <%.*s>\r\n", S_FMT(parent));
	buf_printf(b, "References: <%.*s>\r\n", S_FMT(parent));
}

static struct slice message_id(const struct config_smtp *smtp,
			       const struct notice *n, struct arena *arena)
{
	struct slice address = slice_of(smtp->from_address);
	const char *at = slice_rchr(address, '@');
	struct slice domain =
		at ? slice_between(at + 1, address.ptr + address.len) : address;
	char name[65];

	hash_name(&n->key, 1, name);
	return slice_of(arena_printf(arena, "%.*s@%.*s", KEY_DIGITS, name,
				     S_FMT(domain)));
}

/* RFC 3834 section 5: an answer to a person is a reply, the rest is not. */
static const char *auto_submitted(const struct notice *n)
{
	return n->kind == NOTICE_ANSWER ? "auto-replied" : "auto-generated";
}

static struct slice usual_subject(const struct notice *n, struct arena *arena)
{
	struct slice ret;
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, "[perfherald] ");
	notice_subject(n, &b);
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static struct slice one_clean_line(struct slice text, struct arena *arena)
{
	struct slice ret;
	struct buf b;

	buf_init(&b);
	utf8_put_clean(&b, text);
	ret = arena_copy(arena, slice_trim(buf_slice(&b)));
	buf_release(&b);
	return ret;
}

static struct slice usual_body(const struct notice *n, struct arena *arena)
{
	struct slice ret;
	struct buf b;

	buf_init(&b);
	notice_text(n, &b);
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

/*
 * Whether a body can go as it is. "From " at the front of a line is rewritten
 * by mailboxes of the mbox kind, which quoted-printable prevents.
 */
static bool body_is_plain(struct slice body)
{
	struct slice line;

	while (slice_take_line(&body, &line))
		if (!is_ascii(line) || line.len > SHORT_LINE ||
		    slice_starts(line, S("From ")))
			return false;
	return true;
}

static void put_plain(struct buf *b, struct slice body)
{
	struct slice line;

	while (slice_take_line(&body, &line)) {
		for (size_t i = 0; i < line.len; i++)
			if ((unsigned char)line.ptr[i] >= ' ' ||
			    line.ptr[i] == '\t')
				buf_add_char(b, line.ptr[i]);
		buf_add_str(b, "\r\n");
	}
}

static bool qp_literal(struct slice line, size_t i)
{
	char c = line.ptr[i];

	if (i == 0 && slice_starts(line, S("From ")))
		return false;
	if (is_blank(c))
		return i + 1 < line.len;
	return c > ' ' && c <= '~' && c != '=';
}

static void put_qp_line(struct buf *b, struct slice line)
{
	static const char digit[] = "0123456789ABCDEF";
	size_t column = 0;

	for (size_t i = 0; i < line.len; i++) {
		unsigned char c = (unsigned char)line.ptr[i];
		bool literal = qp_literal(line, i);
		size_t width = literal ? 1 : 3;

		if (column + width > QP_COLUMNS) {
			buf_add_str(b, "=\r\n");
			column = 0;
		}
		if (literal) {
			buf_add_char(b, (char)c);
		} else {
			buf_add_char(b, '=');
			buf_add_char(b, digit[c >> 4]);
			buf_add_char(b, digit[c & 15]);
		}
		column += width;
	}
	buf_add_str(b, "\r\n");
}

/* Lines that stay lines; every other control character goes. */
static void put_qp(struct buf *b, struct slice body)
{
	struct slice line;
	struct buf clean;

	buf_init(&clean);
	while (slice_take_line(&body, &line)) {
		buf_reset(&clean);
		utf8_put_clean(&clean, line);
		put_qp_line(b, buf_slice(&clean));
	}
	buf_release(&clean);
}

static void put_header(struct buf *b, const struct config_smtp *smtp,
		       struct slice to, const struct notice *n,
		       struct slice subject, struct slice id,
		       struct arena *arena)
{
	char date[40];

	clock_rfc5322(n->made, date);
	put_from(b, smtp, arena);
	buf_printf(b, "To: %.*s\r\n", S_FMT(to));
	put_text_field(b, "Subject", one_clean_line(subject, arena));
	buf_printf(b, "Date: %s\r\n", date);
	buf_printf(b, "Message-ID: <%.*s>\r\n", S_FMT(id));
	put_threading(b, n);
	buf_printf(b, "Auto-Submitted: %s\r\n", auto_submitted(n));
	buf_add_str(b, "X-Patchwork-Hint: ignore\r\n");
	buf_add_str(b, "X-Perfherald: notice\r\n");
}

static void put_body(struct buf *b, struct slice body)
{
	bool plain = body_is_plain(body);

	buf_add_str(b, "MIME-Version: 1.0\r\n");
	buf_add_str(b, "Content-Type: text/plain; charset=utf-8\r\n");
	buf_printf(b, "Content-Transfer-Encoding: %s\r\n\r\n",
		   plain ? "7bit" : "quoted-printable");
	if (plain)
		put_plain(b, body);
	else
		put_qp(b, body);
}

enum status letter_render(const struct config_smtp *smtp, struct slice to,
			  const struct notice *n, struct slice subject,
			  struct slice body, struct arena *arena,
			  struct parcel *ret, struct err *err)
{
	struct slice id;
	struct buf b;

	if (!addr_valid(to))
		return err_set(err, PH_BAD, "\"%.*s\" is not a mail address",
			       S_FMT(to));
	if (!subject.len)
		subject = usual_subject(n, arena);
	if (!body.len)
		body = usual_body(n, arena);
	id = message_id(smtp, n, arena);
	buf_init(&b);
	put_header(&b, smtp, to, n, subject, id, arena);
	put_body(&b, body);
	*ret = (struct parcel){ .body = arena_copy(arena, buf_slice(&b)),
				.message_id = id,
				.recipient = arena_copy(arena, to) };
	buf_release(&b);
	return PH_OK;
}
