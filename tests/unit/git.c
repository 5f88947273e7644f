#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bot/git_helper.h"
#include "bot/git_symbols.h"
#include "tests/repo.h"
#include "tests/scratch.h"

/* A scratch repository, made by git itself, is the judge of every answer. */
static struct arena arena;

static char *head(void)
{
	return arena_str(&arena,
			 slice_of(repo_sh("git -C tree rev-parse HEAD")));
}

static int make_tree(void **state)
{
	(void)state;
	arena_init(&arena);
	repo_make("tree");
	repo_sh("cd tree && git rm -q MAINTAINERS && "
		"git commit -q --amend -m start");
	repo_sh("cd tree && sed -i 's/^25$/changed/' mm/a.c && git commit -q "
		"-a "
		"-m 'mm: change \"a\" (really)' -m 'Reviewed-by: R <r@x.org>'");
	return 0;
}

static int drop_tree(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static struct config_git config_of(const char *name)
{
	static const char *refs[] = { "master", "no-such-ref" };

	return (struct config_git){
		.path = arena_printf(&arena, "%s/%s", scratch_dir(), name),
		.merged = { refs, 2 },
	};
}

static struct gittree *open_tree(const struct config_git *config)
{
	struct gittree *tree;
	struct err err;

	if (gittree_open(config, &tree, &err) != PH_OK)
		fail_msg("%s", err.text);
	return tree;
}

static struct commit_facts look(struct gittree *tree, const char *hex)
{
	struct commit_facts c;
	struct err err;

	if (gittree_commit(tree, slice_of(hex), &arena, &c, &err) != PH_OK)
		fail_msg("%s", err.text);
	return c;
}

static void a_commit_is_told_as_git_tells_it(void **state)
{
	struct config_git config = config_of("tree");
	struct gittree *tree = open_tree(&config);
	struct commit_facts c = look(tree, head());

	(void)state;
	assert_string_equal(c.title.ptr, "mm: change \"a\" (really)");
	assert_string_equal(c.author.name.ptr, "New Name");
	assert_string_equal(c.author.address.ptr, "new@example.org");
	assert_int_equal(c.n_files, 1);
	assert_string_equal(c.files[0].ptr, "mm/a.c");
	assert_int_equal(c.n_merged, 1);
	assert_string_equal(c.merged[0].ptr, "master");
	assert_int_equal(c.n_trailers, 1);
	assert_string_equal(c.trailers[0].key.ptr, "Reviewed-by");
	assert_string_equal(c.trailers[0].value.ptr, "R <r@x.org>");
	assert_string_equal(
		c.patch_id,
		repo_sh("git -C tree show HEAD | git patch-id --stable "
			"| cut -d' ' -f1"));
	gittree_close(tree);
}

static void a_rebased_patch_keeps_its_patch_id(void **state)
{
	struct config_git config = config_of("tree");
	struct gittree *tree = open_tree(&config);
	char *before, *after;

	(void)state;
	before = head();
	repo_sh("cd tree && git checkout -q -b other HEAD~1 && "
		"sed -i 's/^1$/one/' mm/b.c && git commit -q -a -m 'mm: b' && "
		"git cherry-pick %s",
		before);
	after = head();
	assert_string_not_equal(before, after);
	assert_string_equal(look(tree, before).patch_id,
			    look(tree, after).patch_id);
	/* on a branch that is not configured */
	assert_int_equal(look(tree, after).n_merged, 0);
	repo_sh("cd tree && git checkout -q master && "
		"git merge -q --no-edit -s ours other");
	assert_int_equal(look(tree, after).n_merged, 1);
	/* a merge has no patch id */
	assert_string_equal(look(tree, head()).patch_id, "");
	assert_int_equal(look(tree, head()).n_parents, 2);
	gittree_close(tree);
}

static void what_is_not_there_is_no_error(void **state)
{
	struct config_git config = config_of("tree");
	struct gittree *tree = open_tree(&config);
	struct commit_facts c;
	struct slice file;
	struct err err;

	(void)state;
	assert_int_equal(gittree_commit(tree, S("0123456789abcdef"), &arena, &c,
					&err),
			 PH_NONE);
	assert_int_equal(gittree_commit(tree, S("012345678"), &arena, &c, &err),
			 PH_NONE);
	assert_int_equal(gittree_commit(tree, S("v6.10-rc1-and-more"), &arena,
					&c, &err),
			 PH_NONE);
	assert_int_equal(gittree_file(tree, "MAINTAINERS", &arena, &file, &err),
			 PH_NONE);
	assert_int_equal(gittree_file(tree, ".mailmap", &arena, &file, &err),
			 PH_OK);
	assert_true(slice_starts(file, S("New Name")));
	gittree_close(tree);
}

static void unreadable_trees_say_why(void **state)
{
	struct config_git missing = config_of("nowhere");
	struct config_git sha256 = config_of("sha256");
	struct gittree *tree;
	struct err err;

	(void)state;
	assert_int_equal(gittree_open(&missing, &tree, &err), PH_BAD);
	assert_non_null(strstr(err.text, "nowhere"));
	repo_sh("git init -q --object-format=sha256 sha256");
	assert_int_equal(gittree_open(&sha256, &tree, &err), PH_BAD);
	assert_non_null(strstr(err.text, "sha256"));
}

static void poor_clones_answer_what_they_can(void **state)
{
	struct config_git bare = config_of("bare.git");
	struct config_git shallow = config_of("shallow");
	struct config_git partial = config_of("partial");
	struct gittree *tree;
	struct commit_facts c;
	char *tip = head();

	(void)state;
	repo_sh("git clone -q --bare --reference tree file://$PWD/tree "
		"bare.git");
	repo_sh("git clone -q --depth 1 file://$PWD/tree shallow");
	repo_sh("git -C tree config uploadpack.allowFilter true && git clone "
		"-q "
		"--filter=blob:none --no-checkout file://$PWD/tree partial");
	tree = open_tree(&bare);
	assert_string_equal(look(tree, tip).id, tip);
	gittree_close(tree);

	tree = open_tree(&shallow);
	c = look(tree, tip);
	assert_string_equal(c.id, tip);
	assert_string_equal(c.patch_id, "");
	gittree_close(tree);

	tree = open_tree(&partial);
	c = look(tree, repo_sh("git -C tree rev-parse HEAD^1"));
	assert_string_equal(c.patch_id, "");
	assert_int_equal(c.n_files, 1);
	assert_string_equal(c.author.name.ptr, "Old Name"); /* no .mailmap */
	gittree_close(tree);
}

static void functions_are_found_as_the_kernel_writes_them(void **state)
{
	static struct slice name[SYMBOLS_MAX];
	size_t n = 0;

	(void)state;
	symbols_find(S("#define NOT(x) (x)\n"
		       "static int one(struct x *x)\n{\n\tnot(2);\n}\n"
		       "int declared(void);\n"
		       "static inline struct y *two(int a,\n\t\t int b)\n{\n"
		       "struct z not = {\n"
		       "unsigned long\nthree(void)\n{\n"
		       "EXPORT_SYMBOL(one);\n"
		       "SYSCALL_DEFINE1(not, int, x)\n"
		       "} not(\n"),
		     name, &n);
	assert_int_equal(n, 3);
	assert_true(slice_eq(name[0], S("one")));
	assert_true(slice_eq(name[1], S("two")));
	assert_true(slice_eq(name[2], S("three")));
}

struct seen {
	int n;
	char text[2000];
};

static void note_fix(void *arg, const struct fix_claim *fix)
{
	struct seen *seen = arg;
	size_t len = strlen(seen->text);

	seen->n++;
	snprintf(seen->text + len, sizeof(seen->text) - len, "%.*s|%.*s|%.*s;",
		 S_FMT(fix->title), S_FMT(fix->commit), S_FMT(fix->report));
}

static void fixes_are_found_once(void **state)
{
	struct config_git config = config_of("tree");
	struct gittree *tree = open_tree(&config);
	struct seen seen = { 0 };
	struct slice *tips;
	const char *since[1];
	size_t n;
	struct err err;

	(void)state;
	repo_sh("cd tree && git commit -q --allow-empty -m 'mm: mend it' "
		"-m 'Fixes: 0123456789ab (\"mm: x\")\n"
		"Closes: https://lore.kernel.org/oe-lkp/"
		"202405171353.b56b845-oliver.sang@intel.com/\n"
		"Link: https://example.org/no@id\nFixes: 0123'");
	assert_int_equal(gittree_fixes(tree, NULL, 0, note_fix, &seen, &arena,
				       &tips, &n, &err),
			 PH_OK);
	assert_string_equal(seen.text,
			    "mm: mend it|0123456789ab|;mm: mend it||"
			    "202405171353.b56b845-oliver.sang@intel.com;");
	assert_int_equal(n, 1);
	since[0] = tips[0].ptr;
	seen = (struct seen){ 0 };
	assert_int_equal(gittree_fixes(tree, since, 1, note_fix, &seen, &arena,
				       &tips, &n, &err),
			 PH_OK);
	assert_int_equal(seen.n, 0);
	gittree_close(tree);
}

static struct githelper_answer ask(struct githelper *h,
				   enum githelper_kind kind, const char *arg)
{
	struct githelper_answer a;
	struct err err;
	uint64_t id;

	assert_int_equal(githelper_ask(h, kind, slice_of(arg), &id, &err),
			 PH_OK);
	if (githelper_take(h, 20000, &arena, &a, &err) != PH_OK)
		fail_msg("no answer");
	assert_int_equal(a.id, id);
	return a;
}

/* The asking side stays with the parent, as its memory does. */
static pid_t fork_helper(const struct config_git *config, int fd,
			 struct githelper *h)
{
	pid_t pid = fork();

	if (pid == 0) {
		githelper_free(h);
		_exit(githelper_run(config, fd));
	}
	return pid;
}

static void the_helper_answers_and_is_replaced(void **state)
{
	struct config_git config = config_of("tree");
	struct githelper_answer a;
	struct githelper *h;
	struct commit_facts c;
	struct fix_claim fix;
	struct slice line;
	struct err err;
	uint64_t lost;
	int fds[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(githelper_pair(fds, &err), PH_OK);
	h = githelper_new(fds[0]);
	/* asked of a helper that is not there (yet) */
	assert_int_equal(githelper_ask(h, GITHELPER_FILE, S("nothing"), &lost,
				       &err),
			 PH_OK);
	githelper_forget(h, lost);
	for (int life = 0; life < 2; life++) {
		pid = fork_helper(&config, fds[1], h);
		a = ask(h, GITHELPER_COMMIT, head());
		assert_int_equal(a.status, PH_OK);
		assert_int_equal(commit_from_json(a.text, &arena, &c, &err),
				 PH_OK);
		assert_string_equal(c.title.ptr, "mm: mend it");
		a = ask(h, GITHELPER_COMMIT, "ffffffffffff");
		assert_int_equal(a.status, PH_NONE);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
	pid = fork_helper(&config, fds[1], h);
	/* longer than a part */
	repo_sh("cd tree && seq 1 20000 >MAINTAINERS && git add . && "
		"git commit -q -m long");
	a = ask(h, GITHELPER_FILE, "MAINTAINERS");
	assert_int_equal(a.status, PH_OK);
	assert_int_equal(a.text.len, 108894);
	assert_true(slice_ends(a.text, S("\n20000\n")));

	a = ask(h, GITHELPER_FIXES, "");
	assert_false(a.last);
	assert_true(slice_take_line(&a.text, &line));
	assert_int_equal(fix_from_json(line, &arena, &fix, &err), PH_OK);
	assert_string_equal(fix.commit.ptr, "0123456789ab");
	assert_int_equal(githelper_take(h, 20000, &arena, &a, &err), PH_OK);
	assert_true(a.last);
	assert_int_equal(a.n_tips, 1);
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(fds[1]);
	githelper_free(h);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_commit_is_told_as_git_tells_it),
		cmocka_unit_test(a_rebased_patch_keeps_its_patch_id),
		cmocka_unit_test(what_is_not_there_is_no_error),
		cmocka_unit_test(unreadable_trees_say_why),
		cmocka_unit_test(poor_clones_answer_what_they_can),
		cmocka_unit_test(functions_are_found_as_the_kernel_writes_them),
		cmocka_unit_test(fixes_are_found_once),
		cmocka_unit_test(the_helper_answers_and_is_replaced),
	};

	return cmocka_run_group_tests_name("git", tests, make_tree, drop_tree);
}
