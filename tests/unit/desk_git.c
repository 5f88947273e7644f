/*
 * The desk with a real git helper in a process of its own, on a scratch
 * repository.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bot/desk.h"
#include "bot/desk_git.h"
#include "bot/fixes.h"
#include "bot/store/gitfacts.h"
#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "bot/store/pack.h"
#include "bot/store/patch.h"
#include "ph/clock.h"
#include "tests/repo.h"
#include "tests/robot_mail.h"
#include "tests/scratch.h"

#define SECONDS 20 /* a test that waits longer has failed */

static struct fixture {
	struct store *s;
	struct config *config;
	struct desk_git_mail git;
	struct desk_git asker;
	struct desk desk;
	int fds[2];
	pid_t helper;
	struct arena arena;
	char path[256]; /* of the repository */
} f;

static struct err err;

static void ok(enum status st)
{
	if (st != PH_OK)
		fail_msg("status %d: %s", st, err.text);
}

static void start_helper(void)
{
	f.helper = fork();
	assert_true(f.helper >= 0);
	if (f.helper == 0)
		_exit(githelper_run(&f.config->git, f.fds[1]));
}

static void read_config(const char *path)
{
	struct config_errors errors;
	char yaml[2048];

	snprintf(yaml, sizeof(yaml),
		 "state: /tmp/x.db\n"
		 "send: true\n"
		 "git: {path: %s, merged: [master]}\n"
		 "smtp: {url: smtps://mail.example.org, from: b@example.org}\n"
		 "channels:\n"
		 "  author: {type: mail, to: \"@author\"}\n"
		 "  keeper: {type: mail, to: \"@maintainers\"}\n"
		 "  review: {type: mail, to: \"@reviewers\"}\n"
		 "  pages: {type: file, path: /tmp/pages}\n"
		 "routes:\n"
		 "  - match: {verdict: regression}\n"
		 "    to: [author, keeper, review]\n"
		 "    continue: true\n"
		 "  - match: {files: \"mm/b*\"}\n"
		 "    to: [pages]\n",
		 path);
	config_errors_init(&errors);
	if (config_parse("test.yaml", slice_of(yaml), true, &f.config, &errors,
			 NULL, &err) != PH_OK)
		fail_msg("%s", errors.n ? errors.line[0].text : err.text);
	config_errors_release(&errors);
}

static void start_on(const char *path)
{
	f.s = scratch_store("state.db");
	arena_init(&f.arena);
	read_config(path);
	ok(githelper_pair(f.fds, &err));
	start_helper();
	desk_git_init(&f.git, f.fds[0], &f.config->git, f.s);
	f.git.wait_ms = SECONDS * 1000;
	f.asker = desk_git_asker(&f.git);
	desk_init(&f.desk, f.config, f.s, &f.asker);
}

static int set_up(void **state)
{
	static int n;
	char name[32];

	(void)state;
	snprintf(name, sizeof(name), "tree%d", ++n);
	snprintf(f.path, sizeof(f.path), "%s", repo_make(name));
	start_on(f.path);
	return 0;
}

/* Not before it has stopped: a signal takes its time on a busy machine. */
static void stop_helper(void)
{
	int status;

	assert_int_equal(kill(f.helper, SIGSTOP), 0);
	assert_int_equal(waitpid(f.helper, &status, WUNTRACED), f.helper);
	assert_true(WIFSTOPPED(status));
}

static void end_helper(void)
{
	kill(f.helper, SIGKILL);
	waitpid(f.helper, NULL, 0);
}

static int tear_down(void **state)
{
	(void)state;
	end_helper();
	desk_git_release(&f.git);
	close(f.fds[1]);
	arena_release(&f.arena);
	config_free(f.config);
	store_close(f.s);
	return 0;
}

/* -- reports -- */

static char *keep(const char *text)
{
	return arena_str(&f.arena, slice_of(text));
}

/* A commit of the scratch tree; command changes its files. */
static char *commit(const char *title, const char *command)
{
	repo_sh("cd %s && %s && git add . && git commit -q --allow-empty "
		"-m '%s'",
		f.path, command, title);
	return keep(repo_sh("git -C %s rev-parse HEAD", f.path));
}

