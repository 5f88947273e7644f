#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/limits.h"
#include "ph/source.h"
#include "tests/guard.h"
#include "tests/scratch.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#ifdef __SANITIZE_ADDRESS__
#define WITH_ASAN 1
#else
#define WITH_ASAN __has_feature(address_sanitizer)
#endif

static void make_folder(const char *name)
{
	assert_int_equal(mkdir(scratch_path(name), 0700), 0);
}

static struct source *open_it(const char *path)
{
	struct source *s;
	struct err err;

	assert_int_equal(source_open(path, &s, &err), PH_OK);
	return s;
}

/* The next message is this one. where is the end of where it stands. */
static void expect(struct source *s, const char *raw, const char *where,
		   int64_t index)
{
	struct source_item item;
	struct err err;

	assert_int_equal(source_next(s, &item, &err), PH_OK);
	assert_int_equal(item.raw.len, strlen(raw));
	assert_memory_equal(item.raw.ptr, raw, item.raw.len);
	assert_true(slice_ends(item.where, slice_of(where)));
	assert_int_equal(item.index, index);
}

static void expect_bad(struct source *s, const char *text, int64_t index)
{
	struct source_item item;
	struct err err;

	assert_int_equal(source_next(s, &item, &err), PH_BAD);
	assert_int_equal(item.index, index);
	/* the place, then what is wrong */
	assert_true(slice_starts(slice_of(err.text), item.where));
	assert_true(slice_ends(slice_of(err.text), slice_of(text)));
}

static void expect_end(struct source *s)
{
	struct source_item item;
	struct err err;

	assert_int_equal(source_next(s, &item, &err), PH_NONE);
	assert_int_equal(source_next(s, &item, &err), PH_NONE);
	source_close(s);
}

static void expect_failure(const char *path, enum status want, int exit_code,
			   const char *text)
{
	struct source *s;
	struct err err;

	assert_int_equal(source_open(path, &s, &err), want);
	assert_int_equal(err_exit_code(&err, want), exit_code);
	assert_true(slice_starts(slice_of(err.text), slice_of(path)));
	assert_true(slice_ends(slice_of(err.text), slice_of(text)));
}

static void one_file_is_one_message(void **state)
{
	struct source *s;

	(void)state;
	scratch_file("a.eml", "From: a\n\nFrom here on.\n\nFrom Monday 10:00\n",
		     0600);
	s = open_it(scratch_path("a.eml"));
	expect(s, "From: a\n\nFrom here on.\n\nFrom Monday 10:00\n", "/a.eml",
	       -1);
	expect_end(s);
}

#define FROM "From lkp@intel.com Fri May 17 06:07:08 2024\n"

static void an_mbox_is_parted(void **state)
{
	struct source *s;

	(void)state;
	scratch_file(
		"m.mbox",
		FROM
		"A: 1\n\nFrom here on.\n>From quoted\n>>From twice\n\n"
		"From Monday on it is slow\n>Fromage\n\n"
		"From mboxrd@z Thu Jan  1 00:00:00 1970\nB: 2\n\ntwo\n" FROM
		"no empty line before, so no start\n\n\n" FROM "C: 3\n\nno end",
		0600);
	s = open_it(scratch_path("m.mbox"));
	expect(s,
	       "A: 1\n\nFrom here on.\nFrom quoted\n>From twice\n\n"
	       "From Monday on it is slow\n>Fromage\n",
	       "/m.mbox:1", 0);
	expect(s, "B: 2\n\ntwo\n" FROM "no empty line before, so no start\n\n",
	       "/m.mbox:2", 1);
	expect(s, "C: 3\n\nno end", "/m.mbox:3", 2);
	expect_end(s);
}

static void an_mbox_with_cr_lf(void **state)
{
	struct source *s;

	(void)state;
	scratch_file("crlf",
		     "From a Fri May 17 06:07:08 2024\r\nA: 1\r\n\r\nx\r\n"
		     "\r\nFrom b Fri May 17 06:07:08 2024\r\nB: 2\r\n",
		     0600);
	s = open_it(scratch_path("crlf"));
	expect(s, "A: 1\r\n\r\nx\r\n", "/crlf:1", 0);
	expect(s, "B: 2\r\n", "/crlf:2", 1);
	expect_end(s);
}

