/*
 * http_sink - starts tests/http_sink.py for a test and reads what it got.
 *
 * Failing to start, or a request that is not there, fails the test.
 */
#ifndef TESTS_HTTP_SINK_H
#define TESTS_HTTP_SINK_H

#include <sys/types.h>
#include "ph/slice.h"

struct http_sink {
	char dir[64];
	int port;
	pid_t pid;
	int stop_fd;  /* closing it ends the server */
	size_t lines; /* in the script so far */
};

/* tls_host: the name in its certificate (dir/ca.pem); NULL: plain http. */
void http_sink_start(struct http_sink *s, const char *tls_host);
/* Ends the server, waits for it and removes its folder. */
void http_sink_stop(struct http_sink *s);

/* How the next request that has no answer yet is answered: a JSON object, see
 * http_sink.py. */
void http_sink_script(struct http_sink *s, const char *json);

/* The n-th request from 1; alive until the test program ends. */
struct slice http_sink_head(const struct http_sink *s, int n);
struct slice http_sink_body(const struct http_sink *s, int n);
/* How many requests were kept. */
int http_sink_count(const struct http_sink *s);

#endif
