/*
 * desk - decides what each message means and who is to be told of it.
 *
 * One message is one transaction: its state, its patch, its results, the path
 * of the decision for `why`, and the notices it leads to. Nothing here waits,
 * looks at a clock or sends. The desk process calls this in a loop; a command
 * without a running watch calls it before it ends.
 */
#ifndef BOT_DESK_H
#define BOT_DESK_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/identity.h"
#include "bot/store/message.h"
#include "bot/store/open.h"
#include "bot/trees.h"
#include "ph/config.h"
#include "ph/notice.h"

/*
 * A decision taken for its own sake: nothing is written, and what would be
 * told, and each line of the path, goes to these instead. Stored reports count
 * as news where they were news then, and history is no reason for silence.
 */
struct rehearsal {
	void (*told)(void *arg, const struct config_channel *ch,
		     struct slice target, const struct notice *n);
	void (*trace)(void *arg, struct slice step, struct slice text);
	void *arg; /* either function may be NULL */
};

struct desk {
	const struct config *config;
	struct store *store;
	struct desk_git git;
	const struct trees *trees;	   /* the robot's table; NULL: none */
	const struct rehearsal *rehearsal; /* NULL: in earnest */
	bool queued; /* notices were queued: wake the courier. The caller
			      takes it back. */
	bool waits;  /* some message waits for git */
	int64_t resolved_at; /* for resolve.h */
	int64_t timers_at;   /* desk_timers has nothing to do before this */
};

/* store is open and outlives the desk; git NULL: no tree. */
void desk_init(struct desk *d, const struct config *config, struct store *store,
	       const struct desk_git *git);

/*
 * Decides the oldest message that can be decided.
 * PH_OK: done, call again.
 * PH_NONE: nothing is left; with d->waits some wait for git's answer.
 */
enum status desk_step(struct desk *d, int64_t now, struct err *err);

/*
 * Decides a stored message once more under d->rehearsal. The tree is not
 * asked; what it said of the commit before counts.
 * PH_NONE: it is no report, or its text is not kept.
 */
enum status desk_rehearse(struct desk *d, int64_t message, int64_t now,
			  struct err *err);
/* The same for a mail that is not in the state, and is not put there. */
enum status desk_rehearse_mail(struct desk *d, const struct message_in *in,
			       struct err *err);

/*
 * What falls due by time: digests, notices put off over a limit, words to the
 * operator about drift and silent mailboxes. *ret_next: when to call again at
 * the latest, seconds UTC.
 */
enum status desk_timers(struct desk *d, int64_t now, int64_t *ret_next,
			struct err *err);

/*
 * Tells the operator's channel something, once a key (as "pause:perf-chat"
 * and the day). No operator configured: PH_NONE. Its own transaction.
 */
enum status desk_tell_operator(struct desk *d, struct slice key,
			       struct slice subject, struct slice text,
			       int64_t now, struct err *err);

#endif
