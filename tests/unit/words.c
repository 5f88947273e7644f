#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "notify/words.h"
#include "ph/notice.h"
#include "tests/table.h"

static const struct number_case {
	const char *name;
	double in;
	const char *want;
} numbers[] = {
	{ "zero has two decimals", 0, "0.00" },
	{ "below a thousand", 1.994, "1.99" },
	{ "negative", -12.5, "-12.50" },
	{ "just below a thousand", 999.994, "999.99" },
	{ "a thousand is whole", 1000, "1,000" },
	{ "whole numbers are cut, not rounded", 91713.9, "91,713" },
	{ "negative thousands", -1383, "-1,383" },
	{ "six digits", 123456, "123,456" },
	{ "the last whole one", 1e8, "100,000,000" },
	{ "four digits above", 2.3311e9, "2.331e+09" },
	{ "trailing zeros go", 2e9, "2e+09" },
};

static void check_number(void **state)
{
	const struct number_case *c = *state;
	struct buf b;

	buf_init(&b);
	words_number(&b, c->in);
	assert_string_equal(buf_str(&b), c->want);
	buf_release(&b);
}

static const struct move_case {
	const char *name;
	struct notice_result in;
	const char *want;
} moves[] = {
	{ "one decimal",
	  { .verdict = VERDICT_REGRESSION,
	    .has_percent = true,
	    .percent = 11.94,
	    .change_kind = CHANGE_RELATIVE },
	  "WORSE 11.9%" },
	{ "no decimal from a hundred",
	  { .verdict = VERDICT_IMPROVEMENT,
	    .has_percent = true,
	    .percent = 160.4,
	    .change_kind = CHANGE_RELATIVE },
	  "BETTER 160%" },
	{ "thousands of per cent",
	  { .verdict = VERDICT_IMPROVEMENT,
	    .has_percent = true,
	    .percent = 210000,
	    .change_kind = CHANGE_RELATIVE },
	  "BETTER 210,000%" },
	{ "millions of per cent",
	  { .verdict = VERDICT_IMPROVEMENT,
	    .has_percent = true,
	    .percent = 3.7e7,
	    .change_kind = CHANGE_RELATIVE },
	  "BETTER 3.7e+07%" },
	{ "points",
	  { .verdict = VERDICT_REGRESSION,
	    .has_percent = true,
	    .percent = 3.4,
	    .change_kind = CHANGE_ABSOLUTE },
	  "WORSE 3.4 points" },
	{ "stopped says no figure",
	  { .verdict = VERDICT_REGRESSION,
	    .has_percent = true,
	    .percent = 100,
	    .change_kind = CHANGE_RELATIVE,
	    .stopped = true },
	  "STOPPED" },
	{ "from nothing says no figure",
	  { .verdict = VERDICT_REGRESSION, .from_nothing = true },
	  "WORSE from nothing" },
	{ "nothing known", { .verdict = VERDICT_NONE }, "CHANGED" },
};

static void check_move(void **state)
{
	const struct move_case *c = *state;
	struct buf b;

	buf_init(&b);
	words_move(&b, &c->in, " ");
	assert_string_equal(buf_str(&b), c->want);
	buf_release(&b);
}

static const struct commit_case {
	const char *name, *commit, *title, *want;
} commits[] = {
	{ "a hash is cut to twelve", "70a64b7919cbd6c12306051ff2825839a9d65605",
	  "mm: x", "70a64b7919cb (\"mm: x\")" },
	{ "a tag is whole", "v6.10-rc3-next-20240801", "",
	  "v6.10-rc3-next-20240801" },
	{ "title alone", "", "mm: x", "\"mm: x\"" },
	{ "control characters go", "v6\n.1", "a\x1b[1mb",
	  "v6 .1 (\"a [1mb\")" },
	{ "nothing", "", "", "" },
};

static void check_commit(void **state)
{
	const struct commit_case *c = *state;
	struct buf b;

	buf_init(&b);
	words_commit(&b, slice_of(c->commit), slice_of(c->title));
	assert_string_equal(buf_str(&b), c->want);
	buf_release(&b);
}

static const struct tree_case {
	const char *name, *tree, *branch, *label, *want;
} trees[] = {
	{ "kernel.org's front goes",
	  "https://git.kernel.org/cgit/linux/kernel/git/next/linux-next.git",
	  "master", "linux-next:master", "next/linux-next.git master" },
	{ "another place stays", "https://github.com/x/linux.git", "wip", "",
	  "github.com/x/linux.git wip" },
	{ "the label when no tree is known", "", "", "tip:core/rseq",
	  "tip:core/rseq" },
};

static void check_tree(void **state)
{
	const struct tree_case *c = *state;
	struct notice n = { .tree = slice_of(c->tree),
			    .branch = slice_of(c->branch),
			    .label = slice_of(c->label) };
	struct buf b;

	buf_init(&b);
	words_tree(&b, &n);
	assert_string_equal(buf_str(&b), c->want);
	buf_release(&b);
}

int main(void)
{
	struct CMUnitTest tests[64];
	size_t n = 0;

	TABLE_ADD(tests, n, numbers, name, check_number);
	TABLE_ADD(tests, n, moves, name, check_move);
	TABLE_ADD(tests, n, commits, name, check_commit);
	TABLE_ADD(tests, n, trees, name, check_tree);
	return _cmocka_run_group_tests("words", tests, n, NULL, NULL);
}
