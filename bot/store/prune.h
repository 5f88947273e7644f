/*
 * prune - forgets what is older than the configured `keep`.
 */
#ifndef BOT_STORE_PRUNE_H
#define BOT_STORE_PRUNE_H

#include <stdint.h>
#include "bot/store/open.h"

#define PRUNE_MOST 500 /* messages a call: the lock is held for a moment */

/*
 * Drops up to PRUNE_MOST messages that arrived before a time, with their text,
 * results and trace; those of a patch only once the whole patch was last seen
 * before it, and the patch with its last message. What waits or is undecided
 * stays. *ret_n: messages dropped. Wants a transaction.
 */
enum status prune_before(struct store *s, int64_t before, int64_t *ret_n,
			 struct err *err);

#endif
