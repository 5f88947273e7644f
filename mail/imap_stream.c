#include "mail/imap_stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/arena.h"
#include "ph/clock.h"
#include "ph/limits.h"

#define BUFFER_BYTES 16384 /* one TLS record */
/* The slowest line that may carry mail: 32 KiB a second. */
#define SLOWEST_BYTES_A_MS 32

void imap_stream_fail(struct imap_stream *s, const char *fmt, ...)
{
	char text[768];
	va_list ap;

	if (s->failed)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_exit(&s->err, PH_RETRY, EX_UNAVAILABLE, "%s: %s", s->where, text);
	s->failed = true;
}

static int until_ms(int64_t when)
{
	int64_t left = when - clock_mono_ms();

	if (left < 0)
		return 0;
	return left > INT32_MAX ? INT32_MAX : (int)left;
}

/* Waits for the socket; false when time is up, which is then the failure. */
static bool wait_socket(struct imap_stream *s, short events)
{
	int64_t silent = clock_mono_ms() + s->times.silence_ms;
	bool whole = s->deadline < silent;
	struct pollfd p = { .fd = s->fd, .events = events };
	int n;

	do
		n = poll(&p, 1, until_ms(whole ? s->deadline : silent));
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return true;
	if (whole)
		imap_stream_fail(s, "the command was not done in its time");
	else
		imap_stream_fail(s, "silent for %g s",
				 (double)s->times.silence_ms / 1000);
	return false;
}

/* A peer that trickles is never silent: only the deadline ends it. */
static bool in_time(struct imap_stream *s)
{
	if (clock_mono_ms() < s->deadline)
		return true;
	imap_stream_fail(s, "the command was not done in its time");
	return false;
}

static void keep_alive(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		/* a cut line shows within four minutes, also while idle */
		{ IPPROTO_TCP, TCP_KEEPIDLE, 120 },
		{ IPPROTO_TCP, TCP_KEEPINTVL, 30 },
		{ IPPROTO_TCP, TCP_KEEPCNT, 4 },
	};

	/* without them the connection works as well, only less sharply */
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		if (setsockopt(fd, options[i].level, options[i].name,
			       &options[i].value, sizeof(int)) < 0)
			break;
}

/* One address; false leaves errno. */
static bool connect_one(struct imap_stream *s, const struct addrinfo *ai,
			int64_t until)
{
	struct pollfd p = { .events = POLLOUT };
	socklen_t len = sizeof(int);
	int error = 0, n;

	s->fd = socket(ai->ai_family,
		       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return false;
	keep_alive(s->fd);
	if (connect(s->fd, ai->ai_addr, ai->ai_addrlen) == 0)
		return true;
	p.fd = s->fd;
	if (errno == EINPROGRESS) {
		do
			n = poll(&p, 1, until_ms(until));
		while (n < 0 && errno == EINTR);
		if (n == 0)
			error = ETIMEDOUT;
		else
			getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &len);
		if (!error)
			return true;
		errno = error;
	}
	error = errno;
	close(s->fd);
	s->fd = -1;
	errno = error;
	return false;
}

/* Each address gets an even share of the time that is left. */
static bool connect_any(struct imap_stream *s, const struct addrinfo *list)
{
	int64_t end = clock_mono_ms() + s->times.connect_ms;
	int n = 0;

	for (const struct addrinfo *ai = list; ai; ai = ai->ai_next)
		n++;
	for (const struct addrinfo *ai = list; ai; ai = ai->ai_next, n--) {
		int64_t now = clock_mono_ms();

		if (connect_one(s, ai, now + (end - now) / n))
			return true;
	}
	return false;
}

static void name_peer(struct imap_stream *s, const char *host, uint16_t port)
{
	size_t len = strlen(host);

	/* [::1] in a URL is ::1 for everyone else */
	if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	}
	snprintf(s->host, sizeof(s->host), "%.*s", (int)len, host);
	snprintf(s->where, sizeof(s->where),
		 strchr(s->host, ':') ? "[%s]:%u" : "%s:%u", s->host,
		 (unsigned)port);
}

