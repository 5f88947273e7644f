/*
 * row - one row of a comparison table, by its tokens.
 *
 *	value row    = value 1*( change value ) name
 *	failure row  = fails 1*( reproduction fails ) name
 *
 * with one value, or one fails, a column. A name never begins with a digit or
 * sign, so that the count of columns decides where the cells end.
 */
#ifndef MAIL_REPORT_ROW_H
#define MAIL_REPORT_ROW_H

#include "mail/report/lines.h"
#include "ph/limits.h"
#include "ph/report.h"

/* What the rows of one table look like. */
struct row_form {
	size_t n; /* columns, 2 to LIMIT_COLUMNS */
	bool old; /* sbin/compare: legacy.c */
};

/* A row that is read and not kept yet. */
struct row_draft {
	bool failure;
	struct slice metric;
	union {
		struct cell cells[LIMIT_COLUMNS];
		struct fail_cell fails[LIMIT_COLUMNS];
	};
};

/*
 * Reads the row at text. *ahead, the place behind that line, moves on where
 * mail has wrapped the row: the name alone on the next line, or a break
 * between any two tokens. False: no row; *ahead is as it was.
 */
bool row_take(struct slice text, struct row_form form, struct lines *ahead,
	      struct arena *arena, struct row_draft *ret);

/* Whether s begins as rows do: with a number, a minus sign or a colon. */
bool row_begins(struct slice s);

/* legacy.c: the cells of a row of sbin/compare; *s is left before the name. */
bool legacy_take_values(struct slice *s, size_t n, struct cell *ret);

#endif