static void add_lines(FILE *f, size_t bytes)
{
	for (; bytes; bytes -= 64)
		fputs("012345678901234567890123456789"
		      "012345678901234567890123456789012\n",
		      f);
}

/* In an mbox of 64 MiB with one mail over the ceiling the others are read,
 * and memory never holds more than one mail. */
static void too_big_is_skipped_without_being_held(void **state)
{
	FILE *f = fopen(scratch_path("big"), "we");
	struct rusage before, after;
	struct source *s;

	(void)state;
	assert_non_null(f);
	fputs(FROM "A: 1\n\none\n\n" FROM, f);
	add_lines(f, 48 * MIB);
	fputs("\n" FROM "C: 3\n\nthree\n\n" FROM, f);
	add_lines(f, LIMIT_MAIL);
	fputs("\n" FROM, f);
	add_lines(f, LIMIT_MAIL);
	fputs("x\n", f);
	assert_int_equal(fclose(f), 0);
	getrusage(RUSAGE_SELF, &before);
	s = open_it(scratch_path("big"));
	expect(s, "A: 1\n\none\n", "/big:1", 0);
	expect_bad(s, ": over 8 MiB, the most a mail may have", 1);
	expect(s, "C: 3\n\nthree\n", "/big:3", 2);
	{
		struct source_item item;
		struct err err;

		/* with its separator it would be over by a byte */
		assert_int_equal(source_next(s, &item, &err), PH_OK);
		assert_int_equal(item.raw.len, LIMIT_MAIL);
	}
	expect_bad(s, ": over 8 MiB, the most a mail may have", 4);
	expect_end(s);
	getrusage(RUSAGE_SELF, &after);
	if (!WITH_ASAN &&
	    !guard_valgrind()) /* which keeps what was freed for a while */
		assert_true(after.ru_maxrss - before.ru_maxrss < 24 * 1024);
}

static void what_never_ends_is_given_up(void **state)
{
	struct source *s = open_it("/dev/zero");

	(void)state;
	alarm(60); /* the test would not end either */
	expect_bad(s, "/dev/zero: over 8 MiB, the most a mail may have", -1);
	expect_end(s);
	alarm(0);
}

static void a_maildir_is_cur_then_new(void **state)
{
	struct source *s;
	struct source_item item;
	struct err err;

	(void)state;
	make_folder("md");
	make_folder("md/cur");
	make_folder("md/new");
	make_folder("md/tmp");
	scratch_file("md/cur/1715925181.M1P1.host:2,S", "A: 1\n", 0600);
	scratch_file("md/cur/1715925180.M1P1.host:2,", "A: 0\n", 0600);
	scratch_file("md/new/1715925100.M1P1.host", "N: 1\n", 0600);
	scratch_file("md/tmp/1715925100.M1P1.host", "T: 1\n", 0600);
	scratch_file("md/cur/.hidden", "H: 1\n", 0600);
	scratch_file("md/dovecot-uidlist", "3 V1\n", 0600);
	s = open_it(scratch_path("md"));
	assert_int_equal(source_next(s, &item, &err), PH_OK);
	assert_true(slice_eq(item.raw, S("A: 0\n")));
	assert_int_equal(item.arrived, 1715925180);
	expect(s, "A: 1\n", "/md/cur/1715925181.M1P1.host:2,S", 1);
	expect(s, "N: 1\n", "/md/new/1715925100.M1P1.host", 2);
	expect_end(s);
}

static void a_plain_folder_is_its_files_by_name(void **state)
{
	struct source *s;

	(void)state;
	make_folder("plain");
	make_folder("plain/sub");
	scratch_file("plain/b.eml", "B: 1\n", 0600);
	scratch_file("plain/a.mbox", FROM "A: 1\n\n" FROM "A: 2\n", 0600);
	scratch_file("plain/c", "", 0600);
	scratch_file("plain/d", "D: 1\n", 0600);
	assert_int_equal(symlink("nowhere", scratch_path("plain/e")), 0);
	scratch_file("plain/sub/x", "X: 1\n", 0600);
	s = open_it(scratch_path("plain"));
	expect(s, "A: 1\n", "/plain/a.mbox:1", 0);
	expect(s, "A: 2\n", "/plain/a.mbox:2", 1);
	expect(s, "B: 1\n", "/plain/b.eml", 2);
	expect_bad(s, ": empty", 3);
	expect(s, "D: 1\n", "/plain/d", 4);
	expect_end(s);
}

