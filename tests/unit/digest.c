/*
 * Digests: what a line says of a patch that was told of more than once, and
 * which old regressions are named again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/story.h"

#define DAY	 STORY_DAY
#define METRIC_A "will-it-scale.per_process_ops"
#define METRIC_B "vm-scalability.throughput"

static void begin_weekly(void)
{
	story_config(STORY_CHANNEL("type: file, path: /tmp/c, "
				   "digest: weekly mon 08:00"));
	story_timers();
}

/* Monday 08:00 after the story's Thursday, or the same weeks later. */
static void go_to_monday(int weeks)
{
	story.now = STORY_START + 3 * DAY + 20 * 3600 + weeks * 7 * DAY;
	story_timers();
}

static void another_patch(void)
{
	struct robot_mail m = story_mail;

	m.commit = STORY_COMMIT_B;
	m.title = "mm: two";
	m.percent = 5;
	story_tell(&m, "");
}

/* As the robot wrote them up to 2015: a change, and no word for it. */
static const char wordless[] =
	"Date: Thu, 1 Oct 2026 09:15:41 +0800\n"
	"From: kernel test robot <oliver.sang@intel.com>\n"
	"To: <author@example.org>\n"
	"CC: <oe-lkp@lists.linux.dev>, <lkp@intel.com>\n"
	"Subject: [lkp] [mm] cccccccccccc: -7.6% unixbench.score\n"
	"Message-ID: <202610010000.1234abcd-lkp@intel.com>\n\n"
	"FYI, we noticed the below changes on\n\n"
	"git://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git "
	"master\n"
	"commit " STORY_COMMIT_C " (\"mm: three\")\n\n\n"
	"testcase/path_params/tbox_group:\n"
	"  unixbench/performance-pipe/nhm-white\n\n"
	"commit: \n"
	"  0123456789 (\"mm: two\")\n"
	"  cccccccccc (\"mm: three\")\n\n"
	"0123456789abcdef cccccccccccccccccccccccccc3 \n"
	"---------------- --------------------------- \n"
	"         %stddev     %change         %stddev\n"
	"             \\          |                \\  \n"
	"    285.66            -7.6%     263.95        unixbench.score\n\n";

static void a_change_without_a_verdict_is_neither(void **state)
{
	struct robot_mail m = story_mail;

	(void)state;
	begin_weekly();
	story_give_raw(wordless, PROVEN_DKIM);
	m.commit = STORY_COMMIT_B;
	m.title = "mm: two";
	m.verdict = "improvement";
	m.percent = 3;
	story_tell(&m, "");
	go_to_monday(0);
	story_expect_pending("digest c: 0 worse, 1 better, 1 changed, "
			     "2026-10-01 to 2026-10-05\n");
	assert_string_equal(
		story_digest(),
		"BETTER 3.0% " METRIC_A "  bbbbbbbbbbbb mm: two\n"
		"\n"
		"CHANGED 7.6% unixbench.score  cccccccccccc mm: three\n");
}

static void a_line_is_the_worst_of_the_period(void **state)
{
	struct robot_mail m = story_mail;

	(void)state;
	begin_weekly();
	story_tell(&m, "");
	m.metric = METRIC_B;
	m.percent = 30;
	story_tell(&m, "");
	m.metric = "unixbench.throughput";
	m.percent = 4;
	story_tell(&m, "");
	m.metric = "netperf.Throughput_Mbps";
	m.verdict = "improvement";
	m.percent = 90;
	story_tell(&m, "");
	go_to_monday(0);
	assert_string_equal(story_digest(),
			    "WORSE 30.0% " METRIC_B "  aaaaaaaaaaaa "
			    "mm: walk the list under one lock\n");
}

static void a_line_says_what_was_closed_since(void **state)
{
	int64_t id;

	(void)state;
	begin_weekly();
	id = story_tell(&story_mail, "");
	story_set_life(id, LIFE_INVALID, "by hand");
	go_to_monday(0);
	assert_string_equal(story_digest(),
			    "WORSE 12.0% " METRIC_A "  aaaaaaaaaaaa mm: walk "
			    "the list under one lock (invalid)\n");
}

