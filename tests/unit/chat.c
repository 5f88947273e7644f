/*
 * The lines of a chat post, and how they are cut: on a code point border, by
 * what the service counts, after escaping.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "notify/chat.h"
#include "ph/utf8.h"
#include "tests/guard.h"
#include "tests/notices.h"

#define EMOJI "\xf0\x9f\x98\x80" /* 4 bytes, 1 point, 2 UTF-16 units */

static struct arena arena;

static void as_it_is(struct buf *b, struct slice s)
{
	buf_add_slice(b, s);
}

static struct cut_case {
	const char *name, *in;
	void (*escape)(struct buf *b, struct slice s);
	size_t limit;
	enum chat_unit unit;
	const char *want;
} cuts[] = {
	{ "fits", "abcdefghij", as_it_is, 10, UNIT_BYTES, "abcdefghij" },
	{ "one too long", "abcdefghijk", as_it_is, 10, UNIT_BYTES, "abcd..." },
	{ "points, not bytes", EMOJI EMOJI EMOJI, as_it_is, 10, UNIT_POINTS,
	  EMOJI EMOJI EMOJI },
	{ "an emoji is two units", EMOJI EMOJI EMOJI EMOJI EMOJI EMOJI,
	  as_it_is, 11, UNIT_UTF16, EMOJI EMOJI "..." },
	{ "never inside a code point", EMOJI EMOJI EMOJI EMOJI, as_it_is, 13,
	  UNIT_BYTES, EMOJI "..." },
	{ "escapes count", "&&&&", chat_put_html, 19, UNIT_BYTES,
	  "&amp;&amp;..." },
	{ "escapes that fit", "&&&&", chat_put_html, 20, UNIT_BYTES,
	  "&amp;&amp;&amp;&amp;" },
	{ "no half escape", "a&b&c&d&", chat_put_html, 17, UNIT_BYTES,
	  "a&amp;b..." },
	{ "a fence stays whole", "a`b`c`d`e`f`g`h", chat_put_fenced, 18,
	  UNIT_BYTES, "``a`b`c`d...``" },
};

static void cut(void **state)
{
	const struct cut_case *c = *state;
	struct buf b;

	buf_init(&b);
	chat_put_cut(&b, guard_copy(c->in), c->escape, c->limit, c->unit);
	assert_string_equal(buf_str(&b), c->want);
	buf_release(&b);
}

