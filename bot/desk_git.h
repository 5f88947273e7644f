/*
 * desk_git - the desk's questions to the git helper, and answers not yet
 * fetched. A question that is not answered in time counts as "not in the
 * tree": a report is told without its author rather than never.
 */
#ifndef BOT_DESK_GIT_H
#define BOT_DESK_GIT_H

#include "bot/git_helper.h"
#include "bot/identity.h"

#define DESK_GIT_WAIT_MS 60000 /* a cold pack on a slow disk */
#define DESK_GIT_OPEN	 16    /* questions at once */

struct desk_git_question {
	char hex[GIT_HEX + 1]; /* "": a free place */
	uint64_t id;
	int64_t asked; /* monotonic milliseconds */
	bool answered;
	enum status status;
	struct buf text; /* commit_to_json */
};

/* The scan of the tree for commits that fix others. */
#define DESK_GIT_SCAN_MS 3600000

struct desk_git_scan {
	bool asked, done; /* done: tips are there too */
	uint64_t id;
	int64_t again;	   /* monotonic milliseconds */
	struct buf claims; /* whole lines for fix_from_json, to be taken */
	struct buf tips;   /* where the next scan starts, blanks between */
};

struct desk_git_mail {
	struct githelper *helper; /* NULL: no tree */
	struct desk_git_question question[DESK_GIT_OPEN];
	struct desk_git_scan scan;
};

/* fd: the asking end of githelper_pair; -1: no tree. It is taken over. */
void desk_git_init(struct desk_git_mail *g, int fd);
void desk_git_release(struct desk_git_mail *g);

/* What the desk asks with. arg is g. */
struct desk_git desk_git_asker(struct desk_git_mail *g);

int desk_git_fd(const struct desk_git_mail *g); /* -1: no tree */
/* Takes the answers that are there, without waiting. */
void desk_git_take(struct desk_git_mail *g);

/* Asks for fixes behind the tips of the last scan, when an hour has passed.
 * What comes back grows in g->scan. */
void desk_git_ask_fixes(struct desk_git_mail *g, struct slice tips);

#endif
