/*
 * The desk's own turns: digests and limits that fall due, words to the
 * operator, what is older than `keep`, and an answer that is late.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/store/query.h"
#include "tests/story.h"

#define DAY STORY_DAY

static void too_many_become_one_digest(void **state)
{
	struct robot_mail m = story_mail;

	(void)state;
	story_config(STORY_CHANNEL("type: file, path: /tmp/c, "
				   "max_per_hour: 1"));
	story_tell(&m, "first c" STORY_SAYS);
	m.commit = STORY_COMMIT_B;
	m.title = "mm: two";
	story_why(story_tell(&m, ""),
		  "over max_per_hour, so in the next digest");
	m.commit = STORY_COMMIT_C;
	m.title = "mm: three";
	m.percent = 30;
	story_tell(&m, "");
	assert_int_equal(story_timers(), story.now + 600);
	story.now += 3600;
	story_timers();
	story_expect_pending("first c" STORY_SAYS
			     "digest c: 2 worse, 0 better, 2026-10-01\n");
}

static void a_digest_comes_by_schedule(void **state)
{
	struct robot_mail m = story_mail;

	(void)state;
	story_config(STORY_CHANNEL("type: file, path: /tmp/c, "
				   "digest: weekly mon 08:00"));
	story_timers();
	story_why(story_tell(&m, ""), "in the next digest");
	m.commit = STORY_COMMIT_B;
	m.title = "mm: two";
	m.verdict = "improvement";
	m.percent = 40;
	story_tell(&m, "");
	m.commit = STORY_COMMIT_C;
	m.title = "mm: three";
	m.verdict = "regression";
	story_tell(&m, "");
	story.now = STORY_START + 3 * DAY + 20 * 3600 - 1;
	story_timers();
	assert_string_equal(story_digest(), "");
	story.now++;
	story_timers();
	assert_string_equal(
		story_digest(),
		"WORSE 40.0% will-it-scale.per_process_ops  cccccccccccc "
		"mm: three\n"
		"WORSE 12.0% will-it-scale.per_process_ops  aaaaaaaaaaaa "
		"mm: walk the list under one lock\n"
		"\n"
		"BETTER 40.0% will-it-scale.per_process_ops  bbbbbbbbbbbb "
		"mm: two\n");
	/* nothing new, nothing said */
	story.now += 7 * DAY;
	story_timers();
	story_expect_pending("digest c: 2 worse, 1 better, "
			     "2026-10-01 to 2026-10-05\n");
}

static void reports_of_a_patch_are_grouped(void **state)
{
	struct robot_mail m = story_mail;
	struct outbox_row row;

	(void)state;
	story_config(STORY_CHANNEL("type: file, path: /tmp/c, "
				   "group_wait: 10m"));
	story_give(&m, PROVEN_DKIM);
	story.now += 300;
	m.metric = "vm-scalability.throughput";
	m.percent = 20;
	story_give(&m, PROVEN_DKIM);
	story_expect_pending("first c: WORSE 20.0% vm-scalability.throughput: "
			     "mm: walk the list under one lock\n");
	story.now = STORY_START + 599;
	assert_false(story_due(&row));
	story.now++;
	assert_true(story_due(&row));
}

static void the_operator_is_told_once(void **state)
{
	(void)state;
	story_config(STORY_CHAT);
	story_ok(desk_tell_operator(&story.desk, S("pause:chat:1"),
				    S("chat is paused"), S("why\nwhat to do"),
				    story.now, &story.err));
	assert_int_equal(desk_tell_operator(&story.desk, S("pause:chat:1"),
					    S("x"), S("y"), story.now,
					    &story.err),
			 PH_NONE);
	story_expect(0, "operator ops: chat is paused\n");
}

static void what_is_older_than_keep_goes(void **state)
{
	struct robot_mail m = story_mail;
	struct message_row row;
	struct store_counts counts;
	int64_t old, young;

	(void)state;
	story_config("state: /tmp/x.db\nsend: true\nkeep: 30d\n"
		     "channels:\n  c: {type: file, path: /tmp/c}\n"
		     "routes:\n  - {match: {min_percent: 50}, to: [c]}\n");
	old = story_give(&m, PROVEN_DKIM);
	story.now += 20 * DAY;
	m.commit = STORY_COMMIT_B;
	m.title = "mm: else";
	young = story_give(&m, PROVEN_DKIM);
	story.now += 15 * DAY;
	story_timers();
	assert_int_equal(message_get(story.store, old, &story.arena, &row,
				     &story.err),
			 PH_NONE);
	story_ok(message_get(story.store, young, &story.arena, &row,
			     &story.err));
	story_ok(query_counts(story.store, &counts, &story.err));
	assert_int_equal(counts.patches, 1);
	story_ok(store_check(story.store, &story.err));
}

/* A git helper that has no answer to one commit yet. */
static enum status late(void *arg, struct slice hex, struct arena *a,
			struct commit_facts *ret, struct err *e)
{
	const bool *answers = arg;

	(void)a, (void)ret, (void)e;
	if (slice_eq(hex, S(STORY_COMMIT_A)))
		return *answers ? PH_NONE : PH_RETRY;
	return PH_NONE;
}

static void a_slow_answer_delays_nobody_else(void **state)
{
	bool answers = false;
	struct desk_git git = { late, &answers };
	struct robot_mail m = story_mail;
	int64_t slow, other;

	(void)state;
	story_config(STORY_CHAT);
	desk_init(&story.desk, story.config, story.store, &git);
	slow = story_put(&m, PROVEN_DKIM);
	m.commit = STORY_COMMIT_B;
	m.title = "mm: two";
	other = story_put(&m, PROVEN_DKIM);
	story_decide();
	assert_true(story.desk.waits);
	assert_int_equal(story_state(slow), MESSAGE_NEW);
	assert_int_equal(story_state(other), MESSAGE_REPORT);
	answers = true;
	story_decide();
	assert_false(story.desk.waits);
	assert_int_equal(story_state(slow), MESSAGE_REPORT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, story_begin, story_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(too_many_become_one_digest),
		TEST(a_digest_comes_by_schedule),
		TEST(reports_of_a_patch_are_grouped),
		TEST(the_operator_is_told_once),
		TEST(what_is_older_than_keep_goes),
		TEST(a_slow_answer_delays_nobody_else),
	};

	return cmocka_run_group_tests_name("desk", tests, NULL, NULL);
}
