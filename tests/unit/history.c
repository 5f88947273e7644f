/*
 * The history of one patch, mail by mail: each line is a report, the notices
 * that it must lead to, and the words by which `why` explains what it does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/story.h"

#define A STORY_COMMIT_A
#define B STORY_COMMIT_B
#define C STORY_COMMIT_C
#define D "ddddddddddddddddddddddddddddddddddddddd4"
#define E "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee5"
#define F "fffffffffffffffffffffffffffffffffffffff6"

#define TITLE "mm: walk the list under one lock"
#define MERGE "Merge tag 'mm-6.18' of git://git.kernel.org/mm"
#define OPS   "will-it-scale.per_process_ops"
#define TPUT  "vm-scalability.throughput"

#define SAYS(kind, word, percent, metric, title) \
	kind " chat: " word " " percent "% " metric ": " title "\n"

enum whose {
	SAME,
	OTHER
}; /* patch: as of the first that is proven, or a new one */

static const struct chapter {
	const char *name;
	int days; /* after the one before */
	struct robot_mail mail;
	enum proven proven;
	const char *notices;
	const char *why;
	enum whose whose;
} chapters[] = {
	{ "a forged copy comes first",
	  0,
	  { .id = "202610010915.4e1c09ab-lkp@intel.com",
	    .commit = A,
	    .percent = 3.1 },
	  PROVEN_NOT,
	  "",
	  "proof: ",
	  OTHER },
	{ "the real one",
	  0,
	  { .id = "202610010915.4e1c09ab-lkp@intel.com",
	    .commit = A,
	    .percent = 12 },
	  PROVEN_DKIM,
	  SAYS("first", "WORSE", "12.0", OPS, TITLE),
	  "no other patch has this title and author",
	  SAME },
	{ "the same measured again",
	  1,
	  { .commit = A, .percent = 12 },
	  PROVEN_DKIM,
	  "",
	  "repeat: known as 12.0%",
	  SAME },
	{ "the patch as posted, in a series",
	  0,
	  { .title = "[PATCH v2 3/3] " TITLE,
	    .commit = B,
	    .percent = 12.4,
	    .tree = "" },
	  PROVEN_DKIM,
	  "",
	  "the same title and author (author@example.org)",
	  SAME },
	{ "a second hash, rebased",
	  1,
	  { .commit = C, .percent = 11 },
	  PROVEN_DKIM,
	  "",
	  "nothing in it is new: not told",
	  SAME },
	{ "the same title of another author",
	  0,
	  { .commit = D, .percent = 12, .to = "else@example.org" },
	  PROVEN_DKIM,
	  SAYS("first", "WORSE", "12.0", OPS, TITLE),
	  "no other patch has this title and author",
	  OTHER },
	{ "a merge",
	  0,
	  { .commit = E, .percent = 12, .title = MERGE },
	  PROVEN_DKIM,
	  SAYS("first", "WORSE", "12.0", OPS, MERGE),
	  "a merge or no title",
	  OTHER },
	{ "the merge of the same name a week later",
	  7,
	  { .commit = F, .percent = 12, .title = MERGE },
	  PROVEN_DKIM,
	  SAYS("first", "WORSE", "12.0", OPS, MERGE),
	  "a merge or no title",
	  OTHER },
	{ "another test",
	  0,
	  { .commit = A, .percent = 7, .metric = TPUT },
	  PROVEN_DKIM,
	  SAYS("update", "WORSE", "7.0", TPUT, TITLE),
	  "news: ",
	  SAME },
	{ "whose verdict turns",
	  1,
	  { .commit = C,
	    .percent = 7,
	    .metric = TPUT,
	    .verdict = "improvement" },
	  PROVEN_DKIM,
	  SAYS("update", "BETTER", "7.0", TPUT, TITLE),
	  "the verdict turned from regression",
	  SAME },
	{ "a little more",
	  0,
	  { .commit = C, .percent = 16 },
	  PROVEN_DKIM,
	  "",
	  "repeat: known as",
	  SAME },
	{ "much more",
	  0,
	  { .commit = C, .percent = 22 },
	  PROVEN_DKIM,
	  SAYS("update", "WORSE", "22.0", OPS, TITLE),
	  "it moved from",
	  SAME },
	{ "it comes into mainline",
	  1,
	  { .commit = C,
	    .percent = 22,
	    .tree = STORY_MAINLINE,
	    .label = "linus:master" },
	  PROVEN_DKIM,
	  SAYS("update", "WORSE", "22.0", OPS, TITLE),
	  "a higher tree",
	  SAME },
	{ "and is measured there again",
	  1,
	  { .commit = C,
	    .percent = 22,
	    .tree = STORY_MAINLINE,
	    .label = "linus:master" },
	  PROVEN_DKIM,
	  "",
	  "repeat: known as",
	  SAME },
};

static struct robot_mail whole(const struct robot_mail *part)
{
	struct robot_mail m = story_mail;

	m.id = part->id;
	m.commit = part->commit;
	m.percent = part->percent;
	if (part->title)
		m.title = part->title;
	if (part->to)
		m.to = part->to;
	if (part->metric)
		m.metric = part->metric;
	if (part->verdict)
		m.verdict = part->verdict;
	if (part->label)
		m.label = part->label;
	if (part->tree)
		m.tree = *part->tree ? part->tree : NULL;
	if (!m.tree)
		m.label = NULL;
	return m;
}

/* *first: the message of the first proven chapter, 0 before. */
static void tell_chapter(const struct chapter *c, int64_t *first)
{
	struct robot_mail m = whole(&c->mail);
	int64_t id;

	print_message("           %s\n", c->name);
	story.now += c->days * STORY_DAY;
	id = story_give(&m, c->proven);
	story_expect(id, c->notices);
	story_why(id, c->why);
	if (c->proven == PROVEN_NOT)
		return;
	if (!*first)
		*first = id;
	assert_int_equal(story_patch(id) == story_patch(*first),
			 c->whose == SAME);
}

static void a_patch_has_one_history(void **state)
{
	struct robot_mail m = story_mail;
	int64_t first = 0, id;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(chapters); i++)
		tell_chapter(&chapters[i], &first);
	/* closed by a person, and there again */
	story_set_life(first, LIFE_FIXED, "by me");
	story.now += STORY_DAY;
	m.commit = C;
	m.percent = 22;
	id = story_tell(&m, SAYS("update", "WORSE", "22.0", OPS, TITLE));
	story_why(id, "it was fixed (by me) and is open again");
	assert_int_equal(story_life(id), LIFE_OPEN);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_patch_has_one_history,
						story_begin_chat, story_end),
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
