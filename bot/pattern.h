/*
 * pattern - Perl's regular expressions, as MAINTAINERS and the robot's tree
 * table use them (GLib's GRegex below, which the MIME library brings along).
 */
#ifndef BOT_PATTERN_H
#define BOT_PATTERN_H

#include <stdbool.h>
#include "ph/err.h"
#include "ph/slice.h"

struct pattern;

enum pattern_kind {
	PATTERN_SPACED, /* anywhere in the text; blanks inside mean nothing */
	PATTERN_START,	/* from the start of the text */
	PATTERN_WHOLE,	/* the whole text */
};

/*
 * PH_OK: *ret is to be released with pattern_free.
 * PH_BAD: not an expression, or over 4 KiB; err says where.
 */
enum status pattern_new(struct slice text, enum pattern_kind kind,
			struct pattern **ret, struct err *err);
void pattern_free(struct pattern *p);

/* Bytes, not characters. Gives up (false) where an expression backtracks
 * without end. */
bool pattern_matches(const struct pattern *p, struct slice text);

#endif
