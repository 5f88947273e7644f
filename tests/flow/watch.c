/*
 * watch, from a mail that arrives to the notices that leave: real Dovecot,
 * a mail sink, a chat sink, the whole program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/arena.h"
#include "ph/clock.h"
#include "ph/limits.h"
#include "tests/guard.h"
#include "tests/inbox.h"
#include "tests/rig.h"

static void assert_has(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("no \"%s\" in:\n%s", want, text);
}

static void start_idle(struct rig *r)
{
	rig_watch(r);
	rig_wait_log(r, "waiting for mail");
}

static void
a_report_is_told_once_and_its_update_in_the_same_thread(void **state)
{
	struct rig *r = *state;
	const char *first, *second;

	start_idle(r);
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	rig_deliver(r, "1-regression.eml");
	rig_deliver(r, "2-another-test.eml");
	rig_wait_told(r, 2, 2);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 2, 2);

	first = rig_mail(r, 1);
	second = rig_mail(r, 2);
	assert_has(first, "per_process_ops");
	assert_string_equal(rig_field(first, "In-Reply-To"),
			    "<202611020915.4e1c09ab-oliver.sang@intel.com>");
	assert_has(second, "vm-scalability.throughput");
	assert_string_equal(rig_field(second, "In-Reply-To"),
			    rig_field(first, "Message-ID"));
}

static void a_restart_resends_nothing(void **state)
{
	struct rig *r = *state;

	start_idle(r);
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	start_idle(r);
	rig_deliver(r, "3-improvement.eml");
	rig_wait_told(r, 1, 2);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 1, 2);
}

static void mail_from_before_the_first_start_is_history(void **state)
{
	struct rig *r = *state;

	rig_deliver(r, "1-regression.eml");
	start_idle(r);
	rig_deliver(r, "3-improvement.eml");
	rig_wait_told(r, 0, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 0, 1);
}

static void process_beside_the_watch_is_told_by_it(void **state)
{
	struct rig *r = *state;

	start_idle(r);
	assert_int_equal(rig_run(r, "process", "tests/demo/1-regression.eml",
				 NULL),
			 EX_OK);
	rig_wait_told(r, 1, 1);
	rig_wait_log(r, "courier: notice 1 to team is sent");
	/* the same from the mailbox afterwards is nothing new */
	rig_deliver(r, "1-regression.eml");
	rig_deliver(r, "3-improvement.eml");
	rig_wait_told(r, 1, 2);
	rig_assert_told(r, 1, 2);
}

static void process_without_a_watch_delivers_itself(void **state)
{
	struct rig *r = *state;

	assert_int_equal(rig_run(r, "process", "tests/demo/1-regression.eml",
				 NULL),
			 EX_OK);
	rig_assert_told(r, 1, 1);
	assert_int_equal(rig_run(r, "process", "tests/demo/1-regression.eml",
				 NULL),
			 EX_OK);
	assert_has(rig_text(r, "out"), "known already");
	rig_assert_told(r, 1, 1);
}

static void history_that_is_handed_in_is_told(void **state)
{
	struct rig *r = *state;

	rig_deliver(r, "1-regression.eml");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 0, 0);
	assert_int_equal(rig_run(r, "process",
				 "202611020915.4e1c09ab-oliver.sang@intel.com",
				 NULL),
			 EX_OK);
	rig_assert_told(r, 1, 1);
}

static void a_message_is_found_by_its_uid(void **state)
{
	struct rig *r = *state;

	rig_deliver(r, "1-regression.eml");
	rig_deliver(r, "3-improvement.eml");
	assert_int_equal(rig_run(r, "process", "uid:work/2", NULL), EX_OK);
	rig_assert_told(r, 0, 1);
	assert_int_equal(rig_run(r, "process", "uid:work/7", NULL), EX_NOINPUT);
	assert_has(rig_text(r, "out"), "uid:work/7: no such message");
	assert_int_equal(rig_run(r, "process", "uid:work/x", NULL), EX_USAGE);
	assert_int_equal(rig_run(r, "process", "uid:home/1", NULL), EX_USAGE);
	assert_has(rig_text(r, "out"), " has the mailboxes: work\n");
}

static void sent_again_only_when_asked(void **state)
{
	struct rig *r = *state;

	start_idle(r);
	assert_int_equal(rig_run(r, "process", "tests/demo/1-regression.eml",
				 NULL),
			 EX_OK);
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_run(r, "process", "--again",
				 "tests/demo/1-regression.eml", NULL),
			 EX_OK);
	assert_int_equal(rig_run(r, "process", "--resend",
				 "tests/demo/1-regression.eml", NULL),
			 EX_OK);
	rig_wait_told(r, 2, 2);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 2, 2);
	assert_string_not_equal(rig_field(rig_mail(r, 1), "Message-ID"),
				rig_field(rig_mail(r, 2), "Message-ID"));
}

