#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mail/report/cell.h"
#include "mail/report/row.h"
#include "tests/guard.h"
#include "tests/table.h"

/* cmocka compares floats as float; the bits of a double must agree here. */
static void assert_same_double(double a, double b)
{
	char left[40], right[40];

	snprintf(left, sizeof(left), "%.17g", a);
	snprintf(right, sizeof(right), "%.17g", b);
	assert_string_equal(left, right);
}

static const struct value_case {
	const char *name, *in;
	bool want;
	double value;
	int dev;
	const char *rest;
} values[] = {
	{ "two decimals", "550.53 x", true, 550.53, -1, " x" },
	{ "leading blanks", "   \t 7 x", true, 7, -1, " x" },
	{ "value and deviation", "1.99 ±  7%  x", true, 1.99, 7, "  x" },
	{ "no blank before the digits", "0.19 ±160%  x", true, .19, 160,
	  "  x" },
	{ "deviation over 999", "0.20 ±5015% x", true, .2, 5015, " x" },
	{ "exponent", "2.331e+09 x", true, 2.331e9, -1, " x" },
	{ "large exponent", "3.8e+98 x", true, 3.8e98, -1, " x" },
	{ "negative exponent", "1.5e-07 x", true, 1.5e-7, -1, " x" },
	{ "many digits", "12345678901234567890 x", true, 12345678901234567890.,
	  -1, " x" },
	{ "seventeen digits", "0.30000000000000004 x", true,
	  0.30000000000000004, -1, " x" },
	{ "negative", "-2255 x", true, -2255, -1, " x" },
	{ "minus zero", "-0.00 x", true, -0.0, -1, " x" },
	{ "line ends behind it", "5", true, 5, -1, "" },
	{ "plus-minus in ASCII", "5 +- 3% x", true, 5, 3, " x" },
	{ "tilde", "5 ~ 3% x", true, 5, 3, " x" },
	{ "replacement character", "5 \xef\xbf\xbd 3% x", true, 5, 3, " x" },
	{ "bare Latin-1 byte", "5 \xb1 3% x", true, 5, 3, " x" },
	{ "sign at the number", "5± 3% x", true, 5, 3, " x" },
	{ "no-break blanks",
	  "\xc2\xa0 5 ±\xc2\xa0"
	  "3% x",
	  true, 5, 3, " x" },
	{ "sign at the end", "5 ±", true, 5, -1, " ±" },
	{ "deviation without per cent", "5 ± 3 x", true, 5, -1, " ± 3 x" },
	{ "deviation too large", "5 ±99999999999% x", true, 5, -1,
	  " ±99999999999% x" },
	{ "number glued to a word", "5x", false, 0, 0, "5x" },
	{ "runs are no value", "6:6 x", false, 0, 0, "6:6 x" },
	{ "exponent without digits", "5e+ x", false, 0, 0, "5e+ x" },
	{ "too large for a double", "1e+999 x", false, 0, 0, "1e+999 x" },
	{ "no number", "abc", false, 0, 0, "abc" },
	{ "sign only", "-", false, 0, 0, "-" },
	{ "a point only", ".5", false, 0, 0, ".5" },
	{ "Inf", "Inf x", false, 0, 0, "Inf x" },
	{ "nothing", "", false, 0, 0, "" },
	{ "longer than any number",
	  "1234567890123456789012345678901234567890"
	  "1234567890 x",
	  false, 0, 0, "12345678901234567890123456789012345678901234567890 x" },
};

static void check_value(void **state)
{
	const struct value_case *c = *state;
	struct slice in = guard_copy(c->in);
	struct cell got = { .value = 77, .dev_pct = 77 };

	assert_int_equal(cell_take_value(&in, &got), c->want);
	assert_true(slice_eq(in, slice_of(c->rest)));
	if (!c->want) {
		assert_same_double(got.value, 77);
		return;
	}
	assert_same_double(got.value, c->value);
	assert_int_equal(got.dev_pct, c->dev);
}

