/*
 * The whole program with a git tree: what it knows of a commit reaches the
 * notices, in `watch` and in `process` without one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "tests/guard.h"
#include "tests/repo.h"
#include "tests/rig.h"
#include "tests/robot_mail.h"
#include "tests/scratch.h"

static struct arena arena;
static char tree[32]; /* this test's, below the scratch folder */

static void assert_has(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("no \"%s\" in:\n%s", want, text);
}

static void configure(const struct rig *r, const char *path)
{
	rig_write(r, "am.url", "http://127.0.0.1:%d\n", r->chat.port);
	rig_write(r, "perfherald.yaml",
		  "state: %s/state.db\n"
		  "send: true\n"
		  "git: {path: %s, merged: [master]}\n"
		  "mailboxes:\n"
		  "  work: {url: \"imaps://%s@localhost:%u/INBOX\","
		  " password_file: %s, ca_file: %s}\n"
		  "trust: {proof: [authres], authserv_id: mx.example.org}\n"
		  "smtp: {url: \"smtp://127.0.0.1:%d\","
		  " from: perf-bot@example.org, insecure: true}\n"
		  "channels:\n"
		  "  author: {type: mail, to: \"@author\"}\n"
		  "  team: {type: mail, to: team@example.org}\n"
		  "  alerts: {type: alertmanager, url_file: %s/am.url,"
		  " insecure: true}\n"
		  "routes:\n"
		  "  - match: {files: \"mm/*\"}\n"
		  "    to: [author, alerts]\n"
		  "    continue: true\n"
		  "  - match: {verdict: regression}\n"
		  "    to: [team]\n",
		  r->dir, path, r->user, r->dovecot.imaps_port,
		  r->dovecot.password_file, r->dovecot.ca_file, r->smtp_port,
		  r->dir);
}

static int set_up(void **state)
{
	static int n;

	rig_setup(state);
	arena_init(&arena);
	snprintf(tree, sizeof(tree), "tree%d", ++n);
	configure(*state, repo_make(tree));
	return 0;
}

static int tear_down(void **state)
{
	arena_release(&arena);
	return rig_teardown(state);
}

static char *commit(const char *message)
{
	repo_sh("cd %s && sed -i 's/^25$/x&/' mm/a.c && git commit -q -a "
		"--allow-empty -m '%s'",
		tree, message);
	return arena_str(&arena,
			 slice_of(repo_sh("git -C %s rev-parse HEAD", tree)));
}

static struct slice report(const char *commit_id)
{
	const struct robot_mail m = {
		.id = "202610010915.4e1c09ab-lkp@intel.com",
		.commit = commit_id,
		.title = "mm: a",
		.tree = "https://git.kernel.org/cgit/linux/kernel/git/x/y.git "
			"topic",
		.metric = "will-it-scale.per_process_ops",
		.percent = 12,
		.dev = 1,
	};

	struct slice mail = robot_mail(&m, &arena);

	return slice_of(arena_printf(&arena,
				     "Authentication-Results: mx.example.org;"
				     " dkim=pass header.d=intel.com\n%.*s",
				     S_FMT(mail)));
}

static const char *hand_in(struct rig *r, const char *commit_id)
{
	struct slice mail = report(commit_id);

	rig_write(r, "mail.eml", "%.*s", S_FMT(mail));
	return rig_path(r->dir, "mail.eml");
}

static const char *mail_to(const struct rig *r, const char *address, int n)
{
	for (int i = 1; i <= n; i++)
		if (!strcmp(rig_field(rig_mail(r, i), "To"), address))
			return rig_mail(r, i);
	fail_msg("no mail to %s", address);
	return "";
}

