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
#define err_set(err, status, ...) err_exit(err, status, 0, __VA_ARGS__)

/* The same, and the exit code of DESIGN's command table goes with it. A macro,
 * so that compilers and analysers see which status comes back. */
#define err_exit(err, status, exit_code, ...) \
	(err_write(err, exit_code, __VA_ARGS__), err_status(status))

/* What the two above are made of. err NULL: nobody wants the words. */
void err_write(struct err *err, int exit_code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static inline enum status err_status(enum status status)
{
	return status;
}

/*
 * The exit code for a failed call: what the failure chose, else the usual one
 * of its status (PH_NONE and PH_BAD 65, PH_RETRY 75, PH_FATAL 70).
 */
int err_exit_code(const struct err *err, enum status status);

#endif
