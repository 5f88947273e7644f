/*
 * What keeps a notice from its target: a proof that is not enough, the robot's
 * own mail, an allow list, `send: false`, a silence; and the second look at it
 * before it is sent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/gate.h"
#include "tests/story.h"

static void the_author_is_asked_for_proof(void **state)
{
	struct robot_mail m = story_mail;
	int64_t id;

	(void)state;
	story_config(STORY_CHANNEL("type: mail, to: \"@author\""));
	id = story_give(&m, PROVEN_OPEN);
	story_expect(id, "");
	story_why(id, "asks for a real proof");
	m.commit = STORY_COMMIT_B;
	m.title = "mm: else";
	story_tell(&m, "first c author@example.org: WORSE 12.0% will-it-scale."
		       "per_process_ops: mm: else\n");
}

/* By its name, or by the channel's word alone. */
static void a_list_is_asked_for_proof(void **state)
{
	static const struct {
		const char *config, *commit, *title;
	} lists[] = {
		{ STORY_CHANNEL("type: mail, to: mm@lists.example.org, "
				"list_consent: true"),
		  STORY_COMMIT_B, "mm: one" },
		{ STORY_CHANNEL("type: mail, to: perf-list@example.org, "
				"list_consent: true"),
		  STORY_COMMIT_C, "mm: other" },
	};
	struct robot_mail m = story_mail;
	int64_t id;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		story_config(lists[i].config);
		m.commit = lists[i].commit;
		m.title = lists[i].title;
		id = story_give(&m, PROVEN_OPEN);
		story_expect(id, "");
		story_why(id, "asks for a real proof");
	}
}

#define CHAT_TO(name) \
	"type: mattermost, url: https://chat.example.org/x, to: " name

/* "@bob" there is a person or a room of the service, and none of a patch. */
static void a_name_in_a_chat_is_told(void **state)
{
	(void)state;
	story_config(STORY_CHANNEL(CHAT_TO("\"@bob\"")));
	story_expect(story_give(&story_mail, PROVEN_OPEN),
		     "first c @bob" STORY_SAYS);
}

static void one_like_a_word_of_ours_too(void **state)
{
	(void)state;
	story_config(STORY_CHANNEL(CHAT_TO("\"@author\"")));
	story_expect(story_give(&story_mail, PROVEN_OPEN),
		     "first c @author" STORY_SAYS);
}

static void the_operator_may_have_such_a_name(void **state)
{
	(void)state;
	story_config("state: /tmp/x.db\nsend: true\noperator: c\n"
		     "channels:\n  c: {" CHAT_TO("\"@me\"") "}\n");
	story_ok(desk_tell_operator(&story.desk, S("key"), S("subject"),
				    S("text"), story.now, &story.err));
}

static void who_was_mailed_is_spared(void **state)
{
	(void)state;
	story_config(STORY_CHANNEL("type: mail, to: \"@author\", "
				   "only_if_new: true"));
	story_why(story_tell(&story_mail, ""),
		  "the robot has mailed it already");
}

static void the_allow_list_is_kept(void **state)
{
	(void)state;
	story_config(STORY_CHANNEL("type: mail, to: \"@author\", "
				   "allow: [\"*@example.net\"]"));
	story_why(story_tell(&story_mail, ""), "allow list");
}

static void nothing_leaves_while_send_is_false(void **state)
{
	struct outbox_row row;
	int64_t n;

	(void)state;
	story_config("state: /tmp/x.db\n"
		     "channels:\n  c: {type: file, path: /tmp/c}\n"
		     "routes:\n  - {match: {verdict: regression}, to: [c]}\n");
	story_tell(&story_mail, "first c" STORY_SAYS);
	assert_false(story_due(&row));
	story_ok(outbox_release(story.store, 0, story.now, true, &n,
				&story.err));
	assert_int_equal(n, 1);
	story_ok(store_begin(story.store, &story.err));
	story_ok(store_end(story.store,
			   outbox_release(story.store, 0, story.now, false, &n,
					  &story.err),
			   &story.err));
	assert_true(story_due(&row));
}

static void a_silence_is_kept_and_ends(void **state)
{
	struct robot_mail m = story_mail;

	(void)state;
	story_config(STORY_CHAT);
	story_silence("testcase=will-*\n", STORY_DAY);
	story_why(story_tell(&m, ""),
		  "1 of 1 new results: silence 1 of me until "
		  "2026-10-02T12:00:00Z: known");
	m.commit = STORY_COMMIT_B;
	m.title = "mm: else";
	story.now += STORY_DAY;
	story_tell(&m, "first chat: WORSE 12.0% will-it-scale.per_process_ops:"
		       " mm: else\n");
}

static enum status look(const struct outbox_row *row,
			enum outbox_state *ret_state, struct slice *ret_why)
{
	return gate_check(story.config, story.store, row, story.now,
			  &story.arena, ret_state, ret_why, &story.err);
}

static void the_gate_looks_again(void **state)
{
	enum outbox_state where;
	struct outbox_row row;
	struct slice reason;

	(void)state;
	story_config(STORY_CHAT);
	story_tell(&story_mail, "first chat" STORY_SAYS);
	assert_true(story_due(&row));
	story_ok(look(&row, &where, &reason));
	story_silence("host=lkp-spr-*\n", STORY_DAY);
	assert_int_equal(look(&row, &where, &reason), PH_NONE);
	assert_int_equal(where, OUTBOX_CANCELLED);
	story_config("state: /tmp/x.db\n"
		     "channels:\n  else: {type: file, path: /tmp/c}\n");
	assert_int_equal(look(&row, &where, &reason), PH_NONE);
	assert_non_null(strstr(reason.ptr, "no such channel"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, story_begin, story_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_author_is_asked_for_proof),
		TEST(a_list_is_asked_for_proof),
		TEST(a_name_in_a_chat_is_told),
		TEST(one_like_a_word_of_ours_too),
		TEST(the_operator_may_have_such_a_name),
		TEST(who_was_mailed_is_spared),
		TEST(the_allow_list_is_kept),
		TEST(nothing_leaves_while_send_is_false),
		TEST(a_silence_is_kept_and_ends),
		TEST(the_gate_looks_again),
	};

	return cmocka_run_group_tests_name("withheld", tests, NULL, NULL);
}
