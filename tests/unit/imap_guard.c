/* Every case is fed whole, and once more byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include "mail/imap_guard.h"
#include "ph/arena.h"
#include "ph/limits.h"
#include "tests/guard.h"
#include "tests/table.h"

#define FETCH "* 1 FETCH (UID 1 BODY[] "
#define TEN   "(((((((((("

static struct guard_case {
	const char *name, *in;
	uint64_t body_bytes;
	const char *why; /* part of it; NULL: accepted */
} cases[] = {
	{ "plain lines", "* OK hi\r\n* 3 EXISTS\r\n1 OK done\r\n", 0, NULL },
	{ "a body within its account", FETCH "{5}\r\n((\"((\r\n)\r\n", 5,
	  NULL },
	{ "a body over its account", FETCH "{6}\r\n", 5, "more mail" },
	{ "two bodies over their account",
	  FETCH "{5}\r\nabcde)\r\n" FETCH "{5}\r\n", 9, "more mail" },
	{ "a body in capitals and small letters",
	  "* 1 fetch (Body[] {5}\r\n((\"\"()\r\n", 5, NULL },
	{ "a part is no body", "* 1 FETCH (BODY[1] {70000}\r\n", 70000, NULL },
	{ "a literal that is no mail", "* LIST () \"/\" {2000000}\r\n", 2000000,
	  "that is no mail" },
	{ "a body outside FETCH", "* LIST () BODY[] {2000000}\r\n", 2000000,
	  "that is no mail" },
	{ "a wrapped size", FETCH "{4294967301}\r\n", 5, "over 9 MiB" },
	{ "an endless size", FETCH "{99999999999999999999999}\r\n", 5,
	  "over 9 MiB" },
	{ "a size in text", "* OK see {99999999}\r\n", 0, "over 9 MiB" },
	{ "no literal in text", "* OK see {50}\r\n* OK (\r\n", 0, NULL },
	{ "a line end of LF", FETCH "{2}\n(()\n1 OK x\n", 2, NULL },
	{ "text behind a literal's size", FETCH "{2}()\r\n", 2,
	  "start on a new line" },
	{ "CR behind a literal's size", FETCH "{2}\rab\r\n", 2,
	  "start on a new line" },
	{ "a negative size is no literal", FETCH "{-5}\r\n)\r\n", 0, NULL },
	{ "32 deep", "* 1 X " TEN TEN TEN "((\r\n", 0, NULL },
	{ "33 deep", "* 1 X " TEN TEN TEN "(((\r\n", 0, "over 32 deep" },
	{ "wide, not deep",
	  "* 1 X () () () () () () () () () () () () () () "
	  "() () () () () () () () () () () () () () () () "
	  "() () () () () () () ()\r\n",
	  0, NULL },
	{ "depth starts anew each line",
	  "* 1 X " TEN TEN "\r\n* 1 X " TEN TEN "\r\n", 0, NULL },
	{ "parentheses in a string", "* 1 X \"" TEN TEN TEN TEN "\"\r\n", 0,
	  NULL },
	{ "closing ones in a string do not count",
	  "* 1 X " TEN TEN "\"))))))))))\"" TEN "(((\r\n", 0, "over 32 deep" },
	{ "an escaped quote", "* 1 X \"a\\\"" TEN TEN TEN TEN "\"\r\n", 0,
	  NULL },
	{ "a string over the end of the line", "* 1 X \"a\r\nb\"\r\n", 0,
	  "without an end" },
	{ "quotes in text", "* NO don't say \"\r\n* BYE \"(\r\n", 0, NULL },
	{ "parentheses in text",
	  "* OK " TEN TEN TEN TEN "\r\n5 OK " TEN TEN TEN TEN "\r\n", 0, NULL },
	{ "no text: two blanks", "*  OK " TEN TEN TEN TEN "\r\n", 0,
	  "over 32 deep" },
	{ "depth in a literal that is no body",
	  "* X {40}\r\n" TEN TEN TEN TEN "\r\n", 0, "over 32 deep" },
	{ "flags in a greeting", "* OK [PERMANENTFLAGS ()] x\r\n", 0,
	  "greeting" },
	{ "flags that may be kept",
	  "* OK [CAPABILITY IMAP4rev1] hi\r\n"
	  "* OK [PERMANENTFLAGS (\\Seen $x)] x\r\n* OK [permanentflags ()] "
	  "x\r\n"
	  "* OK [PERMANENTFLAGS (\\*)] x\r\n1 OK [READ-ONLY] [PERMANENT] x\r\n",
	  0, NULL },
	{ "flags that are none",
	  "x\r\n* OK [PERMANENTFLAGS (\\\" \\Seen)] x\r\n", 0,
	  "PERMANENTFLAGS" },
	{ "a code in a code", "* OK [BADCHARSET ([X] x\r\n", 0, "BADCHARSET" },
	{ "a code in data", "** X [BADCHARSET (1\r\n", 0, "BADCHARSET" },
	{ "flags that do not end", "x\r\n* OK [PERMANENTFLAGS (a b] x\r\n", 0,
	  "PERMANENTFLAGS" },
	{ "flags and more", "x\r\n* OK [PERMANENTFLAGS (a) b] x\r\n", 0,
	  "PERMANENTFLAGS" },
	{ "flags without a blank", "x\r\n* OK [PERMANENTFLAGS() x\r\n", 0,
	  "PERMANENTFLAGS" },
	{ "flags without an end", "x\r\n1 OK [  PermanentFlags\t(\r\n", 0,
	  "PERMANENTFLAGS" },
	{ "a charset that nobody sent", "x NO a [b [  badCharset ({1}\r\n", 0,
	  "BADCHARSET" },
	{ "depth around literals",
	  "* X " TEN TEN "{1}\r\n( " TEN "(({1}\r\na\r\n", 0, "over 32 deep" },
};

