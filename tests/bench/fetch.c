/*
 * fetch - the IMAP rows of DESIGN's speed table: 10,000 reports of 16 KB, signed
 * by DKIM, from Dovecot; against a reader that asks for all of them in one
 * command and throws the bytes away. First fetched only, plain and over TLS;
 * then taken in by a worker's own batches: screened, proven or not, parsed and
 * stored.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "bot/batch.h"
#include "bot/wake.h"
#include "ph/clock.h"
#include "tests/bench/scale.h"
#include "tests/inbox.h"
#include "tests/made_report.h"
#include "tests/scratch.h"
#include "tests/signer.h"

#define ALL    10000
#define BYTES  16000
#define ROWS   145  /* of a table, to be of this size */
#define KINDS  16   /* different mails; the others are links to them */
#define LINE   2048 /* of a tagged answer, at most */
#define ROUNDS 5    /* the best counts: others share the machine */

static size_t mails;

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
	assert(bytes > (uint64_t)mails * BYTES);
	SSL_free(r->ssl);
	close(r->fd);
	free(r);
	return (double)start / 1000;
}

static enum status count(void *arg, const struct imap_message *m,
			 struct err *err)
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
	assert(s == PH_NONE && n == mails);
	inbox_close(&m);
	return (double)start / 1000;
}

/* -- the work of a worker -- */

static const char *const domains[] = { "intel.com" };
static const char *const robots[] = { "lkp@intel.com" };

static void ok(enum status st, const struct err *err)
{
	if (st == PH_OK)
		return;
	fprintf(stderr, "fetch: %s\n", err->text);
	exit(1);
}

static void take_all(struct inbox *m, struct batch *b)
{
	struct mailbox_place place;
	uint32_t last = 0;
	enum status s;

	ok(store_begin(b->store, &m->err), &m->err);
	ok(mailbox_open(b->store, slice_of(m->box.name), S("INBOX"),
			m->folder.uidvalidity, m->folder.uidnext, clock_wall(),
			&place, &m->err),
	   &m->err);
	ok(store_commit(b->store, &m->err), &m->err);
	ok(batch_folder(b, "INBOX", m->folder.uidvalidity, &m->err), &m->err);
	while ((s = imap_fetch(m->imap, last, 0, batch_take, b, &last,
			       &m->err)) == PH_OK)
		ok(batch_write(b, last, &m->err), &m->err);
	if (s != PH_NONE)
		ok(s, &m->err);
}

static void check_stored(struct store *s, enum proven proven)
{
	struct message_row row;
	struct arena arena;
	struct err err;

	arena_init(&arena);
	ok(message_get(s, (int64_t)mails, &arena, &row, &err), &err);
	assert(row.kind == REPORT_PERFORMANCE && !row.partial);
	assert(row.proven == proven);
	arena_release(&arena);
}

static double stored_seconds(const struct dovecot *d, enum config_proof proof,
			     double *ret_processor)
{
	struct config config = {
		.trust = { .proof = { proof },
			   .n_proof = 1,
			   .dkim = { (const char **)domains, 1 },
			   .dkim_keys = scratch_path("keys"),
			   .from = { (const char **)robots, 1 } },
	};
	struct inbox m = inbox_on(d, INBOX_TLS, "bench");
	struct in_hand in_hand = { .uid = 0 };
	struct duty duty = { .config = &config,
			     .box = &m.box,
			     .in_hand = &in_hand };
	struct batch *b = calloc(1, sizeof(*b));
	struct store *store = scratch_store("state.db");
	struct prover *prover;
	clock_t processor;
	int64_t start;

	ok(prover_new(&config.trust, &prover, &m.err), &m.err);
	ok(wake_bell_new(&duty.desk_bell, &m.err), &m.err);
	batch_init(b, &duty, store, prover);
	inbox_open(&m);
	inbox_select(&m, "INBOX");
	start = clock_mono_ms();
	processor = clock();
	take_all(&m, b);
	processor = clock() - processor;
	start = clock_mono_ms() - start;
	check_stored(store, proof == PROOF_DKIM ? PROVEN_DKIM : PROVEN_OPEN);
	inbox_close(&m);
	batch_release(b);
	free(b);
	store_close(store);
	prover_free(prover);
	close(duty.desk_bell);
	*ret_processor = (double)processor / CLOCKS_PER_SEC;
	return (double)start / 1000;
}

