/*
 * The bad inputs, 4: the machine and its operator.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "tests/rig.h"
#include "tests/table.h"

#define REGRESSION "tests/demo/1-regression.eml"

/* -- a full disk -- */

/* Leaves no block free. */
static void fill(const char *path)
{
	static const char zeros[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	assert_int_equal(errno, ENOSPC);
	close(fd);
}

static void a_full_disk(void **state)
{
	const struct rig *r = *state;
	char disk[256], filler[300], old[256], text[300];

	snprintf(disk, sizeof(disk), "%s/disk", r->dir);
	snprintf(filler, sizeof(filler), "%s/filler", disk);
	assert_int_equal(mkdir(disk, 0700), 0);
	if (mount("tmpfs", disk, "tmpfs", 0, "size=8m") != 0)
		skip(); /* not root */
	snprintf(old, sizeof(old), "state: %s/", r->dir);
	snprintf(text, sizeof(text), "state: %s/", disk);
	rig_edit(r, "perfherald.yaml", old, text);
	assert_int_equal(rig_run(r, "process", "tests/demo/3-improvement.eml",
				 NULL),
			 EX_OK);
	rig_assert_told(r, 0, 1);
	fill(filler);
	assert_int_equal(rig_run(r, "process", REGRESSION, NULL), EX_IOERR);
	snprintf(text, sizeof(text),
		 "perfherald: %s/state.db: the disk is full\n", disk);
	assert_string_equal(rig_text(r, "out"), text);
	rig_assert_told(r, 0, 1);
	assert_int_equal(unlink(filler), 0);
	assert_int_equal(rig_run(r, "process", REGRESSION, NULL), EX_OK);
	rig_assert_told(r, 1, 2);
}

static int give_disk_back(void **state)
{
	const struct rig *r = *state;

	umount2(rig_path(r->dir, "disk"),
		MNT_DETACH); /* or it was never there */
	return rig_teardown(state);
}

/* A write that may not be on the disk is not one to go on from. */
static void a_sync_that_fails(void **state)
{
	const struct rig *r = *state;
	char text[512];

	assert_int_equal(rig_run(r, "process", "tests/demo/3-improvement.eml",
				 NULL),
			 EX_OK);
	rig_mischief("PH_SYNC", "fail");
	assert_int_equal(rig_run(r, "process", REGRESSION, NULL), EX_IOERR);
	rig_behave();
	snprintf(text, sizeof(text),
		 "perfherald: %s/state.db: fsync failed: the disk or its "
		 "connection is broken\n" REGRESSION
		 ": performance report, believed "
		 "(none: taken for real without proof)\n",
		 r->dir);
	assert_string_equal(rig_text(r, "out"), text);
	rig_assert_told(r, 0, 1);
	assert_int_equal(rig_run(r, "process", REGRESSION, NULL), EX_OK);
	rig_assert_told(r, 1, 2);
}

static void a_second_instance(void **state)
{
	struct rig *r = *state;
	char text[256];

	rig_watch(r);
	rig_wait_log(r, "waiting for mail");
	assert_int_equal(rig_run(r, "watch", NULL), EX_TEMPFAIL);
	snprintf(text, sizeof(text),
		 "supervisor: %s/state.db: another watch has this state\n",
		 r->dir);
	assert_string_equal(rig_text(r, "out"), text);
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
}

/* -- the operator -- */

/* Every command that connects or sends refuses in the same words, and nothing
 * starts. */
static void assert_refused(const struct rig *r, int code, const char *says)
{
	static const char *const commands[][2] = {
		{ "watch", NULL },
		{ "process", REGRESSION },
		{ "check", NULL },
		{ "drill", NULL },
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		assert_int_equal(rig_run(r, commands[i][0], commands[i][1],
					 NULL),
				 code);
		assert_string_equal(rig_text(r, "out"), says);
	}
	assert_int_equal(access(rig_path(r->dir, "state.db"), F_OK), -1);
	rig_assert_told(r, 0, 0);
}

#define A_MISTAKE "perfherald: FILE: a mistake\n"

static const struct typo_case {
	const char *name, *old, *text, *says;
} typos[] = {
	{ "an unknown key", "send: true", "sned: true",
	  "FILE:2:1: unknown key \"sned\" in the file; did you mean "
	  "\"send\"?\n" A_MISTAKE },
	{ "a key given twice", "send: true", "send: true\nsend: true",
	  "FILE:3:1: \"send\" is given twice, first in line 2\n" A_MISTAKE },
	{ "an unknown channel", "to: [chat]", "to: [chad]",
	  "FILE:14:10: to names the channel \"chad\", which does not exist; "
	  "did you mean \"chat\"?\n" A_MISTAKE },
	{ "an address with a line end", "team@example.org",
	  "\"team@example.org\\r\\nRCPT TO:<eve@evil.example>\"",
	  "FILE:8:26: to holds a control character\n"
	  "FILE:8:26: to: \"team@example.org??RCPT TO:<eve@evil.example>\" is "
	  "not a mail address\n"
	  "perfherald: FILE: 2 mistakes\n" },
	{ "a sender with a line end", "perf-bot@example.org",
	  "\"perf-bot@example.org\\r\\nBcc: eve@evil.example\"",
	  "FILE:6:45: from holds a control character\n" A_MISTAKE },
	{ "plain http without insecure", ", insecure: true}\nroutes",
	  "}\nroutes",
	  "FILE:9:33: url_file is plain http, which anyone on the way can "
	  "read: use https, or say insecure: true\n" A_MISTAKE },
};
static size_t next_typo;

/* The text with the configuration's path for FILE, and the folder's for DIR. */
static const char *with_paths(const struct rig *r, const char *text)
{
	static char ret[2048];
	size_t n = 0;

	while (*text) {
		if (!strncmp(text, "FILE", 4)) {
			n += (size_t)snprintf(ret + n, sizeof(ret) - n,
					      "%s/perfherald.yaml", r->dir);
			text += 4;
		} else if (!strncmp(text, "DIR", 3)) {
			n += (size_t)snprintf(ret + n, sizeof(ret) - n, "%s",
					      r->dir);
			text += 3;
		} else {
			ret[n++] = *text++;
		}
	}
	ret[n] = '\0';
	return ret;
}

static void check_typo(void **state)
{
	const struct typo_case *c = &typos[next_typo++];
	const struct rig *r = *state;

	rig_edit(r, "perfherald.yaml", c->old, c->text);
	assert_refused(r, EX_CONFIG, with_paths(r, c->says));
}

static void a_missing_configuration(void **state)
{
	const struct rig *r = *state;

	assert_int_equal(unlink(rig_path(r->dir, "perfherald.yaml")), 0);
	assert_refused(r, EX_NOINPUT,
		       with_paths(r, "perfherald: FILE: No such file or "
				     "directory\n"));
}

static void a_missing_secret(void **state)
{
	const struct rig *r = *state;

	assert_int_equal(unlink(rig_path(r->dir, "chat.url")), 0);
	assert_refused(r, EX_CONFIG,
		       with_paths(r, "FILE:9:33: url_file names DIR/chat.url: "
				     "No such file or directory\n" A_MISTAKE));
}

static void a_world_readable_secret(void **state)
{
	const struct rig *r = *state;

	assert_int_equal(chmod(rig_path(r->dir, "chat.url"), 0644), 0);
	assert_refused(r, EX_CONFIG,
		       with_paths(r, "FILE:9:33: url_file names DIR/chat.url: "
				     "others can read or change this secret "
				     "(mode 644): chmod 600\n" A_MISTAKE));
}

/* Whoever reads it again must still hear a stop. */
static void a_configuration_that_becomes_a_pipe(void **state)
{
	struct rig *r = *state;

	rig_configure(r, NULL);
	rig_watch(r);
	rig_wait_log(r, "up to date, waiting for mail");
	unlink(rig_path(r->dir, "perfherald.yaml"));
	assert_int_equal(mkfifo(rig_path(r->dir, "perfherald.yaml"), 0600), 0);
	kill(r->watch, SIGHUP);
	rig_wait_log(r, "perfherald.yaml: not a regular file");
	rig_wait_log(r, "the old configuration goes on");
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
}

/* An operator who puts a copy in its place without stopping the watch. */
static void a_state_that_is_replaced(void **state)
{
	struct rig *r = *state;

	rig_configure(r, "tell_since: 2020-01-01");
	rig_deliver(r, "1-regression.eml");
	rig_watch(r);
	rig_wait_told(r, 1, 1);
	rig_wait_log(r, "up to date, waiting for mail");
	assert_int_equal(rig_run(r, "backup", rig_path(r->dir, "copy.db"),
				 NULL),
			 EX_OK);
	unlink(rig_path(r->dir, "state.db"));
	unlink(rig_path(r->dir, "state.db-wal"));
	unlink(rig_path(r->dir, "state.db-shm"));
	assert_int_equal(rename(rig_path(r->dir, "copy.db"),
				rig_path(r->dir, "state.db")),
			 0);
	rig_deliver(r, "3-improvement.eml");
	rig_wait_told(r, 1, 2);
	rig_wait_log(r,
		     "state.db: was removed or replaced while it was in use");
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	assert_int_equal(rig_run(r, "status", NULL), EX_OK);
	rig_has(r, "out", "2 report");
}

int main(void)
{
	struct CMUnitTest tests[16] = {
		cmocka_unit_test_setup_teardown(a_full_disk, rig_setup,
						give_disk_back),
		RIG_TEST(a_sync_that_fails),
		RIG_TEST(a_configuration_that_becomes_a_pipe),
		RIG_TEST(a_state_that_is_replaced),
		RIG_TEST(a_second_instance),
		RIG_TEST(a_missing_configuration),
		RIG_TEST(a_missing_secret),
		RIG_TEST(a_world_readable_secret),
	};
	size_t n = TABLE_LISTED(tests);

	for (size_t i = 0; i < sizeof(typos) / sizeof(typos[0]); i++)
		tests[n++] = rig_test(typos[i].name, check_typo);
	return _cmocka_run_group_tests("twenty_machine", tests, n, rig_start,
				       rig_stop);
}
