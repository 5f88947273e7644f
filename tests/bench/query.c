/*
 * query - list, show, why and status over a state of many patches, each as a
 * whole run of the program, with what people type: an id, the start of a
 * commit, a Message-ID, a title, a word.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "bot/store/pack.h"
#include "bot/store/patch.h"
#include "ph/hash.h"
#include "tests/bench/scale.h"
#include "tests/robot_mail.h"
#include "tests/scratch.h"

#define PATCHES	 100000
#define PER_STEP 2000 /* patches in a transaction */
#define ROUNDS	 11   /* the median counts */
#define START	 INT64_C(1700000000)
#define APART	 600 /* seconds between reports */

static void ok(enum status st, const struct err *err)
{
	if (st == PH_OK)
		return;
	fprintf(stderr, "query: %s\n", err->text);
	exit(1);
}

/* -- a state -- */

struct made {
	char commit[65]; /* forty digits count */
	char title[80], id[64];
	int64_t at;
};

/* All of patch n follows from n. */
static struct made make(size_t n)
{
	static const char *const what[] = { "lock less", "copy less",
					    "sleep later", "wake sooner" };
	struct made m = { .at = START + (int64_t)n * APART };
	struct slice name;
	char number[24];

	snprintf(number, sizeof(number), "%zu", n);
	name = slice_of(number);
	hash_name(&name, 1, m.commit);
	m.commit[40] = '\0';
	snprintf(m.title, sizeof(m.title), "mm/part%zu: %s in step %zu",
		 n % 977, what[n % 4], n);
	snprintf(m.id, sizeof(m.id), "202610010000.%08zx-lkp@intel.com", n);
	return m;
}

static int64_t put_message(struct store *s, const struct made *m, size_t n,
			   uint32_t uid, struct arena *arena)
{
	const struct robot_mail wish = {
		.id = m->id,
		.commit = m->commit,
		.title = m->title,
		.tree = "https://git.kernel.org/cgit/linux/kernel/git/torvalds/"
			"linux.git master",
		.label = "linus:master",
		.metric = n % 3 ? "will-it-scale.per_process_ops"
				: "vm-scalability.throughput",
		.verdict = n % 5 ? "regression" : "improvement",
		.percent = 5 + (double)(n % 400) / 10,
	};
	struct message_in in = { .source = S("work"),
				 .folder = S("INBOX"),
				 .uidvalidity = 1,
				 .uid = uid,
				 .arrived = m->at,
				 .now = m->at,
				 .state = MESSAGE_NEW,
				 .proven = PROVEN_DKIM,
				 .proof = S("dkim: intel.com") };
	struct message mail;
	struct report report;
	struct err err;
	int64_t id;

	ok(message_read(robot_mail(&wish, arena), arena, &mail, &err), &err);
	ok(report_read(&mail, arena, &report, &err), &err);
	in.message = &mail;
	in.report = &report;
	in.packed = pack_text(s, arena, mail.text);
	ok(message_add(s, &in, &id, &err), &err);
	return id;
}

static int64_t put_patch(struct store *s, const struct made *m)
{
	const struct patch_row row = { .title = slice_of(m->title),
				       .norm = slice_of(m->title),
				       .commit = slice_of(m->commit),
				       .author = S("author@example.org"),
				       .label = S("linus:master"),
				       .subsystem = S("mm"),
				       .life_since = m->at,
				       .first_seen = m->at,
				       .last_seen = m->at };
	struct err err;
	int64_t id;

	ok(patch_add(s, &row, &id, &err), &err);
	ok(patch_commit_add(s, id, row.commit, S(""), m->at, &err), &err);
	return id;
}

static void put_decision(struct store *s, const struct made *m, int64_t message,
			 int64_t patch, struct arena *arena)
{
	static const char *const steps[] = { "proof", "identity", "result",
					     "route", "notice" };
	struct result_row *results;
	struct err err;
	size_t n;

	ok(result_list(s, message, 0, 0, arena, &results, &n, &err), &err);
	for (size_t i = 0; i < n; i++) {
		results[i].patch = patch;
		results[i].news = true;
		ok(result_decide(s, &results[i], &err), &err);
	}
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		const struct trace t = { m->at, message, patch,
					 slice_of(steps[i]),
					 S("as in a state of the usual kind") };

		ok(trace_add(s, &t, &err), &err);
	}
	ok(message_decide(s, message, MESSAGE_REPORT, S(""), patch, m->at,
			  &err),
	   &err);
}

static void put_notice(struct store *s, const struct made *m, int64_t message,
		       int64_t patch)
{
	const struct slice parts[] = { S("chat"), slice_of(m->id) };
	const struct outbox_row row = { .channel = S("chat"),
					.target = S("#perf"),
					.patch = patch,
					.message = message,
					.facts = S("{}"),
					.state = OUTBOX_SENT,
					.created = m->at,
					.due = m->at,
					.next_try = m->at };
	struct outbox_row keyed = row;
	struct err err;
	char key[65];
	int64_t id;

	hash_name(parts, ARRAY_LEN(parts), key);
	keyed.key = slice_of(key);
	ok(outbox_add(s, &keyed, &id, &err), &err);
}

