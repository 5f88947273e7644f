/* Fixes that the tree has: before the report of a patch, and after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include "bot/fixes.h"
#include "tests/story.h"

/* A commit of the tree says that it mends this commit, or this report. */
static void take_fix(const char *commit, const char *report)
{
	struct fix_claim claim = { .title = S("mm: mend it"),
				   .commit = slice_of(commit),
				   .report = slice_of(report) };

	memset(claim.fix, 'f', GIT_HEX);
	story_ok(store_begin(story.store, &story.err));
	story_ok(store_end(story.store,
			   fixes_take(&story.desk, &claim, story.now,
				      &story.err),
			   &story.err));
}

static void a_fix_in_the_tree_closes_the_patch(void **state)
{
	struct robot_mail m = story_mail;
	int64_t id;

	(void)state;
	m.id = "202610010915.4e1c09ab-lkp@intel.com";
	id = story_give(&m, PROVEN_DKIM);
	take_fix("bbbbbbbbbbbb", "");
	assert_int_equal(story_life(id), LIFE_OPEN);
	take_fix("", "202610010915.4e1c09ab-lkp@intel.com");
	assert_int_equal(story_life(id), LIFE_FIXED);
	/* a tree without the fix is no reason to open it again */
	m.id = NULL;
	story.now += STORY_DAY;
	id = story_tell(&m, "");
	assert_int_equal(story_life(id), LIFE_FIXED);
}

static void take_fix_words(void *arg, const struct outbox_row *row)
{
	struct notice n = { 0 };

	story_ok(notice_from_json(row->facts, &story.arena, &n, &story.err));
	snprintf(arg, 256, "%.*s", S_FMT(n.fix));
}

static void a_fix_may_come_before_the_report(void **state)
{
	char words[256] = "";
	int64_t id;

	(void)state;
	take_fix("aaaaaaaaaaaa", "");
	id = story_tell(&story_mail, "first chat" STORY_SAYS);
	assert_int_equal(story_life(id), LIFE_FIXED);
	story_ok(outbox_each(story.store, ~0u, 0, id, &story.arena,
			     take_fix_words, words, &story.err));
	assert_string_equal(words, "fixed by ffffffffffff (\"mm: mend it\")");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, story_begin_chat, story_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_fix_in_the_tree_closes_the_patch),
		TEST(a_fix_may_come_before_the_report),
	};

	return cmocka_run_group_tests_name("fixes", tests, NULL, NULL);
}
