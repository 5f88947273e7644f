#include "ph/report.h"

#include <stdio.h>
#include "mail/report/parse.h"
#include "ph/limits.h"

#define WRAPS_MAX   3	      /* lines that a wrapped sentence may take more */
#define WRAPPED_MAX (4 * KIB) /* its bytes; the longest title has 300 */
#define NBSP_WITHIN (4 * KIB) /* of the text's front */

void parse_warn(struct parse *p, uint32_t line, const char *fmt, ...)
{
	struct report *r = p->rep;
	char text[200];
	va_list ap;

	if (r->n_warnings == LIMIT_WARNINGS)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->warnings = arena_grow(p->arena, r->warnings, &p->cap_warnings,
				 r->n_warnings, sizeof(*r->warnings));
	r->warnings[r->n_warnings++] = slice_of(
		line ? arena_printf(p->arena, "line %u: %s", line, text)
		     : arena_printf(p->arena, "%s", text));
}

struct slice parse_squeeze(struct parse *p, struct slice s)
{
	struct slice word, rest = slice_trim(s);
	char *out, *at;

	if (!slice_find(rest, S("  ")) && !slice_chr(rest, '\t'))
		return rest;
	out = at = arena_alloc(p->arena, rest.len);
	while (slice_take_word(&rest, &word)) {
		if (at != out)
			*at++ = ' ';
		memcpy(at, word.ptr, word.len);
		at += word.len;
	}
	return slice_between(out, at);
}

/* How many lines more make s end in end; 0: none do. */
static int count_wraps(const struct parse *p, struct slice s, struct slice end)
{
	struct lines ahead = p->lines;
	size_t len = s.len;
	struct line next;

	for (int i = 1; i <= WRAPS_MAX && lines_take(&ahead, &next); i++) {
		len += next.text.len;
		if (!slice_trim(next.text).len || len > WRAPPED_MAX)
			return 0;
		if (slice_ends(next.text, end))
			return i;
	}
	return 0;
}

struct slice parse_unwrap(struct parse *p, struct slice s, struct slice end)
{
	struct line next;
	int n;

	if (slice_ends(s, end))
		return s;
	n = count_wraps(p, s, end);
	if (!n)
		return (struct slice){ 0 };
	while (n-- && lines_take(&p->lines, &next))
		s = slice_of(arena_printf(p->arena, "%.*s %.*s", S_FMT(s),
					  S_FMT(slice_trim(next.text))));
	return s;
}

enum status parse_add_pair(struct parse *p, struct pair **list, size_t *n,
			   size_t *cap, struct slice key, struct slice value,
			   const char *what)
{
	for (size_t i = 0; i < *n; i++)
		if (slice_eq((*list)[i].key, key))
			return PH_OK;
	if (*n == LIMIT_PARAMS)
		return err_set(p->err, PH_BAD,
			       "line %u: more than %d %s in one list",
			       p->lines.number, LIMIT_PARAMS, what);
	*list = arena_grow(p->arena, *list, cap, *n, sizeof(**list));
	(*list)[(*n)++] = (struct pair){ key, value };
	return PH_OK;
}

/* Remembers where a table's head may begin. */
static void mark_head(struct parse *p, struct slice s)
{
	if (*s.ptr == '=' && line_is_rule(s, '=', 20))
		p->rule = p->lines;
	else if (*s.ptr == 'c' && slice_eq(s, S("commit:")))
		p->commits = p->before;
}

/* The robot never quotes a table of its own: such a one is of a preface. */
static bool is_cited(const struct parse *p, const struct line *line)
{
	return p->author == AUTHOR_ROBOT && line->depth;
}

static enum status take_line(struct parse *p, const struct line *line)
{
	struct slice s = slice_trim(line->text);
	enum status status = PH_NONE;

	if (!s.len)
		return PH_OK;
	mark_head(p, s);
	if (*s.ptr == '-' && !is_cited(p, line))
		status = table_take(p, line);
	else if (*s.ptr == '+' && slice_starts(s, S("+--")))
		status = box_take(p);
	return status == PH_NONE ? head_take_line(p, line) : status;
}

static enum status read_text(struct parse *p)
{
	struct lines here;
	struct line line;
	enum status s = PH_OK;

	for (here = p->lines; s == PH_OK && lines_take(&p->lines, &line);
	     here = p->lines) {
		s = take_line(p, &line);
		p->before = here;
	}
	return s;
}

/* A pasted copy has its subject as the first line that looks like one. */
static void read_subject(struct parse *p)
{
	struct lines at;
	struct line line;
	struct subject found;

	subject_read(p->msg->subject, &p->subject);
	if (p->msg->subject.len || !p->msg->bare)
		return;
	lines_init(&at, p->msg->text);
	for (int i = 0; i < 8 && lines_take_filled(&at, &line); i++) {
		subject_read(line.text, &found);
		if (!found.commit.len)
			continue;
		p->subject = found;
		return;
	}
}

