#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/reply.h"
#include "tests/guard.h"

struct reply_case {
	const char *name, *text;
	bool want;
	enum reply_verb verb;
	const char *arg;
};

static const struct reply_case cases[] = {
	{ "stop", "#perfherald stop\n", true, REPLY_STOP, "" },
	{ "the last line needs no end", "Hi\n\n#perfherald ack", true,
	  REPLY_ACK, "" },
	{ "case and blanks", "  #PerfHerald   Stop \r\n", true, REPLY_STOP,
	  "" },
	{ "dup", "#perfherald dup 0123456789ab\n", true, REPLY_DUP,
	  "0123456789ab" },
	{ "fixed", "#perfherald fixed 01234567\n", true, REPLY_FIXED,
	  "01234567" },
	{ "invalid", "#perfherald invalid: the host was sick\n", true,
	  REPLY_INVALID, "the host was sick" },
	{ "invalid without a colon", "#perfherald invalid sick\n", true,
	  REPLY_INVALID, "sick" },
	{ "invalid without a reason", "#perfherald invalid:\n", true,
	  REPLY_UNKNOWN, "" },
	{ "a commit too short", "#perfherald fixed 0123456\n", true,
	  REPLY_UNKNOWN, "" },
	{ "a commit that is none", "#perfherald dup the-other-one\n", true,
	  REPLY_UNKNOWN, "" },
	{ "stop what", "#perfherald stop it\n", true, REPLY_UNKNOWN, "" },
	{ "nothing", "#perfherald\n", true, REPLY_UNKNOWN, "" },
	{ "the first counts", "#perfherald ack\n#perfherald stop\n", true,
	  REPLY_ACK, "" },
	{ "quoted", "> #perfherald stop\n", false, 0, "" },
	{ "in a sentence", "Reply with a line \"#perfherald stop\"\n", false, 0,
	  "" },
	{ "another word", "#perfheraldic stop\n", false, 0, "" },
	{ "behind the signature", "Thanks\n-- \n#perfherald stop\n", false, 0,
	  "" },
	{ "empty", "", false, 0, "" },
};

static void check(void **state)
{
	const struct reply_case *c = *state;
	struct reply_command got;

	assert_int_equal(reply_read(guard_copy(c->text), &got), c->want);
	if (!c->want)
		return;
	assert_int_equal(got.verb, c->verb);
	assert_true(slice_eq(got.arg, slice_of(c->arg)));
}

static const char dsn[] =
	"From: MAILER-DAEMON@mx.example.org\n"
	"Message-ID: <dsn@mx.example.org>\n"
	"Content-Type: multipart/report; report-type=delivery-status\n\n"
	"--x\nContent-Type: message/delivery-status\n\n"
	"Reporting-MTA: dns; mx.example.org\n\n"
	"Final-Recipient: rfc822; a@example.org\n"
	"Action: failed\nStatus: 5.1.1\n\n"
	"--x\nContent-Type: text/rfc822-headers\n\n"
	"From: bot@example.org\nMessage-ID: <n1@example.org>\n\n--x--\n";

static void a_bounce_names_recipient_and_mail(void **state)
{
	struct bounce b;

	(void)state;
	assert_true(bounce_read(guard_copy(dsn), &b));
	assert_true(slice_eq(b.recipient, S("a@example.org")));
	assert_true(slice_eq(b.message, S("n1@example.org")));
	assert_true(slice_eq(b.status, S("5.1.1")));
}

static void a_delay_is_no_bounce(void **state)
{
	struct bounce b;

	(void)state;
	assert_false(
		bounce_read(guard_copy(
				    "Final-Recipient: rfc822; a@example.org\n"
				    "Action: delayed\nStatus: 4.2.2\n"
				    "Message-ID: <n1@example.org>\n"),
			    &b));
	assert_false(
		bounce_read(guard_copy(
				    "Final-Recipient: rfc822; a@example.org\n"
				    "Action: failed\nStatus: 4.4.7\n"
				    "Message-ID: <n1@example.org>\n"),
			    &b));
	assert_false(bounce_read(guard_copy(""), &b));
}

#define N (sizeof(cases) / sizeof(cases[0]))

int main(void)
{
	struct CMUnitTest tests[N + 2];

	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ .name = cases[i].name,
						.test_func = check,
						.initial_state =
							(void *)&cases[i] };
	tests[N] = (struct CMUnitTest)cmocka_unit_test(
		a_bounce_names_recipient_and_mail);
	tests[N + 1] =
		(struct CMUnitTest)cmocka_unit_test(a_delay_is_no_bounce);
	return cmocka_run_group_tests_name("reply", tests, NULL, NULL);
}
