/*
 * From a report to the facts of a notice: what the golden notices do not show.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/facts.h"
#include "tests/table.h"

static struct arena arena;

static const struct tree_case {
	const char *name, *tree, *branch, *label, *posted;
	enum tree_rank want;
} trees[] = {
	{ "mainline by its tree",
	  "https://git.kernel.org/cgit/linux/kernel/git/torvalds/linux.git",
	  "master", "", "", TREE_MAINLINE },
	{ "mainline by its label", "", "", "linus:master", "", TREE_MAINLINE },
	{ "linux-next by its tree",
	  "https://git.kernel.org/cgit/linux/kernel/git/next/linux-next.git",
	  "master", "", "", TREE_NEXT },
	{ "linux-next by its label", "", "", "linux-next:pending-fixes", "",
	  TREE_NEXT },
	{ "a maintainer's",
	  "https://git.kernel.org/cgit/linux/kernel/git/tip/tip.git",
	  "core/rseq", "tip:core/rseq", "", TREE_MAINTAINER },
	{ "a posted patch, whatever its base",
	  "https://git.kernel.org/cgit/linux/kernel/git/torvalds/linux.git",
	  "master", "", "https://lore.kernel.org/all/x@example.org/",
	  TREE_POSTED },
	{ "a posted patch by its branch",
	  "https://git.kernel.org/cgit/linux/kernel/git/torvalds/linux.git",
	  "A-Developer/mm-x/20210210-054647", "", "", TREE_POSTED },
	{ "a branch with a number is no posted patch",
	  "https://git.kernel.org/cgit/linux/kernel/git/x/linux.git",
	  "topic/20210210", "", "", TREE_MAINTAINER },
	{ "nothing known", "", "", "", "", TREE_MAINTAINER },
};

static void check_tree(void **state)
{
	const struct tree_case *c = *state;
	struct report r = { 0 };

	r.commit.tree = slice_of(c->tree);
	r.commit.branch = slice_of(c->branch);
	r.commit.label = slice_of(c->label);
	r.posted.link = slice_of(c->posted);
	assert_int_equal(facts_tree_rank(&r), c->want);
}

static void parameters_read_the_same_in_any_order(void **state)
{
	struct pair one[] = {
		{ S_INIT("nr_task"), S_INIT("100%") },
		{ S_INIT("mode"), S_INIT("process") },
		{ S_INIT("test"), S_INIT("page_fault2") },
		{ S_INIT("cpufreq_governor"), S_INIT("performance") },
	};
	struct pair two[] = { one[3], one[2], one[1], one[0] };
	struct result a = { .params = one, .n_params = 4 };
	struct result b = { .params = two, .n_params = 4 };

	(void)state;
	assert_true(slice_eq(facts_params(&a, &arena),
			     S("page_fault2, mode=process nr_task=100%")));
	assert_true(
		slice_eq(facts_params(&a, &arena), facts_params(&b, &arena)));
	b.n_params = 1;
	assert_int_equal(facts_params(&b, &arena).len, 0);
}

/* A report with one result that has a row, as the parser would give it. */
struct made {
	struct report report;
	struct result result;
	struct table table;
	struct column columns[2];
	struct row row;
	struct cell cells[2];
};

static void make(struct made *m, double base, double value)
{
	*m = (struct made){ 0 };
	m->cells[0] = (struct cell){ .value = base, .dev_pct = -1 };
	m->cells[1] = (struct cell){ .value = value,
				     .dev_pct = -1,
				     .kind = CHANGE_RELATIVE };
	m->cells[1].change = base != 0 ? 100 * (value - base) / base : 3e98;
	m->row.metric = S("demo.ops");
	m->table.n_columns = 2;
	m->table.columns = m->columns;
	m->table.n_rows = 1;
	m->result = (struct result){ .testcase = S("demo"),
				     .metric = S("demo.ops"),
				     .verdict = VERDICT_REGRESSION,
				     .better = BETTER_HIGHER };
	m->result.percent = base != 0 ? 100 * (base - value) / base : 3e98;
	m->report.kind = REPORT_PERFORMANCE;
	m->report.results = &m->result;
	m->report.n_results = 1;
	m->report.tables = &m->table;
	m->report.n_tables = 1;
	m->report.rows = &m->row;
	m->report.n_rows = 1;
	m->report.cells = m->cells;
}

static struct notice fill(struct made *m)
{
	struct facts_ask ask = { .kind = NOTICE_FIRST };
	struct notice n;

	facts_fill(&m->report, NULL, &ask, &arena, &n);
	return n;
}

