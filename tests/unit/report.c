/*
 * report_read at its ceilings, on text cut anywhere, and on text made to take
 * long. What single mails say is in tests/golden (quirks.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <time.h>

#include "ph/limits.h"
#include "ph/report.h"
#include "tests/guard.h"
#include "tests/made_report.h"

static struct arena arena;
static struct buf text;
static struct err err;

static int setup(void **state)
{
	(void)state;
	arena_init(&arena);
	buf_init(&text);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	buf_release(&text);
	return 0;
}

static enum status read_text(struct slice s, struct report *ret)
{
	struct message *msg = arena_new(&arena, struct message);

	msg->text = s;
	msg->bare = true;
	return report_read(msg, &arena, ret, &err);
}

static void put_dashes(size_t columns)
{
	buf_add_str(&text, "----------------");
	for (size_t i = 1; i < columns; i++)
		buf_add_str(&text, " ---------------------------");
	buf_add_char(&text, '\n');
}

static void put_row(size_t columns, const char *name)
{
	buf_add_str(&text, "1.00");
	for (size_t i = 1; i < columns; i++)
		buf_add_str(&text, " +0.0% 1.00");
	buf_printf(&text, "  %s\n", name);
}

static void assert_named(const char *what, unsigned limit)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", limit);
	assert_non_null(strstr(err.text, what));
	assert_non_null(strstr(err.text, number));
	assert_non_null(strstr(err.text, "line "));
}

static void columns_have_a_ceiling(void **state)
{
	struct report r;

	(void)state;
	put_dashes(LIMIT_COLUMNS);
	put_row(LIMIT_COLUMNS, "a.b");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_OK);
	assert_int_equal(r.tables[0].n_columns, LIMIT_COLUMNS);
	assert_int_equal(r.n_rows, 1);
	buf_reset(&text);
	put_dashes(LIMIT_COLUMNS + 1);
	put_row(LIMIT_COLUMNS + 1, "a.b");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_BAD);
	assert_named("columns", LIMIT_COLUMNS);
}

static void tables_have_a_ceiling(void **state)
{
	struct report r;

	(void)state;
	for (int i = 0; i <= LIMIT_TABLES; i++) {
		put_dashes(2);
		put_row(2, "a.b");
		buf_add_char(&text, '\n');
		if (i < LIMIT_TABLES - 1)
			continue;
		assert_int_equal(read_text(buf_slice(&text), &r),
				 i == LIMIT_TABLES ? PH_BAD : PH_OK);
	}
	assert_named("tables", LIMIT_TABLES);
}

static void rows_have_a_ceiling(void **state)
{
	struct report r;

	(void)state;
	put_dashes(2);
	for (int i = 0; i < LIMIT_ROWS; i++)
		put_row(2, "a.b");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_OK);
	assert_int_equal(r.n_rows, LIMIT_ROWS);
	put_row(2, "a.b");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_BAD);
	assert_named("rows", LIMIT_ROWS);
}

static void failure_rows_have_a_ceiling(void **state)
{
	struct report r;

	(void)state;
	put_dashes(2);
	for (int i = 0; i < LIMIT_ROWS; i++)
		buf_add_str(&text, ":6 50% 3:6 a.b\n");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_OK);
	assert_int_equal(r.n_failures, LIMIT_ROWS);
	buf_add_str(&text, ":6 50% 3:6 a.b\n");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_BAD);
	assert_named("failure rows", LIMIT_ROWS);
}

/* Printed by columns and by tokens, and as a failure. */
static void names_have_a_ceiling(void **state)
{
	static const char *const starts[] = {
		"      1.00            +1.0%       1.01        ",
		"1.00 +1.0% 1.01 ",
		":6 50% 3:6 ",
	};
	char name[LIMIT_METRIC + 2];
	struct report r;

	(void)state;
	memset(name, 'n', sizeof(name));
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		for (size_t len = LIMIT_METRIC; len <= LIMIT_METRIC + 1;
		     len++) {
			buf_reset(&text);
			put_dashes(2);
			buf_add_str(&text, starts[i]);
			buf_add(&text, name, len);
			buf_add_str(&text, "\n\n");
			assert_int_equal(read_text(buf_slice(&text), &r),
					 len > LIMIT_METRIC ? PH_BAD : PH_OK);
		}
	assert_named("name", LIMIT_METRIC);
}

static void parameters_have_a_ceiling(void **state)
{
	struct report r;

	(void)state;
	buf_add_str(&text, "parameters:\n\n");
	for (int i = 0; i < LIMIT_PARAMS; i++)
		buf_printf(&text, "\tkey%d: value\n", i);
	assert_int_equal(read_text(buf_slice(&text), &r), PH_OK);
	assert_int_equal(r.n_params, LIMIT_PARAMS);
	buf_add_str(&text, "\tkey0: the first of a name stays\n");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_OK);
	assert_true(slice_eq(r.params[0].value, S("value")));
	buf_add_str(&text, "\tone: more\n");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_BAD);
	assert_named("parameters", LIMIT_PARAMS);
}