/* UIDVALIDITY counts seconds. */
static void let_a_second_pass(void)
{
	int64_t now = clock_wall();

	while (clock_wall() == now)
		usleep(20000);
}

static void a_mailbox_made_anew_is_read_from_its_start(void **state)
{
	struct rig *r = *state;

	rig_configure(r, "tell_since: 2020-01-01");
	rig_deliver(r, "1-regression.eml");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 1, 1);
	rig_remove_mailbox(r);
	let_a_second_pass();
	rig_deliver(r, "3-improvement.eml");
	rig_deliver(r, "1-regression.eml");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	assert_has(rig_text(r, "out"), "INBOX has new UIDs");
	rig_assert_told(r, 1, 2);
}

static void
a_server_that_comes_back_with_another_mailbox_is_followed(void **state)
{
	struct rig *r = *state;

	rig_configure(r, "tell_since: 2020-01-01");
	rig_deliver(r, "1-regression.eml");
	start_idle(r);
	rig_wait_told(r, 1, 1);
	assert_true(dovecot_down(&r->dovecot));
	rig_remove_mailbox(r);
	let_a_second_pass();
	assert_true(dovecot_up(&r->dovecot));
	rig_deliver(r, "3-improvement.eml");
	rig_wait_told(r, 1, 2);
}

static const struct refused_case {
	const char *name;
	unsigned flags;
	const char *says;
} refused[] = {
	{ "a certificate for another host is refused", DOVECOT_WRONG_NAME,
	  "host" },
	{ "an untrusted issuer is refused", DOVECOT_UNTRUSTED, "issuer" },
	{ "an expired certificate is refused", DOVECOT_EXPIRED, "expired" },
	{ "a self-signed certificate is refused", DOVECOT_SELF_SIGNED, "self" },
};
static size_t next_refused;

static void check_refused(void **state)
{
	const struct refused_case *c = &refused[next_refused++];
	struct rig *r = *state, other = *r;

	assert_true(dovecot_start(&other.dovecot, c->flags));
	rig_configure(&other, NULL);
	assert_int_equal(rig_run(&other, "watch", "--once", NULL),
			 EX_UNAVAILABLE);
	assert_has(rig_text(&other, "out"), "certificate");
	assert_has(rig_text(&other, "out"), c->says);
	dovecot_stop(&other.dovecot);
}

static void a_server_that_is_down_is_named(void **state)
{
	struct rig *r = *state, other = *r;

	other.dovecot.imaps_port = 1;
	rig_configure(&other, NULL);
	assert_int_equal(rig_run(&other, "watch", "--once", NULL),
			 EX_UNAVAILABLE);
	assert_has(rig_text(&other, "out"), "worker work: localhost:1:");
}

static void once_catches_up_delivers_and_ends(void **state)
{
	struct rig *r = *state;

	rig_configure(r, "tell_since: 2020-01-01");
	rig_deliver(r, "1-regression.eml");
	rig_deliver(r, "2-another-test.eml");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 2, 2);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 2, 2);
}

/* A report with as much text behind it as a mail may have. */
static struct slice a_mail_of_almost(size_t len)
{
	const char *head = rig_text(&(struct rig){ .dir = "tests/demo" },
				    "1-regression.eml");
	static const char row[] = "      5000 ±  3%     -14.3%       4285 ±  "
				  "2%  will-it-scale.per_process_ops\n";
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, head);
	while (b.len + b.len / 70 < len) /* line ends become CR LF */
		buf_add_str(&b, row);
	return buf_slice(&b);
}

static void the_largest_mail_fits_into_a_worker(void **state)
{
	struct rig *r = *state;
	struct slice big = a_mail_of_almost(LIMIT_MAIL);

	rig_configure(r, "tell_since: 2020-01-01");
	rig_deliver_raw(r, big);
	rig_deliver(r, "3-improvement.eml");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	assert_null(strstr(rig_text(r, "out"), "died"));
	assert_null(strstr(rig_text(r, "out"), "memory"));
	rig_assert_told(r, 1, 2);
	free((char *)big.ptr);
}

static void a_second_watch_is_refused(void **state)
{
	struct rig *r = *state;

	start_idle(r);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_TEMPFAIL);
	assert_has(rig_text(r, "out"), "another watch has this state");
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
}

static void a_bad_configuration_is_refused_at_reload(void **state)
{
	struct rig *r = *state;

	start_idle(r);
	rig_write(r, "perfherald.yaml", "state: [\n");
	assert_int_equal(kill(r->watch, SIGHUP), 0);
	rig_wait_log(r, "the old configuration goes on");
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
}

