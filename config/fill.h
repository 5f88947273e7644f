/*
 * fill - from a tree of nodes to struct config, by the table of keys.
 *
 * Mistakes are noted and filling goes on, so that all of them are found at
 * once; what a mistake stood for keeps its default.
 */
#ifndef CONFIG_FILL_H
#define CONFIG_FILL_H

#include "config/keys.h"
#include "ph/node.h"

struct fill {
	struct arena *arena;
	struct config *config;
	struct notes *notes;
	bool private_file; /* only the owner can read the file */
	bool files;	   /* those it names are looked at */
};

/* map NULL: defaults alone. */
void fill_section(struct fill *f, const struct section *section,
		  const struct node *map, void *ret);

/* Where to point for a key of map: at its value, else at the map itself. */
struct config_mark fill_mark(const struct node *map, const char *key);

#endif