enum status imap_stream_init(struct imap_stream *s, const char *host,
			     uint16_t port, const struct imap_times *times,
			     struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_ADDRCONFIG };
	struct addrinfo *list;
	char service[8];
	bool ok;
	int n;

	*s = (struct imap_stream){ .fd = -1, .times = *times };
	imap_guard_init(&s->guard);
	name_peer(s, host, port);
	snprintf(service, sizeof(service), "%u", (unsigned)port);
	n = getaddrinfo(s->host, service, &hints, &list);
	if (n == EAI_ADDRFAMILY || n == EAI_NONAME) {
		/* loopback alone is no configured address to AI_ADDRCONFIG */
		hints.ai_flags = 0;
		n = getaddrinfo(s->host, service, &hints, &list);
	}
	if (n)
		return err_exit(err, PH_RETRY, EX_UNAVAILABLE,
				"%s: host not found: %s", s->where,
				gai_strerror(n));
	ok = connect_any(s, list);
	if (!ok)
		err_exit(err, PH_RETRY, EX_UNAVAILABLE,
			 "%s: cannot connect: %s", s->where, strerror(errno));
	freeaddrinfo(list);
	imap_stream_command(s, 0);
	return ok ? PH_OK : PH_RETRY;
}

void imap_stream_adopt(struct imap_stream *s, int fd,
		       const struct imap_times *times)
{
	*s = (struct imap_stream){ .fd = fd, .times = *times };
	imap_guard_init(&s->guard);
	snprintf(s->host, sizeof(s->host), "socket");
	snprintf(s->where, sizeof(s->where), "socket");
	imap_stream_command(s, 0);
}

