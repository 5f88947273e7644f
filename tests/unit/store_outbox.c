/* The queue of notices, and what each attempt makes of a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include "bot/store/outbox.h"
#include "tests/fresh.h"

#define NOW FRESH_NOW

static int64_t queue(const char *key, int64_t patch, const char *channel,
		     int64_t due)
{
	struct outbox_row row = { .key = slice_of(key),
				  .kind = NOTICE_FIRST,
				  .channel = slice_of(channel),
				  .target = S("a@example.org"),
				  .patch = patch,
				  .facts = S("{}"),
				  .state = OUTBOX_PENDING,
				  .created = NOW,
				  .due = due };
	int64_t id;

	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(outbox_add(fresh.store, &row, &id, &fresh.err));
	fresh_ok(store_commit(fresh.store, &fresh.err));
	return id;
}

static struct delivery_result result(enum delivery what)
{
	struct delivery_result r = { .what = what };

	snprintf(r.text, sizeof(r.text), "why");
	return r;
}

static void attempt(int64_t id, enum delivery what, bool *paused)
{
	struct delivery_result r = result(what);
	struct outbox_row row;

	fresh_ok(outbox_get(fresh.store, id, &fresh.arena, &row, &fresh.err));
	fresh_ok(outbox_attempt(fresh.store, &row, &r, NOW, 0, paused,
				&fresh.err));
}

static void a_key_is_queued_once(void **state)
{
	struct outbox_row row = { .key = S("k"), .state = OUTBOX_HELD };
	int64_t first = queue("k", 0, "chat", NOW), second;

	(void)state;
	fresh_ok(store_begin(fresh.store, &fresh.err));
	assert_int_equal(outbox_add(fresh.store, &row, &second, &fresh.err),
			 PH_NONE);
	store_rollback(fresh.store);
	assert_int_equal(first, second);
}

static void claims_go_by_due_time(void **state)
{
	int64_t late = queue("a", 0, "chat", NOW + 5);
	int64_t early = queue("b", 0, "chat", NOW), due;
	struct outbox_row row;

	(void)state;
	fresh_ok(outbox_claim(fresh.store, NOW, S(""), &fresh.arena, &row,
			      &fresh.err));
	assert_int_equal(row.id, early);
	assert_int_equal(row.state, OUTBOX_SENDING);
	assert_int_equal(outbox_claim(fresh.store, NOW, S(""), &fresh.arena,
				      &row, &fresh.err),
			 PH_NONE);
	fresh_ok(outbox_next_due(fresh.store, S(""), &due, &fresh.err));
	assert_int_equal(due, NOW + 5);
	assert_int_equal(outbox_claim(fresh.store, NOW + 5, S("[\"chat\"]"),
				      &fresh.arena, &row, &fresh.err),
			 PH_NONE);
	fresh_ok(outbox_claim(fresh.store, NOW + 5, S(""), &fresh.arena, &row,
			      &fresh.err));
	assert_int_equal(row.id, late);
}

static void an_update_waits_for_its_thread(void **state)
{
	int64_t patch = fresh_patch("aaaaaaaaaaaa", "mm: one", NOW);
	int64_t first = queue("a", patch, "chat", NOW);
	int64_t second = queue("b", patch, "chat", NOW);
	struct delivery_result sent = result(DELIVERY_SENT);
	struct parcel parcel = { S_INIT("body"), S_INIT("id@us"),
				 S_INIT("a@example.org"), S_INIT("") };
	struct slice id, remote;
	struct outbox_row row;

	(void)state;
	fresh_ok(outbox_claim(fresh.store, NOW, S(""), &fresh.arena, &row,
			      &fresh.err));
	assert_int_equal(row.id, first);
	assert_false(row.rendered);
	assert_int_equal(outbox_claim(fresh.store, NOW, S(""), &fresh.arena,
				      &row, &fresh.err),
			 PH_NONE);
	fresh_ok(outbox_rendered(fresh.store, first, &parcel, S("0123"),
				 &fresh.err));
	fresh_ok(
		outbox_get(fresh.store, first, &fresh.arena, &row, &fresh.err));
	assert_true(row.rendered);
	assert_true(slice_eq(row.parcel.body, S("body")));
	snprintf(sent.remote_id, sizeof(sent.remote_id), "r1");
	fresh_ok(outbox_attempt(fresh.store, &row, &sent, NOW, 0, NULL,
				&fresh.err));
	fresh_ok(outbox_claim(fresh.store, NOW, S(""), &fresh.arena, &row,
			      &fresh.err));
	assert_int_equal(row.id, second);
	fresh_ok(outbox_thread(fresh.store, &row, &fresh.arena, &id, &remote,
			       &fresh.err));
	assert_true(slice_eq(id, S("id@us")));
	assert_true(slice_eq(remote, S("r1")));
}

static void a_refused_channel_pauses_and_comes_back(void **state)
{
	int64_t id = queue("a", 0, "chat", NOW);
	struct outbox_row row;
	bool paused;

	(void)state;
	fresh_ok(outbox_claim(fresh.store, NOW, S(""), &fresh.arena, &row,
			      &fresh.err));
	attempt(id, DELIVERY_CHANNEL, &paused);
	assert_true(paused);
	queue("b", 0, "chat", NOW);
	assert_int_equal(outbox_claim(fresh.store, NOW + 10, S(""),
				      &fresh.arena, &row, &fresh.err),
			 PH_NONE);
	/* each hour one try */
	fresh_ok(outbox_claim(fresh.store, NOW + 3600, S(""), &fresh.arena,
			      &row, &fresh.err));
	attempt(row.id, DELIVERY_CHANNEL, &paused);
	assert_false(paused);
	/* a new URL ends the pause */
	fresh_ok(channel_row_points(fresh.store, S("chat"), S("feed"), NOW + 11,
				    &fresh.err));
	fresh_ok(outbox_claim(fresh.store, NOW + 11, S(""), &fresh.arena, &row,
			      &fresh.err));
}

