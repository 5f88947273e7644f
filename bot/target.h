/*
 * target - whom "@author" and the like mean for one patch.
 */
#ifndef BOT_TARGET_H
#define BOT_TARGET_H

#include "bot/git.h"
#include "bot/trees.h"
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/slice.h"

/* "@author" is not an address: a stranger's mail would decide who is mailed,
 * so a real proof is asked for. In a chat it is a name like others. */
bool target_is_people(const struct config_channel *ch, struct slice spec);

/* Whether mail of this channel to it reaches a list: by its name, or since the
 * channel says that its lists consent. */
bool target_is_list(const struct config_channel *ch, struct slice target);

/* What is known of the people around a patch. */
struct target_known {
	struct slice author;		/* may be empty */
	const struct commit_facts *git; /* NULL: nothing */
	struct branch branch;		/* of its report */
};

/*
 * Whom a channel's `to` entry means: the addresses of people, else itself.
 * Of maintainers, the first eight. @owner is the tree's, and whom it wants
 * copied unless the branch is private. *ret_n may be 0.
 */
void target_expand(const struct config_channel *ch, struct slice spec,
		   const struct target_known *known, struct arena *arena,
		   struct slice **ret, size_t *ret_n);

#endif
