#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>
#include "bot/lockout.h"
#include "ph/clock.h"
#include "ph/log.h"
#include "ph/slice.h"
#include "tests/scratch.h"

/* Three workers of one mailbox, one of another, and who is none. */

static struct config_mailbox work = { .name = "work" },
			     other = { .name = "other" };
static struct child children[5];
static struct crew crew = { .child = children, .n = ARRAY_LEN(children) };

static int set_up(void **state)
{
	static char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s", scratch_path("secret"));
	unlink(path);
	work.password_file = path;
	memset(children, 0, sizeof(children));
	for (size_t i = 0; i < ARRAY_LEN(children); i++) {
		struct child *c = &children[i];

		snprintf(c->name, sizeof(c->name), "worker %zu", i);
		c->duty.box = i < 3 ? &work : i == 3 ? &other : NULL;
	}
	return 0;
}

static void the_wait_doubles_to_an_hour(void **state)
{
	static const int64_t minutes[] = { 1, 2, 4, 8, 16, 32, 60, 60 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(minutes); i++)
		assert_int_equal(lockout_ms(i),
				 PATIENCE(minutes[i] * 60 * 1000));
	assert_int_equal(lockout_ms(UINT32_MAX), PATIENCE(60 * 60 * 1000));
}

static void the_whole_mailbox_waits_and_nobody_else(void **state)
{
	const int64_t now = 5000, minute = PATIENCE(60 * 1000);

	(void)state;
	children[2].pid = 1; /* it is in already */
	lockout_refused(&crew, &children[1], now);
	assert_int_equal(children[1].start_at, now + minute);
	assert_true(children[0].start_at > children[1].start_at);
	assert_true(children[0].start_at < now + 2 * minute);
	assert_int_equal(children[2].start_at, 0);
	assert_int_equal(children[3].start_at, 0);
	assert_int_equal(children[4].start_at, 0);
	lockout_refused(&crew, &children[1], now + minute);
	assert_int_equal(children[1].start_at, now + 3 * minute);
	assert_true(children[0].start_at > children[1].start_at);
	lockout_over(&children[1]);
	lockout_refused(&crew, &children[1], now + 4 * minute);
	assert_int_equal(children[1].start_at, now + 5 * minute);
}

static void a_new_secret_is_tried_at_once(void **state)
{
	(void)state;
	scratch_file("secret", "wrong\n", 0600);
	lockout_begin(&children[0]);
	assert_false(lockout_watches(&crew));
	lockout_refused(&crew, &children[0], 1000);
	assert_true(lockout_watches(&crew));
	lockout_look(&crew, 2000);
	assert_true(children[0].start_at > 2000);
	/* an editor may put a new file in its place */
	assert_int_equal(rename(scratch_path("secret"), scratch_path("old")),
			 0);
	lockout_look(&crew, 3000);
	assert_true(children[0].start_at > 3000);
	scratch_file("secret", "right\n", 0600);
	lockout_look(&crew, 4000);
	assert_int_equal(children[0].start_at, 4000);
	assert_int_equal(children[0].refusals, 0);
	lockout_begin(&children[0]);
	assert_false(children[0].locked_out);
}

/* A command's output cannot be watched: its mailbox waits its time. */
static void without_a_file_the_wait_is_kept(void **state)
{
	(void)state;
	lockout_begin(&children[3]);
	lockout_refused(&crew, &children[3], 1000);
	lockout_look(&crew, 2000);
	assert_true(children[3].start_at > 2000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_wait_doubles_to_an_hour, set_up),
		cmocka_unit_test_setup(the_whole_mailbox_waits_and_nobody_else,
				       set_up),
		cmocka_unit_test_setup(a_new_secret_is_tried_at_once, set_up),
		cmocka_unit_test_setup(without_a_file_the_wait_is_kept, set_up),
	};

	return cmocka_run_group_tests_name("lockout", tests, NULL, NULL);
}
