/*
 * mailmap - the name and address that a person goes by now (git's .mailmap).
 *
 * The four forms of a line, with NEW what is meant and OLD what a commit says:
 *	NEW NAME <old>
 *	<new> <old>
 *	NEW NAME <new> <old>
 *	NEW NAME <new> OLD NAME <old>
 * Names and addresses compare without case; of two lines for one person the
 * later wins, and a line with an old name goes before one without.
 */
#ifndef BOT_MAILMAP_H
#define BOT_MAILMAP_H

#include "ph/arena.h"
#include "ph/message.h"
#include "ph/slice.h"

struct mailmap_line {
	struct slice name, address;	    /* new; empty: as before */
	struct slice old_name, old_address; /* old_name empty: any */
};

struct mailmap {
	struct mailmap_line *line;
	size_t n, cap;
};

/* Lines that are none of the forms are left out. Points into text. */
void mailmap_parse(struct slice text, struct arena *arena, struct mailmap *ret);

/* Replaces what the map knows better. map may be NULL. */
void mailmap_apply(const struct mailmap *map, struct person *person);

#endif