static void a_rate_of_zero_has_stopped(void **state)
{
	struct made m;

	(void)state;
	make(&m, 100, 0);
	assert_true(fill(&m).results[0].stopped);
	make(&m, 100, 50);
	assert_false(fill(&m).results[0].stopped);
}

static void a_latency_of_zero_has_not(void **state)
{
	struct made m;

	(void)state;
	make(&m, 0.4, 0);
	m.result.better = BETTER_LOWER;
	m.result.verdict = VERDICT_IMPROVEMENT;
	assert_false(fill(&m).results[0].stopped);
}

static void from_nothing_has_no_per_cent(void **state)
{
	struct made m;
	struct notice n;

	(void)state;
	make(&m, 0, 5);
	m.result.better = BETTER_LOWER;
	n = fill(&m);
	assert_true(n.results[0].from_nothing);
	assert_false(n.results[0].has_percent);
	assert_false(n.results[0].contradiction);
}

static void contradictions_are_noticed(void **state)
{
	struct made m;

	(void)state;
	make(&m, 100, 90);
	assert_false(fill(&m).results[0].contradiction);
	m.result.better = BETTER_LOWER;
	assert_true(fill(&m).results[0].contradiction);
	m.result.better = BETTER_UNKNOWN;
	assert_false(fill(&m).results[0].contradiction);
	m.result.percent = 12;
	assert_true(fill(&m).results[0].contradiction);
}

static const struct link_case {
	const char *name, *id, *want_url, *want_id;
} links[] = {
	{ "as it is", "202403071512.1a-lkp@intel.com",
	  "https://lore.kernel.org/r/202403071512.1a-lkp@intel.com",
	  "202403071512.1a-lkp@intel.com" },
	{ "a masked domain is intel.com", "202403071512.1a-lkp@xxxxxxxxx",
	  "https://lore.kernel.org/r/202403071512.1a-lkp@intel.com",
	  "202403071512.1a-lkp@intel.com" },
	{ "a slash would end the address", "a/b?c#d%e@intel.com",
	  "https://lore.kernel.org/r/a%2Fb%3Fc%23d%25e@intel.com",
	  "a/b?c#d%e@intel.com" },
	{ "no id, no link", "", "", "" },
};

static void check_link(void **state)
{
	const struct link_case *c = *state;
	struct made m;
	struct notice n;

	make(&m, 100, 90);
	m.report.id = slice_of(c->id);
	n = fill(&m);
	assert_true(slice_eq(n.report_url, slice_of(c->want_url)));
	assert_true(slice_eq(n.report_id, slice_of(c->want_id)));
}

static const struct good_case {
	const char *name, *testcase, *key, *value;
	double value_after;
	bool want;
} goods[] = {
	{ "twice as fast", "hackbench", "", "", 200, true },
	{ "just under twice", "hackbench", "", "", 199, false },
	{ "a file system test from a fifth on", "fsmark", "", "", 120, true },
	{ "a file system test below", "fsmark", "", "", 119, false },
	{ "any test with a file system", "stress-ng", "fs", "ext4", 125, true },
	{ "any test with a disk", "vm-scalability", "disk", "1SSD", 125, true },
	{ "a crypto test", "stress-ng", "test", "af-alg", 125, true },
	{ "another test", "stress-ng", "test", "futex", 125, false },
};

static void check_good(void **state)
{
	const struct good_case *c = *state;
	struct pair param = { slice_of(c->key), slice_of(c->value) };
	struct made m;

	make(&m, 100, c->value_after);
	m.result.verdict = VERDICT_IMPROVEMENT;
	m.result.percent = c->value_after - 100;
	m.result.testcase = slice_of(c->testcase);
	m.result.params = &param;
	m.result.n_params = 1;
	assert_int_equal(fill(&m).too_good, c->want);
	m.result.verdict = VERDICT_REGRESSION;
	assert_false(fill(&m).too_good);
}

int main(void)
{
	static const struct CMUnitTest alone[] = {
		cmocka_unit_test(parameters_read_the_same_in_any_order),
		cmocka_unit_test(a_rate_of_zero_has_stopped),
		cmocka_unit_test(a_latency_of_zero_has_not),
		cmocka_unit_test(from_nothing_has_no_per_cent),
		cmocka_unit_test(contradictions_are_noticed),
	};
	struct CMUnitTest tests[64];
	size_t n = ARRAY_LEN(alone);
	int failed;

	arena_init(&arena);
	memcpy(tests, alone, sizeof(alone));
	TABLE_ADD(tests, n, trees, name, check_tree);
	TABLE_ADD(tests, n, links, name, check_link);
	TABLE_ADD(tests, n, goods, name, check_good);
	failed = _cmocka_run_group_tests("facts", tests, n, NULL, NULL);
	arena_release(&arena);
	return failed;
}
