/*
 * When a notice may go out: hours with their time zone, an embargo, a grouping
 * window, a limit an hour and a paused channel, by a clock of the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/gate.h"
#include "bot/hours.h"
#include "tests/story.h"
#include "tests/table.h"

#define HOUR 3600
#define DAY  STORY_DAY

#define SAYS(percent, metric) \
	": WORSE " percent "% " metric ": mm: walk the list under one lock\n"
#define METRIC_A "will-it-scale.per_process_ops"
#define METRIC_B "vm-scalability.throughput"

/* The moment at which the first notice is due, to the second. */
static void expect_due(int64_t at)
{
	struct outbox_row row;

	story.now = at - 1;
	assert_false(story_due(&row));
	story.now = at;
	assert_true(story_due(&row));
}

static struct hours_case {
	const char *name, *hours;
	int64_t from, want; /* seconds after Thursday, 2026-10-01 00:00 UTC */
} hours_cases[] = {
	{ "inside", "08:00-18:00", 12 * HOUR, 12 * HOUR },
	{ "the first second", "08:00-18:00", 8 * HOUR, 8 * HOUR },
	{ "the last second", "08:00-18:00", 18 * HOUR - 1, 18 * HOUR - 1 },
	{ "just over", "08:00-18:00", 18 * HOUR, DAY + 8 * HOUR },
	{ "a zone in summer", "08:00-18:00 Europe/Berlin", 17 * HOUR,
	  DAY + 6 * HOUR },
	/* 2026-10-25 ends it: Sunday evening to Monday morning */
	{ "a zone whose summer ends", "mon-fri 08:00-18:00 Europe/Berlin",
	  22 * DAY + 17 * HOUR, 25 * DAY + 7 * HOUR },
	{ "a half hour's zone", "09:00-17:00 Asia/Kolkata", 0,
	  3 * HOUR + 1800 },
	{ "a weekend", "mon-fri 08:00-18:00", DAY + 19 * HOUR,
	  4 * DAY + 8 * HOUR },
	{ "over midnight", "22:00-06:00", 5 * HOUR, 5 * HOUR },
	{ "over midnight, at noon", "22:00-06:00", 12 * HOUR, 22 * HOUR },
	{ "friday's night goes on", "fri 22:00-06:00", 2 * DAY + 5 * HOUR,
	  2 * DAY + 5 * HOUR },
	{ "and ends", "fri 22:00-06:00", 2 * DAY + 6 * HOUR,
	  8 * DAY + 22 * HOUR },
};

static void hours_are_kept(void **state)
{
	const struct hours_case *c = *state;
	int64_t midnight = STORY_START - 12 * HOUR;
	const struct config_hours *h;

	story_begin(NULL);
	story_config(arena_printf(&story.arena,
				  STORY_CHANNEL("type: stdout, hours: %s"),
				  c->hours));
	h = &story.config->channels[0].hours;
	assert_int_equal(hours_next(h, midnight + c->from) - midnight, c->want);
	story_end(NULL);
}

static void a_notice_waits_for_its_hours(void **state)
{
	(void)state;
	story_config(STORY_CHANNEL("type: file, path: /tmp/c, "
				   "hours: 08:00-13:00 Europe/Berlin"));
	/* 14:00 in Berlin */
	story_tell(&story_mail, "first c" SAYS("12.0", METRIC_A));
	expect_due(STORY_START + 18 * HOUR);
}

/* One that was due in time, and could not be sent. */
static void a_late_one_waits_for_them_too(void **state)
{
	const struct config_channel *ch;

	(void)state;
	story_config(STORY_CHANNEL("type: file, path: /tmp/c, "
				   "hours: 08:00-13:00"));
	ch = &story.config->channels[0];
	assert_int_equal(gate_opens(ch, STORY_START), STORY_START);
	assert_int_equal(gate_opens(ch, STORY_START + HOUR),
			 STORY_START + 20 * HOUR);
}

static void an_embargo_holds_one_channel_only(void **state)
{
	struct outbox_row row;

	(void)state;
	story_config("state: /tmp/x.db\nsend: true\nchannels:\n"
		     "  team: {type: file, path: /tmp/a}\n"
		     "  public: {type: file, path: /tmp/b, embargo: 24h}\n"
		     "routes:\n"
		     "  - {match: {min_percent: 1}, to: [team, public]}\n");
	story_tell(&story_mail,
		   "first team" SAYS("12.0",
				     METRIC_A) "first public" SAYS("12.0",
								   METRIC_A));
	assert_true(story_due(&row));
	assert_true(slice_eq(row.channel, S("team")));
	expect_due(STORY_START + DAY);
}

static void an_embargo_that_ends_at_night_waits_for_morning(void **state)
{
	(void)state;
	story_config(STORY_CHANNEL("type: file, path: /tmp/c, embargo: 10h, "
				   "hours: 08:00-18:00"));
	story_tell(&story_mail, "first c" SAYS("12.0", METRIC_A));
	expect_due(STORY_START + 20 * HOUR);
}

