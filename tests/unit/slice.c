#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ph/slice.h"
#include "tests/guard.h"

static void takes_lines_with_and_without_an_end(void **state)
{
	struct slice s = guard_copy("one\r\ntwo\n\nlast"), line;
	static const char *const want[] = { "one", "two", "", "last" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_true(slice_take_line(&s, &line));
		assert_true(slice_eq(line, slice_of(want[i])));
	}
	assert_false(slice_take_line(&s, &line));
}

static void takes_words(void **state)
{
	struct slice s = guard_copy("  a \tbc"), word;

	(void)state;
	assert_true(slice_take_word(&s, &word));
	assert_true(slice_eq(word, S("a")));
	assert_true(slice_take_word(&s, &word));
	assert_true(slice_eq(word, S("bc")));
	assert_false(slice_take_word(&s, &word));
}

static void numbers_stop_at_their_ceiling(void **state)
{
	struct slice s = guard_copy("4294967296");
	uint64_t n = 7;

	(void)state;
	assert_false(slice_take_uint(&s, UINT32_MAX, &n));
	assert_int_equal(n, 7);
	assert_int_equal(s.len, 10);
	assert_true(slice_take_uint(&s, UINT64_MAX, &n));
	assert_int_equal(n, 4294967296);
	s = guard_copy("99999999999999999999");
	assert_false(slice_take_uint(&s, UINT64_MAX, &n));
}

static void globs(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool want;
	} cases[] = {
		{ "", "", true },
		{ "*", "", true },
		{ "a*c", "abbc", true },
		{ "a*c", "abcd", false },
		{ "?", "x", true },
		{ "?", "", false },
		{ "*.c", "mm/memcontrol.c", true },
		{ "a*b*c", "axxbyybc", true },
		{ "abc", "ab", false },
		{ "**a", "bca", true },
		{ "A", "a", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(slice_glob(slice_of(cases[i].pattern),
					    guard_copy(cases[i].text)),
				 cases[i].want);
	assert_true(slice_caseglob(S("*@Example.ORG"), S("a@example.org")));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_lines_with_and_without_an_end),
		cmocka_unit_test(takes_words),
		cmocka_unit_test(numbers_stop_at_their_ceiling),
		cmocka_unit_test(globs),
	};

	return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