static const struct change_case {
	const char *name, *in;
	bool want;
	double change;
	enum change_kind kind;
	const char *rest;
} changes[] = {
	{ "relative", " +12.7%  5", true, 12.7, CHANGE_RELATIVE, "  5" },
	{ "absolute", " -3.4 5", true, -3.4, CHANGE_ABSOLUTE, " 5" },
	{ "exponent", "+2.1e+05% 5", true, 2.1e5, CHANGE_RELATIVE, " 5" },
	{ "three-digit exponent", "+3.7e+101% 5", true, 3.7e101,
	  CHANGE_RELATIVE, " 5" },
	{ "infinite", "+Inf% 5", true, HUGE_VAL, CHANGE_RELATIVE, " 5" },
	{ "minus infinite", "-Inf% 5", true, -HUGE_VAL, CHANGE_RELATIVE, " 5" },
	{ "minus zero", "-0.0 5", true, -0.0, CHANGE_ABSOLUTE, " 5" },
	{ "no sign", "12.7% 5", false, 0, 0, "12.7% 5" },
	{ "a plus-minus", "+- 7% 5", false, 0, 0, "+- 7% 5" },
	{ "sign only", "+", false, 0, 0, "+" },
	{ "glued", "+1x", false, 0, 0, "+1x" },
};

static void check_change(void **state)
{
	const struct change_case *c = *state;
	struct slice in = guard_copy(c->in);
	struct cell got = { 0 };

	assert_int_equal(cell_take_change(&in, &got), c->want);
	assert_true(slice_eq(in, slice_of(c->rest)));
	assert_int_equal(got.kind, c->kind);
	assert_same_double(got.change, c->change);
}

static const struct fails_case {
	const char *name, *in;
	bool want;
	int64_t fails, runs;
} fails[] = {
	{ "both", "   3:6   x", true, 3, 6 },
	{ "none failed", "    :60 x", true, 0, 60 },
	{ "zero said", "0:4 x", true, 0, 4 },
	{ "line ends behind it", "1:2", true, 1, 2 },
	{ "no runs", "3: x", false, 0, 0 },
	{ "glued", "3:6x", false, 0, 0 },
	{ "too large", "3:99999999999999999999 x", false, 0, 0 },
	{ "no colon", "36 x", false, 0, 0 },
};

static void check_fails(void **state)
{
	const struct fails_case *c = *state;
	struct slice in = guard_copy(c->in);
	struct fail_cell got = { 0 };

	assert_int_equal(cell_take_fails(&in, &got), c->want);
	assert_int_equal(got.fails, c->fails);
	assert_int_equal(got.runs, c->runs);
}

static void reproductions_may_pass_a_hundred(void **state)
{
	struct slice in = guard_copy("  105% x"), minus = guard_copy(" -27%");
	struct fail_cell got = { 0 };

	(void)state;
	assert_true(cell_take_reproduction(&in, &got));
	assert_int_equal(got.reproduction, 105);
	assert_true(cell_take_reproduction(&minus, &got));
	assert_int_equal(got.reproduction, -27);
	in = guard_copy(" 12.5% x");
	assert_false(cell_take_reproduction(&in, &got));
}

static const struct row_case {
	const char *name, *line;
	size_t n;
	bool fixed; /* stands as the robot prints it */
} rows[] = {
	{ "no deviation",
	  "   3930112           +12.7%    4429236        a.b_per_sec", 2,
	  true },
	{ "absolute",
	  "     41.20            -3.4       37.81 ±  2%  mpstat.usr%", 2,
	  true },
	{ "both deviations",
	  " 2.331e+09 ±  3%     -61.0%  9.091e+08 ± 10%  x.y", 2, true },
	{ "three digits", "      0.19 ±160%  +61380.1%     115.68 ±185%  x.y",
	  2, true },
	{ "change with exponent",
	  "      0.20 ±153%  +2.1e+05%     418.07 ±203%  x.y", 2, true },
	{ "widest change", "      0.00       +3.7e+101%       3.70        x.y",
	  2, true },
	{ "infinite", "      0.00            +Inf%      1e+16        x.y", 2,
	  true },
	{ "nine digits", " 100000000            +0.0%  100000000        x.y", 2,
	  true },
	{ "few digits", "     2e+09            +5.0%    2.1e+09        x.y", 2,
	  true },
	{ "negative", "     -1383           +63.1%      -2255        x.y", 2,
	  true },
	{ "negative decimals",
	  "    -18.50           +33.5%     -24.70        x.y", 2, true },
	{ "negative exponent",
	  " -8.15e+09          -140.0%  3.257e+09        x.y", 2, true },
	{ "minus zero", "     -0.00            -0.0        0.00        x.y", 2,
	  true },
	{ "one letter for a name",
	  "      1.00            +1.0%       1.01        x", 2, true },
	{ "three columns",
	  "      0.52 ±115%      -0.5        0.00            +0.1        0.63 "
	  "± 12%  x.y",
	  3, true },
	{ "moved by one", "       41.20            -3.4       37.81 ±  2%  x.y",
	  2, false },
	{ "collapsed", "41.20 -3.4 37.81 ± 2% x.y", 2, false },
	{ "four digits", "      0.20 ±1206%     -63.1%       0.07        x.y",
	  2, false },
	{ "a note", "      1.00            +1.0%       1.01        x  <-- (1)",
	  2, false },
};

