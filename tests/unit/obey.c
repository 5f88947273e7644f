/*
 * What comes back to a notice: commands by reply (who is obeyed, what is
 * answered and how often, and that everything else is ignored and says so in
 * `why`), and bounces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/gate.h"
#include "bot/store/delivery.h"
#include "tests/story.h"
#include "tests/table.h"

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
	assert_int_equal(story_state(id), MESSAGE_REPLY);
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

static enum status look(const struct outbox_row *row, struct slice *ret_why)
{
	enum outbox_state where;

	return gate_check(story.config, story.store, row, story.now,
			  &story.arena, &where, ret_why, &story.err);
}

static void answers_go_out_after_stop_and_nothing_else(void **state)
{
	struct outbox_row row;
	struct slice why;

	(void)state;
	tell("dev@example.org", "");
	reply("dev@example.org", "", "#perfherald ack", PROVEN_DKIM);
	reply("dev@example.org", "", "#perfherald what", PROVEN_DKIM);
	reply("dev@example.org", "", "#perfherald what", PROVEN_DKIM);
	reply("dev@example.org", "", "#perfherald stop", PROVEN_DKIM);
	for (int i = 0; i < 3; i++) {
		assert_true(story_due(&row));
		assert_int_equal(row.kind, NOTICE_ANSWER);
		story_ok(look(&row, &why));
		story_ok(outbox_set(story.store, row.id, OUTBOX_SENT, S(""),
				    story.now, &story.err));
	}
	assert_false(story_due(&row));
	row.kind = NOTICE_UPDATE;
	row.facts = S("{\"version\":1}");
	assert_int_equal(look(&row, &why), PH_NONE);
	assert_true(slice_eq(why, S("it said stop")));
}

static void a_quoted_command_is_none(void **state)
{
	int64_t id;

	(void)state;
	tell("dev@example.org", "");
	id = reply("dev@example.org", "", "> #perfherald ack\nreally?",
		   PROVEN_DKIM);
	assert_int_equal(story_state(id), MESSAGE_REPLY);
	assert_int_equal(story_life(report), LIFE_OPEN);
	assert_int_equal(answers(), 0);
}

static int64_t bounce(int n, const char *notice)
{
	return story_give_raw(
		arena_printf(&story.arena,
			     "From: MAILER-DAEMON@mx.example.org\n"
			     "To: bot@example.org\nReturn-Path: <>\n"
			     "Message-ID: <dsn%d@mx.example.org>\n"
			     "Subject: Undelivered\n"
			     "Content-Type: multipart/report; boundary=x;\n"
			     " report-type=delivery-status\n"
			     "MIME-Version: 1.0\n\n"
			     "--x\nContent-Type: text/plain\n\nno\n"
			     "--x\nContent-Type: message/delivery-status\n\n"
			     "Reporting-MTA: dns; mx\n\n"
			     "Final-Recipient: rfc822; dev@example.org\n"
			     "Action: failed\nStatus: 5.1.1\n\n"
			     "--x\nContent-Type: text/rfc822-headers\n\n"
			     "Message-ID: <%s@example.org>\n\n--x--\n",
			     n, notice),
		PROVEN_NOT);
}

static void bounces_of_our_own_count(void **state)
{
	struct slice why;

	(void)state;
	tell("dev@example.org", "");
	story_why(bounce(0, "else"), "not of a notice of ours");
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(optout_get(story.store, S("dev@example.org"),
					    &story.arena, &why, &story.err),
				 PH_NONE);
		story_why(bounce(i, "n1"),
			  "counted against dev@example.org: 5.1.1");
	}
	story_ok(optout_get(story.store, S("dev@example.org"), &story.arena,
			    &why, &story.err));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, story_begin, story_end)

int main(void)
{
	static const struct CMUnitTest plain[] = {
		TEST(help_comes_once_a_thread_and_day),
		TEST(answers_go_out_after_stop_and_nothing_else),
		TEST(a_quoted_command_is_none),
		TEST(bounces_of_our_own_count),
	};
	struct CMUnitTest tests[ARRAY_LEN(plain) + ARRAY_LEN(obeyed) +
				ARRAY_LEN(ignored)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tests[n++] = plain[i];
	TABLE_ADD(tests, n, obeyed, name, its_recipient_is_obeyed);
	TABLE_ADD(tests, n, ignored, name, nobody_else_is_heard);
	return cmocka_run_group_tests_name("obey", tests, NULL, NULL);
}
