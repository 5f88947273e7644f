/*
 * watch, from a mail that arrives to the notices that leave: real Dovecot,
 * a mail sink, a chat sink, the whole program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/arena.h"
#include "ph/limits.h"
#include "tests/rig.h"

static void assert_has(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("no \"%s\" in:\n%s", want, text);
}

static void
a_report_is_told_once_and_its_update_in_the_same_thread(void **state)
{
	struct rig *r = *state;
	const char *first, *second;

	rig_watch_idle(r);
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

	rig_watch_idle(r);
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_watch_idle(r);
	rig_deliver(r, "3-improvement.eml");
	rig_wait_told(r, 1, 2);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 1, 2);
}

static void mail_from_before_the_first_start_is_history(void **state)
{
	struct rig *r = *state;

	rig_deliver(r, "1-regression.eml");
	rig_watch_idle(r);
	rig_deliver(r, "3-improvement.eml");
	rig_wait_told(r, 0, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 0, 1);
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

static void mails_are_archived_and_found_there(void **state)
{
	struct rig *r = *state;

	rig_write(r, "perfherald.yaml", "archive: %s/archive\n%s", r->dir,
		  rig_text(r, "perfherald.yaml"));
	rig_watch_idle(r);
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	/* another state knows it from the archive alone */
	assert_int_equal(unlink(rig_path(r->dir, "state.db")), 0);
	assert_int_equal(rig_run(r, "process",
				 "202611020915.4e1c09ab-oliver.sang@intel.com",
				 NULL),
			 EX_OK);
	rig_has(r, "out", "/archive/new/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(
			a_report_is_told_once_and_its_update_in_the_same_thread),
		RIG_TEST(a_restart_resends_nothing),
		RIG_TEST(mail_from_before_the_first_start_is_history),
		RIG_TEST(once_catches_up_delivers_and_ends),
		RIG_TEST(the_largest_mail_fits_into_a_worker),
		RIG_TEST(mails_are_archived_and_found_there),
	};

	return cmocka_run_group_tests_name("watch", tests, rig_start, rig_stop);
}