void imap_stream_release(struct imap_stream *s)
{
	if (s->tls_on)
		imap_tls_release(&s->tls);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* What OpenSSL waits for after a call that did not finish; 0: nothing. */
static short wanted(SSL *ssl, int n)
{
	switch (SSL_get_error(ssl, n)) {
	case SSL_ERROR_WANT_READ:
		return POLLIN;
	case SSL_ERROR_WANT_WRITE:
		return POLLOUT;
	}
	return 0;
}

enum status imap_stream_start_tls(struct imap_stream *s, const char *ca_file,
				  struct err *err)
{
	enum status st =
		imap_tls_init(&s->tls, s->fd, s->host, s->where, ca_file, err);
	short events;
	int n;

	if (st != PH_OK)
		return st;
	s->tls_on = true;
	for (;;) {
		ERR_clear_error();
		n = SSL_connect(s->tls.ssl);
		if (n == 1)
			return PH_OK;
		events = wanted(s->tls.ssl, n);
		if (!events)
			return imap_tls_failure(&s->tls, err);
		if (!in_time(s) || !wait_socket(s, events)) {
			*err = s->err;
			return PH_RETRY;
		}
	}
}

void imap_stream_command(struct imap_stream *s, uint64_t body_bytes)
{
	/* sizes that servers tell are not exact */
	imap_guard_command(&s->guard,
			   body_bytes ? 2 * body_bytes + LIMIT_IMAP_LITERAL
				      : 0);
	s->deadline = clock_mono_ms() + s->times.command_ms +
		      (int64_t)(body_bytes / SLOWEST_BYTES_A_MS);
}

void imap_stream_more_time(struct imap_stream *s)
{
	s->deadline = clock_mono_ms() + s->times.command_ms;
}

/*
 * One try to move bytes. Over 0: moved; 0: end of file; -1: *ret_events says
 * what to wait for, or is 0 and errno (0 in TLS) says what broke.
 */
static ssize_t try_read(struct imap_stream *s, void *ptr, size_t len,
			short *ret_events)
{
	ssize_t n;

	*ret_events = 0;
	errno = 0;
	if (!s->tls_on) {
		n = recv(s->fd, ptr, len, 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			*ret_events = POLLIN;
		return n;
	}
	ERR_clear_error();
	n = SSL_read(s->tls.ssl, ptr, len > INT32_MAX ? INT32_MAX : (int)len);
	if (n > 0)
		return n;
	if (SSL_get_error(s->tls.ssl, (int)n) == SSL_ERROR_ZERO_RETURN)
		return 0;
	*ret_events = wanted(s->tls.ssl, (int)n);
	return -1;
}

static ssize_t try_write(struct imap_stream *s, const void *ptr, size_t len,
			 short *ret_events)
{
	ssize_t n;

	*ret_events = 0;
	errno = 0;
	if (!s->tls_on) {
		n = send(s->fd, ptr, len, MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			*ret_events = POLLOUT;
		return n;
	}
	ERR_clear_error();
	n = SSL_write(s->tls.ssl, ptr, len > INT32_MAX ? INT32_MAX : (int)len);
	if (n > 0)
		return n;
	*ret_events = wanted(s->tls.ssl, (int)n);
	return -1;
}

static void broke(struct imap_stream *s)
{
	unsigned long code = s->tls_on ? ERR_peek_error() : 0;

	if (code)
		imap_stream_fail(s, "TLS failed: %s",
				 ERR_reason_error_string(code));
	else if (errno)
		imap_stream_fail(s, "connection lost: %s", strerror(errno));
	else if (s->guard.said[0])
		imap_stream_fail(s, "the server ended the session: \"%s\"",
				 s->guard.said);
	else
		imap_stream_fail(s, "the server closed the connection");
}

static ssize_t low_read(mailstream_low *low, void *ptr, size_t len)
{
	struct imap_stream *s = low->data;
	short events;
	ssize_t n;

	while (!s->failed && in_time(s)) {
		n = try_read(s, ptr, len, &events);
		if (n > 0) {
			s->heard = true;
			if (imap_guard_feed(&s->guard, ptr, (size_t)n))
				return n;
			imap_stream_fail(s, "refused what the server sent: %s",
					 s->guard.why);
		} else if (n < 0 && events && !s->guard.bye) {
			wait_socket(s, events);
		} else {
			/* after BYE some leave the line open for a while */
			errno = s->guard.bye ? 0 : errno;
			broke(s);
		}
	}
	/* an end of file must not be 0: libetpan would ask for ever */
	return -1;
}

static ssize_t low_write(mailstream_low *low, const void *ptr, size_t len)
{
	struct imap_stream *s = low->data;
	short events;
	ssize_t n;

	while (!s->failed && in_time(s)) {
		n = try_write(s, ptr, len, &events);
		if (n >= 0)
			return n;
		if (events)
			wait_socket(s, events);
		else
			broke(s);
	}
	return -1;
}

static int low_close(mailstream_low *low)
{
	(void)low;
	return 0;
}

static int low_fd(mailstream_low *low)
{
	const struct imap_stream *s = low->data;

	return s->fd;
}

static void low_free(mailstream_low *low)
{
	free(low);
}

mailstream *imap_stream_wrap(struct imap_stream *s)
{
	static mailstream_low_driver driver = {
		.mailstream_read = low_read,
		.mailstream_write = low_write,
		.mailstream_close = low_close,
		.mailstream_get_fd = low_fd,
		.mailstream_free = low_free,
	};
	mailstream_low *low = mailstream_low_new(s, &driver);
	mailstream *stream = low ? mailstream_new(low, BUFFER_BYTES) : NULL;

	if (!stream)
		out_of_memory();
	return stream;
}

/* TLS may have taken bytes off the socket that are no data (a ticket). */
static bool has_data(struct imap_stream *s)
{
	char c;
	int n;

	if (!s->tls_on)
		return true;
	ERR_clear_error();
	n = SSL_peek(s->tls.ssl, &c, 1);
	return n > 0 || !wanted(s->tls.ssl, n);
}

enum imap_event imap_stream_wait(struct imap_stream *s, mailstream *stream,
				 int wake_fd, int64_t until)
{
	struct pollfd p[2] = { { .fd = s->fd, .events = POLLIN },
			       { .fd = wake_fd, .events = POLLIN } };

	if (s->failed || s->guard.bye || stream->read_buffer_len ||
	    (s->tls_on && SSL_pending(s->tls.ssl)))
		return IMAP_EVENT_DATA;
	for (;;) {
		int n = poll(p, 2, until_ms(until));

		if (n < 0 && errno != EINTR)
			return IMAP_EVENT_DATA;
		if (n == 0 && clock_mono_ms() >= until)
			return IMAP_EVENT_TIME;
		if (n > 0 && p[0].revents && has_data(s))
			return IMAP_EVENT_DATA;
		if (n > 0 && p[1].revents)
			return IMAP_EVENT_WAKE;
	}
}
