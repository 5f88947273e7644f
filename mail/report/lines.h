/*
 * lines - a mail's text line by line, with the quote marks taken off.
 *
 * A quote mark is '>' and one blank behind it, any number of times. What is
 * left may begin with the blanks of a table row, so they stay.
 */
#ifndef MAIL_REPORT_LINES_H
#define MAIL_REPORT_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/slice.h"

struct line {
	struct slice text; /* without blanks at its end and quote marks */
	uint32_t number;   /* from 1 */
	uint32_t depth;	   /* quote marks taken off */
};

/* A place in the text; copy it to come back. */
struct lines {
	const char *at, *end;
	uint32_t number; /* of the line last taken */
};

static inline void lines_init(struct lines *l, struct slice text)
{
	*l = (struct lines){ text.ptr, text.ptr + text.len, 0 };
}

/* False at the end of the text. */
bool lines_take(struct lines *l, struct line *ret);
/* The same without moving. */
bool lines_peek(const struct lines *l, struct line *ret);
/* The next line that is not blank; lines before it are passed over. */
bool lines_take_filled(struct lines *l, struct line *ret);

/* A line of at least min times c and nothing else, as "=====". */
bool line_is_rule(struct slice text, char c, size_t min);

#endif
