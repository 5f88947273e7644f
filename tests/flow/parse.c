/*
 * `perfherald parse` from outside: what goes to which stream, the exit codes,
 * and that its memory is that of one message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/arena.h"
#include "ph/limits.h"
#include "tests/made_report.h"
#include "tests/scratch.h"

#define ARGS_MAX 8
#define COPIES	 400

struct run {
	int code;
	long max_kb; /* resident at most */
	struct buf out, err;
};

static void read_file(const char *path, struct buf *ret)
{
	char block[4096];
	size_t n;
	FILE *in = fopen(path, "rb");

	assert_non_null(in);
	buf_init(ret);
	while ((n = fread(block, 1, sizeof(block), in)))
		buf_add(ret, block, n);
	fclose(in);
}

static void write_file(const char *path, struct slice s)
{
	FILE *out = fopen(path, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(s.ptr, 1, s.len, out), s.len);
	assert_int_equal(fclose(out), 0);
}

static void redirect(const char *path, int flags, int to)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0 || dup2(fd, to) < 0)
		_exit(126);
}

/* Runs it in the scratch folder; the arguments end with NULL. */
static void run(struct run *ret, const char *input, const char *const *args)
{
	const char *argv[ARGS_MAX + 3] = { "perfherald", "parse" };
	struct rusage usage;
	int status;
	pid_t pid;

	for (size_t i = 0; args[i]; i++)
		argv[i + 2] = args[i];
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (chdir(scratch_dir()) < 0)
			_exit(126);
		redirect(input, O_RDONLY, STDIN_FILENO);
		redirect("out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
		redirect("err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
		execv(getenv("PERFHERALD"), (char *const *)argv);
		_exit(127);
	}
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(WIFEXITED(status));
	ret->code = WEXITSTATUS(status);
	ret->max_kb = usage.ru_maxrss;
	read_file(scratch_path("out"), &ret->out);
	read_file(scratch_path("err"), &ret->err);
}

static void run_release(struct run *r)
{
	buf_release(&r->out);
	buf_release(&r->err);
}

static size_t count_lines(const struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->len; i++)
		n += b->ptr[i] == '\n';
	return n;
}

static struct buf made(unsigned seed, const char *mime)
{
	struct buf b;

	buf_init(&b);
	made_report(&b, &(struct made_report){ .seed = seed,
					       .rows = 200,
					       .name_len = 50,
					       .mime = mime });
	return b;
}

static void write_made(const char *name, unsigned seed, const char *mime)
{
	struct buf b = made(seed, mime);

	write_file(scratch_path(name), buf_slice(&b));
	buf_release(&b);
}

static int setup(void **state)
{
	struct buf mbox, mail;

	(void)state;
	write_made("mail.eml", 1, "8bit");
	write_made("pasted.txt", 2, NULL);
	mkdir(scratch_path("folder"), 0700);
	write_made("folder/a.eml", 3, "base64");
	write_made("folder/b.txt", 4, NULL);
	buf_init(&mbox);
	for (unsigned i = 0; i < 3; i++) {
		mail = made(i + 5, "quoted-printable");
		buf_add_str(&mbox, "From lkp@intel.com Fri Jan  2 15:31:00 "
				   "2026\n");
		buf_add_slice(&mbox, buf_slice(&mail));
		buf_add_str(&mbox, "\n");
		buf_release(&mail);
	}
	write_file(scratch_path("mbox"), buf_slice(&mbox));
	buf_release(&mbox);
	mkdir(scratch_path("nothing"), 0700);
	write_file(scratch_path("empty"), S(""));
	write_file(scratch_path("nul"), S("Subject: a\n\nb\0c\n"));
	write_file(scratch_path("letter"), S("Dear all,\n\nhello.\n"));
	write_made("cut.txt", 9, NULL);
	return truncate(scratch_path("cut.txt"), 4000);
}

/* Arguments that fail, what is said of them, and the exit code. */
static const struct bad_case {
	const char *name, *path, *says;
	int code;
} bad[] = {
	{ "no such file", "missing", "missing: ", EX_NOINPUT },
	{ "an empty file", "empty", "empty: ", EX_DATAERR },
	{ "a folder without mails", "nothing", "nothing: ", EX_DATAERR },
	{ "a NUL byte", "nul", "nul: ", EX_DATAERR },
	{ "not a mail", "letter", "letter: not a mail", EX_DATAERR },
	{ "over the ceiling", "big", "big: over 8 MiB", EX_DATAERR },
};

/* One line on standard error, and the next argument is done all the same. */
static void check_bad(void **state)
{
	const struct bad_case *c = *state;
	struct run r;

	if (!strcmp(c->path, "big")) {
		write_file(scratch_path("big"), S("Subject: a\n\n"));
		assert_int_equal(truncate(scratch_path("big"), 50 * MIB), 0);
	}
	run(&r, "/dev/null",
	    (const char *const[]){ "--format", "json", c->path, "mail.eml",
				   NULL });
	assert_int_equal(r.code, c->code);
	assert_int_equal(count_lines(&r.err), 1);
	assert_true(slice_starts(buf_slice(&r.err), slice_of(c->says)));
	assert_int_equal(count_lines(&r.out), 1);
	run_release(&r);
}

