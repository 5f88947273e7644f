/* secret: which files may hold one, and what commands may print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/clock.h"
#include "ph/config.h"
#include "ph/limits.h"
#include "tests/scratch.h"
#include "tests/table.h"

static const char *put(const char *name, const void *bytes, size_t len,
		       mode_t mode)
{
	const char *path = scratch_path(name);
	FILE *f;

	unlink(path);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static struct file_case {
	const char *name, *text;
	mode_t mode;
	const char *want; /* NULL: refused ... */
	const char *why;  /* ... with this in the message */
} file_cases[] = {
	{ "a line", "sesame\n", 0600, "sesame", NULL },
	{ "a line without an end", "sesame", 0400, "sesame", NULL },
	{ "a line with CR", "sesame\r\nmore\n", 0600, "sesame", NULL },
	{ "blanks are part of it", " a b \n", 0600, " a b ", NULL },
	{ "UTF-8", "s\xc3\xa9same\n", 0600, "s\xc3\xa9same", NULL },
	{ "empty file", "", 0600, NULL, ": it is empty" },
	{ "empty line", "\nsesame\n", 0600, NULL,
	  "its first line is empty, where the secret must stand" },
	{ "CR alone", "\r\n", 0600, NULL, "its first line is empty" },
	{ "CR inside", "sesame\rsesame\n", 0600, NULL,
	  "has a control character in its first line" },
	{ "CR twice", "sesame\r\r\n", 0600, NULL, "has a control character" },
	{ "tab", "\tsesame\n", 0600, NULL, "has a control character" },
	{ "DEL", "sesame\x7f\n", 0600, NULL, "has a control character" },
	{ "escape", "\x1b[Dsesame\n", 0600, NULL, "has a control character" },
	{ "byte order mark", "\xef\xbb\xbfsesame\n", 0600, NULL,
	  "starts with a byte order mark" },
	{ "group may read", "sesame\n", 0640, NULL,
	  "others can read or change this secret (mode 640): chmod 600" },
	{ "all may read", "sesame\n", 0604, NULL, "(mode 604)" },
	{ "all may write", "sesame\n", 0602, NULL, "(mode 602)" },
};

static void reads_file(void **state)
{
	const struct file_case *c = *state;
	const char *path = put("s", c->text, strlen(c->text), c->mode);
	char *secret = NULL;
	struct err err = { 0 };

	if (c->want) {
		assert_int_equal(secret_read(path, &secret, &err), PH_OK);
		assert_string_equal(secret, c->want);
		secret_free(secret);
		return;
	}
	assert_int_equal(secret_read(path, &secret, &err), PH_FATAL);
	assert_null(secret);
	assert_int_equal(err.exit_code, EX_CONFIG);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, c->why));
	assert_null(strstr(err.text, "sesame"));
}

static void refuses_what_is_no_file(void **state)
{
	char *secret = NULL;
	struct err err;

	(void)state;
	assert_int_equal(secret_read(scratch_dir(), &secret, &err), PH_FATAL);
	assert_non_null(strstr(err.text, "must be a regular file"));
	assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
	assert_int_equal(secret_read(scratch_path("fifo"), &secret, &err),
			 PH_FATAL);
	assert_non_null(strstr(err.text, "must be a regular file"));
	assert_int_equal(secret_read(scratch_path("none"), &secret, &err),
			 PH_FATAL);
	assert_non_null(strstr(err.text, "No such file"));
	assert_int_equal(err.exit_code, EX_CONFIG);
}

static void a_nul_ends_no_secret_early(void **state)
{
	char *secret = NULL;
	struct err err;

	(void)state;
	assert_int_equal(secret_read(put("nul", "se\0same\n", 8, 0600), &secret,
				     &err),
			 PH_FATAL);
	assert_non_null(strstr(err.text, "has a control character"));
}