/* More names than one round holds: each once, in order. */
static void a_large_folder_is_read_in_rounds(void **state)
{
	char name[64], text[32];
	struct source *s;

	(void)state;
	make_folder("large");
	for (int i = 0; i < 9000; i++) {
		int n = i * 7919 % 9000; /* not in order */

		snprintf(name, sizeof(name), "large/%04d", n);
		snprintf(text, sizeof(text), "N: %d\n", n);
		scratch_file(name, text, 0600);
	}
	s = open_it(scratch_path("large"));
	for (int i = 0; i < 9000; i++) {
		snprintf(name, sizeof(name), "/large/%04d", i);
		snprintf(text, sizeof(text), "N: %d\n", i);
		expect(s, text, name, i);
	}
	expect_end(s);
}

static void standard_input_is_a_message_or_an_mbox(void **state)
{
	int saved = dup(STDIN_FILENO);
	struct source *s;

	(void)state;
	scratch_file("in", FROM "A: 1\n\n" FROM "A: 2\n", 0600);
	assert_non_null(freopen(scratch_path("in"), "r", stdin));
	s = open_it("-");
	expect(s, "A: 1\n", "standard input:1", 0);
	expect(s, "A: 2\n", "standard input:2", 1);
	expect_end(s);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	close(saved);
}

static void says_what_is_wrong(void **state)
{
	(void)state;
	expect_failure(scratch_path("missing"), PH_FATAL, EX_NOINPUT,
		       "/missing: No such file or directory");
	scratch_file("empty", "", 0600);
	expect_failure(scratch_path("empty"), PH_BAD, EX_DATAERR,
		       "/empty: empty");
	make_folder("none");
	make_folder("none/sub");
	expect_failure(scratch_path("none"), PH_BAD, EX_DATAERR,
		       "/none: no mails in this folder");
	make_folder("nomd");
	make_folder("nomd/cur");
	make_folder("nomd/new");
	expect_failure(scratch_path("nomd"), PH_BAD, EX_DATAERR,
		       "/nomd: no mails in this folder");
}

#define NOBODY 65534

/* Root may read all. */
static int be_somebody(void **state)
{
	(void)state;
	make_folder("perm");
	scratch_file("perm/a", "A: 1\n", 0);
	scratch_file("perm/b", "B: 1\n", 0644);
	if (geteuid() != 0)
		return 0;
	assert_int_equal(chmod(scratch_dir(), 0755), 0);
	assert_int_equal(chmod(scratch_path("perm"), 0755), 0);
	return seteuid(NOBODY);
}

static int be_ourselves(void **state)
{
	(void)state;
	return seteuid(getuid());
}

static void an_unreadable_file_stops_no_other(void **state)
{
	struct source_item item;
	struct source *s;
	struct err err;

	(void)state;
	s = open_it(scratch_path("perm"));
	assert_int_equal(source_next(s, &item, &err), PH_BAD);
	assert_int_equal(err.exit_code, EX_NOINPUT);
	assert_non_null(strstr(err.text, "/perm/a: Permission denied"));
	expect(s, "B: 1\n", "/perm/b", 1);
	expect_end(s);
	expect_failure(scratch_path("perm/a"), PH_FATAL, EX_NOINPUT,
		       "/perm/a: Permission denied");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_file_is_one_message),
		cmocka_unit_test(an_mbox_is_parted),
		cmocka_unit_test(an_mbox_with_cr_lf),
		cmocka_unit_test(too_big_is_skipped_without_being_held),
		cmocka_unit_test(what_never_ends_is_given_up),
		cmocka_unit_test(a_maildir_is_cur_then_new),
		cmocka_unit_test(a_plain_folder_is_its_files_by_name),
		cmocka_unit_test(a_large_folder_is_read_in_rounds),
		cmocka_unit_test(standard_input_is_a_message_or_an_mbox),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test_setup_teardown(
			an_unreadable_file_stops_no_other, be_somebody,
			be_ourselves),
	};

	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
