/*
 * resolve - takes back alerts about patches that were closed, by hand or
 * because the tree holds a fix.
 */
#ifndef BOT_RESOLVE_H
#define BOT_RESOLVE_H

#include <stdint.h>
#include "bot/desk.h"

/*
 * Queues a last notice for each alert of a patch that was closed since the
 * last call, once for each closing. Looks in the state only, so it can be
 * called often. Its own transaction.
 */
enum status resolve_alerts(struct desk *d, int64_t now, struct err *err);

#endif