/* Every other patch is reported on a second time. */
static void put_one(struct store *s, size_t n, uint32_t *uid,
		    struct arena *arena)
{
	struct made m = make(n);
	int64_t patch = put_patch(s, &m), message;

	message = put_message(s, &m, n, ++*uid, arena);
	put_decision(s, &m, message, patch, arena);
	put_notice(s, &m, message, patch);
	if (n % 2)
		return;
	m.id[11]++;
	message = put_message(s, &m, n + 1, ++*uid, arena);
	put_decision(s, &m, message, patch, arena);
}

static void fill(size_t patches)
{
	struct store *s = scratch_store("state.db");
	struct mailbox_place place;
	struct arena arena;
	uint32_t uid = 0;
	struct err err;

	arena_init(&arena);
	for (size_t n = 0; n < patches; n++) {
		if (n % PER_STEP == 0)
			ok(store_begin(s, &err), &err);
		if (n == 0)
			ok(mailbox_open(s, S("work"), S("INBOX"), 1, 1, START,
					&place, &err),
			   &err);
		put_one(s, n, &uid, &arena);
		arena_reset(&arena);
		if (n % PER_STEP == PER_STEP - 1 || n == patches - 1)
			ok(store_commit(s, &err), &err);
	}
	arena_release(&arena);
	store_close(s);
}

static void configure(void)
{
	int fd = open(scratch_path("perfherald.yaml"),
		      O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert(fd >= 0);
	dprintf(fd,
		"state: %s\n"
		"mailboxes:\n"
		"  work: {url: \"imaps://localhost/INBOX\", auth: anonymous}\n"
		"channels:\n"
		"  chat: {type: stdout}\n"
		"routes:\n"
		"  - match: {verdict: regression}\n"
		"    to: [chat]\n",
		scratch_path("state.db"));
	close(fd);
}

/* -- runs of the program -- */

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static size_t read_all(int fd)
{
	char waste[65536];
	size_t sum = 0;
	ssize_t n;

	while ((n = read(fd, waste, sizeof(waste))) > 0)
		sum += (size_t)n;
	return sum;
}

/* Words are parted by a bar, since a title has blanks. */
static double run_ms(const char *command)
{
	const char *program = getenv("PERFHERALD");
	char words[200];
	char *argv[8] = { (char *)(program ? program : "build/perfherald"),
			  (char *)"-c",
			  (char *)scratch_path("perfherald.yaml") };
	size_t n = 3;
	double start;
	int out[2], status;
	pid_t pid;

	snprintf(words, sizeof(words), "%s", command);
	for (char *w = strtok(words, "|"); w; w = strtok(NULL, "|"))
		argv[n++] = w;
	assert(pipe2(out, O_CLOEXEC) == 0);
	start = now_ms();
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	close(out[1]);
	n = read_all(out[0]);
	close(out[0]);
	assert(waitpid(pid, &status, 0) == pid);
	if (status || !n) {
		fprintf(stderr, "query: perfherald %s failed\n", command);
		exit(1);
	}
	return now_ms() - start;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void row(const char *what, const char *command, size_t patches)
{
	double ms[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++)
		ms[i] = run_ms(command);
	qsort(ms, ROUNDS, sizeof(ms[0]), by_value);
	printf("%s over %zu patches\t-\t%.0f ms\t<= 50 ms\n", what, patches,
	       ms[ROUNDS / 2]);
	fflush(stdout);
}

/* Every other patch has two reports of one result each. */
static void export_row(size_t patches)
{
	size_t results = patches + (patches + 1) / 2;

	printf("export over %zu patches as JSON lines\t-\t%.0f us a result\t"
	       "<= 60 us a result\n",
	       patches, run_ms("export") * 1000 / (double)results);
	fflush(stdout);
}

int main(void)
{
	size_t patches = bench_scaled(PATCHES);
	struct made m = make(patches / 3);
	char command[200];

	fill(patches);
	configure();
	row("list", "list", patches);
	row("list of a verdict", "list|--verdict|improvement", patches);
	row("list of a word in few titles", "list|part123:", patches);
	row("list of patches that are fixed", "list|--state|fixed", patches);
	row("list of poisoned messages", "list|--messages|poison", patches);
	snprintf(command, sizeof(command), "show|%.12s", m.commit);
	row("show by commit", command, patches);
	snprintf(command, sizeof(command), "show|%s", m.title);
	row("show by title", command, patches);
	snprintf(command, sizeof(command), "why|%s", m.id);
	row("why by Message-ID", command, patches);
	row("why by UID", "why|uid:work/77", patches);
	snprintf(command, sizeof(command), "why|%.12s", m.commit);
	row("why by commit", command, patches);
	row("status", "status", patches);
	export_row(patches);
	return 0;
}
