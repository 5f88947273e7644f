#include "ph/message.h"
#include "mail/charset.h"
#include "mail/header.h"
#include "mail/mime.h"
#include "mail/people.h"
#include "mail/screen.h"
#include "ph/clock.h"
#include "ph/limits.h"

struct reader {
	struct arena *arena;
	struct message *msg;
	struct mime_fields mime;
	size_t cap_to, cap_cc, cap_references;
	bool crowded; /* over LIMIT_PEOPLE */
};

static void read_id(struct reader *r, struct slice value)
{
	if (!r->msg->id.len && !header_take_id(&value, &r->msg->id))
		header_take_bare_id(value, &r->msg->id);
}

static void read_from(struct reader *r, struct slice value)
{
	struct person p;

	while (person_take(&value, r->arena, &p))
		if (!r->msg->n_from++)
			r->msg->from = p;
}

static void read_list(struct reader *r, struct slice value,
		      struct person **list, size_t *n, size_t *cap)
{
	struct person p;

	while (!r->crowded && person_take(&value, r->arena, &p)) {
		r->crowded = p.address.len && *n == LIMIT_PEOPLE;
		if (!p.address.len || r->crowded)
			continue;
		*list = arena_grow(r->arena, *list, cap, *n, sizeof(**list));
		(*list)[(*n)++] = p;
	}
}

static void read_to(struct reader *r, struct slice value)
{
	read_list(r, value, &r->msg->to, &r->msg->n_to, &r->cap_to);
}

static void read_cc(struct reader *r, struct slice value)
{
	read_list(r, value, &r->msg->cc, &r->msg->n_cc, &r->cap_cc);
}

static bool read_time(struct reader *r, struct slice value, int64_t *ret)
{
	return clock_parse_rfc5322(header_text(value, r->arena), ret);
}

static void read_date(struct reader *r, struct slice value)
{
	if (!r->msg->date)
		read_time(r, value, &r->msg->date);
}

static void read_subject(struct reader *r, struct slice value)
{
	if (!r->msg->subject.ptr)
		r->msg->subject = header_text(value, r->arena);
}

static void read_in_reply_to(struct reader *r, struct slice value)
{
	if (!r->msg->in_reply_to.len)
		header_take_id(&value, &r->msg->in_reply_to);
}

static void read_references(struct reader *r, struct slice value)
{
	struct message *m = r->msg;
	struct slice id;

	while (header_take_id(&value, &id)) {
		if (!id.len)
			continue;
		m->references =
			arena_grow(r->arena, m->references, &r->cap_references,
				   m->n_references, sizeof(*m->references));
		m->references[m->n_references++] = id;
	}
}

/* List-Id: phrase "<" list-id ">" (RFC 2919). */
static void read_list_id(struct reader *r, struct slice value)
{
	if (!r->msg->list.len)
		header_take_id(&value, &r->msg->list);
}

/* Received: ... ";" date-time. Servers put theirs on top. */
static void read_received(struct reader *r, struct slice value)
{
	const char *semicolon = slice_rchr(value, ';');

	if (!r->msg->received && semicolon)
		read_time(r,
			  slice_between(semicolon + 1, value.ptr + value.len),
			  &r->msg->received);
}

/* RFC 3834: "no", or why the mail is automatic; parameters may follow. */
static void read_auto_submitted(struct reader *r, struct slice value)
{
	size_t len = 0;

	while (len < value.len && is_alpha(value.ptr[len]))
		len++;
	if (!slice_caseeq(slice_head(value, len), S("no")))
		r->msg->automatic = true;
}

static void read_return_path(struct reader *r, struct slice value)
{
	if (slice_eq(value, S("<>")))
		r->msg->automatic = true;
}

static void read_type(struct reader *r, struct slice value)
{
	if (!r->mime.type.len)
		r->mime.type = value;
}

static void read_encoding(struct reader *r, struct slice value)
{
	if (!r->mime.encoding.len)
		r->mime.encoding = value;
}

static void read_disposition(struct reader *r, struct slice value)
{
	if (!r->mime.disposition.len)
		r->mime.disposition = value;
}

/* Where a field that may stand once stands twice, the first counts: the one
 * that people see. */
static const struct {
	struct slice name;
	void (*read)(struct reader *r, struct slice value);
} fields[] = {
	{ S_INIT("Message-ID"), read_id },
	{ S_INIT("From"), read_from },
	{ S_INIT("To"), read_to },
	{ S_INIT("Cc"), read_cc },
	{ S_INIT("Date"), read_date },
	{ S_INIT("Subject"), read_subject },
	{ S_INIT("In-Reply-To"), read_in_reply_to },
	{ S_INIT("References"), read_references },
	{ S_INIT("List-Id"), read_list_id },
	{ S_INIT("Received"), read_received },
	{ S_INIT("Auto-Submitted"), read_auto_submitted },
	{ S_INIT("Return-Path"), read_return_path },
	{ S_INIT("Content-Type"), read_type },
	{ S_INIT("Content-Transfer-Encoding"), read_encoding },
	{ S_INIT("Content-Disposition"), read_disposition },
};