static int64_t give(const char *commit_id, const char *title)
{
	struct robot_mail m = { .commit = commit_id,
				.title = title,
				.to = "to@example.org",
				.tree = "https://git.kernel.org/cgit/linux/"
					"kernel/git/x/y.git topic",
				.metric = "will-it-scale.per_process_ops",
				.percent = 12,
				.dev = 1 };
	struct message *msg = arena_new(&f.arena, struct message);
	struct report *report = arena_new(&f.arena, struct report);
	struct message_in in = { .source = S("file"),
				 .folder = S("test"),
				 .arrived = clock_wall(),
				 .now = clock_wall(),
				 .by_hand = true,
				 .proven = PROVEN_DKIM,
				 .proof = S("made up"),
				 .message = msg,
				 .report = report };
	int64_t id;

	ok(message_read(robot_mail(&m, &f.arena), &f.arena, msg, &err));
	ok(report_read(msg, &f.arena, report, &err));
	in.packed = pack_text(f.s, &f.arena, msg->text);
	ok(store_begin(f.s, &err));
	ok(store_end(f.s, message_add(f.s, &in, &id, &err), &err));
	return id;
}

static struct message_row row_of(int64_t message)
{
	struct message_row row;

	ok(message_get(f.s, message, &f.arena, &row, &err));
	return row;
}

static struct patch_row patch_of(int64_t message)
{
	struct patch_row row;

	ok(patch_get(f.s, row_of(message).patch, &f.arena, &row, &err));
	return row;
}

static void decide_now(void)
{
	enum status st;

	while ((st = desk_step(&f.desk, clock_wall(), &err)) == PH_OK)
		;
	assert_int_equal(st, PH_NONE);
}

/* One turn of the desk's loop, after an answer or a little time. */
static void turn(void)
{
	struct pollfd p = { .fd = desk_git_fd(&f.git), .events = POLLIN };

	poll(&p, 1, 50);
	ok(desk_git_take(&f.git, clock_wall(), &err));
	decide_now();
}

static void decide(int64_t message)
{
	int64_t end = clock_mono_ms() + SECONDS * 1000;

	decide_now();
	while (row_of(message).state == MESSAGE_NEW) {
		assert_true(clock_mono_ms() < end);
		turn();
	}
}

struct told {
	char text[1024];
};

static void add_told(void *arg, const struct outbox_row *row)
{
	struct told *t = arg;
	size_t len = strlen(t->text);

	snprintf(t->text + len, sizeof(t->text) - len, "%.*s %.*s;",
		 S_FMT(row->channel), S_FMT(row->target));
}

static const char *told(int64_t message)
{
	static struct told t;

	t.text[0] = '\0';
	ok(outbox_each(f.s, ~0u, 0, message, &f.arena, add_told, &t, &err));
	return t.text;
}

static void find_audit(void *arg, const struct audit_row *row)
{
	char *text = arg;

	snprintf(text, 256, "%.*s %.*s: %.*s", S_FMT(row->who),
		 S_FMT(row->action), S_FMT(row->reason));
}

static const char *audit(int64_t patch)
{
	static char text[256];

	text[0] = '\0';
	ok(audit_each(f.s, patch, &f.arena, find_audit, text, &err));
	return text;
}

/* -- tests -- */

static void the_tree_names_the_people(void **state)
{
	char *a = commit("mm: a", "sed -i 's/^25$/x/' mm/a.c && "
				  "git commit -q -a -m 'mm: a' "
				  "-m 'Reviewed-by: R <r@example.org>'");
	int64_t id;

	(void)state;
	/* that of the review, below the empty one on top */
	a = keep(repo_sh("git -C %s rev-parse %s^", f.path, a));
	id = give(a, "mm: a");
	decide(id);
	assert_string_equal(told(id), "author new@example.org;"
				      "keeper keeper@example.org;"
				      "review r@example.org;");
	assert_string_equal(patch_of(id).author.ptr, "new@example.org");
}

static void routes_look_at_touched_files(void **state)
{
	char *a = commit("mm: b", "sed -i 's/^25$/x/' mm/b.c");
	int64_t id = give(a, "mm: b");

	(void)state;
	decide(id);
	assert_string_equal(told(id), "author new@example.org;"
				      "keeper keeper@example.org;"
				      "pages ;");
}