/* What stands in all lines, for short. */
static const char *said(const struct chat *c)
{
	struct buf b;
	const char *ret;

	buf_init(&b);
	chat_write(c, &chat_plain, 100000, UNIT_BYTES, &b);
	ret = arena_str(&arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static void says_the_facts_in_ten_lines(void **state)
{
	struct notice n;
	struct chat c;

	(void)state;
	notices_full(&arena, &n);
	n.note = S("please\nlook");
	n.fix = S("fixed by 0123456789ab (\"x\")");
	chat_from_notice(&n, &arena, &c);
	assert_int_equal(c.n, CHAT_LINES);
	assert_string_equal(
		said(&c),
		"WORSE 11.9% will-it-scale.per_process_ops  evidence A\n"
		"91,713 -> 80,789 operations per process (higher is better); "
		"at least 9 times the run-to-run noise; agrees with "
		"stress-ng\n"
		"commit 70a64b7919cb memcg: dynamically allocate "
		"lruvec_stats\n"
		"tree next/linux-next.git master  base 59142d87ab03\n"
		"test will-it-scale, test=page_fault2 mode=process "
		"nr_task=100%\n"
		"host lkp-skl-fpga01: 104 threads, 2 sockets, Skylake, 192G, "
		"performance  build gcc-13, x86_64-rhel-8.3\n"
		"also WORSE 8.5% stress-ng.shm.ops_per_sec\n"
		"with HITM local 4,025 -> 5,197 (+29%); "
		"native_queued_spin_lock_slowpath 61.9% -> 65.3%\n"
		"fixed by 0123456789ab (\"x\")  note please look\n"
		"report <https://lore.kernel.org/r/"
		"202405171353.b56b845-bot@example.org>  "
		"rerun <https://download.example.org/archive/20240517/"
		"202405171353.b56b845-bot@example.org>");
	assert_int_equal(c.tone, TONE_BAD);
	arena_reset(&arena);
}

static void only_a_verdict_is_good_or_bad(void **state)
{
	static const enum chat_tone want[] = {
		[VERDICT_NONE] = TONE_PLAIN,
		[VERDICT_IMPROVEMENT] = TONE_GOOD,
		[VERDICT_REGRESSION] = TONE_BAD,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		struct notice_result r = { .verdict = (enum verdict)i };
		const struct notice n = { .results = &r, .n_results = 1 };
		struct chat c;

		chat_from_notice(&n, &arena, &c);
		assert_int_equal(c.tone, want[i]);
	}
	arena_reset(&arena);
}

static void leaves_out_what_is_not_known(void **state)
{
	struct notice n = { .kind = NOTICE_FIRST,
			    .title = S("mm: x"),
			    .commit = S("0123456789abcdef") };
	struct notice_result r = { .verdict = VERDICT_IMPROVEMENT,
				   .metric = S("a.b") };
	struct chat c;

	(void)state;
	n.results = &r;
	n.n_results = 1;
	chat_from_notice(&n, &arena, &c);
	assert_string_equal(said(&c), "BETTER a.b\n"
				      "commit 0123456789ab mm: x");
	arena_reset(&arena);
}

static void a_digest_ends_with_what_is_left(void **state)
{
	struct notice n;
	struct chat c;

	(void)state;
	notices_digest(&arena, 100, &n);
	chat_from_notice(&n, &arena, &c);
	assert_int_equal(c.n, CHAT_LIST);
	assert_non_null(strstr(said(&c), "\nand 72 more lines"));
	notices_digest(&arena, CHAT_LIST - 1, &n);
	chat_from_notice(&n, &arena, &c);
	assert_int_equal(c.n, CHAT_LIST);
	assert_null(strstr(said(&c), "more lines"));
	arena_reset(&arena);
}

/* Whatever the text and the limit: never over, never broken. */
static void no_limit_is_passed(void **state)
{
	static const enum chat_unit units[] = { UNIT_BYTES, UNIT_POINTS,
						UNIT_UTF16 };
	uint64_t seed = 42;

	(void)state;
	for (size_t round = 0; round < 300; round++) {
		size_t limit = 60 + round * 3;
		enum chat_unit unit = units[round % ARRAY_LEN(units)];
		struct notice n;
		struct chat c;
		struct buf b;

		buf_init(&b);
		notices_hostile(&arena, &seed, &n);
		chat_from_notice(&n, &arena, &c);
		chat_write(&c, &chat_plain, limit, unit, &b);
		assert_in_range(chat_count(buf_slice(&b), unit), 1, limit);
		assert_true(utf8_valid(buf_slice(&b)));
		buf_release(&b);
		arena_reset(&arena);
	}
}

static void links_are_strict(void **state)
{
	static const struct {
		const char *url;
		bool want;
	} cases[] = {
		{ "https://lore.kernel.org/r/a-b@c", true },
		{ "http://h/x?y=1&z=%20#f", true },
		{ "https://", false },
		{ "ftp://h/x", false },
		{ "javascript:alert(1)", false },
		{ "https://h/a b", false },
		{ "https://h/a\"b", false },
		{ "https://h/a>b", false },
		{ "https://h/a|b", false },
		{ "https://h/a)b", false },
		{ "https://h/\xc3\xa9", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(chat_url_fit(guard_copy(cases[i].url)),
				 cases[i].want);
}

int main(void)
{
	static const struct CMUnitTest more[] = {
		cmocka_unit_test(says_the_facts_in_ten_lines),
		cmocka_unit_test(only_a_verdict_is_good_or_bad),
		cmocka_unit_test(leaves_out_what_is_not_known),
		cmocka_unit_test(a_digest_ends_with_what_is_left),
		cmocka_unit_test(no_limit_is_passed),
		cmocka_unit_test(links_are_strict),
	};
	struct CMUnitTest tests[ARRAY_LEN(cuts) + ARRAY_LEN(more)];
	int failed;

	for (size_t i = 0; i < ARRAY_LEN(cuts); i++)
		tests[i] = (struct CMUnitTest){ .name = cuts[i].name,
						.test_func = cut,
						.initial_state = &cuts[i] };
	memcpy(tests + ARRAY_LEN(cuts), more, sizeof(more));
	arena_init(&arena);
	failed = cmocka_run_group_tests_name("chat", tests, NULL, NULL);
	arena_release(&arena);
	return failed;
}
