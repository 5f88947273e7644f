/*
 * What is news and what a repeat: the story of one patch, a patch that was
 * closed, and a message that is decided anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/story.h"

#define SAYS(word, percent, metric)                                        \
	": " word " " percent "% " metric ": mm: walk the list under one " \
	"lock\n"
#define METRIC_A "will-it-scale.per_process_ops"
#define METRIC_B "vm-scalability.throughput"

/* What the patch of an earlier message must lead to, measured again, and the
 * reason. */
static int64_t measured_again(const struct robot_mail *m, int64_t first,
			      const char *notices, const char *why)
{
	int64_t id = story_tell(m, notices);

	story_why(id, why);
	assert_int_equal(story_patch(id), story_patch(first));
	return id;
}

static void the_story_of_a_patch(void **state)
{
	struct robot_mail m = story_mail;
	int64_t first = story_tell(&m, "first chat" STORY_SAYS), id;

	(void)state;
	/* the same result again, in the same tree: a repeat */
	story.now += STORY_DAY;
	measured_again(&m, first, "", "repeat: known as 12.0%");

	/* a rebase: another hash, the same title and author */
	m.commit = STORY_COMMIT_B;
	id = measured_again(&m, first, "",
			    "the same title and author (author@example.org)");
	story_why(id, "nothing in it is new: not told");

	/* another test is news, in the same thread */
	m.metric = METRIC_B;
	m.percent = 7.0;
	measured_again(&m, first, "update chat" SAYS("WORSE", "7.0", METRIC_B),
		       "news: ");

	/* the verdict turned */
	m.verdict = "improvement";
	measured_again(&m, first, "update chat" SAYS("BETTER", "7.0", METRIC_B),
		       "the verdict turned from regression");

	/* it moved by little, then by much */
	m = story_mail;
	m.percent = 16.0;
	story_tell(&m, "");
	m.percent = 18.5;
	measured_again(&m, first, "update chat" SAYS("WORSE", "18.5", METRIC_A),
		       "it moved from 12.0%");

	/* it came into mainline */
	m.tree = STORY_MAINLINE;
	m.label = "linus:master";
	measured_again(&m, first, "update chat" SAYS("WORSE", "18.5", METRIC_A),
		       "a higher tree");
	story_tell(&m, "");

	/* a third hash long after the last telling */
	story.now += 15 * STORY_DAY;
	story_tell(&m, "");
	m.commit = STORY_COMMIT_C;
	measured_again(&m, first, "update chat" SAYS("WORSE", "18.5", METRIC_A),
		       "a new commit id, and nothing told for 14 days");
}

static void a_closed_patch_reopens(void **state)
{
	int64_t id = story_tell(&story_mail, "first chat" STORY_SAYS);

	(void)state;
	story_set_life(id, LIFE_FIXED, "by me");
	story.now += STORY_DAY;
	id = story_tell(&story_mail, "update chat" STORY_SAYS);
	story_why(id, "it was fixed (by me) and is open again");
	assert_int_equal(story_life(id), LIFE_OPEN);
}

static void deciding_anew_tells_nothing_twice(void **state)
{
	int64_t id = story_tell(&story_mail, "first chat" STORY_SAYS);

	(void)state;
	story_again(id, false, false);
	story_expect(id, "first chat" STORY_SAYS);
	story_why(id, "told of this report already");
	/* unless a person wants just that */
	story_again(id, false, true);
	story_expect(id, "first chat" STORY_SAYS "update chat" STORY_SAYS);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, story_begin_chat, story_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_story_of_a_patch),
		TEST(a_closed_patch_reopens),
		TEST(deciding_anew_tells_nothing_twice),
	};

	return cmocka_run_group_tests_name("news", tests, NULL, NULL);
}
