/*
 * imap_stream - a socket, plain or TLS, under libetpan's mailstream.
 *
 * Every read and write is bounded by the time a peer may be silent and by the
 * deadline of the whole command; every byte passes the guard first. The first
 * failure is kept with its words, and from then on each call fails: libetpan
 * reports only that "the stream" broke.
 */
#ifndef MAIL_IMAP_STREAM_H
#define MAIL_IMAP_STREAM_H

#include <libetpan/mailstream.h>
#include <stdbool.h>
#include <stdint.h>
#include "mail/imap_guard.h"
#include "mail/imap_tls.h"
#include "ph/imap.h"

struct imap_stream {
	int fd;
	bool tls_on;
	struct imap_tls tls;
	struct imap_guard guard;
	struct imap_times times;
	int64_t deadline; /* of the command, monotonic ms */
	bool heard;	  /* any word of the server */
	bool failed;
	struct err err;		    /* why, when failed */
	char host[256], where[280]; /* "host", "host:port" */
};

/*
 * Connects. s must stay where it is until imap_stream_release.
 * PH_RETRY: no such host, no connection, time-out (exit 69).
 */
enum status imap_stream_init(struct imap_stream *s, const char *host,
			     uint16_t port, const struct imap_times *times,
			     struct err *err);
/* The same over a connected, non-blocking socket, which s then owns. */
void imap_stream_adopt(struct imap_stream *s, int fd,
		       const struct imap_times *times);
void imap_stream_release(struct imap_stream *s);

/*
 * Makes TLS over the connection; bytes read from now on come out of it.
 * PH_FATAL: certificate or version refused (69), ca_file unreadable (78).
 */
enum status imap_stream_start_tls(struct imap_stream *s, const char *ca_file,
				  struct err *err);

/*
 * The stream for libetpan, which frees it (and not s) by mailstream_close.
 */
mailstream *imap_stream_wrap(struct imap_stream *s);

/*
 * Opens the account of the next command: its answer may hold body_bytes of
 * mail, and time for them is given on top of the usual.
 */
void imap_stream_command(struct imap_stream *s, uint64_t body_bytes);

/* The time of a command anew, its ceilings as they stand. */
void imap_stream_more_time(struct imap_stream *s);

/* Notes a failure that was seen above the stream; the first one counts. */
void imap_stream_fail(struct imap_stream *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

enum imap_event { IMAP_EVENT_DATA, IMAP_EVENT_WAKE, IMAP_EVENT_TIME };

/*
 * Waits until a read would find something (an end or an error too), wake_fd
 * is readable, or the monotonic clock passes until. stream's own buffer is
 * looked at first: what lies there makes no socket readable.
 */
enum imap_event imap_stream_wait(struct imap_stream *s, mailstream *stream,
				 int wake_fd, int64_t until);

#endif