/*
 * A mailing list's tag stands where a subsystem would. Two mails of one list
 * would else seem to be of one subsystem.
 */
static bool is_list_tag(const struct message *msg, struct slice tag)
{
	return slice_caseeq(tag, S("lkp")) ||
	       (tag.len && msg->list.len > tag.len &&
		slice_caseeq(slice_head(msg->list, tag.len), tag) &&
		msg->list.ptr[tag.len] == '.');
}

static void fill_from_subject(struct parse *p)
{
	struct report *r = p->rep;
	const struct subject *s = &p->subject;

	r->commit.label = s->label;
	if (!is_list_tag(p->msg, s->subsystem))
		r->commit.subsystem = s->subsystem;
	if (!r->commit.id.len && s->commit.len >= 10)
		r->commit.id = s->commit;
	if (!r->commit.title.len)
		r->commit.title = s->title;
	if (r->kind == REPORT_FUNCTIONAL && !r->error.len)
		r->error = s->tail;
}

/* A report whose headline was lost, or never said, keeps what the subject
 * says. */
static void fill_headline(struct parse *p)
{
	struct report *r = p->rep;
	const struct subject *s = &p->subject;

	if (r->n_results || r->kind != REPORT_PERFORMANCE || !s->metric.len)
		return;
	r->results = arena_new(p->arena, struct result);
	r->n_results = 1;
	r->results[0] = (struct result){ .metric = s->metric,
					 .percent = s->percent,
					 .verdict = s->verdict,
					 .table = -1,
					 .row = -1 };
	if (s->verdict) {
		parse_warn(p, 0, "no headline: the subject is taken for it");
		return;
	}
	parse_warn(p, 0, "no verdict: the robot gives one since 2016");
	r->partial = true;
}

static struct slice last_part(struct slice url)
{
	const char *slash = slice_rchr(url, '/');

	return slash ? slice_between(slash + 1, url.ptr + url.len)
		     : (struct slice){ 0 };
}

/*
 * Without a usable header the id is the last part of the archive link, else of
 * the Closes link: never of free text, which may cite an older report.
 */
static void find_id(struct parse *p)
{
	struct report *r = p->rep;

	r->id = unmask_host(p, p->msg->id);
	if (r->id.len || p->author == AUTHOR_PERSON)
		return;
	r->id = last_part(r->archive);
	if (!slice_chr(r->id, '@'))
		r->id = last_part(r->closes);
	if (!slice_chr(r->id, '@'))
		r->id = (struct slice){ 0 };
	r->id_recovered = r->id.len > 0;
}

#define NBSP "\xc2\xa0"

/*
 * Web pages indent with no-break spaces. A copy of one has them in its head
 * already; there they become blanks, in a text of our own.
 */
static struct slice with_plain_blanks(struct arena *arena, struct slice text)
{
	struct slice rest = text;
	char *out, *at;
	const char *nbsp;

	if (!slice_find(slice_head(text, NBSP_WITHIN), S(NBSP)))
		return text;
	out = at = arena_alloc(arena, text.len);
	while ((nbsp = slice_find(rest, S(NBSP)))) {
		size_t len = (size_t)(nbsp - rest.ptr);

		memcpy(at, rest.ptr, len);
		at += len;
		*at++ = ' ';
		rest = slice_from(rest, len + 2);
	}
	memcpy(at, rest.ptr, rest.len);
	return slice_between(out, at + rest.len);
}

enum status report_read(const struct message *msg, struct arena *arena,
			struct report *ret, struct err *err)
{
	struct report rep = { .message = msg };
	struct parse p = {
		.msg = msg, .arena = arena, .rep = &rep, .err = err
	};
	enum status s;

	p.author = author_of(msg);
	read_subject(&p);
	lines_init(&p.lines, with_plain_blanks(arena, msg->text));
	s = read_text(&p);
	if (s)
		return s;
	rep.kind = kind_of(&p);
	fill_from_subject(&p);
	fill_headline(&p);
	find_id(&p);
	verify_report(&p);
	*ret = rep;
	return PH_OK;
}

const char *report_kind_name(enum report_kind kind)
{
	static const char *const names[] = {
		[REPORT_OTHER] = "other",
		[REPORT_PERFORMANCE] = "performance",
		[REPORT_FUNCTIONAL] = "functional",
		[REPORT_BUILD] = "build",
		[REPORT_BUILD_STATUS] = "build-status",
		[REPORT_FIX] = "fix",
		[REPORT_REPLY] = "reply",
	};

	return names[kind];
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_NONE] = "",
		[VERDICT_IMPROVEMENT] = "improvement",
		[VERDICT_REGRESSION] = "regression",
	};

	return names[verdict];
}