static void the_first_failure_is_the_exit_code(void **state)
{
	struct run r;

	(void)state;
	run(&r, "/dev/null",
	    (const char *const[]){ "missing", "empty", "mail.eml", NULL });
	assert_int_equal(r.code, EX_NOINPUT);
	assert_int_equal(count_lines(&r.err), 2);
	run_release(&r);
	run(&r, "/dev/null",
	    (const char *const[]){ "empty", "missing", "mail.eml", NULL });
	assert_int_equal(r.code, EX_DATAERR);
	run_release(&r);
}

static json_t *parse_line(struct slice *rest)
{
	struct slice line;
	json_t *json;

	assert_true(slice_take_line(rest, &line));
	json = json_loadb(line.ptr, line.len, 0, NULL);
	assert_non_null(json);
	return json;
}

/* Every kind of source: one object a message, counted within its source. */
static void sources_give_a_line_a_message(void **state)
{
	static const struct {
		const char *file;
		int index; /* -1: none */
	} want[] = {
		{ "mail.eml", -1 }, { "folder", 0 }, { "folder", 1 },
		{ "mbox", 0 },	    { "mbox", 1 },   { "mbox", 2 },
		{ "-", -1 },
	};
	struct slice rest;
	struct run r;

	(void)state;
	run(&r, "pasted.txt",
	    (const char *const[]){ "--format", "json", "--", "mail.eml",
				   "folder", "mbox", "-", NULL });
	assert_int_equal(r.code, EX_OK);
	assert_int_equal(r.err.len, 0);
	rest = buf_slice(&r.out);
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		json_t *o = parse_line(&rest),
		       *index = json_object_get(o, "index");

		assert_string_equal(json_string_value(
					    json_object_get(o, "file")),
				    want[i].file);
		assert_string_equal(json_string_value(
					    json_object_get(o, "kind")),
				    "performance");
		assert_int_equal(index ? json_integer_value(index) : -1,
				 want[i].index);
		json_decref(o);
	}
	assert_int_equal(rest.len, 0);
	run_release(&r);
}

static void text_is_the_default(void **state)
{
	struct run r;

	(void)state;
	run(&r, "/dev/null", (const char *const[]){ "mail.eml", NULL });
	assert_int_equal(r.code, EX_OK);
	assert_non_null(strstr(buf_str(&r.out),
			       "improvement  6.8%  stress-ng.demo.ops_per_sec\n"
			       "        3,373,715 -> 3,603,928 operations per "
			       "second (+6.8%), higher is better\n"));
	run_release(&r);
}

/* What could be read is printed; the mail is no failure of ours. */
static void a_cut_report_is_printed_with_its_warning(void **state)
{
	struct run r;

	(void)state;
	run(&r, "/dev/null", (const char *const[]){ "cut.txt", NULL });
	assert_int_equal(r.code, EX_OK);
	assert_non_null(strstr(buf_str(&r.out), "partial"));
	assert_non_null(strstr(buf_str(&r.out), "warning line "));
	run_release(&r);
}

static void wrong_usage(void **state)
{
	static const char *const cases[][3] = {
		{ NULL },
		{ "--format", NULL },
		{ "--format", "xml", NULL },
		{ "--what", "mail.eml", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct run r;

		run(&r, "/dev/null", cases[i]);
		assert_int_equal(r.code, EX_USAGE);
		assert_int_equal(r.out.len, 0);
		assert_non_null(strstr(buf_str(&r.err), "usage: "));
		run_release(&r);
	}
}

static void memory_is_that_of_one_message(void **state)
{
	struct run one, many;
	char name[32];

	(void)state;
#ifdef PH_ASAN
	skip(); /* freed memory is kept aside there */
#endif
	mkdir(scratch_path("many"), 0700);
	for (unsigned i = 0; i < COPIES; i++) {
		snprintf(name, sizeof(name), "many/%u", i);
		write_made(name, 1, "8bit");
	}
	run(&one, "/dev/null",
	    (const char *const[]){ "--format", "json", "many/0", NULL });
	run(&many, "/dev/null",
	    (const char *const[]){ "--format", "json", "many", NULL });
	assert_int_equal(count_lines(&many.out), COPIES);
	assert_true(many.max_kb < one.max_kb + one.max_kb / 10);
	run_release(&one);
	run_release(&many);
}

int main(void)
{
	static const struct CMUnitTest fixed[] = {
		cmocka_unit_test(the_first_failure_is_the_exit_code),
		cmocka_unit_test(sources_give_a_line_a_message),
		cmocka_unit_test(text_is_the_default),
		cmocka_unit_test(a_cut_report_is_printed_with_its_warning),
		cmocka_unit_test(wrong_usage),
		cmocka_unit_test(memory_is_that_of_one_message),
	};
	struct CMUnitTest tests[ARRAY_LEN(fixed) + ARRAY_LEN(bad)];

	memcpy(tests, fixed, sizeof(fixed));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		tests[ARRAY_LEN(fixed) + i] =
			(struct CMUnitTest){ .name = bad[i].name,
					     .test_func = check_bad,
					     .initial_state = (void *)&bad[i] };
	return cmocka_run_group_tests_name("parse", tests, setup, NULL);
}
