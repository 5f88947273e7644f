/* What the program is started with, and must not depend on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/slice.h"
#include "tests/guard.h"
#include "tests/scratch.h"

#define SECONDS 30 /* and it hangs */

static char dir[96];

static int in_dir(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int in_dir(const char *fmt, ...)
{
	char command[512], text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(command, sizeof(command), "cd %s && %s", dir, text);
	return system(command);
}

static int begin(void **state)
{
	static int n;
	char path[128];
	FILE *f;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/inherit%d", scratch_dir(), ++n);
	snprintf(path, sizeof(path), "mkdir %s", dir);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/c.yaml", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		"state: %s/state.db\nsend: true\ntrust: {proof: [none]}\n"
		"channels:\n  pages: {type: file, path: %s/pages}\n"
		"  gone: {type: webhook, url_file: %s/url, insecure: true}\n"
		"routes:\n  - match: {}\n    to: [pages]\n",
		dir, dir, dir);
	fclose(f);
	return in_dir("umask 077 && echo http://127.0.0.1:9/ >url");
}

/* Its exit code, or -1 for a signal. */
static int run(void (*prepare)(void), const char *command, const char *argument)
{
	char config[128];
	int status;
	pid_t pid;

	snprintf(config, sizeof(config), "%s/c.yaml", dir);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(SECONDS * (unsigned)guard_patience());
		prepare();
		execl(getenv("PERFHERALD"), "perfherald", "-c", config, command,
		      argument, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ignore_children(void)
{
	signal(SIGCHLD, SIG_IGN);
}

static void block_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

static void close_all(void)
{
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

static void close_errors(void)
{
	close(STDERR_FILENO);
}

static void limit_files(void)
{
	const struct rlimit r = { 1024, 1024 };

	setrlimit(RLIMIT_FSIZE, &r);
}

static const struct signals {
	const char *name;
	void (*prepare)(void);
} all_signals[] = {
	{ "children ignored", ignore_children },
	{ "all blocked", block_signals },
};

static void signals_are_as_usual(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all_signals); i++) {
		print_message("%s\n", all_signals[i].name);
		assert_int_equal(run(all_signals[i].prepare, "drill", "pages"),
				 EX_OK);
	}
}

/* What opens a file in the place of standard error has our log in it. */
static void no_file_takes_the_place_of_a_closed_one(void **state)
{
	(void)state;
	assert_int_equal(run(close_errors, "drill", "pages"), EX_OK);
	assert_int_equal(run(close_errors, "drill", "gone"), EX_UNAVAILABLE);
	assert_int_equal(run(close_errors, "watch", "--once"), EX_OK);
	assert_int_equal(run(close_all, "drill", "pages"), EX_IOERR);
	assert_int_equal(run(close_all, "process", "-"), EX_IOERR);
	assert_int_not_equal(in_dir("grep -q 'courier: notice' *"), 0);
	assert_int_equal(run(ignore_children, "fsck", NULL), EX_OK);
}

static void a_file_that_may_not_grow_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(run(limit_files, "drill", "pages"), EX_IOERR);
	assert_int_equal(run(ignore_children, "drill", "pages"), EX_OK);
	assert_int_equal(run(ignore_children, "fsck", NULL), EX_OK);
}

#define TEST(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(signals_are_as_usual),
		TEST(no_file_takes_the_place_of_a_closed_one),
		TEST(a_file_that_may_not_grow_is_an_error),
	};

	return cmocka_run_group_tests_name("inherit", tests, NULL, NULL);
}
