/* git_people: the people of a commit, from a tree that git itself made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include "bot/git_helper.h"
#include "bot/git_people.h"
#include "bot/target.h"
#include "tests/repo.h"
#include "tests/scratch.h"

static struct arena arena;

/* The last commit, with its people, as it comes out at the asking side. */
static void look(struct gitpeople *people, bool maintainers,
		 struct commit_facts *ret)
{
	const char *merged[] = { "HEAD" };
	const char *hex = repo_sh("git -C tree rev-parse HEAD");
	struct config_git config = { .path = scratch_path("tree"),
				     .merged = { merged, 1 },
				     .maintainers = maintainers };
	struct gittree *tree = NULL;
	struct commit_facts facts;
	struct buf json;
	struct err err;

	buf_init(&json);
	assert_int_equal(gittree_open(&config, &tree, &err), PH_OK);
	assert_int_equal(gittree_commit(tree, slice_of(hex), &arena, &facts,
					&err),
			 PH_OK);
	gitpeople_fill(people, tree, &arena, &facts);
	commit_to_json(&facts, &json);
	assert_int_equal(commit_from_json(buf_slice(&json), &arena, ret, &err),
			 PH_OK);
	buf_release(&json);
	gittree_close(tree);
}

static void expect(const char *spec, const struct commit_facts *facts,
		   const char *want)
{
	const struct config_channel mail = { .type = CHANNEL_MAIL };
	const struct target_known known = { .author = S("author@example.org"),
					    .git = facts };
	struct slice *list;
	struct buf got;
	size_t n;

	buf_init(&got);
	target_expand(&mail, slice_of(spec), &known, &arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		buf_printf(&got, "%s%.*s", i ? " " : "", S_FMT(list[i]));
	assert_string_equal(buf_str(&got), want);
	buf_release(&got);
}

static void targets_are_people_of_the_tree(void **state)
{
	struct gitpeople people = { 0 };
	struct commit_facts facts;

	(void)state;
	look(&people, true, &facts);
	/* the keyword's section comes last, the list and the reviewer not */
	expect("@maintainers", &facts,
	       "jan@example.org mia@example.org ida@example.org");
	expect("@reviewers", &facts, "rita@example.org ian@example.org");
	expect("@committer", &facts, "now@example.org");
	expect("@author", &facts, "author@example.org");
	expect("x@example.org", &facts, "x@example.org");
	assert_true(
		slice_eq(facts.maintainers[0].value, S("MEMORY CONTROLLER")));
	gitpeople_release(&people);
}

static void a_new_file_is_read_anew(void **state)
{
	struct gitpeople people = { 0 };
	struct commit_facts facts;

	(void)state;
	look(&people, true, &facts);
	assert_int_equal(facts.n_maintainers, 3);
	repo_sh("cd tree && printf 'ALL\\nM:\\tEva "
		"<eva@example.org>\\nF:\\t*/\\n' "
		">MAINTAINERS && echo >>mm/a.c && git commit -q -a -m new");
	look(&people, true, &facts);
	expect("@maintainers", &facts, "eva@example.org");
	repo_sh("cd tree && echo nothing >MAINTAINERS && "
		"git commit -q -a -m none");
	look(&people, true, &facts);
	expect("@maintainers", &facts, "");
	repo_sh("git -C tree reset -q --hard HEAD^^");
	gitpeople_release(&people);
}

static void maintainers_can_be_left_out(void **state)
{
	struct gitpeople people = { 0 };
	struct commit_facts facts;

	(void)state;
	look(&people, false, &facts);
	assert_int_equal(facts.n_maintainers, 0);
	expect("@maintainers", &facts, "");
	assert_null(people.maintainers);
	gitpeople_release(&people);
}

static void a_patch_across_the_tree_is_nobodys(void **state)
{
	struct pair many[9];
	struct commit_facts facts = { .maintainers = many,
				      .n_maintainers = ARRAY_LEN(many) };
	static const char letters[] = "abcdefghi";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(many); i++)
		many[i].key =
			slice_of(arena_printf(&arena, "%c@x", letters[i]));
	expect("@maintainers", &facts, "a@x b@x c@x d@x e@x f@x g@x h@x");
}

static int make_tree(void **state)
{
	(void)state;
	arena_init(&arena);
	repo_sh("git init -q -b master tree && cd tree && "
		"git config user.name Now && "
		"git config user.email now@example.org && mkdir mm && "
		"echo '<rita@example.org> <old-rita@example.org>' >.mailmap && "
		"echo '<jan@example.org> <old-jan@example.org>' >>.mailmap && "
		"cat >MAINTAINERS <<'X'\n"
		"KEYWORD\nM:\tIda <ida@example.org>\nK:\tfrobnicate\n"
		"MEMORY CONTROLLER\nM:\tJan <old-jan@example.org>\n"
		"R:\tLea <lea@example.org>\nF:\tmm/a.c\n"
		"MEMORY MANAGEMENT\nM:\tMia <mia@example.org>\n"
		"M:\tlinux-mm@kvack.org\nF:\tmm/\nX\n"
		"echo 1 >mm/a.c && git add . && git commit -q -m start");
	repo_sh("cd tree && echo 'frobnicate()' >>mm/a.c && git commit -q -a "
		"-m 'mm: change' -m 'Reviewed-by: Rita <old-rita@example.org>\n"
		"Acked-by: Ian <ian@example.org>'");
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets_are_people_of_the_tree),
		cmocka_unit_test(a_new_file_is_read_anew),
		cmocka_unit_test(maintainers_can_be_left_out),
		cmocka_unit_test(a_patch_across_the_tree_is_nobodys),
	};

	return cmocka_run_group_tests_name("git_people", tests, make_tree,
					   remove_tree);
}
