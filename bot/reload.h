/*
 * reload - whether a changed configuration may take over from the running one.
 *
 * A slip in a matcher can mail everybody, or nobody. So the reports of the
 * last month are decided under both, and a new file that changes the targets
 * of more than reload_limit per cent of them is refused. SIGUSR1 instead of
 * SIGHUP loads it all the same.
 */
#ifndef BOT_RELOAD_H
#define BOT_RELOAD_H

#include <stdbool.h>
#include "ph/config.h"

#define RELOAD_SINCE   (30 * 86400)
#define RELOAD_REPORTS 10 /* fewer say nothing about a share */
#define RELOAD_SECONDS 30 /* for the comparison */

/*
 * For the supervisor: reads the file of the running configuration again. To be
 * freed by config_free. NULL: the old one goes on, and what is wrong with the
 * new one has been logged. forced: whatever it changes.
 */
struct config *reload_read(const struct config *running, bool forced);

/* Whether after changes little enough. A child looks, since the state is not
 * for the supervisor. A refusal has been logged, with what to do. */
bool reload_allowed(const struct config *before, const struct config *after);

/* The child's part. Its exit code: 0 allowed, 1 refused, else why it cannot
 * tell. */
int reload_judge(const struct config *before, const struct config *after);

#endif
