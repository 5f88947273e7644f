#include "mail/screen.h"
#include "mail/header.h"
#include "mail/mime.h"
#include "ph/limits.h"

#include <stdlib.h>

enum status screen_bytes(struct slice raw, struct err *err)
{
	const char *nul, *end = raw.ptr + raw.len, *p = raw.ptr;
	size_t line = 1;

	if (raw.len > LIMIT_MAIL)
		return err_set(err, PH_BAD,
			       "over %zu MiB, the most a mail may have",
			       LIMIT_MAIL / MIB);
	if (!slice_trim(raw).len)
		return err_set(err, PH_BAD, "empty");
	nul = slice_chr(raw, '\0');
	if (nul)
		return err_set(err, PH_BAD,
			       "not a mail: a NUL byte at offset "
			       "%zu",
			       (size_t)(nul - raw.ptr));
	for (; p < end; line++) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		const char *stop = lf ? lf : end;

		if ((size_t)(stop - p) > LIMIT_MAIL_LINE)
			return err_set(err, PH_BAD, "line %zu is over %zu MiB",
				       line, LIMIT_MAIL_LINE / MIB);
		p = lf ? lf + 1 : end;
	}
	return PH_OK;
}

enum status screen_header(struct slice header, struct err *err)
{
	struct header_field f;
	size_t n = 0;

	if (header.len > LIMIT_MAIL_HEADER)
		return err_set(err, PH_BAD, "header is over %zu KiB",
			       LIMIT_MAIL_HEADER / KIB);
	while (header_take(&header, &f))
		if (++n > LIMIT_MAIL_FIELDS)
			return err_set(err, PH_BAD,
				       "more than %d header "
				       "fields",
				       LIMIT_MAIL_FIELDS);
	return PH_OK;
}

/*
 * Every boundary that any Content-Type field anywhere names is kept, and each
 * line that matches one counts as a part: whichever of them the MIME library
 * goes by, it cannot find more parts than this. The stack follows the nesting
 * as a well-made mail has it; a mail made to mislead it still cannot name
 * more than LIMIT_MAIL_PARTS containers.
 */
struct screen {
	struct slice boundary[LIMIT_MAIL_PARTS]; /* in the arena */
	size_t n_boundaries, n_containers;
	struct slice stack[LIMIT_MAIL_NEST]; /* empty slice: a message */
	size_t depth;
	size_t n_parts;
	bool digest; /* parts without a type are messages */
	bool in_header;
	bool then_message; /* after this header another one starts */
	size_t block;	   /* bytes of this header block so far */
	size_t n_block;	   /* fields of it */
	size_t n_fields;   /* of all blocks */
	struct arena arena;
};

static enum status push(struct screen *s, struct slice boundary,
			struct err *err)
{
	if (++s->n_containers > LIMIT_MAIL_PARTS)
		return err_set(err, PH_BAD, "more than %d MIME parts",
			       LIMIT_MAIL_PARTS);
	if (s->depth == LIMIT_MAIL_NEST)
		return err_set(err, PH_BAD, "MIME parts nested over %d deep",
			       LIMIT_MAIL_NEST);
	s->stack[s->depth++] = boundary;
	return PH_OK;
}

static enum status note_type(struct screen *s, struct slice value,
			     struct err *err)
{
	struct mime_container c;
	enum status st = mime_container(value, &s->arena, &c, err);

	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	if (c.is_message) {
		s->then_message = s->in_header;
		return push(s, (struct slice){ NULL, 0 }, err);
	}
	s->digest |= c.is_digest;
	st = push(s, c.boundary, err);
	if (st == PH_OK)
		s->boundary[s->n_boundaries++] = c.boundary;
	return st;
}

static bool known(const struct screen *s, struct slice boundary)
{
	for (size_t i = 0; i < s->n_boundaries; i++)
		if (slice_eq(boundary, s->boundary[i]))
			return true;
	return false;
}

/* Back to the container that this boundary belongs to, or out of it. */
static void pop(struct screen *s, struct slice boundary, bool closing)
{
	for (size_t i = s->depth; i--;) {
		if (!s->stack[i].ptr || !slice_eq(s->stack[i], boundary))
			continue;
		s->depth = closing ? i : i + 1;
		return;
	}
}

static void start_block(struct screen *s, bool then_message)
{
	s->in_header = true;
	s->then_message = then_message;
	s->block = 0;
	s->n_block = 0;
}

/* PH_NONE: the line is no boundary. */
static enum status note_boundary(struct screen *s, struct slice line,
				 struct err *err)
{
	while (line.len && is_blank(line.ptr[line.len - 1]))
		line.len--;
	if (known(s, line)) {
		pop(s, line, false);
		start_block(s, s->digest);
		if (++s->n_parts > LIMIT_MAIL_PARTS)
			return err_set(err, PH_BAD, "more than %d MIME parts",
				       LIMIT_MAIL_PARTS);
		return PH_OK;
	}
	if (!slice_ends(line, S("--")))
		return PH_NONE;
	line.len -= 2;
	if (!known(s, line))
		return PH_NONE;
	pop(s, line, true);
	s->in_header = false;
	return PH_OK;
}

static enum status note_header_line(struct screen *s, struct slice line,
				    struct err *err)
{
	s->block += line.len + 1;
	if (s->block > LIMIT_MAIL_HEADER)
		return err_set(err, PH_BAD,
			       "header of a MIME part is over "
			       "%zu KiB",
			       LIMIT_MAIL_HEADER / KIB);
	if (!line.len) {
		if (s->then_message)
			start_block(s, false);
		else
			s->in_header = false;
		return PH_OK;
	}
	if (is_blank(*line.ptr))
		return PH_OK;
	s->n_block++;
	if (s->n_block > LIMIT_MAIL_FIELDS || ++s->n_fields > LIMIT_PART_FIELDS)
		return err_set(err, PH_BAD,
			       "more than %d header fields in "
			       "MIME parts",
			       s->n_block > LIMIT_MAIL_FIELDS
				       ? LIMIT_MAIL_FIELDS
				       : LIMIT_PART_FIELDS);
	return PH_OK;
}

static enum status note_line(struct screen *s, struct slice line,
			     struct slice rest, struct err *err)
{
	struct header_field f;
	enum status st;

	if (slice_starts(line, S("--"))) {
		st = note_boundary(s, slice_from(line, 2), err);
		if (st != PH_NONE)
			return st;
	}
	if (s->in_header) {
		st = note_header_line(s, line, err);
		if (st != PH_OK)
			return st;
	}
	if (line.len && to_lower(*line.ptr) == 'c' &&
	    slice_caseeq(slice_head(line, 12), S("Content-Type")) &&
	    header_take(&rest, &f) && header_is(&f, S("Content-Type")))
		return note_type(s, f.value, err);
	return PH_OK;
}

enum status screen_mime(struct slice raw, struct err *err)
{
	struct screen *s = xcalloc(1, sizeof(*s));
	struct slice line, here = raw;
	enum status st = PH_OK;

	arena_init(&s->arena);
	start_block(s, false);
	while (st == PH_OK && slice_take_line(&raw, &line)) {
		st = note_line(s, line, here, err);
		here = raw;
	}
	arena_release(&s->arena);
	free(s);
	return st;
}