static void read_field(struct reader *r, const struct header_field *f)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (!header_is(f, fields[i].name))
			continue;
		fields[i].read(r, f->value);
		return;
	}
	/* Our own mark: a notice that came back. */
	if (slice_caseeq(slice_head(f->name, 12), S("X-Perfherald")))
		r->msg->automatic = true;
}

static enum status read_body(struct reader *r, struct slice whole,
			     struct slice body, struct buf *text,
			     struct err *err)
{
	struct mime_container c;
	enum status st = mime_container(r->mime.type, r->arena, &c, err);

	if (st == PH_NONE) {
		mime_leaf(&r->mime, body, text);
		return PH_OK;
	}
	if (st != PH_OK)
		return st;
	r->msg->bounce = c.is_bounce;
	st = screen_mime(whole, err);
	if (st != PH_OK)
		return st;
	return mime_parts(whole, text, err);
}

static enum status keep_text(struct reader *r, struct buf *text,
			     struct err *err)
{
	if (text->full)
		return err_set(err, PH_BAD, "text is over %zu MiB",
			       LIMIT_TEXT / MIB);
	r->msg->text = arena_copy(r->arena, buf_slice(text));
	return PH_OK;
}

static enum status read_mail(struct reader *r, struct slice header,
			     struct slice body, struct err *err)
{
	struct slice whole = slice_between(header.ptr, body.ptr + body.len);
	struct buf text = { .max = LIMIT_TEXT };
	struct header_field f;
	enum status st = screen_header(header, err);

	if (st != PH_OK)
		return st;
	while (header_take(&header, &f))
		read_field(r, &f);
	if (r->crowded)
		return err_set(err, PH_BAD,
			       "more than %d addresses in To or Cc",
			       LIMIT_PEOPLE);
	st = read_body(r, whole, body, &text, err);
	if (st == PH_OK)
		st = keep_text(r, &text, err);
	buf_release(&text);
	return st;
}

/* The first line of pasted text, where it has the form of a subject:
 * "[tree:branch] [subsystem] sha10: ...", "Re: ..." or without brackets. */
static bool looks_like_subject(struct slice line)
{
	size_t digits = 0;

	if (slice_starts(line, S("[")) || slice_caseskip(&line, S("Re:")))
		return slice_chr(line, ']') != NULL;
	while (digits < line.len && is_hex(line.ptr[digits]))
		digits++;
	return digits >= 7 && slice_starts(slice_from(line, digits), S(":"));
}

static void read_first_line(struct reader *r)
{
	struct slice rest = r->msg->text, line = { NULL, 0 };

	while (slice_take_line(&rest, &line) && !slice_trim(line).len)
		;
	line = slice_trim(line);
	if (looks_like_subject(line))
		r->msg->subject = header_text(line, r->arena);
}

static bool is_report_text(struct slice raw)
{
	static const struct slice marks[] = {
		S_INIT("kernel test robot"), S_INIT("%stddev"),
		S_INIT("fail:runs"),	     S_INIT("we noticed "),
		S_INIT("% regression"),	     S_INIT("% improvement"),
	};

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (slice_find(raw, marks[i]))
			return true;
	return false;
}

static enum status read_bare(struct reader *r, struct slice raw,
			     struct err *err)
{
	struct buf text = { .max = LIMIT_TEXT };
	enum status st;

	if (!is_report_text(raw))
		return err_set(err, PH_BAD,
			       "not a mail: neither header "
			       "fields nor the text of a report");
	r->msg->bare = true;
	charset_put(&text, CHARSET_GUESS, raw);
	st = keep_text(r, &text, err);
	buf_release(&text);
	if (st == PH_OK)
		read_first_line(r);
	return st;
}

static bool is_plain_name(struct slice name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!is_alpha(name.ptr[i]) && !is_digit(name.ptr[i]) &&
		    name.ptr[i] != '-' && name.ptr[i] != '_')
			return false;
	return true;
}

/*
 * A mail starts with a field of a usual name ("[linus:master] ..." is one by
 * RFC 5322's letter) and has one that every mail has.
 */
static bool is_mail(struct slice header)
{
	static const struct slice usual[] = {
		S_INIT("From"),	       S_INIT("Message-ID"), S_INIT("Subject"),
		S_INIT("Date"),	       S_INIT("Received"),   S_INIT("To"),
		S_INIT("Return-Path"),
	};
	struct header_field f;

	for (size_t n = 0; header_take(&header, &f); n++) {
		if (!n && !is_plain_name(f.name))
			return false;
		for (size_t i = 0; i < ARRAY_LEN(usual); i++)
			if (header_is(&f, usual[i]))
				return true;
	}
	return false;
}

enum status message_read(struct slice raw, struct arena *arena,
			 struct message *ret, struct err *err)
{
	struct message msg = { 0 };
	struct reader r = { .arena = arena, .msg = &msg };
	struct slice header, body;
	enum status st = screen_bytes(raw, err);

	if (st != PH_OK)
		return st;
	header_split(raw, &header, &body);
	if (is_mail(header))
		st = read_mail(&r, header, body, err);
	else
		st = read_bare(&r, raw, err);
	if (st == PH_OK)
		*ret = msg;
	return st;
}