/* -- rows -- */

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Ours is bound by the processor, the raw reader by the server: when others
 * take the processor the ratio grows, and the time on it tells by how much. */
static void row(const char *what, double raw, double ours, double aim)
{
	printf("%s %zu mails (%zu MB)\traw reader that discards (%.2f s)\t"
	       "%.2f x\t<= %.1f x\n",
	       what, mails, mails * BYTES / 1000000, raw, ours / raw, aim);
	fflush(stdout);
}

static void fetch_row(const struct dovecot *d, bool tls)
{
	double raw = 1e9, ours = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		raw = least(raw, raw_seconds(d, tls));
		ours = least(ours, our_seconds(d, tls));
	}
	row(tls ? "fetch, TLS," : "fetch, plain,", raw, ours, 1.2);
}

static void store_row(const struct dovecot *d, const char *what,
		      enum config_proof proof, double aim)
{
	double raw = 1e9, ours = 1e9, used = 1e9, t;
	char text[160];

	for (int i = 0; i < ROUNDS / 2; i++) {
		raw = least(raw, raw_seconds(d, true));
		ours = least(ours, stored_seconds(d, proof, &t));
		used = least(used, t);
	}
	snprintf(text, sizeof(text), "%s (%.2f s on the processor)", what,
		 used);
	row(text, raw, ours, aim);
}

/* -- the mailbox -- */

static void deliver(const struct dovecot *d)
{
	struct buf text[KINDS], signed_mail[KINDS];
	struct slice raw[KINDS];
	struct signer signer;

	signer_init(&signer, domains[0], scratch_path("keys"));
	for (unsigned i = 0; i < KINDS; i++) {
		buf_init(&text[i]);
		buf_init(&signed_mail[i]);
		made_report(&text[i], &(struct made_report){ .seed = i + 1,
							     .rows = ROWS,
							     .name_len = 52,
							     .mime = "8bit" });
		signer_sign(&signer, buf_slice(&text[i]), &signed_mail[i]);
		raw[i] = buf_slice(&signed_mail[i]);
		assert(raw[i].len > BYTES);
	}
	assert(dovecot_deliver_all(d, "bench", raw, KINDS));
	for (unsigned i = 0; i < KINDS; i++) {
		buf_release(&text[i]);
		buf_release(&signed_mail[i]);
	}
	signer_release(&signer);
}

static void fill(const struct dovecot *d)
{
	char dir[128], first[KINDS][512], path[512];
	struct dirent *e;
	DIR *folder;
	size_t n = 0;

	deliver(d);
	snprintf(dir, sizeof(dir), "%s/home/bench/mail/new", d->dir);
	folder = opendir(dir);
	assert(folder);
	while (n < KINDS && (e = readdir(folder)))
		if (e->d_name[0] != '.')
			snprintf(first[n++], sizeof(first[0]), "%s/%s", dir,
				 e->d_name);
	closedir(folder);
	assert(n == KINDS);
	for (; n < mails; n++) {
		snprintf(path, sizeof(path), "%s/1.%zu.bench", dir, n);
		if (link(first[n % KINDS], path) < 0)
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
	mails = bench_scaled(ALL);
	if (mails < KINDS)
		mails = KINDS;
	if (!dovecot_start(&d, DOVECOT_MAILDIR))
		return 1;
	fill(&d);
	raw_seconds(&d, false); /* the server makes its index */
	fetch_row(&d, false);
	fetch_row(&d, true);
	store_row(&d, "fetch, parse and store, TLS", PROOF_NONE, 2);
	store_row(&d, "the same with DKIM proof", PROOF_DKIM, 6);
	dovecot_stop(&d);
	return 0;
}