static void a_group_goes_out_as_one(void **state)
{
	struct robot_mail m = story_mail;
	struct outbox_row row;
	struct notice n = { 0 };
	int64_t id;

	(void)state;
	story_config(STORY_CHANNEL("type: file, path: /tmp/c, "
				   "group_wait: 10m"));
	story_tell(&m, "first c" SAYS("12.0", METRIC_A));
	story.now += 300;
	m.metric = METRIC_B;
	m.percent = 20;
	id = story_tell(&m, "first c" SAYS("20.0", METRIC_B));
	expect_due(STORY_START + 600);
	story_ok(outbox_set(story.store, 2, OUTBOX_SENDING, S(""), story.now,
			    &story.err));
	story_ok(outbox_get(story.store, 2, &story.arena, &row, &story.err));
	assert_int_equal(row.message, id);
	story_ok(notice_from_json(row.facts, &story.arena, &n, &story.err));
	assert_int_equal(n.n_results, 2);
	assert_false(story_due(&row));
	/* after the window, a new one opens */
	story_ok(outbox_set(story.store, 2, OUTBOX_SENT, S(""), story.now,
			    &story.err));
	story.now++;
	m.metric = "netperf.Throughput_Mbps";
	story_tell(&m, "update c" SAYS("20.0", "netperf.Throughput_Mbps"));
	expect_due(STORY_START + 601 + 600);
}

static void what_is_over_the_limit_is_one_digest(void **state)
{
	struct robot_mail m = story_mail;

	(void)state;
	story_config(STORY_CHANNEL("type: file, path: /tmp/c, "
				   "max_per_hour: 2"));
	for (int i = 0; i < 5; i++) {
		m.commit = arena_printf(&story.arena, "%040d", i + 1);
		m.title = arena_printf(&story.arena, "mm: patch %d", i + 1);
		m.percent = 10 + i;
		story_give(&m, PROVEN_DKIM);
	}
	story_timers();
	assert_string_equal(story_digest(), "");
	story.now += HOUR - 1;
	story_timers();
	assert_string_equal(story_digest(), "");
	story.now++;
	story_timers();
	assert_string_equal(story_digest(), "WORSE 14.0% " METRIC_A
					    "  000000000000 mm: patch 5\n"
					    "WORSE 13.0% " METRIC_A
					    "  000000000000 mm: patch 4\n"
					    "WORSE 12.0% " METRIC_A
					    "  000000000000 mm: patch 3\n");
	/* and is said once */
	story.now += 2 * HOUR;
	story_timers();
	story_expect(0, "first c: WORSE 10.0% " METRIC_A ": mm: patch 1\n"
			"first c: WORSE 11.0% " METRIC_A ": mm: patch 2\n"
			"digest c: 3 worse, 0 better, 2026-10-01\n");
}

static bool attempt(const struct outbox_row *row, enum delivery what)
{
	struct delivery_result result = { .what = what, .text = "403 no" };
	bool paused = false;

	story_ok(outbox_attempt(story.store, row, &result, story.now, 0,
				&paused, &story.err));
	return paused;
}

static void a_paused_channel_is_tried_each_hour(void **state)
{
	struct robot_mail m = story_mail;
	struct outbox_row row;

	(void)state;
	story_config(STORY_CHANNEL("type: file, path: /tmp/c"));
	story_give(&m, PROVEN_DKIM);
	m.commit = STORY_COMMIT_B;
	m.title = "mm: two";
	story_give(&m, PROVEN_DKIM);
	assert_true(story_due(&row));
	/* the operator hears of the first refusal only */
	assert_true(attempt(&row, DELIVERY_CHANNEL));
	assert_false(story_due(&row));
	story.now += HOUR - 1;
	assert_false(story_due(&row));
	story.now++;
	assert_true(story_due(&row));
	assert_false(attempt(&row, DELIVERY_CHANNEL));
	story.now += HOUR;
	assert_true(story_due(&row));
	assert_false(attempt(&row, DELIVERY_SENT));
	/* it works again: what else waits goes at once */
	assert_true(story_due(&row));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, story_begin, story_end)

int main(void)
{
	static const struct CMUnitTest plain[] = {
		TEST(a_notice_waits_for_its_hours),
		TEST(a_late_one_waits_for_them_too),
		TEST(an_embargo_holds_one_channel_only),
		TEST(an_embargo_that_ends_at_night_waits_for_morning),
		TEST(a_group_goes_out_as_one),
		TEST(what_is_over_the_limit_is_one_digest),
		TEST(a_paused_channel_is_tried_each_hour),
	};
	struct CMUnitTest tests[ARRAY_LEN(plain) + ARRAY_LEN(hours_cases)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tests[n++] = plain[i];
	TABLE_ADD(tests, n, hours_cases, name, hours_are_kept);
	return cmocka_run_group_tests_name("when", tests, NULL, NULL);
}
