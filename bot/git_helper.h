/*
 * git_helper - the process that alone runs libgit2, and how to ask it.
 *
 * A kernel pack needs gigabytes of address space and a cold answer takes
 * seconds; neither may touch the desk. Questions and answers are datagrams on
 * a socket pair that the supervisor keeps open, so a helper that died is
 * replaced without the desk noticing more than a late answer: a new one says so,
 * and is asked again for the commits that are open. A long answer comes in
 * parts.
 */
#ifndef BOT_GIT_HELPER_H
#define BOT_GIT_HELPER_H

#include "bot/git.h"

/* fds[0] is for the asking side, fds[1] for the helper. Close-on-exec. */
enum status githelper_pair(int fds[2], struct err *err);

/*
 * The helper's whole life: answers until the other side closes or SIGTERM.
 * Returns an exit code. A tree that cannot be opened is answered as such, once
 * a question.
 */
int githelper_run(const struct config_git *config, int fd);

enum githelper_kind { GITHELPER_COMMIT, GITHELPER_FILE, GITHELPER_FIXES };

struct githelper_answer {
	uint64_t id; /* what githelper_ask returned */
	enum githelper_kind kind;
	enum status status; /* as the gittree_ call's */
	struct slice text;  /* COMMIT: JSON for commit_from_json;
				   FILE: the content;
				   FIXES: JSON lines for fix_from_json;
				   otherwise the reason in words */
	bool last;	    /* FIXES: false while more parts follow */
	struct slice *tips; /* FIXES, last: where the next scan starts */
	size_t n_tips;
};

struct githelper; /* the asking side */
struct githelper *githelper_new(int fd);
void githelper_free(struct githelper *h); /* closes fd */
int githelper_fd(const struct githelper *h);

/*
 * Sends a question without waiting. arg is the commit's digits, the path, or
 * the tips of the last scan with blanks between.
 * PH_RETRY: the helper has too many unanswered questions.
 */
enum status githelper_ask(struct githelper *h, enum githelper_kind kind,
			  struct slice arg, uint64_t *ret_id, struct err *err);

/* Frees the place of a question that nobody waits for any longer. */
void githelper_forget(struct githelper *h, uint64_t id);

/*
 * Takes an answer (or a part) that is there.
 * PH_NONE: nothing yet. wait_ms > 0 waits that long for one.
 */
enum status githelper_take(struct githelper *h, int wait_ms,
			   struct arena *arena, struct githelper_answer *ret,
			   struct err *err);

void commit_to_json(const struct commit_facts *c, struct buf *ret);
enum status commit_from_json(struct slice json, struct arena *arena,
			     struct commit_facts *ret, struct err *err);
enum status fix_from_json(struct slice line, struct arena *arena,
			  struct fix_claim *ret, struct err *err);

#endif
