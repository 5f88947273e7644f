/*
 * Which patch a report belongs to: by hash, by the patch id that a tree knows,
 * by title and author; and which of two copies of a mail is believed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/story.h"

static void a_mail_of_a_series_is_the_same_patch(void **state)
{
	struct robot_mail m = story_mail;
	int64_t posted, id;

	(void)state;
	m.tree = m.label = NULL;
	posted = story_tell(&m, "first chat" STORY_SAYS);
	m = story_mail;
	m.commit = STORY_COMMIT_B;
	id = story_tell(&m, "update chat" STORY_SAYS);
	story_why(id, "a higher tree");
	assert_int_equal(story_patch(id), story_patch(posted));
}

static void another_author_is_another_patch(void **state)
{
	struct robot_mail m = story_mail;
	int64_t first = story_tell(&m, "first chat" STORY_SAYS), id;

	(void)state;
	m.commit = STORY_COMMIT_B;
	m.to = "else@example.org";
	id = story_tell(&m, "first chat" STORY_SAYS);
	assert_int_not_equal(story_patch(first), story_patch(id));
	story_why(id, "no other patch has this title and author");
}

static void merges_never_match_by_title(void **state)
{
	struct robot_mail m = story_mail;
	int64_t first, id;

	(void)state;
	m.title = "Merge tag 'mm-6.18' of git://git.kernel.org/mm";
	first = story_give(&m, PROVEN_DKIM);
	m.commit = STORY_COMMIT_B;
	id = story_give(&m, PROVEN_DKIM);
	assert_int_not_equal(story_patch(first), story_patch(id));
	story_why(id, "a merge or no title");
}

static void the_same_mail_twice_tells_once(void **state)
{
	struct robot_mail m = story_mail;
	int64_t first, id;

	(void)state;
	m.id = "202610010915.4e1c09ab-lkp@intel.com";
	first = story_give(&m, PROVEN_AUTHRES);
	m.id = "202610010915.4e1c09ab-lkp@xxxxxxxxx";
	id = story_tell(&m, "");
	/* the better proven one replaces it, and has nothing more to say */
	assert_int_equal(story_state(first), MESSAGE_DUPLICATE);
	assert_int_equal(story_state(id), MESSAGE_REPORT);
	story_why(id, "told of this report already");
}

static void an_unproven_copy_cannot_silence_the_real_one(void **state)
{
	struct robot_mail m = story_mail;
	int64_t forged, real;

	(void)state;
	m.id = "202610010915.4e1c09ab-lkp@intel.com";
	m.percent = 3.1;
	forged = story_give(&m, PROVEN_NOT);
	assert_int_equal(story_state(forged), MESSAGE_UNPROVEN);
	story_expect(forged, "");
	m.percent = 12.0;
	real = story_tell(&m, "first chat" STORY_SAYS);
	assert_int_equal(story_state(real), MESSAGE_REPORT);
}

static void a_vouched_message_is_believed(void **state)
{
	int64_t id = story_give(&story_mail, PROVEN_NOT);

	(void)state;
	story_again(id, true, false);
	story_expect(id, "first chat" STORY_SAYS);
	story_why(id, "vouched");
}

/* -- what the tree says -- */

static struct commit_facts tree_says;

static enum status answer(void *arg, struct slice hex, struct arena *a,
			  struct commit_facts *ret, struct err *e)
{
	(void)arg, (void)hex, (void)a, (void)e;
	*ret = tree_says;
	return PH_OK;
}

static void one_patch_id_is_one_patch(void **state)
{
	struct desk_git git = { answer, NULL };
	struct robot_mail m = story_mail;
	int64_t first, other, id;

	(void)state;
	desk_init(&story.desk, story.config, story.store, &git);
	tree_says = (struct commit_facts){
		.author = { S("A. Author"), S("mapped@example.org") },
		.n_parents = 1,
		.patch_id = "1111111111111111111111111111111111111111",
	};
	first = story_give(&m, PROVEN_DKIM);
	story_why(first, "no other patch has this title and author");
	/* a rebase under another title, no 14 days of silence */
	m.commit = STORY_COMMIT_B;
	m.title = "mm: walk the list under a lock";
	story.now += 20 * STORY_DAY;
	id = story_tell(&m, "");
	assert_int_equal(story_patch(first), story_patch(id));
	story_why(id, "the same patch id 1111");
	/* two patches that turn out to be one */
	m.commit = STORY_COMMIT_C;
	m.title = "mm: else";
	m.metric = "vm-scalability.throughput";
	strcpy(tree_says.patch_id, "2222222222222222222222222222222222222222");
	other = story_give(&m, PROVEN_DKIM);
	assert_int_not_equal(story_patch(first), story_patch(other));
	strcpy(tree_says.patch_id, "1111111111111111111111111111111111111111");
	story.now += STORY_DAY;
	id = story_give(&m, PROVEN_DKIM);
	story_why(id,
		  "another patch has the same patch id and is merged with it");
	assert_int_equal(story_patch(first), story_patch(other));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, story_begin_chat, story_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_mail_of_a_series_is_the_same_patch),
		TEST(another_author_is_another_patch),
		TEST(merges_never_match_by_title),
		TEST(the_same_mail_twice_tells_once),
		TEST(an_unproven_copy_cannot_silence_the_real_one),
		TEST(a_vouched_message_is_believed),
		TEST(one_patch_id_is_one_patch),
	};

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
