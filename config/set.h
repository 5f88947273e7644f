/*
 * set - one text of the file into one member of a struct, as its key says.
 *
 * PH_BAD gives the tail of a sentence behind the key's name, as value.h does.
 */
#ifndef CONFIG_SET_H
#define CONFIG_SET_H

#include "config/fill.h"

/* at: where the value goes; beside: what stands next to it (keys.h). */
enum status set_value(struct fill *f, const struct key *k, struct slice s,
		      void *at, void *beside, struct err *err);

/* Adds one more to a list; room: how many there may be in all. */
enum status set_item(struct fill *f, const struct key *k, struct slice s,
		     void *at, void *beside, size_t room, struct err *err);

/* The key's default, which it has. */
void set_usual(struct fill *f, const struct key *k, void *at, void *beside);

#endif
