/*
 * A watch and the server of its mailboxes: folders that come and go, servers
 * that are not to be trusted or not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sysexits.h>
#include <time.h>
#include "ph/clock.h"
#include "tests/inbox.h"
#include "tests/rig.h"

/* UIDVALIDITY counts seconds. */
static void let_a_second_pass(void)
{
	const struct timespec next = { .tv_sec = clock_wall() + 1 };

	while (clock_wall() < next.tv_sec)
		clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
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
	rig_has(r, "out", "INBOX has new UIDs");
	rig_assert_told(r, 1, 2);
}

static void
a_server_that_comes_back_with_another_mailbox_is_followed(void **state)
{
	struct rig *r = *state;

	rig_configure(r, "tell_since: 2020-01-01");
	rig_deliver(r, "1-regression.eml");
	rig_watch_idle(r);
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
	rig_has(&other, "out", "certificate");
	rig_has(&other, "out", c->says);
	dovecot_stop(&other.dovecot);
}

static void a_server_that_is_down_is_named(void **state)
{
	struct rig *r = *state, other = *r;

	other.dovecot.imaps_port = 1;
	rig_configure(&other, NULL);
	assert_int_equal(rig_run(&other, "watch", "--once", NULL),
			 EX_UNAVAILABLE);
	rig_has(&other, "out", "worker work: localhost:1:");
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
	rig_edit(r, "perfherald.yaml", "/INBOX", "/lists.*");
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

static void what_the_server_did_not_hear_it_hears_later(void **state)
{
	struct rig *r = *state;
	char text[256];

	rig_configure(r, "done: \"move:no//such\"");
	rig_deliver(r, "1-regression.eml");
	rig_deliver(r, "3-improvement.eml");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_has(r, "out", "cannot move done mails");
	rig_configure(r, "done: seen");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	inbox_ask(&r->dovecot, r->user, "STATUS INBOX (MESSAGES UNSEEN)", text,
		  sizeof(text));
	assert_non_null(strstr(text, "(MESSAGES 2 UNSEEN 0)"));
}

int main(void)
{
	const struct CMUnitTest fixed[] = {
		RIG_TEST(a_mailbox_made_anew_is_read_from_its_start),
		RIG_TEST(
			a_server_that_comes_back_with_another_mailbox_is_followed),
		RIG_TEST(a_server_that_is_down_is_named),
		RIG_TEST(folders_of_a_pattern_take_turns),
		RIG_TEST(folders_of_a_pattern_have_connections_of_their_own),
		RIG_TEST(what_the_server_did_not_hear_it_hears_later),
	};
	struct CMUnitTest tests[ARRAY_LEN(fixed) + ARRAY_LEN(refused)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		tests[n++] = fixed[i];
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		tests[n++] = rig_test(refused[i].name, check_refused);
	return cmocka_run_group_tests_name("watch_mailbox", tests, rig_start,
					   rig_stop);
}
