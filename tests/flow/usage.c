/* What stands before a command, and what --help says of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <sys/wait.h>
#include <sysexits.h>
#include "bot/command.h"
#include "ph/arena.h"
#include "ph/utf8.h"
#include "tests/scratch.h"

static struct buf out;

/* Runs it by the shell; both outputs go into out. Gives the exit code. */
static int run(const char *arguments)
{
	char command[512], part[4096];
	size_t n;
	FILE *f;
	int status;

	snprintf(command, sizeof(command), "\"$PERFHERALD\" %s 2>&1",
		 arguments);
	buf_reset(&out);
	f = popen(command, "r");
	assert_non_null(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_add(&out, part, n);
	status = pclose(f);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void says(const char *part)
{
	if (!strstr(buf_str(&out), part))
		fail_msg("no \"%s\" in:\n%s", part, buf_str(&out));
}

static void fits_a_terminal(void)
{
	struct slice rest = buf_slice(&out), line;

	while (slice_take_line(&rest, &line))
		if (utf8_count(line) > 80)
			fail_msg("over 80 columns: %.*s", S_FMT(line));
}

static void help_names_every_command(void **state)
{
	(void)state;
	assert_int_equal(run("--help"), EX_OK);
	fits_a_terminal();
	for (size_t i = 0; i < n_commands; i++) {
		says(commands[i].name);
		says(commands[i].summary);
	}
}

static void every_command_has_help(void **state)
{
	char arguments[64], usage[64];

	(void)state;
	for (size_t i = 0; i < n_commands; i++) {
		snprintf(arguments, sizeof(arguments), "%s --help",
			 commands[i].name);
		snprintf(usage, sizeof(usage), "usage: perfherald [-c FILE] %s",
			 commands[i].name);
		assert_int_equal(run(arguments), EX_OK);
		says(usage);
		says(commands[i].summary);
		fits_a_terminal();
	}
}

static void an_unknown_command_is_guessed(void **state)
{
	(void)state;
	assert_int_equal(run("lsit"), EX_USAGE);
	says("no such command: lsit; did you mean \"list\"?");
	assert_int_equal(run("frobnicate"), EX_USAGE);
	says("no such command: frobnicate (perfherald --help lists all)");
	assert_int_equal(run("$(printf 'l\\033[1mt')"), EX_USAGE);
	says("no such command: l?[1mt");
	assert_int_equal(run(""), EX_USAGE);
	says("usage: perfherald");
}

static void the_file_is_named_in_either_way(void **state)
{
	(void)state;
	assert_int_equal(run("-c /nowhere/x status"), EX_NOINPUT);
	says("/nowhere/x: No such file");
	assert_int_equal(run("--config /nowhere/x status"), EX_NOINPUT);
	assert_int_equal(run("--config=/nowhere/x status"), EX_NOINPUT);
	says("/nowhere/x: No such file");
	assert_int_equal(run("-c"), EX_USAGE);
	says("a file must follow -c");
	assert_int_equal(run("--conf x status"), EX_USAGE);
	says("unknown option: --conf");
}

/* What is wrong is said with what to do about it. */
static void a_word_of_advice_comes_with_it(void **state)
{
	char arguments[600];
	const char *path = scratch_file(
		"c.yaml",
		"state: /nowhere/deep/state.db\nsend: true\n"
		"mailboxes: {work: {url: imaps://h/, auth: anonymous}}\n"
		"channels: {screen: {type: stdout}}\n"
		"routes: [{to: screen}]\n",
		0600);

	(void)state;
	snprintf(arguments, sizeof(arguments),
		 "-c %s process tests/demo/1-regression.eml", path);
	assert_int_equal(run(arguments), EX_NOINPUT);
	says("; make the state's folder first");
	snprintf(arguments, sizeof(arguments), "-c %s drill", path);
	assert_int_equal(run(arguments), EX_NOINPUT);
	says("; make the state's folder first");
	snprintf(arguments, sizeof(arguments), "-c %s list", path);
	assert_int_equal(run(arguments), EX_NOINPUT);
	says("; nothing was read so far");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_names_every_command),
		cmocka_unit_test(every_command_has_help),
		cmocka_unit_test(an_unknown_command_is_guessed),
		cmocka_unit_test(the_file_is_named_in_either_way),
		cmocka_unit_test(a_word_of_advice_comes_with_it),
	};
	int failed;

	buf_init(&out);
	failed = cmocka_run_group_tests_name("usage", tests, NULL, NULL);
	buf_release(&out);
	return failed;
}
