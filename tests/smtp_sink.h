/*
 * smtp_sink - starts tests/smtp_sink.py for a test and reads what it kept.
 *
 * Failing to start, or a mail that is not there, fails the test.
 */
#ifndef TESTS_SMTP_SINK_H
#define TESTS_SMTP_SINK_H

#include <stdint.h>
#include <sys/types.h>
#include "ph/slice.h"

struct smtp_sink {
	char dir[64];
	uint16_t port;
	pid_t pid;
	int stop_fd; /* closing it ends the server */
};

/* args: further arguments of smtp_sink.py, up to eight, ended by NULL; may be
 * NULL. Debian's own Python runs it, since Debian's package is its library. */
void smtp_sink_start(struct smtp_sink *s, const char *const *args);
/* Ends the server, waits for it and removes its folder. */
void smtp_sink_stop(struct smtp_sink *s);

/* How many mails it kept. */
int smtp_sink_count(const struct smtp_sink *s);
/* The n-th mail from 1, and its envelope as JSON; alive until the test program
 * ends. */
struct slice smtp_sink_mail(const struct smtp_sink *s, int n);
struct slice smtp_sink_envelope(const struct smtp_sink *s, int n);

#endif
