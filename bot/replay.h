/*
 * replay - stored reports through two configurations: whom each would tell.
 */
#ifndef BOT_REPLAY_H
#define BOT_REPLAY_H

#include <stdint.h>
#include "bot/store/open.h"
#include "ph/arena.h"
#include "ph/config.h"

/* One channel and target. */
struct replay_target {
	struct slice channel, target;
	int64_t before, after; /* notices */
	int64_t changed;       /* reports told by one of the two only */
};

/* A report that one of the two tells to a target and the other does not. */
struct replay_change {
	bool added; /* told by the new one */
	struct slice channel, target;
	struct slice subject;
	int64_t arrived;
};

struct replay {
	struct replay_target *targets; /* in order of appearance */
	size_t n_targets;
	struct replay_change *changes; /* by time */
	size_t n_changes;
	int64_t reports;  /* looked through */
	int64_t affected; /* ... of which one target or more changed */
};

/*
 * Decides every stored report since a time under both, oldest first; nothing
 * is written. progress (or NULL) is called now and then. Memory of the arena.
 */
enum status replay_run(struct store *s, const struct config *before,
		       const struct config *after, int64_t since, int64_t now,
		       void (*progress)(void *arg, int64_t done), void *arg,
		       struct arena *arena, struct replay *ret,
		       struct err *err);

#endif
