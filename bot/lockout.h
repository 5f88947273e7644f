/*
 * lockout - keeps a login that was refused from being tried as often as a
 * connection that broke: servers lock out who seems to guess passwords.
 *
 * A worker says by its exit code that it was refused. It waits for a minute,
 * twice as long each time, an hour at most; the other workers of its mailbox
 * wait for it. A secret's file that changes ends the wait.
 */
#ifndef BOT_LOCKOUT_H
#define BOT_LOCKOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sysexits.h>
#include "bot/crew.h"

/* A worker's exit code. What leaves the program is EX_UNAVAILABLE. */
#define WORKER_REFUSED EX_NOPERM

/* Milliseconds to the next try after so many refusals before this one. */
int64_t lockout_ms(unsigned refusals);

/* Before c starts: remembers which secret it will read. */
void lockout_begin(struct child *c);
/* c was refused: says when it and its like may start again. */
void lockout_refused(struct crew *crew, struct child *c, int64_t now);
/* What else ended or works is no guess. */
void lockout_over(struct child *c);

/* Makes those due at once whose secret has changed. */
void lockout_look(struct crew *crew, int64_t now);
/* Whether lockout_look has to be called every LOCKOUT_LOOK_MS. */
bool lockout_watches(const struct crew *crew);

#define LOCKOUT_LOOK_MS 1000

#endif
