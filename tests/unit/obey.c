/*
 * Commands by reply: who is obeyed, what is answered and how often, and that
 * everything else is ignored and says so in `why`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/store/delivery.h"
#include "bot/store/message.h"
#include "tests/story.h"

static int64_t report;
static int replies;

/* The first notice to one address, sent under the Message-ID n1@example.org. */
static void tell(const char *to, const char *more)
{
	struct delivery_result sent = { .what = DELIVERY_SENT };
	struct parcel parcel = { S_INIT("body"), S_INIT("n1@example.org"),
				 slice_of(to), S_INIT("") };
	struct outbox_row row;

	story_config(arena_printf(&story.arena,
				  STORY_CHANNEL("type: mail, to: \"%s\"%s"), to,
				  more));
	report = story_give(&story_mail, PROVEN_DKIM);
	assert_true(story_due(&row));
	story_ok(outbox_rendered(story.store, row.id, &parcel, S(""),
				 &story.err));
	story_ok(outbox_attempt(story.store, &row, &sent, story.now, 0, NULL,
				&story.err));
}

static int64_t reply(const char *from, const char *fields, const char *text,
		     enum proven proven)
{
	return story_give_raw(
		arena_printf(&story.arena,
			     "From: %s\nTo: bot@example.org\n"
			     "Subject: Re: [perfherald] WORSE\n"
			     "Message-ID: <r%d@example.org>\n"
			     "In-Reply-To: <n1@example.org>\n%s"
			     "Date: Thu, 1 Oct 2026 12:00:00 +0000\n\n%s\n",
			     from, ++replies, fields, text),
		proven);
}

static void count_answer(void *arg, const struct outbox_row *row)
{
	int *n = arg;

	*n += row->kind == NOTICE_ANSWER;
}

static int answers(void)
{
	int n = 0;

	story_ok(outbox_each(story.store, ~0u, 0, 0, &story.arena, count_answer,
			     &n, &story.err));
	return n;
}

static const struct obeyed {
	const char *name, *line;
	enum patch_life life;
} obeyed[] = {
	{ "ack", "#perfherald ack", LIFE_ACK },
	{ "fixed", "#perfherald fixed 0123456789ab", LIFE_FIXED },
	{ "invalid", "#perfherald invalid: the machine was broken",
	  LIFE_INVALID },
	{ "stop", "#perfherald stop", LIFE_OPEN },
	{ "dup", "#perfherald dup 0123456789ab", LIFE_OPEN },
};

static void its_recipient_is_obeyed(void **state)
{
	const struct obeyed *c = *state;
	int64_t id;

	story_begin(NULL);
	tell("dev@example.org", "");
	id = reply("dev@example.org", "", c->line, PROVEN_DKIM);
	story_why(id, "command: done: #perfherald");
	assert_int_equal(story_life(report), c->life);
	assert_int_equal(answers(), 1);
	story_end(NULL);
}

static const struct ignored {
	const char *name, *to, *more, *from, *fields;
	enum proven proven;
	const char *why;
} ignored[] = {
	{ "another person", "dev@example.org", "", "else@example.org", "",
	  PROVEN_DKIM, "ignored: the notice was not to its sender" },
	{ "a forged sender", "dev@example.org", "", "dev@example.org", "",
	  PROVEN_NOT, "ignored: nothing proves its sender" },
	{ "an automatic mail", "dev@example.org", "", "dev@example.org",
	  "Auto-Submitted: auto-replied\n", PROVEN_DKIM,
	  "ignored: automatic mail" },
	{ "a reader of a list", "mm@lists.example.org", ", list_consent: true",
	  "dev@example.org", "", PROVEN_DKIM,
	  "ignored: the notice was not to its sender" },
	{ "a list itself", "mm@lists.example.org", ", list_consent: true",
	  "mm@lists.example.org", "", PROVEN_DKIM,
	  "ignored: the notice was not to its sender" },
};

static void nobody_else_is_heard(void **state)
{
	const struct ignored *c = *state;
	int64_t id;

	story_begin(NULL);
	tell(c->to, c->more);
	id = reply(c->from, c->fields, "#perfherald ack", c->proven);
	story_why(id, c->why);
	assert_int_equal(story_life(report), LIFE_OPEN);
	assert_int_equal(answers(), 0);
	story_end(NULL);
}

static void help_comes_once_a_thread_and_day(void **state)
{
	(void)state;
	tell("dev@example.org", "");
	for (int i = 0; i < 3; i++)
		reply("dev@example.org", "", "#perfherald what", PROVEN_DKIM);
	assert_int_equal(answers(), 1);
	story.now += STORY_DAY;
	reply("dev@example.org", "", "#perfherald what", PROVEN_DKIM);
	assert_int_equal(answers(), 2);
	/* an unknown word of somebody else gets none at all */
	reply("else@example.org", "", "#perfherald what", PROVEN_DKIM);
	assert_int_equal(answers(), 2);
}

int main(void)
{
	struct CMUnitTest tests[1 + ARRAY_LEN(obeyed) + ARRAY_LEN(ignored)];
	size_t n = 0;

	tests[n++] = (struct CMUnitTest)cmocka_unit_test_setup_teardown(
		help_comes_once_a_thread_and_day, story_begin, story_end);
	for (size_t i = 0; i < ARRAY_LEN(obeyed); i++)
		tests[n++] = (struct CMUnitTest){
			.name = obeyed[i].name,
			.test_func = its_recipient_is_obeyed,
			.initial_state = (void *)&obeyed[i],
		};
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		tests[n++] = (struct CMUnitTest){
			.name = ignored[i].name,
			.test_func = nobody_else_is_heard,
			.initial_state = (void *)&ignored[i],
		};
	return cmocka_run_group_tests_name("obey", tests, NULL, NULL);
}