static void a_channel_that_is_gone_is_not_tried(void **state)
{
	int64_t id = queue("a", 0, "chat", NOW);
	struct outbox_row row;
	bool paused;

	(void)state;
	fresh_ok(outbox_claim(fresh.store, NOW, S(""), &fresh.arena, &row,
			      &fresh.err));
	attempt(id, DELIVERY_GONE, &paused);
	assert_true(paused);
	assert_int_equal(outbox_claim(fresh.store, NOW + 86400, S(""),
				      &fresh.arena, &row, &fresh.err),
			 PH_NONE);
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(store_end(fresh.store,
			   outbox_retry(fresh.store, id, NOW + 5, &fresh.err),
			   &fresh.err));
	fresh_ok(outbox_claim(fresh.store, NOW + 5, S(""), &fresh.arena, &row,
			      &fresh.err));
}

static void a_crash_while_sending_may_have_sent(void **state)
{
	struct parcel parcel = { S_INIT("body"), S_INIT("id"),
				 S_INIT("a@x.org"), S_INIT("") };
	int64_t id = queue("a", 0, "chat", NOW);
	int64_t unrendered = queue("b", 0, "chat", NOW), n;
	struct outbox_row row;

	(void)state;
	fresh_ok(outbox_claim(fresh.store, NOW, S(""), &fresh.arena, &row,
			      &fresh.err));
	fresh_ok(outbox_rendered(fresh.store, id, &parcel, S(""), &fresh.err));
	fresh_ok(outbox_claim(fresh.store, NOW, S(""), &fresh.arena, &row,
			      &fresh.err));
	fresh_ok(outbox_revive(fresh.store, NOW, &n, &fresh.err));
	assert_int_equal(n, 2);
	fresh_ok(outbox_get(fresh.store, id, &fresh.arena, &row, &fresh.err));
	assert_int_equal(row.state, OUTBOX_PENDING);
	assert_true(row.maybe_dup);
	fresh_ok(outbox_get(fresh.store, unrendered, &fresh.arena, &row,
			    &fresh.err));
	assert_false(row.maybe_dup);
}

static void five_days_are_enough(void **state)
{
	int64_t id = queue("a", 0, "chat", NOW), n;
	struct outbox_row row;

	(void)state;
	fresh_ok(outbox_expire(fresh.store, NOW + DELIVERY_EXPIRE, &n,
			       &fresh.err));
	assert_int_equal(n, 0);
	fresh_ok(outbox_expire(fresh.store, NOW + DELIVERY_EXPIRE + 1, &n,
			       &fresh.err));
	assert_int_equal(n, 1);
	fresh_ok(outbox_get(fresh.store, id, &fresh.arena, &row, &fresh.err));
	assert_int_equal(row.state, OUTBOX_DEAD);
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(store_end(fresh.store,
			   outbox_retry(fresh.store, id, NOW + 500000,
					&fresh.err),
			   &fresh.err));
	fresh_ok(outbox_get(fresh.store, id, &fresh.arena, &row, &fresh.err));
	assert_int_equal(row.state, OUTBOX_PENDING);
	assert_int_equal(row.due, NOW + 500000);
}

static void three_bounces_stop_an_address(void **state)
{
	struct slice why;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(optout_get(fresh.store, S("a@x.org"),
					    &fresh.arena, &why, &fresh.err),
				 PH_NONE);
		fresh_ok(store_begin(fresh.store, &fresh.err));
		fresh_ok(bounce_add(fresh.store, S("A@x.org"), S("550"), NOW,
				    &fresh.err));
		fresh_ok(store_commit(fresh.store, &fresh.err));
	}
	fresh_ok(optout_get(fresh.store, S("a@x.org"), &fresh.arena, &why,
			    &fresh.err));
	assert_true(slice_eq(why, S("3 mails to it bounced")));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_begin, fresh_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_key_is_queued_once),
		TEST(claims_go_by_due_time),
		TEST(an_update_waits_for_its_thread),
		TEST(a_refused_channel_pauses_and_comes_back),
		TEST(a_channel_that_is_gone_is_not_tried),
		TEST(a_crash_while_sending_may_have_sent),
		TEST(five_days_are_enough),
		TEST(three_bounces_stop_an_address),
	};

	return cmocka_run_group_tests_name("store_outbox", tests, NULL, NULL);
}