/* The same change on another base and under another title. */
static char *rebased(const char *commit_id, const char *title)
{
	repo_sh("cd %s && git checkout -q -b other %s~1 && "
		"sed -i 's/^1$/one/' mm/b.c && git commit -q -a -m 'mm: base' "
		"&& git cherry-pick %s && git commit -q --amend -m '%s'",
		f.path, commit_id, commit_id, title);
	return keep(repo_sh("git -C %s rev-parse HEAD", f.path));
}

static void a_rebase_is_the_same_patch(void **state)
{
	char *a = commit("mm: a", "sed -i 's/^25$/x/' mm/a.c");
	char *b = rebased(a, "mm: a, said better");
	int64_t first = give(a, "mm: a"), second;

	(void)state;
	decide(first);
	second = give(b, "mm: a, said better");
	decide(second);
	assert_int_equal(patch_of(first).id, patch_of(second).id);
	assert_string_equal(told(second), ""); /* and nothing new */
}

static void merged_branches_raise_the_rank(void **state)
{
	char *a = commit("mm: a", "sed -i 's/^25$/x/' mm/a.c"), *b;
	int64_t first = give(a, "mm: a"), other;

	(void)state;
	repo_sh("git -C %s checkout -q -b other", f.path);
	b = commit("mm: b", "sed -i 's/^30$/y/' mm/a.c");
	other = give(b, "mm: b");
	decide(first);
	decide(other);
	assert_int_equal(patch_of(first).rank, TREE_MAINLINE);
	assert_int_equal(patch_of(other).rank, TREE_MAINTAINER);
}

static void a_commit_is_asked_for_once(void **state)
{
	char *a = commit("mm: a", "sed -i 's/^25$/x/' mm/a.c");
	struct gitfacts_row row;
	int64_t id;

	(void)state;
	decide(give(a, "mm: a"));
	ok(gitfacts_get(f.s, slice_of(a), &f.arena, &row, &err));
	assert_true(row.answered && row.json.len && row.settled);
	stop_helper();
	id = give(a, "mm: a");
	decide_now();
	assert_false(f.desk.waits);
	assert_int_equal(row_of(id).state, MESSAGE_REPORT);
}

static void a_helper_that_hangs_delays_nobody(void **state)
{
	char *a = commit("mm: a", "sed -i 's/^25$/x/' mm/a.c");
	char *b = rebased(a, "mm: a, said better");
	int64_t known = give(a, "mm: a"), id[3];
	int64_t end = clock_mono_ms() + SECONDS * 1000;

	(void)state;
	decide(known);
	stop_helper();
	f.git.wait_ms = 300;
	id[0] = give(b, "mm: a, said better");
	id[1] = give(a, "mm: a");
	decide_now();
	/* one waits, who needs no answer does not */
	assert_int_equal(row_of(id[0]).state, MESSAGE_NEW);
	assert_int_equal(row_of(id[1]).state, MESSAGE_REPORT);
	decide(id[0]);
	assert_int_not_equal(patch_of(id[0]).id, patch_of(known).id);
	assert_string_equal(patch_of(id[0]).author.ptr, "to@example.org");
	/* nobody after it waits at all */
	id[2] = give("1234567890123456789012345678901234567890", "mm: other");
	decide_now();
	assert_int_equal(row_of(id[2]).state, MESSAGE_REPORT);

	kill(f.helper, SIGCONT);
	while (patch_of(id[0]).id != patch_of(known).id) {
		assert_true(clock_mono_ms() < end);
		turn();
	}
	assert_string_equal(patch_of(id[0]).author.ptr, "new@example.org");
	assert_non_null(strstr(audit(patch_of(known).id),
			       "perfherald merge: two patches have the patch "
			       "id "));
}

static void a_helper_that_died_is_replaced(void **state)
{
	char *a = commit("mm: a", "sed -i 's/^25$/x/' mm/a.c");
	int64_t id = give(a, "mm: a");

	(void)state;
	stop_helper();
	decide_now();
	assert_true(f.desk.waits);
	end_helper();
	start_helper();
	decide(id);
	assert_string_equal(patch_of(id).author.ptr, "new@example.org");
}

