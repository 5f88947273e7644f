/*
 * fetch - the IMAP rows of DESIGN's speed table: 10,000 mails of 16 KB from
 * Dovecot, plain and over TLS, against a reader that asks for all of them in
 * one command and throws the bytes away.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "ph/clock.h"
#include "tests/inbox.h"

#define MAILS  10000
#define BYTES  16000
#define LINE   2048 /* of a tagged answer, at most */
#define ROUNDS 5    /* the best counts: others share the machine */

struct raw {
	int fd;
	SSL *ssl;
	char buf[65536];
};

static size_t raw_read(struct raw *r)
{
	ssize_t n = r->ssl ? SSL_read(r->ssl, r->buf, sizeof(r->buf))
			   : read(r->fd, r->buf, sizeof(r->buf));

	assert(n > 0);
	return (size_t)n;
}

/* Sends a command; reads up to its tagged line, which is short enough. */
static uint64_t raw_command(struct raw *r, const char *command)
{
	char line[256], tail[2 * LINE] = "\r\n";
	int len = snprintf(line, sizeof(line), "x %s\r\n", command);
	size_t kept = 2, n, last;
	uint64_t bytes = 0;

	assert((r->ssl ? SSL_write(r->ssl, line, len)
		       : (int)write(r->fd, line, (size_t)len)) == len);
	do {
		n = raw_read(r);
		last = n < LINE ? n : LINE;
		bytes += n;
		if (kept > LINE) {
			memmove(tail, tail + kept - LINE, LINE);
			kept = LINE;
		}
		memcpy(tail + kept, r->buf + n - last, last);
		kept += last;
	} while (tail[kept - 1] != '\n' ||
		 !slice_find((struct slice){ tail, kept }, S("\r\nx OK ")));
	return bytes;
}

static SSL *raw_tls(int fd)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	SSL *ssl = SSL_new(ctx);

	SSL_CTX_free(ctx);
	SSL_set_fd(ssl, fd);
	assert(SSL_connect(ssl) == 1);
	return ssl;
}

static double raw_seconds(const struct dovecot *d, bool tls)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
				   .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct raw *r = calloc(1, sizeof(*r));
	int64_t start;
	uint64_t bytes;

	sin.sin_port = htons(tls ? d->imaps_port : d->imap_port);
	r->fd = socket(AF_INET, SOCK_STREAM, 0);
	assert(connect(r->fd, (struct sockaddr *)&sin, sizeof(sin)) == 0);
	if (tls)
		r->ssl = raw_tls(r->fd);
	raw_read(r);
	raw_command(r, "LOGIN bench secret");
	raw_command(r, "EXAMINE INBOX");
	start = clock_mono_ms();
	bytes = raw_command(r, "UID FETCH 1:* (UID BODY.PEEK[])");
	start = clock_mono_ms() - start;
	assert(bytes > (uint64_t)MAILS * BYTES);
	SSL_free(r->ssl);
	close(r->fd);
	free(r);
	return (double)start / 1000;
}

static enum status count(void *arg, const struct imap_message *m, struct err *err)
{
	size_t *n = arg;

	(void)err;
	assert(m->raw.len >= BYTES);
	(*n)++;
	return PH_OK;
}

static double our_seconds(const struct dovecot *d, bool tls)
{
	struct inbox m = inbox_on(d, tls ? INBOX_TLS : INBOX_PLAIN, "bench");
	uint32_t last = 0;
	int64_t start;
	size_t n = 0;
	enum status s;

	inbox_open(&m);
	inbox_select(&m, "INBOX");
	start = clock_mono_ms();
	do
		s = imap_fetch(m.imap, last, 0, count, &n, &last, &m.err);
	while (s == PH_OK);
	start = clock_mono_ms() - start;
	assert(s == PH_NONE && n == MAILS);
	inbox_close(&m);
	return (double)start / 1000;
}

static void row(const struct dovecot *d, bool tls, double aim)
{
	double raw = 1e9, ours = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double t = raw_seconds(d, tls);

		raw = t < raw ? t : raw;
		t = our_seconds(d, tls);
		ours = t < ours ? t : ours;
	}
	printf("fetch %d mails (%d MB), %s\traw reader that discards (%.2f s)\t"
	       "%.2f x\t<= %.1f x\n",
	       MAILS, MAILS / 1000 * BYTES / 1000, tls ? "TLS" : "plain", raw,
	       ours / raw, aim);
}

/* One mail is delivered; the others are the same file under other names. */
static void fill(const struct dovecot *d)
{
	char *mail = malloc(BYTES + 64), dir[128], first[512], path[512];
	struct dirent *e;
	DIR *folder;
	size_t len;

	len = (size_t)sprintf(mail, "Subject: bench\n\n");
	while (len < BYTES)
		len += (size_t)sprintf(mail + len, "%063zu\n", len);
	assert(dovecot_deliver(d, "bench", (struct slice){ mail, len }));
	free(mail);
	snprintf(dir, sizeof(dir), "%s/home/bench/mail/new", d->dir);
	folder = opendir(dir);
	assert(folder);
	first[0] = '\0';
	while ((e = readdir(folder)))
		if (e->d_name[0] != '.')
			snprintf(first, sizeof(first), "%s/%s", dir, e->d_name);
	closedir(folder);
	for (int i = 1; i < MAILS; i++) {
		snprintf(path, sizeof(path), "%s/1.%d.bench", dir, i);
		if (link(first, path) < 0)
			perror(path), exit(1);
	}
}

int main(void)
{
	struct dovecot d;

	if (!dovecot_here()) {
		fputs("fetch: skipped, no dovecot on this machine\n", stderr);
		return 0;
	}
	if (!dovecot_start(&d, DOVECOT_MAILDIR))
		return 1;
	fill(&d);
	raw_seconds(&d, false); /* the server makes its index */
	row(&d, false, 1.2);
	row(&d, true, 1.2);
	dovecot_stop(&d);
	return 0;
}
