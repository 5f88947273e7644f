/*
 * cell - the numbers of a comparison table (lkp-tests lib/compare.rb).
 *
 *	value   = NUM [ PM digits "%" ]         1.99 ±  7%
 *	change  = sign number [ "%" ]           +12.3%  -0.4  +2.1e+05%  +Inf%
 *	fails   = [ digits ] ":" digits         3:6  :6
 *	NUM     = [ "-" ] digits [ "." digits ] [ "e" sign digits ]
 *	PM      = "±" and what mail makes of it
 *
 * Every `take` skips leading blanks (a non-breaking one counts), moves *s past
 * what it read, and leaves *s and *ret alone on false. A double is the one
 * nearest to the printed decimal.
 */
#ifndef MAIL_REPORT_CELL_H
#define MAIL_REPORT_CELL_H

#include "ph/report.h"

/* Blanks, and U+00A0, which web copies put in their place. */
void cell_skip_blanks(struct slice *s);

/* No name begins like a number, a change, or what is left of a deviation. */
static inline bool cell_begins_name(char c)
{
	return !is_digit(c) && (unsigned char)c < 0x80 && c != '+' &&
	       c != '-' && c != '~' && c != '?';
}

/* NUM. Infinite and undefined values are no number. */
bool cell_take_number(struct slice *s, double *ret);

/* value; dev_pct is -1 where none is printed. kind and change: not touched. */
bool cell_take_value(struct slice *s, struct cell *ret);

/* change and its kind; "+Inf" gives an infinite change. */
bool cell_take_change(struct slice *s, struct cell *ret);

/* fails, without the reproduction, which stands before it. */
bool cell_take_fails(struct slice *s, struct fail_cell *ret);
/* A reproduction, as "-25%". */
bool cell_take_reproduction(struct slice *s, struct fail_cell *ret);

/*
 * A whole row as the robot prints it, by its columns: n values with their
 * changes, then the name. Only an undamaged line without trailing blanks is
 * read; false for any other, which may still be a row by its tokens, with
 * ret_cells overwritten and *ret_metric not.
 */
bool cell_take_fixed_row(struct slice line, size_t n, struct cell *ret_cells,
			 struct slice *ret_metric);

#endif
