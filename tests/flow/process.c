/* process: mails that a person hands in, beside a watch and without one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sysexits.h>
#include "tests/rig.h"

static void process_beside_the_watch_is_told_by_it(void **state)
{
	struct rig *r = *state;

	rig_watch_idle(r);
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
	rig_has(r, "out", "known already");
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
	rig_has(r, "out", "uid:work/7: no such message");
	assert_int_equal(rig_run(r, "process", "uid:work/x", NULL), EX_USAGE);
	assert_int_equal(rig_run(r, "process", "uid:home/1", NULL), EX_USAGE);
	rig_has(r, "out", " has the mailboxes: work\n");
}

static void sent_again_only_when_asked(void **state)
{
	struct rig *r = *state;

	rig_watch_idle(r);
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

static void held_notices_are_not_sent(void **state)
{
	struct rig *r = *state;

	rig_edit(r, "perfherald.yaml", "send: true", "send: false");
	assert_int_equal(rig_run(r, "process", "tests/demo/1-regression.eml",
				 NULL),
			 EX_OK);
	rig_assert_told(r, 0, 0);
}

static void one_bad_message_does_not_stop_the_others(void **state)
{
	struct rig *r = *state;

	rig_write(r, "empty", "%s", "");
	assert_int_equal(rig_run(r, "process", rig_path(r->dir, "empty"),
				 "/nowhere/at/all",
				 "tests/demo/3-improvement.eml", NULL),
			 EX_DATAERR);
	rig_has(r, "out", "empty");
	rig_has(r, "out", "/nowhere/at/all");
	rig_assert_told(r, 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(process_beside_the_watch_is_told_by_it),
		RIG_TEST(process_without_a_watch_delivers_itself),
		RIG_TEST(history_that_is_handed_in_is_told),
		RIG_TEST(a_message_is_found_by_its_uid),
		RIG_TEST(sent_again_only_when_asked),
		RIG_TEST(held_notices_are_not_sent),
		RIG_TEST(one_bad_message_does_not_stop_the_others),
	};

	return cmocka_run_group_tests_name("process", tests, rig_start,
					   rig_stop);
}
