/*
 * A mail server that says no: to a login, to marking or moving what was read,
 * to sending a mail that it lists. The operator sees it at once, and what can
 * go on does.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "tests/fakeimap.h"
#include "tests/rig.h"
#include "tests/scratch.h"

#define TELL_ALL "tell_since: 2020-01-01"

static struct fakeimap fake;

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		n++;
	return n;
}

/* The usual configuration, with a secret of its own and an operator. */
static void configure(const struct rig *r, const char *secret,
		      const char *extra)
{
	rig_configure(r, extra);
	rig_write(r, "imap.secret", "%s\n", secret);
	rig_edit(r, "perfherald.yaml", r->dovecot.password_file,
		 rig_path(r->dir, "imap.secret"));
	rig_edit(r, "perfherald.yaml", "send: true\n",
		 "send: true\noperator: team\n");
}

static void status_is(const struct rig *r, int code, const char *says)
{
	assert_int_equal(rig_run(r, "status", NULL), code);
	rig_has(r, "out", says);
}

/* -- a login -- */

static void a_wrong_password_is_seen_at_once_and_tried_once(void **state)
{
	struct rig *r = *state;

	configure(r, "wrong", NULL);
	rig_watch(r);
	rig_wait_log(r, "the next login is tried in 60 s");
	rig_wait_told(r, 1, 0);
	status_is(r, 1, "! mailbox   work");
	rig_has(r, "out", "refused: the server says ");
	rig_has(r, "out", "write the right password into ");
	rig_has(r, "out", "/imap.secret (password_file of mailboxes.work)");
	assert_non_null(
		strstr(rig_mail(r, 1), "mailbox work: it cannot be read"));
	assert_int_equal(rig_run(r, "status", "--format", "json", NULL), 1);
	rig_has(r, "out", "\"needs_a_person\":true");
	/* by now the usual backoff would have asked again */
	assert_int_equal(count(rig_text(r, "log"), " refused: "), 1);

	rig_deliver(r, "3-improvement.eml");
	rig_write(r, "imap.secret", "%s\n", r->dovecot.password);
	rig_wait_log(r, "up to date, waiting for mail");
	assert_int_equal(count(rig_text(r, "log"), " refused: "), 1);
	status_is(r, 0, "  mailbox   work INBOX: read up to UID 1");
	/* what is wrong a second time is told a second time */
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_write(r, "imap.secret", "wrong again\n");
	rig_watch(r);
	rig_wait_told(r, 2, 0);
}

static void a_reload_tries_again(void **state)
{
	struct rig *r = *state;

	configure(r, "wrong", NULL);
	rig_watch(r);
	rig_wait_log(r, "the next login is tried in 60 s");
	kill(r->watch, SIGHUP);
	rig_wait_log_times(r, "the next login is tried in 60 s", 2);
	assert_int_equal(count(rig_text(r, "log"), " refused: "), 2);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	/* the same trouble is told once */
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_UNAVAILABLE);
	rig_assert_told(r, 1, 0);
}

static void a_check_names_the_file(void **state)
{
	struct rig *r = *state;

	configure(r, "wrong", NULL);
	assert_int_equal(rig_run(r, "check", "--connect", NULL),
			 EX_UNAVAILABLE);
	rig_has(r, "out", "mailbox work: localhost:");
	rig_has(r, "out", "/imap.secret (password_file of mailboxes.work)");
}

/* -- marking and moving -- */

static void a_refused_move_holds_up_no_mail(void **state)
{
	struct rig *r = *state;

	configure(r, r->dovecot.password, TELL_ALL ", done: \"move:no//such\"");
	rig_deliver(r, "1-regression.eml");
	rig_watch(r);
	rig_wait_log(r, "mails are read all the same");
	rig_wait_log(r, "up to date, waiting for mail");
	/* the notice, and a word to the operator */
	rig_wait_told(r, 2, 1);
	rig_deliver(r, "3-improvement.eml");
	rig_wait_told(r, 2, 2);
	status_is(r, 1, "! mailbox   work INBOX: read up to UID 2");
	rig_has(r, "out", "read mails stay as they were since ");
	rig_has(r, "out", "cannot move done mails: the server says ");
	assert_int_equal(count(rig_text(r, "log"), "all the same"), 1);
	assert_int_equal(count(rig_text(r, "log"), "worker work ended"), 0);

	rig_edit(r, "perfherald.yaml", "move:no//such", "move:read");
	kill(r->watch, SIGHUP);
	rig_wait_log_times(r, "up to date, waiting for mail", 2);
	status_is(r, 0, "  mailbox   work INBOX: read up to UID 2");
	rig_has_not(r, "out", "stay as they were");
}

/* -- a mail that never comes -- */

static void at_fake(const struct rig *r, const char *user)
{
	struct rig other = *r;

	snprintf(other.user, sizeof(other.user), "%s", user);
	other.dovecot.imaps_port = fake.port;
	snprintf(other.dovecot.ca_file, sizeof(other.dovecot.ca_file), "%s",
		 fake.ca_file);
	rig_configure(&other, "since: 3650d");
}