static void put_axes(size_t n)
{
	buf_reset(&text);
	buf_add_str(&text, "====================\nk");
	for (size_t i = 1; i < n; i++)
		buf_printf(&text, "/k%zu", i);
	buf_add_str(&text, ":\n  v");
	for (size_t i = 1; i < n; i++)
		buf_add_str(&text, "/v");
	buf_add_str(&text, "\n\n");
	put_dashes(2);
	put_row(2, "a.b\n");
}

static void axes_have_a_ceiling(void **state)
{
	struct report r;

	(void)state;
	put_axes(LIMIT_PARAMS);
	assert_int_equal(read_text(buf_slice(&text), &r), PH_OK);
	assert_int_equal(r.tables[0].n_axes, LIMIT_PARAMS);
	put_axes(LIMIT_PARAMS + 1);
	assert_int_equal(read_text(buf_slice(&text), &r), PH_BAD);
	assert_named("axes", LIMIT_PARAMS);
}

static void results_have_a_ceiling(void **state)
{
	struct report r;

	(void)state;
	buf_add_str(&text, "+----+\n");
	for (int i = 0; i < LIMIT_RESULTS; i++)
		buf_add_str(&text, "| testcase: change | a: a.b 1.0% "
				   "regression |\n+----+\n");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_OK);
	assert_int_equal(r.n_results, LIMIT_RESULTS);
	buf_add_str(&text, "| testcase: change | a: a.b 1.0% regression |\n");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_BAD);
	assert_named("results", LIMIT_RESULTS);
}

/* Not the mail is refused here, only what more there would be to say. */
static void warnings_have_a_ceiling(void **state)
{
	struct report r;

	(void)state;
	put_dashes(2);
	for (int i = 0; i < LIMIT_WARNINGS + 3; i++) {
		put_row(2, "a.b");
		buf_add_str(&text, "what?\n");
	}
	put_row(2, "a.b\n");
	assert_int_equal(read_text(buf_slice(&text), &r), PH_OK);
	assert_int_equal(r.n_rows, LIMIT_WARNINGS + 4);
	assert_int_equal(r.tables[0].leftover, LIMIT_WARNINGS + 3);
	assert_int_equal(r.n_warnings, LIMIT_WARNINGS);
	assert_true(r.partial);
	assert_true(slice_eq(r.warnings[0],
			     S("line 3: not a row of the table around it")));
}

static void assert_same_rows(const struct report *got,
			     const struct report *whole, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct cell *a = row_cells(got, &got->rows[i]);
		const struct cell *b = row_cells(whole, &whole->rows[i]);

		assert_true(
			slice_eq(got->rows[i].metric, whole->rows[i].metric));
		assert_memory_equal(a, b, 2 * sizeof(*a));
		assert_int_equal(got->rows[i].line, whole->rows[i].line);
	}
}

static bool warns_of(const struct report *r, uint32_t line)
{
	char start[32];

	snprintf(start, sizeof(start), "line %u: ", line);
	for (size_t i = 0; i < r->n_warnings; i++)
		if (slice_starts(r->warnings[i], slice_of(start)))
			return true;
	return false;
}

static uint32_t count_lines(struct slice s)
{
	struct slice line;
	uint32_t n = 0;

	while (slice_take_line(&s, &line))
		n++;
	return n;
}

/*
 * A report cut after each of its bytes: all rows before the cut are there and
 * the same (the last one's name may be short), and from the first dashes to
 * the table's end a warning names the line.
 */
