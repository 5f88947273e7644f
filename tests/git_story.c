#include "tests/git_story.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ph/clock.h"
#include "tests/repo.h"

struct git_story git_story;

static void use_config(const char *path)
{
	story_config(arena_printf(
		&story.arena,
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
		path));
}

static void connect_helper(void)
{
	int fds[2];

	story_ok(githelper_pair(fds, &story.err));
	git_story.helper_end = fds[1];
	git_story_start_helper();
	desk_git_init(&git_story.git, fds[0], &story.config->git, story.store);
	git_story.git.wait_ms = GIT_STORY_SECONDS * 1000;
}

static void release(void)
{
	git_story_kill_helper();
	desk_git_release(&git_story.git);
	close(git_story.helper_end);
}

static void begin_about(const char *path)
{
	story_begin(NULL);
	story.now = clock_wall();
	use_config(path);
	connect_helper();
	git_story.asker = desk_git_asker(&git_story.git);
	desk_init(&story.desk, story.config, story.store, &git_story.asker);
}

int git_story_begin(void **state)
{
	static int n;
	char name[32];

	(void)state;
	snprintf(name, sizeof(name), "tree%d", ++n);
	snprintf(git_story.path, sizeof(git_story.path), "%s", repo_make(name));
	begin_about(git_story.path);
	return 0;
}

int git_story_end(void **state)
{
	release();
	return story_end(state);
}

void git_story_about(const char *path)
{
	git_story_end(NULL);
	begin_about(path);
}

/* -- the tree -- */

static const char *keep(const char *text)
{
	return arena_str(&story.arena, slice_of(text));
}

static const char *head(void)
{
	return keep(repo_sh("git -C %s rev-parse HEAD", git_story.path));
}

const char *git_story_commit(const char *title, const char *command)
{
	repo_sh("cd %s && %s && git add . && git commit -q --allow-empty "
		"-m '%s'",
		git_story.path, command, title);
	return head();
}

const char *git_story_rebase(const char *commit, const char *title)
{
	repo_sh("cd %s && git checkout -q -b other %s~1 && "
		"sed -i 's/^1$/one/' mm/b.c && git commit -q -a -m 'mm: base' "
		"&& git cherry-pick %s && git commit -q --amend -m '%s'",
		git_story.path, commit, commit, title);
	return head();
}

/* -- reports -- */

int64_t git_story_put(const char *commit, const char *title)
{
	struct robot_mail m = story_mail;

	m.commit = commit;
	m.title = title;
	m.to = "to@example.org";
	m.tree = "https://git.kernel.org/cgit/linux/kernel/git/x/y.git topic";
	m.label = NULL;
	m.dev = 1;
	return story_put(&m, PROVEN_DKIM);
}

void git_story_turn(void)
{
	struct pollfd p = { .fd = desk_git_fd(&git_story.git),
			    .events = POLLIN };

	poll(&p, 1, 50);
	story.now = clock_wall();
	story_ok(desk_git_take(&git_story.git, story.now, &story.err));
	story_decide();
}

void git_story_decide(int64_t message)
{
	int64_t end = clock_mono_ms() + GIT_STORY_SECONDS * 1000;

	story_decide();
	while (story_state(message) == MESSAGE_NEW) {
		assert_true(clock_mono_ms() < end);
		git_story_turn();
	}
}

static void take_audit(void *arg, const struct audit_row *row)
{
	const char **text = arg;

	*text = arena_printf(&story.arena, "%.*s %.*s: %.*s", S_FMT(row->who),
			     S_FMT(row->action), S_FMT(row->reason));
}

const char *git_story_audit(int64_t patch)
{
	const char *text = "";

	story_ok(audit_each(story.store, patch, &story.arena, take_audit, &text,
			    &story.err));
	return text;
}

/* -- the helper -- */

void git_story_start_helper(void)
{
	git_story.helper = fork();
	assert_true(git_story.helper >= 0);
	if (git_story.helper == 0)
		_exit(githelper_run(&story.config->git, git_story.helper_end));
}

/* Not before it has stopped: a signal takes its time on a busy machine. */
void git_story_stop_helper(void)
{
	int status;

	assert_int_equal(kill(git_story.helper, SIGSTOP), 0);
	assert_int_equal(waitpid(git_story.helper, &status, WUNTRACED),
			 git_story.helper);
	assert_true(WIFSTOPPED(status));
}

void git_story_continue_helper(void)
{
	assert_int_equal(kill(git_story.helper, SIGCONT), 0);
}

void git_story_kill_helper(void)
{
	kill(git_story.helper, SIGKILL);
	waitpid(git_story.helper, NULL, 0);
}

void git_story_reconnect(void)
{
	release();
	connect_helper();
}
