/*
 * desk_git - the desk's questions to the git helper.
 *
 * Answers are kept in the state. A question that is not answered in time
 * counts as "not in the tree": a report is told without its author rather than
 * never. From then on nothing is waited for until the helper is heard of
 * again, so one that hangs holds up what was asked first, and only once. An
 * answer that comes late is still learned from (learn.h).
 */
#ifndef BOT_DESK_GIT_H
#define BOT_DESK_GIT_H

#include "bot/git_helper.h"
#include "bot/identity.h"
#include "ph/limits.h"

#define DESK_GIT_OPEN	  8	 /* questions at once */
#define DESK_GIT_LOST_MS  600000 /* then a dead helper took it along */
#define DESK_GIT_FRESH_S  600	 /* after that an answer may have changed */
#define DESK_GIT_SCAN_MS  600000 /* between scans for fixes */
#define DESK_GIT_KNOCK_MS 2000	 /* ... when somebody knocks */
#define DESK_GIT_REFRESH  64	 /* commits asked for anew in a row */
#define DESK_GIT_RECENT_S (90 * 86400) /* older patches are left alone */

struct desk_git_question {
	char hex[GIT_HEX + 1]; /* "": a free place */
	uint64_t id;
	int64_t asked; /* monotonic milliseconds */
	bool given_up; /* nobody waits any longer */
};

/* The scan of the tree for commits that fix others. */
struct desk_git_scan {
	bool asked, done; /* done: tips are there too */
	bool first;	  /* none was finished in this run */
	uint64_t id;
	int64_t since, heard, again; /* monotonic milliseconds */
	struct buf claims; /* whole lines for fix_from_json, to be taken */
	struct buf tips;   /* where the next scan starts, blanks between */
};

/* Commits to be asked for anew, since the tree has moved. */
struct desk_git_refresh {
	char hex[DESK_GIT_REFRESH][GIT_HEX + 1];
	size_t n;
	int64_t before; /* seconds UTC: last asked before; 1: never asked; 0:
			   nothing to do */
};

struct desk_git_mail {
	struct githelper *helper; /* NULL: no tree */
	const struct config_git *config;
	struct store *store;
	int64_t wait_ms;   /* LIMIT_GIT_WAIT; a test may be less patient */
	bool slow;	   /* it did not answer in time */
	char trouble[256]; /* what was last said to be wrong with the tree */
	struct desk_git_question question[DESK_GIT_OPEN];
	struct desk_git_scan scan;
	struct desk_git_refresh refresh;
};

/* fd: the asking end of githelper_pair; -1: no tree. It is taken over; the
 * others are borrowed. */
void desk_git_init(struct desk_git_mail *g, int fd,
		   const struct config_git *config, struct store *store);
void desk_git_release(struct desk_git_mail *g);

/* What the desk asks with. arg is g. Not within a transaction. */
struct desk_git desk_git_asker(struct desk_git_mail *g);

/* What is in the state already, for a command that asks nobody. */
struct desk_git desk_git_known(struct store *store);

int desk_git_fd(const struct desk_git_mail *g); /* -1: no tree */

/* Takes the answers that are there, without waiting, and writes them down. */
enum status desk_git_take(struct desk_git_mail *g, int64_t now,
			  struct err *err);

/* Asks for fixes behind the tips of the last scan, when it is time. What comes
 * back grows in g->scan. */
void desk_git_ask_fixes(struct desk_git_mail *g, struct slice tips);
/* A command has been at work: the next scan is due. */
void desk_git_hurry(struct desk_git_mail *g);
/* Whether a scan is under way that has been heard of lately. */
bool desk_git_scans(const struct desk_git_mail *g);

/* Asks for one commit anew, when the tree has moved and nothing else is
 * asked. */
enum status desk_git_refresh(struct desk_git_mail *g, int64_t now,
			     struct err *err);

#endif
