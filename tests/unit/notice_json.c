/*
 * The frozen form: what goes in comes out, and nothing else is taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ph/notice.h"
#include "tests/guard.h"
#include "tests/table.h"

static struct arena arena;

static const struct bad_case {
	const char *name, *json, *text;
} bad[] = {
	{ "nothing", "", "notice: " },
	{ "half of it", "{\"version\":1,\"kind\":\"fi", "notice: " },
	{ "a list", "[1]", "no JSON object" },
	{ "no version", "{\"kind\":\"first\"}", "\"version\"" },
	{ "a newer version", "{\"version\":2}", "version 2 is newer" },
	{ "version zero", "{\"version\":0}", "\"version\"" },
	{ "a key twice", "{\"version\":1,\"title\":\"a\",\"title\":\"b\"}",
	  "notice: " },
	{ "an unknown word", "{\"version\":1,\"kind\":\"rumour\"}",
	  "\"kind\" is not a known word" },
	{ "a number for a text", "{\"version\":1,\"title\":7}",
	  "\"title\" is not text" },
	{ "a text for a number", "{\"version\":1,\"made\":\"7\"}",
	  "\"made\" is not a whole number" },
	{ "a text for a flag", "{\"version\":1,\"mixed\":\"yes\"}",
	  "\"mixed\" is not true or false" },
	{ "a text for a list", "{\"version\":1,\"results\":\"x\"}",
	  "\"results\" is not a list" },
	{ "a list of texts for objects", "{\"version\":1,\"results\":[\"x\"]}",
	  "\"results\" is not a list of objects" },
	{ "a list of numbers for texts", "{\"version\":1,\"reasons\":[1]}",
	  "\"reasons\" is not text" },
	{ "a deviation out of range",
	  "{\"version\":1,\"results\":[{\"base_dev\":4294967296}]}",
	  "\"base_dev\" is not a whole number in range" },
};

static void check_bad(void **state)
{
	const struct bad_case *c = *state;
	struct notice n = { .made = 42 };
	struct err err;

	assert_int_equal(notice_from_json(guard_copy(c->json), &arena, &n,
					  &err),
			 PH_BAD);
	if (!strstr(err.text, c->text))
		fail_msg("%s", err.text);
	assert_int_equal(n.made, 42);
}

static void every_field_survives(void **state)
{
	static struct slice texts[] = { S_INIT("one"), S_INIT("") };
	static struct notice_line with[] = { { S_INIT("cpu"), S_INIT("x") } };
	struct notice_result results[2] = {
		{ .testcase = S("t"),
		  .metric = S("m\n\"\\"),
		  .params = S("p"),
		  .host = S("h"),
		  .host_words = S("w"),
		  .verdict = VERDICT_IMPROVEMENT,
		  .has_percent = true,
		  .percent = 0.1,
		  .change_kind = CHANGE_ABSOLUTE,
		  .has_values = true,
		  .base = 1.5e300,
		  .value = -0.25,
		  .base_dev = -1,
		  .value_dev = 200,
		  .better = BETTER_LOWER,
		  .unit = S("u"),
		  .stopped = true,
		  .from_nothing = true,
		  .contradiction = true,
		  .repeat = true,
		  .before = S("b") },
		{ .base_dev = 0 },
	};
	struct notice in = {
		.kind = NOTICE_ANSWER,
		.patch = S("1"),
		.key = S("2"),
		.made = 253402300799,
		.title = S("\xc3\xbc\0x"),
		.commit = S("3"),
		.base = S("4"),
		.base_title = S("5"),
		.tree = S("6"),
		.branch = S("7"),
		.label = S("8"),
		.subsystem = S("9"),
		.author = S("10"),
		.posted_link = S("11"),
		.results = results,
		.n_results = 2,
		.build = S("12"),
		.evidence = EVIDENCE_D,
		.reasons = texts,
		.n_reasons = 2,
		.mixed = true,
		.has_effect = true,
		.effect_at_least = true,
		.effect = 8.97,
		.failures = S("13"),
		.with = with,
		.n_with = 1,
		.before = S("14"),
		.fix = S("15"),
		.too_good = true,
		.state = S("16"),
		.note = S("17"),
		.report_id = S("18"),
		.report_url = S("19"),
		.rerun_url = S("20"),
		.with_tags = true,
		.reported_by = S("21"),
		.closes = S("22"),
		.regzbot = S("23"),
		.track = S("27"),
		.lines = texts,
		.n_lines = 2,
		.period = S("24"),
		.thread = S("25"),
		.thread_remote = S("26"),
	};
	struct notice out;
	struct buf first, second;
	struct err err;

	(void)state;
	buf_init(&first);
	buf_init(&second);
	notice_to_json(&in, &first);
	assert_int_equal(notice_from_json(buf_slice(&first), &arena, &out,
					  &err),
			 PH_OK);
	notice_to_json(&out, &second);
	assert_string_equal(buf_str(&first), buf_str(&second));
	for (int i = 1; i <= 27; i++)
		assert_non_null(strstr(buf_str(&first),
				       arena_printf(&arena, ":\"%d\"", i)));
	assert_true(slice_eq(out.title, in.title));
	assert_true(slice_eq(out.results[0].metric, results[0].metric));
	assert_true(out.results[0].base == 1.5e300);
	assert_int_equal(out.results[0].value_dev, 200);
	assert_int_equal(out.results[0].better, BETTER_LOWER);
	assert_false(out.results[1].has_values);
	assert_int_equal(out.n_reasons, 2);
	assert_int_equal(out.reasons[1].len, 0);
	buf_release(&first);
	buf_release(&second);
}

static void unknown_keys_are_passed_over(void **state)
{
	struct notice n;
	struct err err;

	(void)state;
	assert_int_equal(notice_from_json(S("{\"version\":1,\"colour\":\"red\","
					    "\"title\":\"t\"}"),
					  &arena, &n, &err),
			 PH_OK);
	assert_true(slice_eq(n.title, S("t")));
}

int main(void)
{
	struct CMUnitTest tests[64] = {
		cmocka_unit_test(every_field_survives),
		cmocka_unit_test(unknown_keys_are_passed_over),
	};
	size_t n = TABLE_LISTED(tests);
	int failed;

	arena_init(&arena);
	TABLE_ADD(tests, n, bad, name, check_bad);
	failed = _cmocka_run_group_tests("notice_json", tests, n, NULL, NULL);
	arena_release(&arena);
	return failed;
}
