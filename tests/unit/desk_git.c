/* What the desk makes of a tree's answers about commits and fixes. */
#include "tests/git_story.h"

#include <stdio.h>
#include <string.h>
#include "bot/fixes.h"
#include "ph/clock.h"
#include "tests/repo.h"
#include "tests/scratch.h"

/* A first notice of the title to each of these, "CHANNEL TARGET"; up to NULL. */
static void expect_told(int64_t message, const char *title,
			const char *const *to)
{
	struct buf b;

	buf_init(&b);
	for (; *to; to++)
		buf_printf(&b,
			   "first %s: WORSE 12.0%% will-it-scale."
			   "per_process_ops: %s\n",
			   *to, title);
	story_expect(message, buf_str(&b));
	buf_release(&b);
}

static void the_tree_names_the_people(void **state)
{
	const char *a = git_story_commit("mm: a",
					 "sed -i 's/^25$/x/' mm/a.c && "
					 "git commit -q -a -m 'mm: a' "
					 "-m 'Reviewed-by: R <r@example.org>'");
	int64_t id;

	(void)state;
	/* that of the review, below the empty one on top */
	a = repo_sh("git -C %s rev-parse %s^", git_story.path, a);
	id = git_story_put(a, "mm: a");
	git_story_decide(id);
	expect_told(id, "mm: a",
		    (const char *[]){ "author new@example.org",
				      "keeper keeper@example.org",
				      "review r@example.org", NULL });
	assert_string_equal(story_patch_row(id).author.ptr, "new@example.org");
}

static void routes_look_at_touched_files(void **state)
{
	const char *b = git_story_commit("mm: b", "sed -i 's/^25$/x/' mm/b.c");
	int64_t id = git_story_put(b, "mm: b");

	(void)state;
	git_story_decide(id);
	expect_told(id, "mm: b",
		    (const char *[]){ "author new@example.org",
				      "keeper keeper@example.org", "pages",
				      NULL });
}

static void a_rebase_is_the_same_patch(void **state)
{
	const char *a = git_story_commit("mm: a", "sed -i 's/^25$/x/' mm/a.c");
	const char *b = git_story_rebase(a, "mm: a, said better");
	int64_t first = git_story_put(a, "mm: a"), second;

	(void)state;
	git_story_decide(first);
	second = git_story_put(b, "mm: a, said better");
	git_story_decide(second);
	assert_int_equal(story_patch(first), story_patch(second));
	story_expect(second, ""); /* and nothing new */
}

static void merged_branches_raise_the_rank(void **state)
{
	const char *a = git_story_commit("mm: a", "sed -i 's/^25$/x/' mm/a.c");
	int64_t first = git_story_put(a, "mm: a"), other;
	const char *b;

	(void)state;
	repo_sh("git -C %s checkout -q -b other", git_story.path);
	b = git_story_commit("mm: b", "sed -i 's/^30$/y/' mm/a.c");
	other = git_story_put(b, "mm: b");
	git_story_decide(first);
	git_story_decide(other);
	assert_int_equal(story_patch_row(first).rank, TREE_MAINLINE);
	assert_int_equal(story_patch_row(other).rank, TREE_MAINTAINER);
}

/* Scans the tree behind tips, to the end, and takes the fixes it finds. */
static void scan(struct slice tips)
{
	struct desk_git_scan *s = &git_story.git.scan;
	int64_t end = clock_mono_ms() + GIT_STORY_SECONDS * 1000;
	struct slice left, line;
	struct fix_claim claim;

	s->again = 0;
	desk_git_ask_fixes(&git_story.git, tips);
	while (s->asked) {
		assert_true(clock_mono_ms() < end);
		git_story_turn();
	}
	story_ok(store_begin(story.store, &story.err));
	left = buf_slice(&s->claims);
	while (slice_take_line(&left, &line)) {
		story_ok(fix_from_json(line, &story.arena, &claim, &story.err));
		story_ok(
			fixes_take(&story.desk, &claim, story.now, &story.err));
	}
	story_ok(store_commit(story.store, &story.err));
	buf_reset(&s->claims);
}

static void a_fix_in_the_tree_closes_the_patch(void **state)
{
	const char *a = git_story_commit("mm: a", "sed -i 's/^25$/x/' mm/a.c");
	int64_t id = git_story_put(a, "mm: a");
	const char *fix, *want;

	(void)state;
	/* reports wait for the first scan, so that they can tell of a fix */
	desk_git_ask_fixes(&git_story.git, S(""));
	story_decide();
	assert_int_equal(story_state(id), MESSAGE_NEW);
	scan(S(""));
	assert_true(git_story.git.scan.done);
	git_story_decide(id);
	assert_int_equal(story_life(id), LIFE_OPEN);

	repo_sh("cd %s && git commit -q --allow-empty -m 'mm: mend a' "
		"-m 'Fixes: %.12s (\"mm: a\")'",
		git_story.path, a);
	fix = repo_sh("git -C %s rev-parse HEAD", git_story.path);
	scan(buf_slice(&git_story.git.scan.tips));
	assert_int_equal(story_life(id), LIFE_FIXED);
	want = arena_printf(&story.arena, "commit %.12s (\"mm: mend a\")", fix);
	assert_string_equal(story_patch_row(id).life_reason.ptr, want);
	assert_non_null(strstr(git_story_audit(story_patch(id)), want));
}

static void a_bad_tree_is_no_reason_to_be_silent(void **state)
{
	static const char *const name[] = { "nowhere", "broken", "sha256" };

	(void)state;
	repo_sh("git init -q broken && rm broken/.git/HEAD");
	repo_sh("git init -q --object-format=sha256 sha256");
	for (size_t i = 0; i < ARRAY_LEN(name); i++) {
		int64_t id;

		git_story_about(scratch_path(name[i]));
		scan(S(""));
		assert_false(git_story.git.scan.done);
		assert_non_null(strstr(git_story.git.trouble, name[i]));
		id = git_story_put("1234567890123456789012345678901234567890",
				   "mm: a");
		git_story_decide(id);
		expect_told(id, "mm: a",
			    (const char *[]){ "author to@example.org", NULL });
	}
}

#define TEST(t) \
	cmocka_unit_test_setup_teardown(t, git_story_begin, git_story_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_tree_names_the_people),
		TEST(routes_look_at_touched_files),
		TEST(a_rebase_is_the_same_patch),
		TEST(merged_branches_raise_the_rank),
		TEST(a_fix_in_the_tree_closes_the_patch),
		TEST(a_bad_tree_is_no_reason_to_be_silent),
	};

	return cmocka_run_group_tests_name("desk_git", tests, NULL, NULL);
}
