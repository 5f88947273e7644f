/*
 * parse - the parsing rows of DESIGN's speed table, each a ratio in one run:
 * report text to struct report against counting its lines; whole mails against
 * parse.py beside this file; and the time of one very large report.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "ph/message.h"
#include "ph/report.h"
#include "tests/made_report.h"

#define ROUNDS	  7 /* the best counts: others share the machine */
#define MAILS	  120
#define BIG_LINES 4609
#define BIG_BYTES 691000

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static size_t count_lines(struct slice s)
{
	const char *at = s.ptr, *end = s.ptr + s.len;
	size_t n = 0;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		at++;
		n++;
	}
	return n;
}

static size_t read_text(struct slice text, struct arena *arena)
{
	struct message msg = { .text = text, .bare = true };
	struct report r;
	struct err err;

	arena_reset(arena);
	assert(report_read(&msg, arena, &r, &err) == PH_OK);
	assert(r.n_results == 1 && r.results[0].row >= 0 && !r.partial);
	return r.n_rows;
}

static size_t read_mail(struct slice raw, struct arena *arena)
{
	struct message msg;
	struct report r;
	struct err err;

	arena_reset(arena);
	assert(message_read(raw, arena, &msg, &err) == PH_OK);
	assert(report_read(&msg, arena, &r, &err) == PH_OK);
	assert(r.n_results == 1 && r.results[0].row >= 0 && !r.partial);
	return r.n_rows;
}

/* One round over all texts: nanoseconds, by memchr or by report_read. */
static int64_t time_texts(const struct buf *texts, size_t n,
			  struct arena *arena)
{
	int64_t from = now_ns();
	volatile size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += arena ? read_text(buf_slice(&texts[i]), arena)
			     : count_lines(buf_slice(&texts[i]));
	return now_ns() - from;
}

static int64_t best(int64_t a, int64_t b)
{
	return !a || b < a ? b : a;
}

/* Reports of the usual size, 86 KB, in turn so that caches are cold to both. */
static void bench_text(void)
{
	struct buf texts[64];
	struct arena arena;
	int64_t lines = 0, report = 0;
	size_t bytes = 0;

	arena_init(&arena);
	for (unsigned i = 0; i < 64; i++) {
		buf_init(&texts[i]);
		made_report(&texts[i], &(struct made_report){ .seed = i + 1,
							      .rows = 900,
							      .name_len = 52 });
		bytes += texts[i].len;
	}
	for (int i = 0; i < ROUNDS; i++) {
		lines = best(lines, time_texts(texts, 64, NULL));
		report = best(report, time_texts(texts, 64, &arena));
	}
	printf("report text to struct report (%.0f MB/s)\t"
	       "counting its lines with memchr (%.0f MB/s)\t%.1f x\t<= 8 x\n",
	       (double)bytes * 1e3 / (double)report,
	       (double)bytes * 1e3 / (double)lines,
	       (double)report / (double)lines);
	for (unsigned i = 0; i < 64; i++)
		buf_release(&texts[i]);
	arena_release(&arena);
}

static void bench_big(void)
{
	struct made_report wish = { .seed = 7, .rows = BIG_LINES - 53 };
	struct arena arena;
	struct buf text;
	int64_t ns = 0;

	buf_init(&text);
	arena_init(&arena);
	for (wish.name_len = 100; text.len < BIG_BYTES; wish.name_len++) {
		buf_reset(&text);
		made_report(&text, &wish);
	}
	for (int i = 0; i < ROUNDS; i++) {
		int64_t from = now_ns();

		read_text(buf_slice(&text), &arena);
		ns = best(ns, now_ns() - from);
	}
	printf("a report of %zu KB and %zu lines\t-\t%.2f ms\t5 ms\n",
	       text.len / 1000, count_lines(buf_slice(&text)),
	       (double)ns / 1e6);
	buf_release(&text);
	arena_release(&arena);
}

static void write_mails(const char *dir, const struct buf *mails)
{
	for (int i = 0; i < MAILS; i++) {
		char path[256];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%d", dir, i);
		f = fopen(path, "w");
		assert(f);
		fwrite(mails[i].ptr, 1, mails[i].len, f);
		assert(fclose(f) == 0);
	}
}

static void remove_mails(const char *dir)
{
	char path[256];

	for (int i = 0; i < MAILS; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
}

/* The script reads the files first, then prints rows and nanoseconds. */
static int64_t time_python(const char *dir, size_t *ret_rows)
{
	char command[400];
	int64_t ns = 0;
	FILE *f;

	snprintf(command, sizeof(command), "python3 tests/bench/parse.py %s %d",
		 dir, MAILS);
	f = popen(command, "r");
	assert(f && fscanf(f, "%zu %" SCNd64, ret_rows, &ns) == 2);
	assert(pclose(f) == 0);
	return ns;
}

static void bench_mails(void)
{
	static const char *const forms[] = { "8bit", "8bit", "8bit",
					     "quoted-printable", "base64" };
	char dir[] = "/tmp/perfherald-bench-XXXXXX";
	struct buf mails[MAILS];
	struct arena arena;
	int64_t ours = 0, python;
	size_t bytes = 0, rows = 0, python_rows;

	arena_init(&arena);
	for (unsigned i = 0; i < MAILS; i++) {
		buf_init(&mails[i]);
		made_report(&mails[i],
			    &(struct made_report){ .seed = i + 1,
						   .rows = 300 + i % 7 * 200,
						   .name_len = 52,
						   .mime = forms[i % 5] });
		bytes += mails[i].len;
	}
	for (int i = 0; i < ROUNDS; i++) {
		int64_t from = now_ns();

		rows = 0;
		for (size_t k = 0; k < MAILS; k++)
			rows += read_mail(buf_slice(&mails[k]), &arena);
		ours = best(ours, now_ns() - from);
	}
	assert(mkdtemp(dir));
	write_mails(dir, mails);
	python = time_python(dir, &python_rows);
	remove_mails(dir);
	assert(rows == python_rows);
	printf("whole mails to struct report (%.0f MB/s)\t"
	       "Python's email (compat32) with regular expressions\t"
	       "%.0f times as fast\t>= 8 times\n",
	       (double)bytes * 1e3 / (double)ours,
	       (double)python / (double)ours);
	for (unsigned i = 0; i < MAILS; i++)
		buf_release(&mails[i]);
	arena_release(&arena);
}

int main(void)
{
	bench_text();
	bench_mails();
	bench_big();
	return 0;
}
