/*
 * memory - what each process of a watch has for itself (Private_* in
 * smaps_rollup), while it reads a mailbox and when all is decided; with few
 * mails and with many. And the same of `parse` with one file and with many.
 */
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bot/store/query.h"
#include "ph/clock.h"
#include "ph/hash.h"
#include "tests/bench/scale.h"
#include "tests/live_imap.h"
#include "tests/made_report.h"
#include "tests/robot_mail.h"
#include "tests/scratch.h"

#define FEW	   1000
#define MANY	   20000
#define FILES	   2000
#define PATIENCE_S 120
#define LOOK_MS	   50
#define REST_MS	   1500
#define RUNS	   20 /* of parse with one file, too short to be seen whole */
#define MB	   1024.0 /* in KiB, as smaps_rollup counts */

static const char *program(void)
{
	const char *p = getenv("PERFHERALD");

	return p ? p : "build/perfherald";
}

/* -- what the kernel says -- */

/* 0: the process has gone. */
static long private_kib(pid_t pid)
{
	char path[64], line[160];
	long sum = 0, kib;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Private_Clean: %ld", &kib) == 1 ||
		    sscanf(line, "Private_Dirty: %ld", &kib) == 1)
			sum += kib;
	if (f)
		fclose(f);
	return sum;
}

/* The most that one of a process and those below it has. Its depth is that of
 * watch, courier, carrier. */
static long most_kib(pid_t pid)
{
	long most = private_kib(pid), below;
	char path[64];
	int child;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
		 (int)pid);
	f = fopen(path, "r");
	while (f && fscanf(f, "%d", &child) == 1) {
		below = most_kib(child);
		most = below > most ? below : most;
	}
	if (f)
		fclose(f);
	return most;
}

/* -- a mailbox -- */

static struct slice make_mail(size_t n, struct arena *arena)
{
	char commit[65], title[64], number[24];
	struct slice name;
	struct robot_mail wish = {
		.tree = "https://git.kernel.org/cgit/linux/kernel/git/torvalds/"
			"linux.git master",
		.label = "linus:master",
		.metric = "will-it-scale.per_process_ops",
		.percent = 7.5,
	};

	snprintf(number, sizeof(number), "%zu", n);
	name = slice_of(number);
	hash_name(&name, 1, commit);
	commit[40] = '\0';
	snprintf(title, sizeof(title), "mm: step %zu", n);
	wish.commit = commit;
	wish.title = title;
	return robot_mail(&wish, arena);
}