/* The two ways to read a row give the same, to the last bit. */
static void check_row(void **state)
{
	const struct row_case *c = *state;
	struct slice line = guard_copy(c->line), metric = { 0 };
	struct row_form form = { c->n, false };
	struct cell got[LIMIT_COLUMNS];
	struct row_draft want;
	struct lines none;
	struct arena arena;

	arena_init(&arena);
	lines_init(&none, S(""));
	assert_true(row_take(line, form, &none, &arena, &want));
	assert_false(want.failure);
	assert_int_equal(cell_take_fixed_row(line, c->n, got, &metric),
			 c->fixed);
	for (size_t i = 0; c->fixed && i < c->n; i++) {
		assert_same_double(got[i].value, want.cells[i].value);
		assert_same_double(got[i].change, want.cells[i].change);
		assert_int_equal(got[i].dev_pct, want.cells[i].dev_pct);
		assert_int_equal(got[i].kind, want.cells[i].kind);
	}
	if (c->fixed)
		assert_true(slice_eq(metric, want.metric));
	arena_release(&arena);
}

/*
 * Whatever one byte is put anywhere into a good row: what the columns still
 * accept, the tokens accept too, and as the same.
 */
static void columns_never_see_what_tokens_do_not(void **state)
{
	static const char bytes[] = " 0159.+-eE%:~\t\xc2\xb1x";
	struct row_form form = { 2, false };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < 14; i++)
		for (size_t k = 0; k < strlen(rows[i].line); k++)
			for (size_t b = 0; b < sizeof(bytes) - 1; b++) {
				struct slice line = guard_copy(rows[i].line);
				struct slice metric;
				struct cell got[2];
				struct row_draft want;
				struct lines none;

				((char *)line.ptr)[k] = bytes[b];
				if (!cell_take_fixed_row(line, 2, got, &metric))
					goto next;
				lines_init(&none, S(""));
				assert_true(row_take(line, form, &none, &arena,
						     &want));
				assert_same_double(got[1].value,
						   want.cells[1].value);
				assert_same_double(got[1].change,
						   want.cells[1].change);
				assert_int_equal(got[0].dev_pct,
						 want.cells[0].dev_pct);
				assert_true(slice_eq(metric, want.metric));
			next:
				guard_free(line);
			}
	arena_release(&arena);
}

/* Every front of a row, as long as one byte: nothing is read behind it. */
static void a_cut_row_is_none(void **state)
{
	struct slice whole = slice_of(rows[3].line), metric;
	struct cell got[2];

	(void)state;
	for (size_t len = 0; len + 3 < whole.len; len++) {
		struct slice cut = guard_bytes(whole.ptr, len);

		assert_false(cell_take_fixed_row(cut, 2, got, &metric));
		guard_free(cut);
	}
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(values) + ARRAY_LEN(changes) +
				ARRAY_LEN(fails) + ARRAY_LEN(rows) + 3];
	size_t n = 0;

	TABLE_ADD(tests, n, values, name, check_value);
	TABLE_ADD(tests, n, changes, name, check_change);
	TABLE_ADD(tests, n, fails, name, check_fails);
	TABLE_ADD(tests, n, rows, name, check_row);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(
		reproductions_may_pass_a_hundred);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(
		columns_never_see_what_tokens_do_not);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_cut_row_is_none);
	return cmocka_run_group_tests_name("cell", tests, NULL, NULL);
}
