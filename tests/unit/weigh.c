#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>

#include "bot/weigh.h"
#include "tests/table.h"

static struct arena arena;

static const struct effect_case {
	const char *name;
	struct weigh_pair in;
	bool has, at_least;
	double want;
} effects[] = {
	/* |ln(80789/91713)| / sqrt(0.01^2 + 0.01^2) */
	{ "no deviation printed counts as 1 %",
	  { 91713, 80789, -1, -1, true },
	  true,
	  true,
	  8.968 },
	/* |ln(0.9)| / sqrt(0.025^2 + 0.035^2) */
	{ "a printed one gets half a point more",
	  { 100, 90, 2, 3, true },
	  true,
	  false,
	  2.450 },
	{ "one of two printed is at least",
	  { 100, 90, 2, -1, true },
	  true,
	  true,
	  3.913 },
	{ "up is as far as down", { 90, 100, 2, 2, true }, true, false, 2.980 },
	/* 5 / sqrt((0.025*50)^2 + (0.025*55)^2) */
	{ "points go by the difference",
	  { 50, 55, 2, 2, false },
	  true,
	  false,
	  2.691 },
	{ "from nothing goes by the new spread",
	  { 0, 40, -1, 19, true },
	  true,
	  true,
	  5.128 },
	{ "stopped goes by the old spread",
	  { 40, 0, 9, -1, true },
	  true,
	  true,
	  10.526 },
	{ "below nothing goes by the difference",
	  { -10, -12, 2, 2, true },
	  true,
	  false,
	  5.121 },
	{ "nothing to nothing has no effect",
	  { 0, 0, -1, -1, true },
	  false,
	  false,
	  0 },
};

static void check_effect(void **state)
{
	const struct effect_case *c = *state;
	double got = 0;
	bool at_least = false;

	assert_int_equal(weigh_effect(&c->in, &got, &at_least), c->has);
	if (c->has && fabs(got - c->want) > 0.001)
		fail_msg("%f", got);
	assert_int_equal(at_least, c->at_least);
}

static const struct grade_case {
	const char *name;
	struct weigh_pair pair;
	struct weigh_others others;
	enum evidence want;
	const char *reasons; /* joined by "; " */
} grades[] = {
	{ "A: far out of the noise and confirmed",
	  { 91713, 80789, -1, -1, true },
	  { .other_test = S_INIT("hackbench") },
	  EVIDENCE_A,
	  "at least 9 times the run-to-run noise; agrees with hackbench" },
	{ "B: far out of the noise, alone",
	  { 91713, 80789, -1, -1, true },
	  { .opposite_same = false },
	  EVIDENCE_B,
	  "at least 9 times the run-to-run noise" },
	{ "B: out of the noise and confirmed by another host",
	  { 100.5, 90, 2, 3, true },
	  { .other_host = S_INIT("lkp-icl-2sp1") },
	  EVIDENCE_B,
	  "about 2.6 times the run-to-run noise; agrees on lkp-icl-2sp1" },
	{ "B: out of the noise and still so",
	  { 100.5, 90, 2, 3, true },
	  { .still = S_INIT("linus/master") },
	  EVIDENCE_B,
	  "about 2.6 times the run-to-run noise; still so on linus/master" },
	{ "C: out of the noise, alone",
	  { 100.5, 90, 2, 3, true },
	  { .opposite_same = false },
	  EVIDENCE_C,
	  "about 2.6 times the run-to-run noise" },
	{ "D: inside the noise",
	  { 100.5, 95, 4, 3, true },
	  { .opposite_same = false },
	  EVIDENCE_D,
	  "about 1.0 times the run-to-run noise" },
	{ "D: inside the noise although confirmed",
	  { 100.5, 95, 4, 3, true },
	  { .other_test = S_INIT("hackbench") },
	  EVIDENCE_D,
	  "about 1.0 times the run-to-run noise; agrees with hackbench" },
	{ "D: with nothing printed it is too small to judge",
	  { 1000.5, 985, -1, -1, true },
	  { .opposite_same = false },
	  EVIDENCE_D,
	  "too small to judge" },
	{ "whole numbers below 100 reach B at most",
	  { 6, 4, -1, -1, true },
	  { .other_test = S_INIT("hackbench") },
	  EVIDENCE_B,
	  "at least 29 times the run-to-run noise; agrees with hackbench" },
	{ "fractions below 100 reach A",
	  { 6.5, 4, -1, -1, true },
	  { .other_test = S_INIT("hackbench") },
	  EVIDENCE_A,
	  "at least 34 times the run-to-run noise; agrees with hackbench" },
	{ "whole numbers from 100 on reach A",
	  { 100, 60, -1, -1, true },
	  { .other_test = S_INIT("hackbench") },
	  EVIDENCE_A,
	  "at least 36 times the run-to-run noise; agrees with hackbench" },
	{ "the opposite elsewhere is said and lowers nothing",
	  { 91713, 80789, -1, -1, true },
	  { .other_test = S_INIT("hackbench"),
	    .opposite = S_INIT("in fsmark") },
	  EVIDENCE_A,
	  "at least 9 times the run-to-run noise; agrees with hackbench; "
	  "mixed: "
	  "the opposite in fsmark" },
	{ "the opposite of the very same lowers by one",
	  { 91713, 80789, -1, -1, true },
	  { .opposite_same = true },
	  EVIDENCE_C,
	  "at least 9 times the run-to-run noise; the same test once said the "
	  "opposite" },
	{ "no grade is lower than D",
	  { 100.5, 95, 4, 3, true },
	  { .opposite_same = true },
	  EVIDENCE_D,
	  "about 1.0 times the run-to-run noise; the same test once said the "
	  "opposite" },
	/* 3.96: says 4.0, so it is graded as 4.0 */
	{ "the grade agrees with the figure beside it",
	  { 1057.6, 1000.1, -1, -1, true },
	  { .opposite_same = false },
	  EVIDENCE_B,
	  "at least 4.0 times the run-to-run noise" },
};

static void check_grade(void **state)
{
	const struct grade_case *c = *state;
	struct weigh got;
	struct buf b;

	buf_init(&b);
	weigh_result(&c->pair, &c->others, &arena, &got);
	for (size_t i = 0; i < got.n_reasons; i++) {
		buf_add_str(&b, i ? "; " : "");
		buf_add_slice(&b, got.reasons[i]);
	}
	assert_string_equal(buf_str(&b), c->reasons);
	assert_int_equal(got.grade, c->want);
	assert_int_equal(got.mixed, c->others.opposite.len > 0);
	buf_release(&b);
}

static void without_values_there_is_no_grade(void **state)
{
	struct weigh_others others = { .other_test = S_INIT("hackbench") };
	struct weigh got;

	(void)state;
	weigh_result(NULL, &others, &arena, &got);
	assert_int_equal(got.grade, EVIDENCE_NONE);
	assert_false(got.has_effect);
	assert_int_equal(got.n_reasons, 1);
}

int main(void)
{
	struct CMUnitTest tests[64] = {
		cmocka_unit_test(without_values_there_is_no_grade),
	};
	size_t n = TABLE_LISTED(tests);
	int failed;

	arena_init(&arena);
	TABLE_ADD(tests, n, effects, name, check_effect);
	TABLE_ADD(tests, n, grades, name, check_grade);
	failed = _cmocka_run_group_tests("weigh", tests, n, NULL, NULL);
	arena_release(&arena);
	return failed;
}