static void what_was_silenced_since_is_left_out(void **state)
{
	(void)state;
	begin_weekly();
	story_tell(&story_mail, "");
	story_silence("testcase=will-*\n", 30 * DAY);
	go_to_monday(0);
	assert_string_equal(story_digest(), "");
}

/* Later another patch makes a digest; *ret is the first's report. */
static void let_one_grow_old(const char *tree, const char *label, int64_t *ret)
{
	struct robot_mail m = story_mail;

	begin_weekly();
	m.tree = tree;
	m.label = label;
	*ret = story_tell(&m, "");
	go_to_monday(0);
}

#define NEWS "WORSE 5.0% " METRIC_A "  bbbbbbbbbbbb mm: two\n"
#define OLD                                                                   \
	"\nopen for over a week, no fix and no reply seen:\n"                 \
	"WORSE 12.0% " METRIC_A "  aaaaaaaaaaaa mm: walk the list under one " \
	"lock (10 days"

static void an_old_one_is_named_with_its_age(void **state)
{
	int64_t id;

	(void)state;
	let_one_grow_old(STORY_NEXT, "linux-next:master", &id);
	another_patch();
	go_to_monday(1);
	assert_string_equal(story_digest(), NEWS OLD ")\n");
}

static void an_old_one_in_mainline_says_so(void **state)
{
	int64_t id;

	(void)state;
	let_one_grow_old(STORY_MAINLINE, "linus:master", &id);
	another_patch();
	go_to_monday(1);
	assert_string_equal(story_digest(), NEWS OLD ", in mainline)\n");
}

static void one_with_a_reply_is_not_forgotten(void **state)
{
	struct robot_mail m = story_mail;

	(void)state;
	begin_weekly();
	m.id = "202610010915.4e1c09ab-lkp@intel.com";
	story_tell(&m, "");
	story_give_raw("From: dev@example.org\nTo: lkp@intel.com\n"
		       "Subject: Re: [mm] will-it-scale regression\n"
		       "Message-ID: <1@example.org>\n"
		       "In-Reply-To: <202610010915.4e1c09ab-lkp@intel.com>\n"
		       "Date: Thu, 1 Oct 2026 12:00:00 +0000\n\nI look.\n",
		       PROVEN_NOT);
	go_to_monday(0);
	another_patch();
	go_to_monday(1);
	assert_string_equal(story_digest(), NEWS);
}

static void one_that_is_taken_up_is_not_forgotten(void **state)
{
	int64_t id;

	(void)state;
	let_one_grow_old(STORY_NEXT, "linux-next:master", &id);
	story_set_life(id, LIFE_ACK, "by hand");
	another_patch();
	go_to_monday(1);
	assert_string_equal(story_digest(), NEWS);
}

static void one_whose_verdict_turned_is_not_forgotten(void **state)
{
	struct robot_mail m = story_mail;
	int64_t id;

	(void)state;
	let_one_grow_old(STORY_NEXT, "linux-next:master", &id);
	m.verdict = "improvement";
	story_tell(&m, "");
	another_patch();
	go_to_monday(1);
	go_to_monday(2);
	m = story_mail;
	m.commit = STORY_COMMIT_C;
	m.title = "mm: three";
	story_tell(&m, "");
	go_to_monday(3);
	assert_string_equal(
		story_digest(),
		"WORSE 12.0% " METRIC_A "  cccccccccccc mm: three\n"
		"\nopen for over a week, no fix and no reply seen:\n"
		"WORSE 5.0% " METRIC_A "  bbbbbbbbbbbb mm: two "
		"(21 days)\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, story_begin, story_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_change_without_a_verdict_is_neither),
		TEST(a_line_is_the_worst_of_the_period),
		TEST(a_line_says_what_was_closed_since),
		TEST(what_was_silenced_since_is_left_out),
		TEST(an_old_one_is_named_with_its_age),
		TEST(an_old_one_in_mainline_says_so),
		TEST(one_with_a_reply_is_not_forgotten),
		TEST(one_that_is_taken_up_is_not_forgotten),
		TEST(one_whose_verdict_turned_is_not_forgotten),
	};

	return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
