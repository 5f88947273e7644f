/*
 * progress - how far long work on a terminal has come: messages, rate, time
 * left, in one line on standard error that is gone at the end. Where standard
 * error is no terminal nothing is ever written.
 */
#ifndef BOT_PROGRESS_H
#define BOT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool on;       /* standard error is a terminal */
	bool shown;    /* a line stands there now */
	int64_t total; /* 0: not known */
	int64_t done;
	int64_t since, shown_at; /* monotonic milliseconds */
};

void progress_begin(struct progress *p, int64_t total);
/* n more are done. Writes at most five times a second, and not at all in the
 * first second. */
void progress_add(struct progress *p, int64_t n);
/* Takes the line away: before anything else is written, and at the end. */
void progress_clear(struct progress *p);

/* The line itself, for ms milliseconds of work; ret holds 80 bytes. */
void progress_line(int64_t done, int64_t total, int64_t ms, char ret[80]);

#endif
