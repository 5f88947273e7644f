/*
 * reply - commands in a person's reply to a notice, and what a bounce says.
 *
 *	#perfherald stop
 *	#perfherald ack
 *	#perfherald dup COMMIT
 *	#perfherald fixed COMMIT
 *	#perfherald invalid: WHY
 *
 * One a mail, on a line of its own that is not quoted, before the signature.
 * Pure: whether the sender may say so is asked elsewhere.
 */
#ifndef BOT_REPLY_H
#define BOT_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include "ph/slice.h"

enum reply_verb {
	REPLY_STOP,
	REPLY_ACK,
	REPLY_DUP,
	REPLY_FIXED,
	REPLY_INVALID,
	REPLY_UNKNOWN, /* a command we do not know, or without its argument */
};

struct reply_command {
	enum reply_verb verb;
	struct slice arg;  /* a commit in lower case hex, or a reason */
	struct slice line; /* as written */
};

/* The first command in the text of a mail. False: there is none. */
bool reply_read(struct slice text, struct reply_command *ret);

/* What can be said, for an answer: whole lines. Static memory. */
struct slice reply_help(void);

/* A delivery status (RFC 3464) that says no for good. */
struct bounce {
	struct slice recipient; /* address; of the last failed one */
	struct slice message;	/* Message-ID of the mail that came back */
	struct slice status;	/* "5.1.1" */
};

/* From the raw mail, or its first part. False: no permanent failure, or no
 * word about which mail. */
bool bounce_read(struct slice raw, struct bounce *ret);

#endif
