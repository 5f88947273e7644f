/*
 * What owners of trees have asked of the robot, and what the desk and
 * `route test` make of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/story.h"

static struct trees trees;

static int begin(void **state)
{
	story_begin(state);
	trees_init(&trees);
	story_ok(trees_add(&trees, S("queue"),
			   S("owner: Owner <owner@example.org>\n"
			     "mail_cc:\n"
			     "- Copy <copy@example.org>\n"
			     "- q@lists.example.org\n"
			     "private_report_branch: sched/.*\n"
			     "branch_denylist: wip/.*\n"),
			   &story.err));
	return 0;
}

static int end(void **state)
{
	trees_release(&trees);
	return story_end(state);
}

/* A regression in a branch of the tree. */
static int64_t tell_of(const char *branch, const char *notices)
{
	struct robot_mail m = story_mail;

	m.label = arena_printf(&story.arena, "queue:%s", branch);
	m.tree = arena_printf(&story.arena,
			      "https://git.example.org/queue.git "
			      "%s",
			      branch);
	story.desk.trees = &trees;
	return story_tell(&m, notices);
}

static void the_owner_and_copies_are_mailed(void **state)
{
	int64_t id;

	(void)state;
	story_config(STORY_CHANNEL("type: mail, to: \"@owner\""));
	id = tell_of("mm/core", "first c owner@example.org" STORY_SAYS
				"first c copy@example.org" STORY_SAYS);
	story_why(id, "q@lists.example.org: not told: it is a mailing list");
}

static void a_private_branch_is_the_owners(void **state)
{
	(void)state;
	story_config(STORY_CHANNEL("type: mail, to: \"@owner\""));
	tell_of("sched/core", "first c owner@example.org" STORY_SAYS);
}

static void use_list_and_person(void)
{
	story_config(STORY_CHANNEL("type: mail, to: [mm@lists.example.org, "
				   "a@example.org], list_consent: true"));
}

static void a_private_branch_reaches_no_list(void **state)
{
	int64_t id;

	(void)state;
	use_list_and_person();
	id = tell_of("sched/core", "");
	story_why(id, "mm@lists.example.org: not told: the tree's owner wants "
		      "no list to hear of this branch");
}

static void a_public_branch_reaches_list_and_person(void **state)
{
	(void)state;
	use_list_and_person();
	tell_of("mm/core", "first c mm@lists.example.org" STORY_SAYS
			   "first c a@example.org" STORY_SAYS);
}

static void a_denied_branch_is_told_to_no_others(void **state)
{
	int64_t id;

	(void)state;
	story_config(STORY_CHANNEL("type: mail, to: [\"@author\", "
				   "team@example.org]"));
	id = tell_of("wip/x", "first c team@example.org" STORY_SAYS);
	story_why(id, "author@example.org: not told: the tree's owner wants "
		      "this branch not measured");
}

static void another_tree_has_no_owner(void **state)
{
	int64_t id;

	(void)state;
	story_config(STORY_CHANNEL("type: mail, to: \"@owner\""));
	story.desk.trees = &trees;
	id = story_tell(&story_mail, "");
	story_why(id, "@owner: not told: it is not known who that is");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_owner_and_copies_are_mailed),
		TEST(a_private_branch_is_the_owners),
		TEST(a_private_branch_reaches_no_list),
		TEST(a_public_branch_reaches_list_and_person),
		TEST(a_denied_branch_is_told_to_no_others),
		TEST(another_tree_has_no_owner),
	};

	return cmocka_run_group_tests_name("owners", tests, NULL, NULL);
}