static bool feed(struct imap_guard *g, struct slice in, size_t step)
{
	for (size_t i = 0; i < in.len; i += step) {
		size_t n = in.len - i < step ? in.len - i : step;
		struct slice piece = guard_bytes(in.ptr + i, n);

		if (!imap_guard_feed(g, piece.ptr, piece.len))
			return false;
	}
	return true;
}

static void check(struct slice in, uint64_t body_bytes, const char *why)
{
	const size_t steps[] = { in.len ? in.len : 1, 1 };

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		struct imap_guard g;

		imap_guard_init(&g);
		imap_guard_command(&g, body_bytes);
		assert_int_equal(feed(&g, in, steps[i]), why == NULL);
		if (!why)
			continue;
		assert_non_null(strstr(g.why, why));
		/* for good: nothing is taken after a refusal */
		assert_false(imap_guard_feed(&g, "", 0));
	}
}

static void guard_judges(void **state)
{
	const struct guard_case *c = *state;

	check(slice_of(c->in), c->body_bytes, c->why);
}

static void refuses_nul(void **state)
{
	(void)state;
	check(S("* OK a\0b\r\n"), 0, "a NUL byte");
	check(S(FETCH "{3}\r\na\0b)\r\n"), 3, NULL);
	check(S("* X {3}\r\na\0b\r\n"), 3, NULL);
}

/* In pieces of a size that hits no border, for the long ones. */
static bool feed_run(struct imap_guard *g, const char *unit, size_t times)
{
	struct buf b;
	bool ok = true;

	buf_init(&b);
	for (size_t i = 0; i < times; i++)
		buf_add_str(&b, unit);
	for (size_t i = 0; ok && i < b.len; i += 7001)
		ok = imap_guard_feed(g, b.ptr + i,
				     b.len - i < 7001 ? b.len - i : 7001);
	buf_release(&b);
	return ok;
}

static void a_line_has_64_kib(void **state)
{
	struct imap_guard g;

	(void)state;
	imap_guard_init(&g);
	assert_true(feed_run(&g, "* OK ", 1));
	assert_true(feed_run(&g, "x", LIMIT_IMAP_LINE - 6));
	assert_true(feed_run(&g, "\n", 1));
	assert_true(feed_run(&g, "* OK ", 1));
	assert_true(feed_run(&g, "x", LIMIT_IMAP_LINE - 5));
	assert_false(feed_run(&g, "\n", 1));
	assert_non_null(strstr(g.why, "64 KiB"));
}

static void a_literal_has_9_mib(void **state)
{
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), FETCH "{%zu}\r\n", LIMIT_IMAP_LITERAL);
	check(slice_of(text), LIMIT_IMAP_LITERAL, NULL);
	snprintf(text, sizeof(text), FETCH "{%zu}\r\n", LIMIT_IMAP_LITERAL + 1);
	check(slice_of(text), LIMIT_IMAP_LITERAL + 1, "9 MiB");
}

static void an_answer_has_1_mib_besides_mail(void **state)
{
	struct imap_guard g;

	(void)state;
	imap_guard_init(&g);
	imap_guard_command(&g, 100);
	assert_true(feed_run(&g, "* OK abc", 1));
	assert_true(feed_run(&g, "\n* OK ab", LIMIT_IMAP_OTHER / 8 - 1));
	assert_true(feed_run(&g, "", 1));
	assert_int_equal(g.other_left, 0);
	assert_false(feed_run(&g, "\n", 1));
	assert_non_null(strstr(g.why, "1 MiB"));
	/* the next command has its own account */
	imap_guard_init(&g);
	assert_true(feed_run(&g, "\n* OK ab", LIMIT_IMAP_OTHER / 8));
	imap_guard_command(&g, 0);
	assert_true(feed_run(&g, "\n* OK ab", LIMIT_IMAP_OTHER / 8));
}

static void keeps_the_last_refusal(void **state)
{
	struct imap_guard g;

	(void)state;
	imap_guard_init(&g);
	assert_true(feed(&g, S("* NO ignored\r\n3 NO [CODE] why not\r\n"), 3));
	assert_string_equal(g.said, "[CODE] why not");
	assert_false(g.bye);
	imap_guard_command(&g, 0);
	assert_string_equal(g.said, "");
	assert_true(feed(&g, S("* BYE see you\r\n"), 2));
	assert_string_equal(g.said, "see you");
	assert_true(g.bye);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(cases) + 5] = {
		cmocka_unit_test(refuses_nul),
		cmocka_unit_test(a_line_has_64_kib),
		cmocka_unit_test(a_literal_has_9_mib),
		cmocka_unit_test(an_answer_has_1_mib_besides_mail),
		cmocka_unit_test(keeps_the_last_refusal),
	};
	size_t n = TABLE_LISTED(tests);

	TABLE_ADD(tests, n, cases, name, guard_judges);
	return cmocka_run_group_tests_name("imap_guard", tests, NULL, NULL);
}