static void a_cut_report_gives_the_rows_before(void **state)
{
	struct report whole, r;
	struct arena keep;
	size_t dashes, end;

	(void)state;
	made_report(&text, &(struct made_report){
				   .seed = 5, .rows = 12, .name_len = 40 });
	assert_int_equal(read_text(buf_slice(&text), &whole), PH_OK);
	keep = arena;
	arena_init(&arena);
	dashes = (size_t)(strstr(buf_str(&text), "\n---------------- -") -
			  text.ptr);
	end = (size_t)(strstr(text.ptr, "\n\n\n\nDisclaimer") - text.ptr);
	for (size_t len = 0; len < text.len; len++) {
		struct slice cut = guard_bytes(text.ptr, len);
		size_t n;

		arena_reset(&arena);
		assert_int_equal(read_text(cut, &r), PH_OK);
		n = r.n_rows;
		assert_in_range(n, 0, whole.n_rows);
		if (n &&
		    r.rows[n - 1].metric.len != whole.rows[n - 1].metric.len) {
			n--;
			assert_true(slice_starts(whole.rows[n].metric,
						 r.rows[n].metric));
		}
		assert_same_rows(&r, &whole, n);
		/* Behind dashes of full width and before the last row's end. */
		if (len > dashes + 17 + 27 && len <= end) {
			assert_true(r.partial);
			assert_true(warns_of(&r, count_lines(cut)));
		}
		guard_free(cut);
	}
	arena_release(&keep);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define MEMORY_MAX (16 * LIMIT_TEXT)

/* Texts near the ceiling that would take the square of their length if any
 * line were looked at over and over, in time or in memory. */
static const struct slow_case {
	const char *name, *once, *again;
} slow[] = {
	{ "blank lines in a table",
	  "---------------- ---------------------------\n1 +1% 1 a\n", "\n" },
	{ "blank lines and strangers",
	  "---------------- ---------------------------\n1 +1% 1 a\n",
	  "\n\n1 +1% 1 a\nx\n" },
	{ "rules", "", "--------------- ---------------\n\n\n" },
	{ "rules and heads", "",
	  "====================\n----------------- "
	  "-----------------\n" },
	{ "quote marks", "", ">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>\n" },
	{ "headlines that never end", "", "robot noticed a 1.0% x of\n" },
	{ "commits that never end", "",
	  "commit: 0123456789012345678901234567890123456789 (\"\n" },
	{ "rows that never end",
	  "---------------- ---------------------------\n1 +1% 1 a\n",
	  "1 +1%\n" },
	{ "boxes", "", "+----+\n| testcase: change | x |\n" },
	{ "statuses", "",
	  "[still x on y 0123456789012345678901234567890123456789]\n" },
	{ "statuses that never end", "", "[still x on y\n" },
	{ "a host that never ends",
	  "https://download.01.org/0day-ci/archive/ at a", " ! b" },
	{ "links taken apart", "Reported-by: x <a@b.c>\n",
	  "Closes:\nhttp://x at b ! c\n" },
	{ "rows in pieces",
	  "---------------- ---------------------------\n1 +1% 1 a\n",
	  "1\n+1%\n1\nb\n" },
	{ "subjects", "", "[[[[[[[[[[[[[[[[[[[[[[[[[[[\n" },
	{ "entries of a column list",
	  "====================\na:\nb\n\ncommit:\n", "x (\"y\n" },
};

static void check_slow(void **state)
{
	const struct slow_case *c = *state;
	struct report r;
	double from;

	buf_add_str(&text, c->once);
	while (text.len < LIMIT_TEXT - 200)
		buf_add_str(&text, c->again);
	buf_add_str(&text, "1 +1% 1 b\n");
	from = seconds();
	/* Some pass a ceiling on the way, which is as good. */
	read_text(buf_slice(&text), &r);
	if (!guard_valgrind())
		assert_true(seconds() - from < 2);
	assert_true(arena.used < MEMORY_MAX);
}

static void a_person_never_reports(void **state)
{
	struct message msg = { 0 };
	struct report r;

	(void)state;
	made_report(&text, &(struct made_report){
				   .seed = 5, .rows = 3, .name_len = 40 });
	msg.text = buf_slice(&text);
	msg.subject = S("Re: [mm] 0123456789: stress-ng.demo.ops_per_sec 6.8% "
			"improvement");
	msg.from.name = S("Jo Example");
	msg.from.address = S("lkp@intel.com");
	assert_int_equal(report_read(&msg, &arena, &r, &err), PH_OK);
	assert_int_equal(r.kind, REPORT_REPLY);
	assert_int_equal(r.n_rows, 4);
	msg.from.name = S("Kernel Test Robot");
	assert_int_equal(report_read(&msg, &arena, &r, &err), PH_OK);
	assert_int_equal(r.kind, REPORT_PERFORMANCE);
	msg.from.name = S("kernel test robots and more");
	assert_int_equal(report_read(&msg, &arena, &r, &err), PH_OK);
	assert_int_equal(r.kind, REPORT_REPLY);
}

static void every_kind_has_a_name(void **state)
{
	(void)state;
	for (int k = REPORT_OTHER; k <= REPORT_REPLY; k++)
		assert_true(*report_kind_name((enum report_kind)k));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	static const struct CMUnitTest fixed[] = {
		TEST(columns_have_a_ceiling),
		TEST(tables_have_a_ceiling),
		TEST(rows_have_a_ceiling),
		TEST(failure_rows_have_a_ceiling),
		TEST(names_have_a_ceiling),
		TEST(parameters_have_a_ceiling),
		TEST(axes_have_a_ceiling),
		TEST(results_have_a_ceiling),
		TEST(warnings_have_a_ceiling),
		TEST(a_cut_report_gives_the_rows_before),
		TEST(a_person_never_reports),
		TEST(every_kind_has_a_name),
	};
	struct CMUnitTest tests[ARRAY_LEN(fixed) + ARRAY_LEN(slow)];

	memcpy(tests, fixed, sizeof(fixed));
	for (size_t i = 0; i < ARRAY_LEN(slow); i++)
		tests[ARRAY_LEN(fixed) + i] =
			(struct CMUnitTest){ .name = slow[i].name,
					     .test_func = check_slow,
					     .setup_func = setup,
					     .teardown_func = teardown,
					     .initial_state =
						     (void *)&slow[i] };
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
