/*
 * print_report - a report for a person, and for a program.
 */
#ifndef BOT_PRINT_REPORT_H
#define BOT_PRINT_REPORT_H

#include <stdint.h>
#include "ph/arena.h"
#include "ph/report.h"

/*
 * One line of JSON (perfherald.report/1) with its line end: what the message
 * says, and nothing that it does not. file is the argument it came from; index
 * its place in an mbox or folder, -1 when it stood alone.
 */
void print_report_json(struct buf *out, const struct report *r,
		       const char *file, int64_t index);

/*
 * A summary of at most 25 lines. where names the message ("path:3"). Foreign
 * text is freed of control characters.
 */
void print_report_text(struct buf *out, const struct report *r,
		       struct slice where);

#endif
