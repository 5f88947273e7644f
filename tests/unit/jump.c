#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <unistd.h>
#include "bot/store/jump.h"
#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "tests/scratch.h"

#define NOW 1700000000
#define DAY 86400

static struct store *s;
static struct arena arena;
static struct err err;

static int set_up(void **state)
{
	(void)state;
	s = scratch_store("state.db");
	arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	store_close(s);
	unlink(scratch_path("state.db-wal"));
	unlink(scratch_path("state.db-shm"));
	return 0;
}

static void ok(enum status st)
{
	if (st != PH_OK)
		fail_msg("status %d: %s", st, err.text);
}

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

	ok(store_begin(s, &err));
	ok(store_end(s, outbox_add(s, &row, &id, &err), &err));
	return id;
}

static struct outbox_row get(int64_t id)
{
	struct outbox_row row;

	ok(outbox_get(s, id, &arena, &row, &err));
	return row;
}

static void attempt(int64_t id, enum delivery what, int64_t at)
{
	const struct delivery_result r = { .what = what };
	struct outbox_row row = get(id);

	ok(outbox_attempt(s, &row, &r, at, UINT32_MAX, NULL, &err));
}

static void what_is_in_order_stays(void **state)
{
	int64_t id = add_notice("a", NOW - 100, NOW + 2 * DAY), value;

	(void)state;
	attempt(id, DELIVERY_LATER, NOW + JUMP_SLACK);
	ok(store_begin(s, &err));
	ok(store_end(s, store_meta_set(s, "digest.c", NOW - 5, &err), &err));
	assert_int_equal(jump_mend(s, NOW, &err), PH_NONE);
	assert_int_equal(get(id).due, NOW + 2 * DAY);
	ok(store_meta_get(s, "digest.c", &value, &err));
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
	ok(jump_mend(s, NOW, &err));
	assert_int_equal(get(old).next_try, NOW + wait);
	assert_int_equal(get(old).due, NOW - 100);
	assert_int_equal(get(late).next_try, NOW + wait);
	assert_int_equal(get(late).due, NOW);
	assert_int_equal(get(late).created, NOW);
	/* and is not moved once more */
	assert_int_equal(jump_mend(s, NOW, &err), PH_NONE);
	assert_int_equal(jump_mend(s, NOW - 30, &err), PH_NONE);
}

static void an_embargo_keeps_its_length(void **state)
{
	int64_t id = add_notice("a", NOW + DAY, NOW + DAY + 3600);

	(void)state;
	ok(jump_mend(s, NOW, &err));
	assert_int_equal(get(id).next_try, NOW + 3600);
	assert_int_equal(get(id).due, NOW + 3600);
}

static void a_paused_channel_is_tried_again(void **state)
{
	int64_t id = add_notice("a", NOW - 100, NOW - 100);
	struct outbox_row row;

	(void)state;
	attempt(id, DELIVERY_CHANNEL, NOW + DAY);
	assert_int_equal(outbox_claim(s, NOW + 10, S("[]"), &arena, &row, &err),
			 PH_NONE);
	ok(jump_mend(s, NOW, &err));
	ok(outbox_claim(s, NOW + DELIVERY_CHANNEL_WAIT, S("[]"), &arena, &row,
			&err));
}

static void a_channel_that_just_paused_stays_paused(void **state)
{
	int64_t id = add_notice("a", NOW - 100, NOW - 100);
	struct outbox_row row;

	(void)state;
	attempt(id, DELIVERY_CHANNEL, NOW - 1);
	assert_int_equal(jump_mend(s, NOW, &err), PH_NONE);
	assert_int_equal(outbox_claim(s, NOW, S("[]"), &arena, &row, &err),
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
	ok(store_begin(s, &err));
	ok(store_meta_set(s, "digest.c", NOW + DAY, &err));
	ok(store_end(s, later_add(s, &row, &err), &err));
	ok(jump_mend(s, NOW, &err));
	ok(store_meta_get(s, "digest.c", &value, &err));
	assert_int_equal(value, NOW);
	ok(later_over_since(s, S("c"), &value, &err));
	assert_int_equal(value, NOW);
}

static void a_mailbox_opened_ahead_is_opened_now(void **state)
{
	struct mailbox_place place;

	(void)state;
	ok(store_begin(s, &err));
	ok(mailbox_open(s, S("work"), S("INBOX"), 1, 5, NOW + DAY, &place,
			&err));
	assert_int_equal(place.opened, NOW + DAY);
	ok(mailbox_open(s, S("work"), S("INBOX"), 1, 5, NOW, &place, &err));
	assert_int_equal(place.opened, NOW);
	ok(mailbox_open(s, S("work"), S("INBOX"), 1, 5, NOW + DAY, &place,
			&err));
	assert_int_equal(place.opened, NOW);
	ok(store_end(s, PH_OK, &err));
}

#define FRESH(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FRESH(what_is_in_order_stays),
		FRESH(a_retry_keeps_its_wait),
		FRESH(an_embargo_keeps_its_length),
		FRESH(a_paused_channel_is_tried_again),
		FRESH(a_channel_that_just_paused_stays_paused),
		FRESH(the_next_digest_comes_in_its_turn),
		FRESH(a_mailbox_opened_ahead_is_opened_now),
	};

	return cmocka_run_group_tests_name("jump", tests, NULL, NULL);
}