static void what_was_not_answered_is_asked_again(void **state)
{
	char *a = commit("mm: a", "sed -i 's/^25$/x/' mm/a.c");
	int64_t id = give(a, "mm: a");
	int64_t end = clock_mono_ms() + SECONDS * 1000;

	(void)state;
	stop_helper();
	f.git.wait_ms = 100;
	decide(id);
	/* the question dies with its helper */
	end_helper();
	close(f.fds[1]);
	ok(githelper_pair(f.fds, &err));
	start_helper();
	desk_git_release(&f.git);
	desk_git_init(&f.git, f.fds[0], &f.config->git, f.s);
	assert_string_equal(patch_of(id).author.ptr, "to@example.org");
	f.git.refresh.before = clock_wall() + 1;
	while (!slice_eq(patch_of(id).author, S("new@example.org"))) {
		assert_true(clock_mono_ms() < end);
		ok(desk_git_refresh(&f.git, clock_wall(), &err));
		turn();
	}
}

static void scan(struct slice tips)
{
	int64_t end = clock_mono_ms() + SECONDS * 1000;
	struct slice left, line;
	struct fix_claim claim;

	f.git.scan.again = 0;
	desk_git_ask_fixes(&f.git, tips);
	while (f.git.scan.asked) {
		assert_true(clock_mono_ms() < end);
		turn();
	}
	ok(store_begin(f.s, &err));
	left = buf_slice(&f.git.scan.claims);
	while (slice_take_line(&left, &line)) {
		ok(fix_from_json(line, &f.arena, &claim, &err));
		ok(fixes_take(&f.desk, &claim, clock_wall(), &err));
	}
	ok(store_commit(f.s, &err));
	buf_reset(&f.git.scan.claims);
}

static void a_fix_in_the_tree_closes_the_patch(void **state)
{
	char *a = commit("mm: a", "sed -i 's/^25$/x/' mm/a.c"), *fix;
	int64_t id = give(a, "mm: a");
	char want[128];

	(void)state;
	/* reports wait for the first scan, so that they can tell of a fix */
	desk_git_ask_fixes(&f.git, S(""));
	decide_now();
	assert_int_equal(row_of(id).state, MESSAGE_NEW);
	scan(S(""));
	assert_true(f.git.scan.done);
	decide(id);
	assert_int_equal(patch_of(id).life, LIFE_OPEN);

	repo_sh("cd %s && git commit -q --allow-empty -m 'mm: mend a' "
		"-m 'Fixes: %.12s (\"mm: a\")'",
		f.path, a);
	fix = keep(repo_sh("git -C %s rev-parse HEAD", f.path));
	scan(buf_slice(&f.git.scan.tips));
	assert_int_equal(patch_of(id).life, LIFE_FIXED);
	snprintf(want, sizeof(want), "commit %.12s (\"mm: mend a\")", fix);
	assert_string_equal(patch_of(id).life_reason.ptr, want);
	assert_non_null(strstr(audit(patch_of(id).id), want));
}

static void use_tree(const char *name)
{
	end_helper();
	desk_git_release(&f.git);
	close(f.fds[1]);
	arena_release(&f.arena);
	config_free(f.config);
	store_close(f.s);
	start_on(scratch_path(name));
}

static void a_bad_tree_is_no_reason_to_be_silent(void **state)
{
	static const char *const name[] = { "nowhere", "broken", "sha256" };

	(void)state;
	repo_sh("git init -q broken && rm broken/.git/HEAD");
	repo_sh("git init -q --object-format=sha256 sha256");
	for (size_t i = 0; i < ARRAY_LEN(name); i++) {
		int64_t id;

		use_tree(name[i]);
		scan(S(""));
		assert_false(f.git.scan.done);
		assert_non_null(strstr(f.git.trouble, name[i]));
		id = give("1234567890123456789012345678901234567890", "mm: a");
		decide(id);
		assert_string_equal(told(id), "author to@example.org;");
	}
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_tree_names_the_people),
		TEST(routes_look_at_touched_files),
		TEST(a_rebase_is_the_same_patch),
		TEST(merged_branches_raise_the_rank),
		TEST(a_commit_is_asked_for_once),
		TEST(a_helper_that_hangs_delays_nobody),
		TEST(a_helper_that_died_is_replaced),
		TEST(what_was_not_answered_is_asked_again),
		TEST(a_fix_in_the_tree_closes_the_patch),
		TEST(a_bad_tree_is_no_reason_to_be_silent),
	};

	return cmocka_run_group_tests_name("desk_git", tests, NULL, NULL);
}
