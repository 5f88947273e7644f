/*
 * site_names - names of files, hundreds of thousands of them, in eight bytes
 * each: a hash with marks in it.
 *
 * Two names of one hash would be taken for one. That takes a hundred million
 * files, or somebody who makes them for it; then a file of ours stays where it
 * should be removed.
 */
#ifndef BOT_SITE_NAMES_H
#define BOT_SITE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ph/slice.h"

enum {
	SITE_NAME_OLD = 1,  /* an earlier run wrote it */
	SITE_NAME_NOW = 2,  /* this run did */
	SITE_NAME_KEPT = 4, /* it stands in the new manifest */
};

struct site_names {
	uint64_t *slots; /* 0: free; the lowest bits are marks */
	size_t n_slots, used;
};

void site_names_init(struct site_names *s);
void site_names_release(struct site_names *s);

/* Gives a name a mark. False: it had it. */
bool site_names_add(struct site_names *s, struct slice name, unsigned mark);
bool site_names_has(const struct site_names *s, struct slice name,
		    unsigned mark);

/* Eight bytes that stand for a text; the three lowest bits are 0. */
uint64_t site_names_hash(struct slice text);

#endif
