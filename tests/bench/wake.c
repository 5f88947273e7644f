/*
 * wake - from the server's word that there is a mail (EXISTS, in IDLE) to the
 * whole post at a webhook: read, proven by DKIM, parsed, stored, decided,
 * rendered and sent by the running program. The key is pinned and the
 * connections are kept; both servers are this process, so one clock counts.
 *
 * Each step is on the disk before the next begins. What the disk takes for
 * that is told beside, since on a shared machine it may be most of it.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ph/hash.h"
#include "tests/bench/scale.h"
#include "tests/live_imap.h"
#include "tests/robot_mail.h"
#include "tests/scratch.h"
#include "tests/signer.h"

#define MAILS	   200
#define FIRST	   10 /* do not count: caches are cold, nothing is connected */
#define COMMITS	   4  /* to the state on the way: worker, desk, courier twice */
#define PAGES	   12 /* in the mean, of such a commit */
#define PATIENCE_S 30

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* -- the webhook -- */

struct hook {
	int listener, port, client, connections;
	struct buf in;
};

static void hook_start(struct hook *h)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);

	*h = (struct hook){ .client = -1 };
	buf_init(&h->in);
	h->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert(bind(h->listener, (struct sockaddr *)&at, sizeof(at)) == 0);
	assert(listen(h->listener, 4) == 0);
	assert(getsockname(h->listener, (struct sockaddr *)&at, &len) == 0);
	h->port = ntohs(at.sin_port);
}

static bool hook_whole(const struct hook *h)
{
	struct slice left = buf_slice(&h->in), line;
	uint64_t length = 0;

	while (slice_take_line(&left, &line) && line.len)
		if (slice_caseskip(&line, S("content-length: ")))
			slice_take_uint(&line, UINT32_MAX, &length);
	return length && left.len >= length;
}

/* True when a post has come, which is answered. */
static bool hook_read(struct hook *h)
{
	static const char answer[] = "HTTP/1.1 204 No Content\r\n\r\n";
	char chunk[65536];
	ssize_t n = read(h->client, chunk, sizeof(chunk));

	if (n <= 0) {
		close(h->client);
		h->client = -1;
		return false;
	}
	buf_add(&h->in, chunk, (size_t)n);
	if (!hook_whole(h))
		return false;
	buf_reset(&h->in);
	assert(send(h->client, answer, sizeof(answer) - 1, MSG_NOSIGNAL) > 0);
	return true;
}

