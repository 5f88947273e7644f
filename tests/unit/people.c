/* people: .mailmap, and the robot's table of trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/stat.h>
#include "bot/mailmap.h"
#include "bot/trees.h"
#include "tests/guard.h"
#include "tests/scratch.h"
#include "tests/table.h"

/* -- mailmap -- */

static const char map_text[] =
	"# comment\n"
	"Proper Name <name-only@example.org>\n"
	"<new@example.org> <address-only@example.org>\n"
	"Both New <both@example.org> <OLD@Example.org> # trailing\n"
	"One Of Two <one@example.org> First <shared@example.org>\n"
	"Other Of Two <other@example.org> Second <shared@example.org>\n"
	"Anyone Else <else@example.org> <shared@example.org>\n"
	"First Try <first@example.org> <twice@example.org>\n"
	"Second Try <second@example.org> <twice@example.org>\n"
	"no address at all\n"
	"<lonely@example.org>\n"
	"Broken <broken@example.org\n";

static struct map_case {
	const char *name;
	struct person in, want;
} map_cases[] = {
	{ "mailmap: name alone",
	  { S_INIT("x"), S_INIT("name-only@example.org") },
	  { S_INIT("Proper Name"), S_INIT("name-only@example.org") } },
	{ "mailmap: address alone",
	  { S_INIT("Kept"), S_INIT("address-only@example.org") },
	  { S_INIT("Kept"), S_INIT("new@example.org") } },
	{ "mailmap: both, without case",
	  { S_INIT("x"), S_INIT("old@example.ORG") },
	  { S_INIT("Both New"), S_INIT("both@example.org") } },
	{ "mailmap: by the old name",
	  { S_INIT("SECOND"), S_INIT("shared@example.org") },
	  { S_INIT("Other Of Two"), S_INIT("other@example.org") } },
	{ "mailmap: by the other old name",
	  { S_INIT("First"), S_INIT("shared@example.org") },
	  { S_INIT("One Of Two"), S_INIT("one@example.org") } },
	{ "mailmap: by no old name",
	  { S_INIT("Third"), S_INIT("shared@example.org") },
	  { S_INIT("Anyone Else"), S_INIT("else@example.org") } },
	{ "mailmap: the later line wins",
	  { S_INIT("x"), S_INIT("twice@example.org") },
	  { S_INIT("Second Try"), S_INIT("second@example.org") } },
	{ "mailmap: unknown",
	  { S_INIT("x"), S_INIT("unknown@example.org") },
	  { S_INIT("x"), S_INIT("unknown@example.org") } },
	{ "mailmap: a line that maps nothing",
	  { S_INIT("x"), S_INIT("lonely@example.org") },
	  { S_INIT("x"), S_INIT("lonely@example.org") } },
};

static void maps(void **state)
{
	const struct map_case *c = *state;
	struct person got = c->in;
	struct mailmap map;
	struct arena arena;

	arena_init(&arena);
	mailmap_parse(guard_copy(map_text), &arena, &map);
	assert_int_equal(map.n, 8);
	mailmap_apply(&map, &got);
	assert_true(slice_eq(got.name, c->want.name));
	assert_true(slice_eq(got.address, c->want.address));
	arena_release(&arena);
}

/* -- trees -- */

static const char queue_yaml[] = "url: https://git.example.org/queue.git\n"
				 "owner: Quin Owner <quin@example.org>\n"
				 "mail_cc:\n- Quin Owner <quin@example.org>\n- "
				 "linux-x@lists.example.org\n"
				 "private_report_branch: .*\n"
				 "public_report_branch: public/.*|release\n"
				 "branch_denylist: .*-dont-build|tmp\n"
				 "branch_deny_runtime_test: docs\n"
				 "something_new: [1, 2]\n";

static const char list_yaml[] = "url: https://git.example.org/list.git\n"
				"owner:\n- a@example.org\n- B <b@example.org>\n"
				"branch_allowlist:\n- master\n- for-.*\n";

static struct branch_case {
	const char *name, *branch;
	bool list_tree, is_private, denied;
} branch_cases[] = {
	{ "trees: private", "sched/core", false, true, false },
	{ "trees: made public", "public/x", false, false, false },
	{ "trees: made public by name", "release", false, false, false },
	{ "trees: a name that goes on", "release2", false, true, false },
	{ "trees: denied", "x-dont-build", false, true, true },
	{ "trees: built only", "docs", false, true, true },
	{ "trees: allowed", "for-next", true, false, false },
	{ "trees: not allowed", "wip", true, false, true },
};

static void fill_trees(struct trees *t)
{
	struct err err;

	trees_init(t);
	assert_int_equal(trees_add(t, S("queue"), S(queue_yaml), &err), PH_OK);
	assert_int_equal(trees_add(t, S("list"), S(list_yaml), &err), PH_OK);
}

