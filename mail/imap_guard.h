/*
 * imap_guard - judges a server's bytes before the IMAP library sees them.
 *
 * A state machine over the bytes as they arrive, in pieces of any size. It
 * knows lines, quoted strings, parentheses and literals (RFC 3501 section 9),
 * and cares for nothing else. Only a body literal ("* 5 FETCH (... BODY[]
 * {123}") may be large; all other bytes of an answer share a small ceiling,
 * since the library makes up to fifty bytes of memory of each.
 *
 * Where the library's lenient grammar and this one could part, this one errs
 * towards refusing: nothing may hide from it in a string or a literal.
 */
#ifndef MAIL_IMAP_GUARD_H
#define MAIL_IMAP_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ph/slice.h"

struct imap_guard {
	uint64_t body_left, other_left; /* of this command's answer */
	uint64_t literal;		/* bytes of a literal still to come */
	bool literal_is_body;

	bool greeted; /* the first line is over */

	/* this line, without its literals */
	size_t line;
	unsigned depth, blanks;
	enum { IMAP_LINE_OPEN, IMAP_LINE_TEXT, IMAP_LINE_DATA } kind;
	bool quoted, escaped;
	enum {
		IMAP_BRACE_NONE,
		IMAP_BRACE_OPEN,
		IMAP_BRACE_CLOSED, /* "}" was seen */
		IMAP_BRACE_RETURN, /* and a CR */
	} brace;
	uint64_t size;	 /* the number in the brace */
	bool brace_body; /* BODY[] stands before it */
	uint64_t tail;	 /* the last eight bytes, in capitals */
	char head[320];	 /* the line's front */
	size_t head_len;
	char code[24]; /* the front of a "[CODE", in capitals */
	size_t code_len;
	bool in_code;
	enum {
		IMAP_FLAGS_NONE,  /* not within PERMANENTFLAGS */
		IMAP_FLAGS_OPEN,  /* "(" is due */
		IMAP_FLAGS_FIRST, /* a flag, or ")" */
		IMAP_FLAGS_NEXT,  /* a flag */
		IMAP_FLAGS_SLASH, /* what follows a backslash */
		IMAP_FLAGS_STAR,  /* "\*" is over */
		IMAP_FLAGS_ATOM,  /* in a flag */
		IMAP_FLAGS_CLOSE, /* "]" is due */
	} flags;

	char said[256];	 /* text of the tagged NO or BAD, or BYE */
	bool bye;	 /* the server has said its last word */
	const char *why; /* what was refused: "a line of over 64 KiB" */
};

void imap_guard_init(struct imap_guard *g);

/*
 * A command goes out: its answer may hold body_bytes of mail, and the last
 * one's refusal is forgotten.
 */
void imap_guard_command(struct imap_guard *g, uint64_t body_bytes);

/* False when these bytes must not be used; g->why says why, for good. */
bool imap_guard_feed(struct imap_guard *g, const char *ptr, size_t len);

#endif
