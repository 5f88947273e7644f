/*
 * target - whom "@author" and the like mean for one patch.
 */
#ifndef BOT_TARGET_H
#define BOT_TARGET_H

#include "bot/git.h"
#include "ph/arena.h"
#include "ph/slice.h"

/* "@author" is not an address: a stranger's mail would decide who is mailed,
 * so a real proof is asked for. */
bool target_is_people(struct slice spec);

/*
 * The addresses behind a channel's `to` entry; itself when it is one already.
 * git NULL: only the author is known, from the mail. Of maintainers, the first
 * eight. *ret_n may be 0.
 */
void target_expand(struct slice spec, struct slice author,
		   const struct commit_facts *git, struct arena *arena,
		   struct slice **ret, size_t *ret_n);

#endif
