/*
 * made_report - a report in the robot's format, made up, of any size.
 */
#ifndef TESTS_MADE_REPORT_H
#define TESTS_MADE_REPORT_H

#include "ph/arena.h"

struct made_report {
	unsigned seed;
	size_t rows;	  /* of its table */
	size_t name_len;  /* bytes of a metric's name, in the mean */
	const char *mime; /* NULL: text only; else a mail with a header, its
				body "8bit", "quoted-printable" or "base64" */
};

/* Adds the text, with LF line ends, to out. */
void made_report(struct buf *out, const struct made_report *wish);

#endif