static void size_has_a_ceiling(void **state)
{
	char *bytes = malloc(LIMIT_SECRET + 1), *secret = NULL;
	struct err err;

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'x', LIMIT_SECRET + 1);
	assert_int_equal(secret_read(put("big", bytes, LIMIT_SECRET, 0600),
				     &secret, &err),
			 PH_OK);
	assert_int_equal(strlen(secret), LIMIT_SECRET);
	secret_free(secret);
	secret = NULL;
	assert_int_equal(secret_read(put("big", bytes, LIMIT_SECRET + 1, 0600),
				     &secret, &err),
			 PH_FATAL);
	assert_non_null(strstr(err.text, "(LIMIT_SECRET)"));
	free(bytes);
}

static void credentials_come_from_their_folder(void **state)
{
	char *secret = NULL;
	struct err err;

	(void)state;
	/* as systemd leaves it where a user of the service may read by ACL */
	put("imap", "sesame\n", 7, 0440);
	unsetenv("CREDENTIALS_DIRECTORY");
	assert_int_equal(secret_read("credential:imap", &secret, &err),
			 PH_FATAL);
	assert_non_null(strstr(err.text, "no credentials here"));
	setenv("CREDENTIALS_DIRECTORY", scratch_dir(), 1);
	assert_int_equal(secret_read("credential:imap", &secret, &err), PH_OK);
	assert_string_equal(secret, "sesame");
	secret_free(secret);
	secret = NULL;
	assert_int_equal(secret_read("credential:../imap", &secret, &err),
			 PH_FATAL);
	assert_non_null(strstr(err.text, "not the name of a credential"));
	put("imap", "sesame\n", 7, 0444);
	assert_int_equal(secret_read("credential:imap", &secret, &err),
			 PH_FATAL);
	unsetenv("CREDENTIALS_DIRECTORY");
}

static struct command_case {
	const char *name, *command, *want;
	enum status status;
	const char *why;
} command_cases[] = {
	{ "prints a line", "echo sesame; echo more", "sesame", PH_OK, NULL },
	{ "prints without an end", "printf sesame", "sesame", PH_OK, NULL },
	{ "prints nothing", "true", NULL, PH_FATAL, "printed no secret" },
	{ "fails", "echo sesame; exit 3", NULL, PH_RETRY,
	  "ended with exit code 3" },
	{ "is not there", "/nowhere/x 2>/dev/null", NULL, PH_RETRY,
	  "ended with exit code 127" },
	{ "dies", "kill -9 $$", NULL, PH_FATAL, "ended by a signal" },
	{ "prints without end", "exec yes", NULL, PH_FATAL, "(LIMIT_SECRET)" },
	{ "reads nothing of ours", "cat; echo sesame", "sesame", PH_OK, NULL },
	{ "closes its output and goes on", "echo sesame; exec >&-; sleep 0.1",
	  "sesame", PH_OK, NULL },
};

static void runs_command(void **state)
{
	const struct command_case *c = *state;
	char *secret = NULL;
	struct err err = { 0 };

	assert_int_equal(secret_run(c->command, &secret, &err), c->status);
	if (c->want) {
		assert_string_equal(secret, c->want);
		secret_free(secret);
		return;
	}
	assert_null(secret);
	assert_int_equal(err.exit_code, EX_CONFIG);
	assert_non_null(strstr(err.text, c->why));
}

#define N_PLAIN 4

int main(void)
{
	static struct CMUnitTest tests[N_PLAIN + ARRAY_LEN(file_cases) +
				       ARRAY_LEN(command_cases)] = {
		cmocka_unit_test(refuses_what_is_no_file),
		cmocka_unit_test(a_nul_ends_no_secret_early),
		cmocka_unit_test(size_has_a_ceiling),
		cmocka_unit_test(credentials_come_from_their_folder),
	};
	size_t n = TABLE_LISTED(tests);

	TABLE_ADD(tests, n, file_cases, name, reads_file);
	TABLE_ADD(tests, n, command_cases, name, runs_command);
	return _cmocka_run_group_tests("secret", tests, n, NULL, NULL);
}