static void a_good_configuration_is_taken_at_reload(void **state)
{
	struct rig *r = *state;

	start_idle(r);
	rig_configure(r, "poll: 1h");
	assert_int_equal(kill(r->watch, SIGHUP), 0);
	rig_wait_log(r, "reading ");
	rig_wait_log(r, "supervisor: reloaded");
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 1, 1);
}

/* Counts descriptors of a process that stand for the state or its journal. */
static int state_descriptors(const struct rig *r, pid_t pid)
{
	char dir[64], target[512];
	struct dirent *e;
	int n = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/fd", (int)pid);
	d = opendir(dir);
	if (!d)
		return -1;
	while ((e = readdir(d))) {
		ssize_t len = readlink(rig_path(dir, e->d_name), target,
				       sizeof(target) - 1);

		if (len < 0)
			continue;
		target[len] = '\0';
		if (!strncmp(target, rig_path(r->dir, "state.db"),
			     strlen(r->dir) + 9) &&
		    !strstr(target, ".lock"))
			n++;
	}
	closedir(d);
	return n;
}

/* The children of a process, at most max; how many. */
static size_t children(pid_t pid, pid_t *ret, size_t max)
{
	char path[64];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
		 (int)pid);
	f = fopen(path, "r");
	if (!f) /* it has ended */
		return 0;
	while (n < max && fscanf(f, "%d", &ret[n]) == 1)
		n++;
	fclose(f);
	return n;
}

static void the_supervisor_never_opens_the_state(void **state)
{
	struct rig *r = *state;
	pid_t child[8];
	size_t n_children;
	int n, of_children = 0;

	start_idle(r);
	n = state_descriptors(r, r->watch);
	if (n < 0) /* not root, and the process hides its secrets */
		skip();
	assert_int_equal(n, 0);
	/* the same look does see the worker's */
	n_children = children(r->watch, child, 8);
	for (size_t i = 0; i < n_children; i++)
		of_children += state_descriptors(r, child[i]);
	assert_true(of_children > 0);
}

static void killed_children_come_back(void **state)
{
	struct rig *r = *state;

	pid_t child[8];
	size_t n;

	start_idle(r);
	n = children(r->watch, child, 8);
	assert_int_equal(n, 3); /* worker, desk, courier */
	while (n--)
		assert_int_equal(kill(child[n], SIGKILL), 0);
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 1, 1);
}

/* Rewrites a piece of the configuration. */
static void change(struct rig *r, const char *from, const char *to)
{
	const char *text = rig_text(r, "perfherald.yaml");
	const char *at = strstr(text, from);

	assert_non_null(at);
	rig_write(r, "perfherald.yaml", "%.*s%s%s", (int)(at - text), text, to,
		  at + strlen(from));
}

/* The courier's, which says nothing when it has started them. */
static void find_carriers(const struct rig *r, pid_t *ret, size_t want)
{
	int64_t end = clock_mono_ms() + RIG_SECONDS * 1000 * guard_patience();
	pid_t child[8];
	size_t found;

	do {
		size_t n = children(r->watch, child, 8);

		assert_true(clock_mono_ms() < end);
		usleep(1000);
		found = 0;
		for (size_t i = 0; i < n; i++)
			found += children(child[i], ret + found, want - found);
	} while (found < want);
}