static void hook_accept(struct hook *h)
{
	const int on = 1;

	h->client = accept4(h->listener, NULL, NULL, SOCK_CLOEXEC);
	setsockopt(h->client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	h->connections++;
}

/* -- mails -- */

static void make_mail(const struct signer *s, int n, struct buf *out)
{
	char commit[65], title[64], number[16], host[32];
	struct slice name = slice_of(number);
	struct arena arena;

	snprintf(number, sizeof(number), "%d", n);
	name = slice_of(number);
	hash_name(&name, 1, commit);
	commit[40] = '\0';
	snprintf(title, sizeof(title), "mm: step %d", n);
	snprintf(host, sizeof(host), "lkp-icl-2sp%d", n % 9 + 1);
	arena_init(&arena);
	signer_sign(s,
		    robot_mail(
			    &(struct robot_mail){
				    .commit = commit,
				    .title = title,
				    .tree = "https://git.kernel.org/cgit/linux/"
					    "kernel/git/torvalds/linux.git "
					    "master",
				    .label = "linus:master",
				    .metric = "will-it-scale.per_process_ops",
				    .host = host,
				    .percent = 7.5 },
			    &arena),
		    out);
	arena_release(&arena);
}

/* -- the program -- */

static void configure(const struct live_imap *imap, const struct hook *hook)
{
	int fd = open(scratch_path("perfherald.yaml"),
		      O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert(fd >= 0);
	dprintf(fd,
		"state: %s\n"
		"send: true\n"
		"mailboxes:\n"
		"  work: {url: \"imap://bench@127.0.0.1:%d/INBOX\","
		" password_file: %s, insecure: true}\n"
		"trust: {proof: [dkim], dkim: [intel.com], dkim_keys: %s,"
		" from: [oliver.sang@intel.com]}\n"
		"channels:\n"
		"  hook: {type: webhook, url: \"http://127.0.0.1:%d/\","
		" insecure: true, max_per_hour: 3600}\n"
		"routes:\n"
		"  - match: {verdict: regression}\n"
		"    to: [hook]\n",
		scratch_path("state.db"), imap->port, scratch_path("password"),
		scratch_path("keys"), hook->port);
	close(fd);
	fd = open(scratch_path("password"), O_WRONLY | O_CREAT | O_CLOEXEC,
		  0600);
	dprintf(fd, "secret\n");
	close(fd);
}

struct watch {
	pid_t pid;
	int log; /* its standard error */
	struct buf said;
};

static void watch_start(struct watch *w)
{
	const char *program = getenv("PERFHERALD");
	int log[2];

	buf_init(&w->said);
	assert(pipe2(log, O_CLOEXEC) == 0);
	w->pid = fork();
	if (w->pid == 0) {
		dup2(log[1], STDERR_FILENO);
		execl(program ? program : "build/perfherald", "perfherald",
		      "-c", scratch_path("perfherald.yaml"), "watch",
		      (char *)NULL);
		_exit(127);
	}
	close(log[1]);
	w->log = log[0];
}

static void watch_stop(struct watch *w)
{
	kill(w->pid, SIGTERM);
	waitpid(w->pid, NULL, 0);
	close(w->log);
	buf_release(&w->said);
}

static void watch_read(struct watch *w)
{
	char chunk[4096];
	ssize_t n = read(w->log, chunk, sizeof(chunk));

	if (n > 0) {
		buf_add(&w->said, chunk, (size_t)n);
		return;
	}
	fprintf(stderr, "wake: perfherald ended:\n%s", buf_str(&w->said));
	exit(1);
}

/* -- one after the other -- */

struct peers {
	struct live_imap imap;
	struct hook hook;
	struct watch watch;
	bool posted;
};

/* Whether it waits in IDLE, and has noted that the last post arrived: what it
 * does for one mail shall not be in the way of the next. */
static bool at_rest(struct peers *p)
{
	return p->imap.idles &&
	       (!p->posted ||
		slice_find(buf_slice(&p->watch.said), S(" is sent\n")));
}

static bool has_posted(struct peers *p)
{
	return p->posted;
}

static void serve(struct peers *p, bool (*until)(struct peers *p))
{
	double end = now_ms() + PATIENCE_S * 1000;

	while (!until(p)) {
		struct pollfd fd[] = { { p->imap.listener, POLLIN, 0 },
				       { p->imap.client, POLLIN, 0 },
				       { p->hook.listener, POLLIN, 0 },
				       { p->hook.client, POLLIN, 0 },
				       { p->watch.log, POLLIN, 0 } };

		poll(fd, ARRAY_LEN(fd), 1000);
		if (fd[3].revents)
			p->posted = hook_read(&p->hook);
		if (fd[1].revents)
			live_imap_read(&p->imap);
		if (fd[0].revents && p->imap.client < 0)
			live_imap_accept(&p->imap);
		if (fd[2].revents && p->hook.client < 0)
			hook_accept(&p->hook);
		if (fd[4].revents)
			watch_read(&p->watch);
		if (now_ms() < end)
			continue;
		fprintf(stderr, "wake: nothing within %d s; log:\n%s",
			PATIENCE_S, buf_str(&p->watch.said));
		exit(1);
	}
}

/* As many writes to the end of a file as SQLite's log gets, each synced. */
static double sync_ms(void)
{
	static const char pages[PAGES][4096];
	int fd = open(scratch_path("sync"),
		      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	double start = now_ms();

	for (int i = 0; i < COMMITS; i++) {
		assert(write(fd, pages, sizeof(pages)) == sizeof(pages));
		assert(fdatasync(fd) == 0);
	}
	close(fd);
	return now_ms() - start;
}

static void measure(struct peers *p, double *ms, double *sync, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double start;

		serve(p, at_rest);
		buf_reset(&p->watch.said);
		p->posted = false;
		sync[i] = sync_ms();
		start = now_ms();
		live_imap_arrive(&p->imap);
		serve(p, has_posted);
		ms[i] = now_ms() - start;
	}
	serve(p, at_rest);
}

static void print_rows(double *ms, double *sync, size_t n)
{
	qsort(ms, n, sizeof(ms[0]), by_value);
	qsort(sync, n, sizeof(sync[0]), by_value);
	printf("IDLE's EXISTS to the post, median of %zu\t"
	       "%d syncs of this disk (%.1f ms)\t%.1f ms\t<= 10 ms\n",
	       n, COMMITS, sync[n / 2], ms[n / 2]);
	printf("the same, p99\tsuch syncs, p99 (%.1f ms)\t%.1f ms\t"
	       "<= 30 ms\n",
	       sync[n * 99 / 100], ms[n * 99 / 100]);
}

int main(void)
{
	size_t n = FIRST + bench_scaled(MAILS);
	struct buf *mails = calloc(n, sizeof(*mails));
	struct slice *raw = calloc(n, sizeof(*raw));
	double *ms = calloc(n, sizeof(*ms)), *sync = calloc(n, sizeof(*sync));
	struct signer signer;
	struct peers p = { .posted = false };

	signer_init(&signer, "intel.com", scratch_path("keys"));
	for (size_t i = 0; i < n; i++) {
		buf_init(&mails[i]);
		make_mail(&signer, (int)i, &mails[i]);
		raw[i] = buf_slice(&mails[i]);
	}
	live_imap_start(&p.imap, raw);
	hook_start(&p.hook);
	configure(&p.imap, &p.hook);
	watch_start(&p.watch);
	measure(&p, ms, sync, n);
	live_imap_stop(&p.imap);
	watch_stop(&p.watch);
	print_rows(ms + FIRST, sync + FIRST, n - FIRST);
	if (p.hook.connections != 1)
		fprintf(stderr, "wake: the webhook saw %d connections\n",
			p.hook.connections);
	return p.hook.connections != 1;
}
