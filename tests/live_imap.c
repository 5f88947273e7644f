#include "tests/live_imap.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "ph/clock.h"

void live_imap_start(struct live_imap *s, const struct slice *mails)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);

	*s = (struct live_imap){ .client = -1, .mails = mails };
	buf_init(&s->in);
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert(bind(s->listener, (struct sockaddr *)&at, sizeof(at)) == 0);
	assert(listen(s->listener, 4) == 0);
	assert(getsockname(s->listener, (struct sockaddr *)&at, &len) == 0);
	s->port = ntohs(at.sin_port);
}

void live_imap_stop(struct live_imap *s)
{
	if (s->client >= 0)
		close(s->client);
	close(s->listener);
	buf_release(&s->in);
}

static void say(struct live_imap *s, struct slice text)
{
	/* a client that has gone is seen at the next read */
	while (text.len) {
		ssize_t n = send(s->client, text.ptr, text.len, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		text = slice_from(text, (size_t)n);
	}
}

static void say_str(struct live_imap *s, const char *text)
{
	say(s, slice_of(text));
}

static void done(struct live_imap *s)
{
	say_str(s, s->tag);
	say_str(s, " OK done\r\n");
}

void live_imap_accept(struct live_imap *s)
{
	const int on = 1;

	assert(s->client < 0);
	s->client = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
	assert(s->client >= 0);
	setsockopt(s->client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	say_str(s, "* OK ready\r\n");
}

/* -- FETCH -- */

static void put_date(struct buf *b)
{
	char now[32];

	/* 2026-10-01T09:15:41Z */
	clock_rfc3339(clock_wall(), now);
	buf_printf(b, "\"%.2s-%.3s-%.4s %.8s +0000\"", now + 8,
		   &"JanFebMarAprMayJunJulAugSepOctNovDec"
			   [3 * (10 * (now[5] - '0') + now[6] - '0' - 1)],
		   now, now + 11);
}

static void put_mail(const struct live_imap *s, size_t uid, struct slice what,
		     struct buf *b)
{
	const struct slice mail = s->mails[uid - 1];

	buf_printf(b, "* %zu FETCH (UID %zu", uid, uid);
	if (slice_find(what, S("RFC822.SIZE"))) {
		buf_printf(b, " RFC822.SIZE %zu INTERNALDATE ", mail.len);
		put_date(b);
	}
	if (slice_find(what, S("BODY.PEEK[]"))) {
		buf_printf(b, " BODY[] {%zu}\r\n", mail.len);
		buf_add_slice(b, mail);
	}
	buf_add_str(b, ")\r\n");
}

/* "7", "7:9,12", "7:*". */
static void fetch(struct live_imap *s, struct slice words)
{
	struct slice set;
	struct buf b;

	buf_init(&b);
	assert(slice_take_until(&words, ' ', &set));
	while (set.len) {
		uint64_t first, last;

		assert(slice_take_uint(&set, UINT32_MAX, &first));
		last = first;
		if (slice_skip(&set, S(":")) && !slice_skip(&set, S("*")))
			assert(slice_take_uint(&set, UINT32_MAX, &last));
		for (uint64_t i = first; i <= last && i <= s->exists; i++)
			put_mail(s, i, words, &b);
		slice_skip(&set, S(","));
	}
	say(s, buf_slice(&b));
	buf_release(&b);
	done(s);
}

/* -- the rest -- */

static void select_box(struct live_imap *s)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "* FLAGS (\\Seen)\r\n* %zu EXISTS\r\n* 0 RECENT\r\n"
		 "* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT %zu] x\r\n",
		 s->exists, s->exists + 1);
	say_str(s, text);
	done(s);
}

static void command(struct live_imap *s, struct slice line)
{
	struct slice tag;

	if (slice_eq(line, S("DONE"))) {
		s->idles = false;
		done(s);
		return;
	}
	assert(slice_take_until(&line, ' ', &tag));
	snprintf(s->tag, sizeof(s->tag), "%.*s", S_FMT(tag));
	slice_skip(&line, S("UID "));
	if (slice_skip(&line, S("FETCH "))) {
		fetch(s, line);
	} else if (slice_starts(line, S("EXAMINE"))) {
		select_box(s);
	} else if (slice_eq(line, S("IDLE"))) {
		s->idles = true;
		say_str(s, "+ idling\r\n");
	} else {
		if (slice_eq(line, S("CAPABILITY")))
			say_str(s, "* CAPABILITY IMAP4rev1 IDLE\r\n");
		done(s);
	}
}

void live_imap_read(struct live_imap *s)
{
	struct slice left, line;
	char chunk[4096];
	ssize_t n = read(s->client, chunk, sizeof(chunk));

	if (n <= 0) {
		close(s->client);
		s->client = -1;
		s->idles = false;
		buf_reset(&s->in);
		return;
	}
	buf_add(&s->in, chunk, (size_t)n);
	left = buf_slice(&s->in);
	if (left.ptr[left.len - 1] != '\n')
		return;
	while (slice_take_line(&left, &line))
		command(s, line);
	buf_reset(&s->in);
}

void live_imap_arrive(struct live_imap *s)
{
	char line[48];

	assert(s->idles);
	snprintf(line, sizeof(line), "* %zu EXISTS\r\n", ++s->exists);
	say_str(s, line);
}
