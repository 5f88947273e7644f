/* The desk and a git helper that is asked once, hangs, dies, or is late. */
#include "tests/git_story.h"

#include <string.h>
#include "bot/store/gitfacts.h"
#include "ph/clock.h"

/* A change to a.c, of title "mm: a". */
static const char *commit_a(void)
{
	return git_story_commit("mm: a", "sed -i 's/^25$/x/' mm/a.c");
}

static void a_commit_is_asked_for_once(void **state)
{
	const char *a = commit_a();
	struct gitfacts_row row;
	int64_t id;

	(void)state;
	git_story_decide(git_story_put(a, "mm: a"));
	story_ok(gitfacts_get(story.store, slice_of(a), &story.arena, &row,
			      &story.err));
	assert_true(row.answered && row.json.len && row.settled);
	git_story_stop_helper();
	id = git_story_put(a, "mm: a");
	story_decide();
	assert_false(story.desk.waits);
	assert_int_equal(story_state(id), MESSAGE_REPORT);
}

static void a_helper_that_hangs_delays_nobody(void **state)
{
	const char *a = commit_a();
	const char *b = git_story_rebase(a, "mm: a, said better");
	int64_t known = git_story_put(a, "mm: a"), id[3];
	int64_t end = clock_mono_ms() + GIT_STORY_SECONDS * 1000;

	(void)state;
	git_story_decide(known);
	git_story_stop_helper();
	id[0] = git_story_put(b, "mm: a, said better");
	id[1] = git_story_put(a, "mm: a");
	story_decide();
	/* one waits, who needs no answer does not */
	assert_int_equal(story_state(id[0]), MESSAGE_NEW);
	assert_int_equal(story_state(id[1]), MESSAGE_REPORT);
	git_story.git.wait_ms = 0;
	git_story_decide(id[0]);
	assert_int_not_equal(story_patch(id[0]), story_patch(known));
	assert_string_equal(story_patch_row(id[0]).author.ptr,
			    "to@example.org");
	/* nobody after it waits at all */
	id[2] = git_story_put("1234567890123456789012345678901234567890",
			      "mm: other");
	story_decide();
	assert_int_equal(story_state(id[2]), MESSAGE_REPORT);

	git_story_continue_helper();
	while (story_patch(id[0]) != story_patch(known)) {
		assert_true(clock_mono_ms() < end);
		git_story_turn();
	}
	assert_string_equal(story_patch_row(id[0]).author.ptr,
			    "new@example.org");
	assert_non_null(strstr(git_story_audit(story_patch(known)),
			       "perfherald merge: two patches have the patch "
			       "id "));
}

static void a_helper_that_died_is_replaced(void **state)
{
	int64_t id = git_story_put(commit_a(), "mm: a");

	(void)state;
	git_story_stop_helper();
	story_decide();
	assert_true(story.desk.waits);
	git_story_kill_helper();
	git_story_start_helper();
	git_story_decide(id);
	assert_string_equal(story_patch_row(id).author.ptr, "new@example.org");
}

static void what_was_not_answered_is_asked_again(void **state)
{
	int64_t id = git_story_put(commit_a(), "mm: a");
	int64_t end = clock_mono_ms() + GIT_STORY_SECONDS * 1000;

	(void)state;
	git_story_stop_helper();
	git_story.git.wait_ms = 0;
	git_story_decide(id);
	/* the question dies with its helper */
	git_story_reconnect();
	assert_string_equal(story_patch_row(id).author.ptr, "to@example.org");
	git_story.git.refresh.before = clock_wall() + 1;
	while (!slice_eq(story_patch_row(id).author, S("new@example.org"))) {
		assert_true(clock_mono_ms() < end);
		story_ok(desk_git_refresh(&git_story.git, story.now,
					  &story.err));
		git_story_turn();
	}
}

#define TEST(t) \
	cmocka_unit_test_setup_teardown(t, git_story_begin, git_story_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_commit_is_asked_for_once),
		TEST(a_helper_that_hangs_delays_nobody),
		TEST(a_helper_that_died_is_replaced),
		TEST(what_was_not_answered_is_asked_again),
	};

	return cmocka_run_group_tests_name("desk_git_late", tests, NULL, NULL);
}
