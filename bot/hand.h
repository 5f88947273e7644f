/*
 * hand - messages that a person hands in, from files or by their names.
 *
 * They are told whatever their age. Written in short transactions of up to
 * LIMIT_BATCH, beside a running watch; what is said about each goes to
 * standard output or, when it failed, standard error.
 */
#ifndef BOT_HAND_H
#define BOT_HAND_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/progress.h"
#include "bot/store/message.h"
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/limits.h"
#include "ph/proof.h"
#include "ph/slice.h"

struct hand {
	const struct config *config;
	struct store *store;
	struct prover *prover;
	bool again;  /* decide anew what has been decided */
	bool resend; /* ... and send it although it was sent */
	bool vouch;  /* an operator's word instead of proof */

	struct arena arena; /* what `mails` point into */
	struct message_in mails[LIMIT_BATCH];
	size_t n;
	int64_t since_ms;
	int code; /* the first failure's exit code */
	struct progress progress;
	bool changed; /* something was written: the desk has work */
};

/* The three are borrowed. */
void hand_init(struct hand *h, const struct config *config, struct store *store,
	       struct prover *prover);
void hand_release(struct hand *h);

/*
 * Takes in one raw mail; where names it in messages. arrived: seconds UTC, 0:
 * unknown. source: "file", or a mailbox's name.
 * PH_OK also when the mail is bad: that has been said and noted in code. Any
 * other status is about the state.
 */
enum status hand_take(struct hand *h, struct slice raw, const char *source,
		      const char *where, int64_t arrived, struct err *err);

/* Takes up a message of the state, by Message-ID. PH_NONE: it is not there. */
enum status hand_take_known(struct hand *h, struct slice id, struct err *err);

/* Writes what is open. */
enum status hand_flush(struct hand *h, struct err *err);

/* Says on standard error what is wrong, and remembers the exit code. */
void hand_fail(struct hand *h, enum status s, const struct err *err);

#endif
