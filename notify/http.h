/*
 * http - one HTTPS request at a time over kept connections (libcurl below).
 *
 * A URL may be a secret: it stands in no text that comes from here, only its
 * host does. Redirects are never followed, certificates and host names always
 * verified, plain http taken only with `insecure`, an answer read up to
 * LIMIT_HTTP_REPLY. Nothing is sent twice: libcurl's silent repeat on a fresh
 * connection is turned into HTTP_LOST.
 */
#ifndef NOTIFY_HTTP_H
#define NOTIFY_HTTP_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/clock.h"
#include "ph/err.h"
#include "ph/slice.h"

#define HTTP_HEADERS	8
#define HTTP_TIMEOUT_MS PATIENCE(30000)

struct http;

struct http *http_new(void);
void http_free(struct http *h);

struct http_request {
	const char *method; /* "POST", "PUT", "PATCH", or "GET", without body */
	const char *url;
	struct slice body;
	const char *header[HTTP_HEADERS]; /* "name: value", Content-Type too */
	size_t n_headers;
	const char *login;   /* "user:password" for Basic; NULL: none */
	const char *ca_file; /* NULL: the system's authorities */
	bool insecure;	     /* plain http allowed */
	int64_t timeout_ms;  /* 0: HTTP_TIMEOUT_MS */
};

enum http_end {
	HTTP_ANSWERED, /* code and body are set */
	HTTP_UNSENT,   /* the request did not go out whole: no harm done */
	HTTP_LOST,     /* it went out whole, and no answer came */
	HTTP_BLOCKED,  /* TLS, the URL, or a rule above: wants a person */
};

struct http_reply {
	enum http_end end;
	int code;
	int64_t retry_after_ms; /* Retry-After, at most a day; 0: none */
	struct slice body;	/* until the next call on the same http */
	char why[384];		/* without an answer: host and reason */
};

/* Does one request. Always fills *ret. */
void http_do(struct http *h, const struct http_request *q,
	     struct http_reply *ret);

/*
 * Connects, does the TLS handshake and closes; sends no request.
 * PH_RETRY: no connection (69). PH_BAD: HTTP_BLOCKED's reasons (69, or 78 where
 * the configuration asks for plain http).
 */
enum status http_probe(struct http *h, const struct http_request *q,
		       struct err *err);

/* The host in a URL, for messages; never what may be secret around it. */
struct slice http_host(const char *url);

/* Adds s with all but letters, digits, '-', '.', '_' and '~' as %XX. */
void http_put_escaped(struct buf *b, struct slice s);

#endif
