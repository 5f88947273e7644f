/*
 * trouble - what a worker makes known of its mailbox's trouble: in the state,
 * for `status`, and to the operator where only a person can mend it.
 */
#ifndef BOT_TROUBLE_H
#define BOT_TROUBLE_H

#include <stdbool.h>
#include "bot/child.h"
#include "bot/store/open.h"
#include "ph/err.h"

/*
 * The mailbox cannot be read, for this reason; "": it can. wants_person: waiting
 * does not mend it. Told to the operator once, until it works again.
 */
enum status trouble_mailbox(const struct duty *duty, struct store *s,
			    const char *why, bool wants_person,
			    struct err *err);

/* The login that a person had to mend is accepted. */
enum status trouble_login_works(const struct duty *duty, struct store *s,
				struct err *err);

/*
 * Mails are read, and the server will not do with them what the mailbox's
 * `done` says. Logged and told once, until it does again (NULL).
 */
enum status trouble_done(const struct duty *duty, struct store *s,
			 const char *why, struct err *err);

#endif