static void a_carrier_that_died_is_named_and_comes_back(void **state)
{
	struct rig *r = *state;
	pid_t carrier[2];

	start_idle(r);
	find_carriers(r, carrier, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(kill(carrier[i], SIGKILL), 0);
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	assert_has(rig_text(r, "log"), "its sending process died");
	rig_assert_told(r, 1, 1);
}

static void read_two_folders(struct rig *r, const char *how, const char *says)
{
	rig_deliver(r, "1-regression.eml");
	rig_deliver(r, "3-improvement.eml");
	inbox_commands(&r->dovecot, r->user,
		       (const char *[]){ "CREATE lists.mm", "CREATE lists.ext4",
					 "SELECT INBOX", "COPY 1 lists.mm",
					 NULL });
	rig_configure(r, how);
	change(r, "/INBOX", "/lists.*");
	rig_watch(r);
	rig_wait_log(r, says);
	rig_wait_told(r, 1, 1);
	inbox_commands(&r->dovecot, r->user,
		       (const char *[]){ "SELECT INBOX", "COPY 2 lists.ext4",
					 NULL });
	rig_wait_told(r, 1, 2);
}

static void folders_of_a_pattern_take_turns(void **state)
{
	read_two_folders(*state, "tell_since: 2020-01-01, poll: 1s",
			 "worker work: up to date, waiting for mail in 2 "
			 "folders");
}

static void folders_of_a_pattern_have_connections_of_their_own(void **state)
{
	read_two_folders(*state, "tell_since: 2020-01-01, connections: 2",
			 "worker work 2/2: up to date, waiting for mail\n");
}

static void held_notices_are_not_sent(void **state)
{
	struct rig *r = *state;

	change(r, "send: true", "send: false");
	assert_int_equal(rig_run(r, "process", "tests/demo/1-regression.eml",
				 NULL),
			 EX_OK);
	rig_assert_told(r, 0, 0);
}

static void mails_are_archived_and_found_there(void **state)
{
	struct rig *r = *state;

	rig_write(r, "perfherald.yaml", "archive: %s/archive\n%s", r->dir,
		  rig_text(r, "perfherald.yaml"));
	start_idle(r);
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	/* another state knows it from the archive alone */
	assert_int_equal(unlink(rig_path(r->dir, "state.db")), 0);
	assert_int_equal(rig_run(r, "process",
				 "202611020915.4e1c09ab-oliver.sang@intel.com",
				 NULL),
			 EX_OK);
	assert_has(rig_text(r, "out"), "/archive/new/");
}

static void one_bad_message_does_not_stop_the_others(void **state)
{
	struct rig *r = *state;

	rig_write(r, "empty", "%s", "");
	assert_int_equal(rig_run(r, "process", rig_path(r->dir, "empty"),
				 "/nowhere/at/all",
				 "tests/demo/3-improvement.eml", NULL),
			 EX_DATAERR);
	assert_has(rig_text(r, "out"), "empty");
	assert_has(rig_text(r, "out"), "/nowhere/at/all");
	rig_assert_told(r, 0, 1);
}

static void what_the_server_did_not_hear_it_hears_later(void **state)
{
	struct rig *r = *state;
	char text[256];

	rig_configure(r, "done: \"move:no//such\"");
	rig_deliver(r, "1-regression.eml");
	rig_deliver(r, "3-improvement.eml");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	assert_has(rig_text(r, "out"), "cannot move done mails");
	rig_configure(r, "done: seen");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	inbox_ask(&r->dovecot, r->user, "STATUS INBOX (MESSAGES UNSEEN)", text,
		  sizeof(text));
	assert_has(text, "(MESSAGES 2 UNSEEN 0)");
}

#define RIGGED(fn) cmocka_unit_test_setup_teardown(fn, rig_setup, rig_teardown)

int main(void)
{
	static const struct CMUnitTest fixed[] = {
		RIGGED(a_report_is_told_once_and_its_update_in_the_same_thread),
		RIGGED(a_restart_resends_nothing),
		RIGGED(mail_from_before_the_first_start_is_history),
		RIGGED(process_beside_the_watch_is_told_by_it),
		RIGGED(process_without_a_watch_delivers_itself),
		RIGGED(history_that_is_handed_in_is_told),
		RIGGED(a_message_is_found_by_its_uid),
		RIGGED(sent_again_only_when_asked),
		RIGGED(a_mailbox_made_anew_is_read_from_its_start),
		RIGGED(a_server_that_comes_back_with_another_mailbox_is_followed),
		RIGGED(a_server_that_is_down_is_named),
		RIGGED(once_catches_up_delivers_and_ends),
		RIGGED(what_the_server_did_not_hear_it_hears_later),
		RIGGED(the_largest_mail_fits_into_a_worker),
		RIGGED(a_second_watch_is_refused),
		RIGGED(a_bad_configuration_is_refused_at_reload),
		RIGGED(a_good_configuration_is_taken_at_reload),
		RIGGED(the_supervisor_never_opens_the_state),
		RIGGED(killed_children_come_back),
		RIGGED(a_carrier_that_died_is_named_and_comes_back),
		RIGGED(folders_of_a_pattern_take_turns),
		RIGGED(folders_of_a_pattern_have_connections_of_their_own),
		RIGGED(held_notices_are_not_sent),
		RIGGED(mails_are_archived_and_found_there),
		RIGGED(one_bad_message_does_not_stop_the_others),
	};
	struct CMUnitTest tests[ARRAY_LEN(fixed) + ARRAY_LEN(refused)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		tests[n++] = fixed[i];
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		tests[n++] =
			(struct CMUnitTest){ .name = refused[i].name,
					     .test_func = check_refused,
					     .setup_func = rig_setup,
					     .teardown_func = rig_teardown };
	return cmocka_run_group_tests_name("watch", tests, rig_start, rig_stop);
}
