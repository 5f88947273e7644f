/*
 * smtp - hands one mail to one recipient (libcurl below).
 *
 * smtps, or smtp with STARTTLS required; `insecure` speaks plain smtp and
 * never STARTTLS (a loopback relay). Certificate and host name are verified
 * always. The connection is kept between sends. Whoever owns the outbox
 * decides about trying again: nothing is repeated in here.
 */
#ifndef NOTIFY_SMTP_H
#define NOTIFY_SMTP_H

#include "ph/channel.h"
#include "ph/config.h"
#include "ph/err.h"
#include "ph/slice.h"

struct smtp;

/* Milliseconds; 0: the usual (20 s, 60 s, 300 s). */
struct smtp_waits {
	long connect, reply, whole;
};

/* config must outlive it. Secrets are read at each send, and wiped after. */
struct smtp *smtp_new(const struct config_smtp *config,
		      const struct smtp_waits *waits);
void smtp_free(struct smtp *s);

/*
 * Sends mail (a whole message with CR LF line ends) to recipient, once.
 * Always fills *ret:
 *	SENT	 250 after the final dot
 *	LATER	 no connection, a 4xx, cut before the last byte was out
 *	MAYBE	 all bytes were handed over and no reply came
 *	REFUSED	 5xx to the recipient or to the mail; an address outside
 *		 addr.h's grammar, which never reaches the server
 *	CHANNEL	 530, 535, no STARTTLS, certificate, a sender that the server
 *		 does not take, an unreadable password file
 * ret->text names the server and repeats its last words.
 */
void smtp_send(struct smtp *s, struct slice recipient, struct slice mail,
	       struct delivery_result *ret);

/*
 * Connects, secures and logs in; sends no mail.
 * PH_RETRY: no connection or a 4xx. PH_BAD: anything else, as CHANNEL above.
 */
enum status smtp_probe(struct smtp *s, struct err *err);

#endif
