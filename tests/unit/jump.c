/* What is mended in the state after the clock has jumped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/store/jump.h"
#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "tests/fresh.h"

#define NOW FRESH_NOW
#define DAY 86400

static int64_t add_notice(const char *key, int64_t created, int64_t due)
{
	const struct outbox_row row = { .key = slice_of(key),
					.channel = S("c"),
					.target = S("t"),
					.facts = S("{}"),
					.state = OUTBOX_PENDING,
					.reason = S(""),
					.created = created,
					.due = due };
	int64_t id = 0;

	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(store_end(fresh.store,
			   outbox_add(fresh.store, &row, &id, &fresh.err),
			   &fresh.err));
	return id;
}

static struct outbox_row get(int64_t id)
{
	struct outbox_row row;

	fresh_ok(outbox_get(fresh.store, id, &fresh.arena, &row, &fresh.err));
	return row;
}

static void attempt(int64_t id, enum delivery what, int64_t at)
{
	const struct delivery_result r = { .what = what };
	struct outbox_row row = get(id);

	fresh_ok(outbox_attempt(fresh.store, &row, &r, at, UINT32_MAX, NULL,
				&fresh.err));
}

static void what_is_in_order_stays(void **state)
{
	int64_t id = add_notice("a", NOW - 100, NOW + 2 * DAY), value;

	(void)state;
	attempt(id, DELIVERY_LATER, NOW + JUMP_SLACK);
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(store_end(fresh.store,
			   store_meta_set(fresh.store, "digest.c", NOW - 5,
					  &fresh.err),
			   &fresh.err));
	assert_int_equal(jump_mend(fresh.store, NOW, &fresh.err), PH_NONE);
	assert_int_equal(get(id).due, NOW + 2 * DAY);
	fresh_ok(store_meta_get(fresh.store, "digest.c", &value, &fresh.err));
	assert_int_equal(value, NOW - 5);
}

static void a_retry_keeps_its_wait(void **state)
{
	int64_t old = add_notice("a", NOW - 100, NOW - 100);
	int64_t late = add_notice("b", NOW + DAY, NOW + DAY);
	int64_t wait;

	(void)state;
	attempt(old, DELIVERY_LATER, NOW + DAY);
	attempt(late, DELIVERY_LATER, NOW + DAY + 7);
	wait = get(old).next_try - (NOW + DAY);
	assert_in_range(wait, 1, 16);
	fresh_ok(jump_mend(fresh.store, NOW, &fresh.err));
	assert_int_equal(get(old).next_try, NOW + wait);
	assert_int_equal(get(old).due, NOW - 100);
	assert_int_equal(get(late).next_try, NOW + wait);
	assert_int_equal(get(late).due, NOW);
	assert_int_equal(get(late).created, NOW);
	/* and is not moved once more */
	assert_int_equal(jump_mend(fresh.store, NOW, &fresh.err), PH_NONE);
	assert_int_equal(jump_mend(fresh.store, NOW - 30, &fresh.err), PH_NONE);
}

static void an_embargo_keeps_its_length(void **state)
{
	int64_t id = add_notice("a", NOW + DAY, NOW + DAY + 3600);

	(void)state;
	fresh_ok(jump_mend(fresh.store, NOW, &fresh.err));
	assert_int_equal(get(id).next_try, NOW + 3600);
	assert_int_equal(get(id).due, NOW + 3600);
}

static void a_paused_channel_is_tried_again(void **state)
{
	int64_t id = add_notice("a", NOW - 100, NOW - 100);
	struct outbox_row row;

	(void)state;
	attempt(id, DELIVERY_CHANNEL, NOW + DAY);
	assert_int_equal(outbox_claim(fresh.store, NOW + 10, S("[]"),
				      &fresh.arena, &row, &fresh.err),
			 PH_NONE);
	fresh_ok(jump_mend(fresh.store, NOW, &fresh.err));
	fresh_ok(outbox_claim(fresh.store, NOW + DELIVERY_CHANNEL_WAIT, S("[]"),
			      &fresh.arena, &row, &fresh.err));
}

static void a_channel_that_just_paused_stays_paused(void **state)
{
	int64_t id = add_notice("a", NOW - 100, NOW - 100);
	struct outbox_row row;

	(void)state;
	attempt(id, DELIVERY_CHANNEL, NOW - 1);
	assert_int_equal(jump_mend(fresh.store, NOW, &fresh.err), PH_NONE);
	assert_int_equal(outbox_claim(fresh.store, NOW, S("[]"), &fresh.arena,
				      &row, &fresh.err),
			 PH_NONE);
}

static void the_next_digest_comes_in_its_turn(void **state)
{
	struct later_row row = { .key = S("k"),
				 .channel = S("c"),
				 .target = S("t"),
				 .patch = 0,
				 .facts = S("{}"),
				 .at = NOW + DAY,
				 .over = true };
	int64_t value;

	(void)state;
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(
		store_meta_set(fresh.store, "digest.c", NOW + DAY, &fresh.err));
	fresh_ok(store_end(fresh.store,
			   later_add(fresh.store, &row, &fresh.err),
			   &fresh.err));
	fresh_ok(jump_mend(fresh.store, NOW, &fresh.err));
	fresh_ok(store_meta_get(fresh.store, "digest.c", &value, &fresh.err));
	assert_int_equal(value, NOW);
	fresh_ok(later_over_since(fresh.store, S("c"), &value, &fresh.err));
	assert_int_equal(value, NOW);
}

static void a_mailbox_opened_ahead_is_opened_now(void **state)
{
	struct mailbox_place place;

	(void)state;
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(mailbox_open(fresh.store, S("work"), S("INBOX"), 1, 5,
			      NOW + DAY, &place, &fresh.err));
	assert_int_equal(place.opened, NOW + DAY);
	fresh_ok(mailbox_open(fresh.store, S("work"), S("INBOX"), 1, 5, NOW,
			      &place, &fresh.err));
	assert_int_equal(place.opened, NOW);
	fresh_ok(mailbox_open(fresh.store, S("work"), S("INBOX"), 1, 5,
			      NOW + DAY, &place, &fresh.err));
	assert_int_equal(place.opened, NOW);
	fresh_ok(store_end(fresh.store, PH_OK, &fresh.err));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_begin, fresh_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(what_is_in_order_stays),
		TEST(a_retry_keeps_its_wait),
		TEST(an_embargo_keeps_its_length),
		TEST(a_paused_channel_is_tried_again),
		TEST(a_channel_that_just_paused_stays_paused),
		TEST(the_next_digest_comes_in_its_turn),
		TEST(a_mailbox_opened_ahead_is_opened_now),
	};

	return cmocka_run_group_tests_name("jump", tests, NULL, NULL);
}