static void process_without_a_watch_asks_git(void **state)
{
	struct rig *r = *state;
	char *a = commit("mm: a"), fix[64];
	const char *mail;

	snprintf(fix, sizeof(fix), "fixed by %.12s",
		 commit("mm: mend a\n\nReported-by: kernel test robot "
			"<oliver.sang@intel.com>\nCloses: "
			"https://lore.kernel.org/oe-lkp/"
			"202610010915.4e1c09ab-lkp@intel.com"));
	assert_int_equal(rig_run(r, "process", hand_in(r, a), NULL), EX_OK);
	rig_assert_told(r, 2, 1);
	mail = mail_to(r, "new@example.org", 2);
	assert_has(mail, fix);
	assert_has(mail, "mm: mend a");
	assert_int_equal(rig_run(r, "show", a, NULL), EX_OK);
	assert_has(rig_text(r, "out"), "fixed");
	assert_has(rig_text(r, "out"), "mm: mend a");
	assert_int_equal(rig_run(r, "list", NULL), EX_OK);
	assert_has(rig_text(r, "out"), "fixed");
	assert_int_equal(rig_run(r, "forward", a, "--channel", "author", NULL),
			 EX_OK);
	rig_assert_told(r, 3, 1);
	assert_string_equal(rig_field(rig_mail(r, 3), "To"), "new@example.org");
	assert_has(rig_mail(r, 3), fix);
}

static void a_fix_that_comes_ends_the_alert(void **state)
{
	struct rig *r = *state;
	char *a = commit("mm: a"), fixes[128];

	rig_watch(r);
	rig_wait_log(r, "waiting for mail");
	assert_true(dovecot_deliver(&r->dovecot, r->user, report(a)));
	rig_wait_told(r, 2, 1);
	snprintf(fixes, sizeof(fixes), "mm: mend a\n\nFixes: %.12s (\"mm: a\")",
		 a);
	commit(fixes);
	/* a command makes the watch look at the tree again */
	assert_int_equal(rig_run(r, "patch", "ack", a, NULL), EX_OK);
	rig_wait_told(r, 2, 2);
	assert_has(rig_post(r, 2), "mm: mend a");
	assert_int_equal(rig_run(r, "why", a, NULL), EX_OK);
	assert_has(rig_text(r, "out"), "mm: mend a");
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 2, 2);
}

/* What the kernel knows of a process: a line of its status. */
static void expect_status(pid_t pid, const char *line)
{
	char path[32], text[4096];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_has(text, line);
}

/* Looks at all that a process has started; gives how many. */
static int expect_shut_in(pid_t parent)
{
	char path[64];
	int pid, n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent,
		 (int)parent);
	f = fopen(path, "r");
	assert_non_null(f);
	for (; fscanf(f, "%d", &pid) == 1; n++) {
		expect_status(pid, "NoNewPrivs:\t1\n");
		expect_status(pid, "Seccomp:\t2\n");
		n += expect_shut_in(pid);
	}
	fclose(f);
	return n;
}

static void every_process_is_shut_in(void **state)
{
	struct rig *r = *state;

	if (guard_valgrind())
		skip(); /* it knows no seccomp */
	rig_watch(r);
	rig_wait_log(r, "waiting for mail");
	assert_true(
		dovecot_deliver(&r->dovecot, r->user, report(commit("mm: a"))));
	rig_wait_told(r, 2, 1);
	/* worker, desk, courier, its three carriers, git helper */
	assert_int_equal(expect_shut_in(r->watch), 7);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
}

static void without_a_tree_everything_else_works(void **state)
{
	struct rig *r = *state;

	configure(r, "/nowhere/linux.git");
	rig_watch(r);
	rig_wait_log(r, "git tree /nowhere/linux.git: ");
	rig_wait_log(r, "waiting for mail");
	assert_true(dovecot_deliver(
		&r->dovecot, r->user,
		report("1234567890123456789012345678901234567890")));
	rig_wait_told(r, 1, 0);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
}

#define RIGGED(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		RIGGED(process_without_a_watch_asks_git),
		RIGGED(a_fix_that_comes_ends_the_alert),
		RIGGED(every_process_is_shut_in),
		RIGGED(without_a_tree_everything_else_works),
	};

	return cmocka_run_group_tests_name("git", tests, rig_start, rig_stop);
}
