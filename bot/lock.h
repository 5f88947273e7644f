/*
 * lock - who may be the only one: flock on a file beside the state.
 *
 * Held until the descriptor is closed in every process that inherited it: a
 * new watch waits for the last child of the one before.
 */
#ifndef BOT_LOCK_H
#define BOT_LOCK_H

#include "ph/err.h"

/*
 * Takes the lock STATE.name without waiting.
 * PH_OK: *ret_fd holds it.
 * PH_RETRY: another process has it (exit 75).
 * PH_FATAL: the file cannot be made (66: its folder is not there, else 74).
 */
enum status lock_take(const char *state, const char *name, int *ret_fd,
		      struct err *err);

#endif