static void write_file(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void write_file(const char *name, const char *fmt, ...)
{
	int fd = open(scratch_path(name),
		      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	va_list ap;

	assert(fd >= 0);
	va_start(ap, fmt);
	assert(vdprintf(fd, fmt, ap) >= 0);
	va_end(ap);
	close(fd);
}

static void configure(const struct live_imap *imap)
{
	write_file("password", "secret\n");
	write_file("perfherald.yaml",
		   "state: %s\n"
		   "mailboxes:\n"
		   "  work: {url: \"imap://bench@127.0.0.1:%d/INBOX\","
		   " password_file: %s, insecure: true}\n"
		   "trust: {proof: [none]}\n"
		   "channels:\n"
		   "  out: {type: file, path: %s}\n"
		   "routes:\n"
		   "  - match: {verdict: regression}\n"
		   "    to: [out]\n",
		   scratch_path("state.db"), imap->port,
		   scratch_path("password"), scratch_path("notices"));
}

static pid_t start(const char *const *argv)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = open(scratch_path("log"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	execv(program(), (char *const *)argv);
	_exit(127);
}

/* Whether the desk has decided as many as there are. */
static bool all_decided(struct store *s, size_t n)
{
	struct store_counts counts;
	struct err err;

	assert(query_counts(s, &counts, &err) == PH_OK);
	return counts.messages[MESSAGE_REPORT] == (int64_t)n;
}

/* Serves until all is decided and the worker waits. Gives the most seen. */
static long serve(struct live_imap *imap, struct store *s, pid_t watch)
{
	int64_t end = clock_mono_ms() + PATIENCE_S * 1000, look = 0, now;
	long most = 0, kib;

	for (;;) {
		struct pollfd p[] = { { imap->listener, POLLIN, 0 },
				      { imap->client, POLLIN, 0 } };

		poll(p, ARRAY_LEN(p), LOOK_MS);
		if (p[1].revents)
			live_imap_read(imap);
		if (p[0].revents && imap->client < 0)
			live_imap_accept(imap);
		now = clock_mono_ms();
		if (now < look)
			continue;
		look = now + LOOK_MS;
		kib = most_kib(watch);
		most = kib > most ? kib : most;
		if (imap->idles && all_decided(s, imap->exists))
			return most;
		if (now < end)
			continue;
		fprintf(stderr, "memory: not done within %d s\n", PATIENCE_S);
		exit(1);
	}
}

struct found {
	double idle, work; /* MB */
};

static struct found watch(size_t n)
{
	struct slice *mails = calloc(n, sizeof(*mails));
	struct store *s = scratch_store("state.db");
	struct live_imap imap;
	struct arena arena;
	struct found ret;
	char config[1024];
	const char *const argv[] = { "perfherald", "-c", config, "watch",
				     NULL };
	pid_t pid;

	snprintf(config, sizeof(config), "%s", scratch_path("perfherald.yaml"));
	arena_init(&arena);
	for (size_t i = 0; i < n; i++)
		mails[i] = make_mail(i, &arena);
	live_imap_start(&imap, mails);
	imap.exists = n;
	configure(&imap);
	pid = start(argv);
	ret.work = (double)serve(&imap, s, pid) / MB;
	/* timers and the look at the queue come by */
	poll(NULL, 0, REST_MS);
	ret.idle = (double)most_kib(pid) / MB;
	kill(pid, SIGTERM);
	live_imap_stop(&imap);
	waitpid(pid, NULL, 0);
	store_close(s);
	arena_release(&arena);
	free(mails);
	return ret;
}

/* -- parse -- */

static double parse(size_t n)
{
	const char **argv = calloc(n + 3, sizeof(*argv));
	long most = 0, kib;
	pid_t pid;

	argv[0] = "perfherald";
	argv[1] = "parse";
	argv[2] = scratch_path("report");
	for (size_t i = 1; i < n; i++)
		argv[2 + i] = argv[2];
	pid = start(argv);
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		kib = private_kib(pid);
		most = kib > most ? kib : most;
	}
	free(argv);
	return (double)most / MB;
}

static void write_report(void)
{
	struct made_report wish = {
		.seed = 1, .rows = 900, .name_len = 52, .mime = "8bit"
	};
	struct buf b;

	buf_init(&b);
	made_report(&b, &wish);
	write_file("report", "%s", buf_str(&b));
	buf_release(&b);
}

static void row(const char *what, size_t n, double mb, double aim)
{
	printf("%s, %zu mails\t-\t%.1f MB\t<= %.0f MB\n", what, n, mb, aim);
}

int main(void)
{
	size_t few = bench_scaled(FEW), many = bench_scaled(MANY);
	struct found a = watch(few), b = watch(many);
	double one = 0, all;

	row("private memory of the largest process, idle", few, a.idle, 6);
	row("the same, at work", few, a.work, 32);
	row("private memory of the largest process, idle", many, b.idle, 6);
	row("the same, at work", many, b.work, 32);
	write_report();
	for (int i = 0; i < RUNS; i++) {
		double mb = parse(1);

		one = mb > one ? mb : one;
	}
	all = parse(bench_scaled(FILES));
	printf("private memory of parse, %zu files\tone file (%.1f MB)\t"
	       "%.1f MB\t<= 1.1 x\n",
	       bench_scaled(FILES), one, all);
	return 0;
}
