/*
 * digest - many patches in one notice, a line each.
 *
 * Regressions first, the worst on top; then improvements; then what changed
 * without a verdict; then regressions that this target was told of over a week
 * ago, that nobody has closed, taken up or replied to, with how many days ago
 * they were first seen.
 */
#ifndef BOT_DIGEST_H
#define BOT_DIGEST_H

#include <stdint.h>
#include "bot/desk.h"

#define DIGEST_OLD  (7 * 86400)	 /* an open regression is named again */
#define DIGEST_BACK (90 * 86400) /* ... if it was told within this time */

/*
 * What fell due for a channel: its schedule's last slot, or what was put off
 * over max_per_hour an hour ago. Nothing to say queues nothing. Wants a
 * transaction.
 */
enum status digest_run(struct desk *d, const struct config_channel *ch,
		       int64_t now, struct err *err);

/* When digest_run is to be called next for a channel; INT64_MAX: never. */
enum status digest_next(struct desk *d, const struct config_channel *ch,
			int64_t now, int64_t *ret, struct err *err);

/*
 * Everything decided for a channel since a time, as one notice a target,
 * whether a digest has had it or not. fn is called for each; none when there is
 * nothing to say.
 */
enum status digest_since(struct desk *d, const struct config_channel *ch,
			 int64_t since, int64_t now, struct arena *arena,
			 enum status (*fn)(void *arg, struct slice target,
					   struct notice *n, struct err *err),
			 void *arg, struct err *err);

#endif
