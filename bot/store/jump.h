/*
 * jump - times that lie in the future, because the clock was ahead when they
 * were written or has been set back since.
 *
 * What waits by such a time would wait until the clock gets there again. With
 * jump_mend each wait begins anew, now, and is as long as it was. It may then
 * end outside of a channel's hours, which the courier asks for again.
 */
#ifndef BOT_STORE_JUMP_H
#define BOT_STORE_JUMP_H

#include "bot/store/open.h"

/* Seconds. Less is a clock that is being kept right. */
#define JUMP_SLACK 60

/*
 * Mends the waits of notices, digests and paused channels, and the first
 * opening of mailboxes, after which mail is no history. In a transaction of
 * its own. PH_NONE: there was nothing to mend.
 */
enum status jump_mend(struct store *s, int64_t now, struct err *err);

#endif
