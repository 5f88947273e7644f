/*
 * err - how a call ended, and why in words.
 *
 * The status tells the caller what to do next; the words are for a person.
 * Whoever fails first writes them, naming the thing (file, UID, host); callers
 * above hand them on unchanged. Results are touched on PH_OK only, unless a
 * header says otherwise.
 */
#ifndef PH_ERR_H
#define PH_ERR_H

#include <stdarg.h>

enum status {
	PH_OK = 0,
	PH_NONE,  /* nothing there: end of list, not a report */
	PH_BAD,	  /* this input is wrong for good: set it aside */
	PH_RETRY, /* may work later: keep it, back off */
	PH_FATAL, /* the program cannot go on: stop and say why */
};

struct err {
	int exit_code; /* a sysexits number where the failure chose one, else 0 */
	char text[1024]; /* one line, no newline, always NUL-terminated */
};

/*
 * Writes the message and returns status, so failing takes one line. Control
 * characters and bad bytes in the result become '?': text from outside cannot
 * forge a line, nor command a terminal.
 */
enum status err_set(struct err *err, enum status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, and the exit code of DESIGN's command table goes with it. */
enum status err_exit(struct err *err, enum status status, int exit_code,
		     const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * The exit code for a failed call: what the failure chose, else the usual one
 * of its status (PH_NONE and PH_BAD 65, PH_RETRY 75, PH_FATAL 70).
 */
int err_exit_code(const struct err *err, enum status status);

#endif
