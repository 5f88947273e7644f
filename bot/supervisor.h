/*
 * supervisor - starts the processes of a watch, and starts them again.
 *
 * It never opens the state: what needs it (migrations included) is done by a
 * child. Each returns an exit code, and has said what went wrong.
 */
#ifndef BOT_SUPERVISOR_H
#define BOT_SUPERVISOR_H

#include <stdbool.h>
#include "ph/config.h"

/*
 * The watch: until SIGTERM or SIGINT; SIGHUP reads the configuration again.
 * once: catches up with every mailbox, decides, delivers what is due, returns;
 * 69 when a mailbox failed. 75 when another watch has the state.
 */
int supervisor_watch(const char *config_path, bool once);

/*
 * What has been queued or changed in the state gets its way: a running watch
 * is woken, and without one the desk's and the courier's work is done now. To
 * be called after the last commit, with no store open in this process.
 */
int supervisor_deliver(const struct config *config);

#endif
