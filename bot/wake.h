/*
 * wake - tells a sleeping process to look into the state again.
 *
 * A wake-up carries nothing: who is woken drains it first and queries then, so
 * that none can be lost between the two, and rescans each second besides.
 * Inside one watch a bell (eventfd) is rung, made before the fork. Other
 * commands knock at a datagram socket beside the state file, which the watch
 * holds for as long as it lives.
 */
#ifndef BOT_WAKE_H
#define BOT_WAKE_H

#include <stdbool.h>
#include "ph/err.h"

/* PH_FATAL: no file descriptor left (exit 71). */
enum status wake_bell_new(int *ret_fd, struct err *err);
void wake_ring(int bell);

/*
 * Opens the socket STATE.wake for its owner alone. Whoever calls this holds
 * the lock of watch; what an earlier watch left behind is removed.
 * PH_FATAL: exit 74, and the reason.
 */
enum status wake_listen(const char *state, int *ret_fd, struct err *err);
void wake_unlisten(const char *state, int fd);

/* True when a watch on this state was told; false when there is none. */
bool wake_knock(const char *state);

/* Forgets the wake-ups so far, of a bell or the socket. */
void wake_drain(int fd);

#endif
