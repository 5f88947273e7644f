/*
 * git_story - a story (tests/story.h) whose desk asks a real git helper, in a
 * process of its own, about a scratch repository (tests/repo.h). The desk dates
 * its questions by the machine's clock, so story.now follows that at each turn.
 *
 * Everything fails the test when it does not come out, also when it takes
 * longer than GIT_STORY_SECONDS. Text given back lives as long as the story.
 */
#ifndef TESTS_GIT_STORY_H
#define TESTS_GIT_STORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/types.h>
#include "bot/desk_git.h"
#include "tests/story.h"

#define GIT_STORY_SECONDS 20

struct git_story {
	struct desk_git_mail git; /* the desk's end */
	struct desk_git asker;
	pid_t helper;
	int helper_end; /* of the socket */
	char path[256]; /* of the repository */
};

extern struct git_story git_story;

/* A cmocka fixture: repo_make's tree, and a story about it. */
int git_story_begin(void **state);
int git_story_end(void **state);
/* The story from its beginning, about another folder. */
void git_story_about(const char *path);

/* -- the tree -- */

/* The hash of a new commit, by old@example.org; command changes files. */
const char *git_story_commit(const char *title, const char *command);
/* The same change as a commit's, on another base, under another title. */
const char *git_story_rebase(const char *commit, const char *title);

/* -- reports -- */

/* A report of a regression by this commit, to to@example.org, undecided. */
int64_t git_story_put(const char *commit, const char *title);
/* One turn of the desk's loop, after an answer or a little time. */
void git_story_turn(void);
/* Turns until this message is decided. */
void git_story_decide(int64_t message);
/* The last deed on a patch, as "WHO ACTION: REASON"; "" when there is none. */
const char *git_story_audit(int64_t patch);

/* -- the helper -- */

void git_story_start_helper(void);
/* It hangs from here on, and goes on again. */
void git_story_stop_helper(void);
void git_story_continue_helper(void);
void git_story_kill_helper(void);
/* Both ends of the socket anew: what was asked is lost. */
void git_story_reconnect(void);

#endif