static void a_mail_that_never_comes_holds_up_no_other(void **state)
{
	const struct rig *r = *state;

	at_fake(r, "nil");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
		assert_int_equal(count(rig_text(r, "out"),
				       "UID 2 in \"INBOX\" is there, but the "
				       "server does not send it; it waits"),
				 !i);
		status_is(r, 0, "read up to UID 3");
		rig_has(r, "out", "2 other, 1 waiting");
	}
	assert_int_equal(rig_run(r, "list", "--messages", "waiting", NULL),
			 EX_OK);
	rig_has(r, "out", "the server lists it and does not send it");
	assert_int_equal(rig_run(r, "why", "uid:work/2", NULL), EX_OK);
	rig_has(r, "out",
		"is       waiting: the server lists it and does not send it");
	/* and is read when it comes at last */
	at_fake(r, "good");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	status_is(r, 0, "3 other");
}

/* That is trouble of the server: it will pass, and mails are not given up. */
static void a_server_that_sends_nothing_is_in_trouble(void **state)
{
	const struct rig *r = *state;

	at_fake(r, "withhold");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_UNAVAILABLE);
	rig_has(r, "out",
		"UID 4 in \"INBOX\" is there, but the server does not send it"
		"\n");
	status_is(r, 0, "read up to UID 0");
	rig_has(r, "out", "3 waiting");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_UNAVAILABLE);
	status_is(r, 0, "6 waiting");
}

/* -- a mail that breaks the connection whenever it is asked for -- */

/* Watches once and again, over and over, until one run goes well. */
static int runs_until_well(const struct rig *r, int most)
{
	int n = 1;

	while (rig_run(r, "watch", "--once", NULL) == EX_UNAVAILABLE)
		assert_true(n++ < most);
	return n;
}

static const struct breaking {
	const char *user;
	int runs; /* until it is passed */
	uint32_t uid;
	const char *left; /* of the three mails, by state */
} breakings[] = {
	{ "break-cut", 6, 2, "2 other, 1 bad" },
	{ "break-inside", 6, 2, "2 other, 1 bad" },
	{ "break-size", 6, 2, "2 other, 1 bad" },
	{ "break-garbage", 6, 2, "2 other, 1 bad" },
	{ "break-last", 11, 3, "2 other, 1 bad" },
};

static void a_mail_that_breaks_the_connection_holds_up_no_other(void **state)
{
	struct rig *r = *state;

	for (size_t i = 0; i < sizeof(breakings) / sizeof(breakings[0]); i++) {
		const struct breaking *b = &breakings[i];
		char uid[32];

		print_message("%s\n", b->user);
		at_fake(r, b->user);
		assert_int_equal(runs_until_well(r, b->runs), b->runs);
		status_is(r, 0, "read up to UID 3");
		rig_has(r, "out", b->left);
		snprintf(uid, sizeof(uid), "uid:work/%u", b->uid);
		assert_int_equal(rig_run(r, "why", uid, NULL), EX_OK);
		rig_has(r, "out",
			"the connection breaks each time it is fetched");
		/* a person may ask for it once more */
		assert_int_equal(rig_run(r, "process", uid, NULL),
				 EX_UNAVAILABLE);
		at_fake(r, "good");
		assert_int_equal(rig_run(r, "process", uid, NULL), EX_OK);
		unlink(rig_path(r->dir, "state.db"));
	}
}

static void two_that_break_it_side_by_side_are_passed(void **state)
{
	struct rig *r = *state;

	at_fake(r, "break-two");
	runs_until_well(r, 16);
	status_is(r, 0, "read up to UID 3");
	rig_has(r, "out", "1 other, 2 bad");
}

/* That is the server's trouble: no mail is given up. */
static void a_server_that_always_breaks_it_is_in_trouble(void **state)
{
	struct rig *r = *state;

	at_fake(r, "break-all");
	for (int i = 0; i < 20; i++)
		assert_int_equal(rig_run(r, "watch", "--once", NULL),
				 EX_UNAVAILABLE);
	status_is(r, 0, "read up to UID 0");
	rig_has_not(r, "out", "bad");
	at_fake(r, "good");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	status_is(r, 0, "3 other");
}

/* Each connection gets on, and no break is counted at two mails. */
static void a_server_that_breaks_at_random_is_read_on(void **state)
{
	struct rig *r = *state;

	at_fake(r, "break-second");
	for (int i = 0; i < 2; i++)
		assert_int_equal(rig_run(r, "watch", "--once", NULL),
				 EX_UNAVAILABLE);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	status_is(r, 0, "3 other");
}

static int start(void **state)
{
	return fakeimap_start(&fake, scratch_dir()) ? rig_start(state) : -1;
}

static int stop(void **state)
{
	fakeimap_stop(&fake);
	return rig_stop(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_wrong_password_is_seen_at_once_and_tried_once),
		RIG_TEST(a_reload_tries_again),
		RIG_TEST(a_check_names_the_file),
		RIG_TEST(a_refused_move_holds_up_no_mail),
		RIG_TEST(a_mail_that_never_comes_holds_up_no_other),
		RIG_TEST(a_server_that_sends_nothing_is_in_trouble),
		RIG_TEST(a_mail_that_breaks_the_connection_holds_up_no_other),
		RIG_TEST(two_that_break_it_side_by_side_are_passed),
		RIG_TEST(a_server_that_always_breaks_it_is_in_trouble),
		RIG_TEST(a_server_that_breaks_at_random_is_read_on),
	};

	return cmocka_run_group_tests_name("stubborn", tests, start, stop);
}
