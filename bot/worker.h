/*
 * worker - what the files of one worker share: its life is in worker.c, how it
 * reads a folder in worker_folder.c, what it does about a mail that breaks its
 * connection in worker_stuck.c.
 */
#ifndef BOT_WORKER_H
#define BOT_WORKER_H

#include "bot/batch.h"
#include "bot/progress.h"
#include "ph/imap.h"
#include "ph/limits.h"

struct worker {
	const struct duty *duty;
	const struct config_mailbox *box;
	struct store *store;
	struct prover *prover;
	struct imap *imap;
	struct batch batch;
	uint32_t cursor;
	int64_t since;		       /* what arrived before is not read */
	uint32_t waiting[LIMIT_BATCH]; /* UIDs of the folder that have a row
					  and are to come again */
	size_t n_waiting;
	struct mailbox_stuck stuck; /* where the last connection broke */
	bool waited;		    /* it has caught up once */
	struct progress progress;   /* until then */
	int timer;		    /* when to look at all folders again */
	int wake;		    /* epoll: the timer or the order to stop */
};

/* Selects a folder, goes on where the last worker ended, and catches up. */
enum status worker_read_folder(struct worker *w, const char *folder,
			       struct err *err);
/* Reads what is new in the selected folder, then tells the server so. */
enum status worker_catch_up(struct worker *w, struct err *err);
/* Fetches one UID and writes it; as imap_fetch_one. */
enum status worker_fetch_alone(struct worker *w, uint32_t uid, struct err *err);

/* Keeps what was taken before a fetch broke off with s, and counts where it
 * did. Gives s: why it broke off is the news. */
enum status worker_broke_off(struct worker *w, enum status s);
/*
 * Before the first fetch of a folder. A mail at which the connection broke
 * again and again is asked for alone, and set aside when others come and it
 * does not.
 */
enum status worker_pass_stuck(struct worker *w, struct err *err);

#endif
