/*
 * node - a YAML document as a tree with marks; notes - what is wrong with it.
 *
 * Plain YAML only: maps, lists and texts. Anchors, aliases and tags have no
 * use in a configuration and are mistakes. Everything lives in the arena that
 * was handed in.
 */
#ifndef PH_NODE_H
#define PH_NODE_H

#include "ph/config.h"

struct notes {
	const char *file;
	struct config_errors *errors, *warnings; /* warnings may be NULL */
};

/* Adds "file:line:column: text"; control characters become '?'. */
void notes_mistake(struct notes *notes, struct config_mark mark,
		   const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void notes_warning(struct notes *notes, struct config_mark mark,
		   const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Puts the lines into the order of the file. */
void notes_sort(struct config_errors *e);

enum node_kind {
	NODE_TEXT,
	NODE_LIST,
	NODE_MAP,
	NODE_BAD, /* a mistake that has been noted already */
};

struct node {
	enum node_kind kind;
	struct config_mark mark;
	struct slice text; /* NODE_TEXT; a NUL stands behind it, none inside */
	bool plain;	   /* NODE_TEXT without quotes */
	const char *key;   /* of a member of a map */
	struct config_mark key_mark;
	struct node *first, *last; /* children, in the order of the file */
	struct node *next;
};

/*
 * Reads one document.
 * PH_OK: *ret is the root, or NULL when the document is empty.
 * PH_BAD: not YAML, nested over LIMIT_CONFIG_NEST; noted.
 */
enum status node_read(struct slice yaml, struct arena *arena,
		      struct notes *notes, struct node **ret);

/* The first member with this key, or NULL. */
const struct node *node_get(const struct node *map, const char *key);
/* "a map", "a list", "a text": for messages. */
const char *node_kind_name(enum node_kind kind);

#endif