static void judges_branch(void **state)
{
	const struct branch_case *c = *state;
	const struct tree *tree;
	struct trees t;

	fill_trees(&t);
	tree = trees_find(&t, c->list_tree ? S("list:x") : S("queue:x"), S(""));
	assert_non_null(tree);
	assert_int_equal(tree_is_private(tree, slice_of(c->branch)),
			 c->is_private);
	assert_int_equal(tree_is_denied(tree, slice_of(c->branch)), c->denied);
	trees_release(&t);
}

static void trees_are_found(void **state)
{
	const struct tree *tree;
	struct trees t;

	(void)state;
	fill_trees(&t);
	tree = trees_find(&t, S("linux-next:master"),
			  S("https://git.example.org/list.git"));
	assert_non_null(tree);
	assert_true(slice_eq(tree->name, S("list")));
	assert_int_equal(tree->n_owners, 2);
	assert_true(slice_eq(tree->owners[1].name, S("B")));
	assert_true(slice_eq(tree->owners[1].address, S("b@example.org")));
	assert_null(trees_find(&t, S("nobody:x"), S("")));
	tree = trees_find(&t, S("queue:x"), S(""));
	assert_int_equal(tree->n_cc, 2);
	assert_true(
		slice_eq(tree->cc[1].address, S("linux-x@lists.example.org")));
	trees_release(&t);
}

static void a_report_is_of_a_branch(void **state)
{
	struct branch b;
	struct trees t;

	(void)state;
	fill_trees(&t);
	b = trees_branch(&t, S("queue:docs"), S(""), S(""));
	assert_non_null(b.tree);
	assert_true(b.is_denied);
	b = trees_branch(&t, S("queue:docs"), S(""), S("public/x"));
	assert_false(b.is_denied || b.is_private);
	assert_null(trees_branch(&t, S("nobody:x"), S(""), S("")).tree);
	assert_null(trees_branch(NULL, S("queue:x"), S(""), S("x")).tree);
	trees_release(&t);
}

static struct bad_tree {
	const char *yaml, *want;
} bad_trees[] = {
	{ "a: [b", "bad:2:1: not YAML: while parsing a flow sequence, did not "
		   "find expected ',' or ']'" },
	{ "- a\n", "bad:1:1: no keys" },
	{ "", "bad:1:1: no keys" },
	{ "a: &x b\n", "bad:1:4: anchor \"&x\": write the value out where it "
		       "is needed, anchors are not read" },
};

static void bad_trees_are_named(void **state)
{
	struct trees t;
	struct err err;

	(void)state;
	trees_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(bad_trees); i++) {
		assert_int_equal(trees_add(&t, S("bad"),
					   slice_of(bad_trees[i].yaml), &err),
				 PH_BAD);
		assert_string_equal(err.text, bad_trees[i].want);
	}
	assert_int_equal(trees_add(&t, S("bad"), S("branch_denylist: a(b\n"),
				   &err),
			 PH_BAD);
	assert_non_null(strstr(err.text, "bad:1:18: branch_denylist: "));
	assert_int_equal(t.n, 0);
	trees_release(&t);
}

static void a_folder_is_read(void **state)
{
	const char *dir = scratch_path("trees");
	struct trees t;
	struct err err;
	size_t bad;

	(void)state;
	assert_int_equal(mkdir(dir, 0700), 0);
	scratch_file("trees/queue", queue_yaml, 0600);
	scratch_file("trees/list", list_yaml, 0600);
	scratch_file("trees/DEFAULTS", "- x\n", 0600);
	scratch_file("trees/.hidden", "- x\n", 0600);
	scratch_file("trees/broken", "[", 0600);
	trees_init(&t);
	assert_int_equal(trees_read(&t, dir, &bad, &err), PH_OK);
	assert_int_equal(t.n, 2);
	assert_int_equal(bad, 1);
	assert_non_null(strstr(err.text, "broken:"));
	assert_int_equal(trees_read(&t, "/nowhere", NULL, &err), PH_FATAL);
	trees_release(&t);
}

#define N_PLAIN 4

int main(void)
{
	static struct CMUnitTest tests[N_PLAIN + ARRAY_LEN(map_cases) +
				       ARRAY_LEN(branch_cases)] = {
		cmocka_unit_test(trees_are_found),
		cmocka_unit_test(a_report_is_of_a_branch),
		cmocka_unit_test(bad_trees_are_named),
		cmocka_unit_test(a_folder_is_read),
	};
	size_t n = TABLE_LISTED(tests);

	TABLE_ADD(tests, n, map_cases, name, maps);
	TABLE_ADD(tests, n, branch_cases, name, judges_branch);
	return cmocka_run_group_tests_name("people", tests, NULL, NULL);
}
