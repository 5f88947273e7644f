/*
 * digest_lines - what a digest says: one notice of many, a line a patch.
 *
 * digest.h says in which order. A digest is gathered, then written; when it
 * goes out, and of what time, is digest.c.
 */
#ifndef BOT_DIGEST_LINES_H
#define BOT_DIGEST_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bot/store/open.h"
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/err.h"
#include "ph/notice.h"

struct digest_item;

/*
 * The patches that are to have a line; store, arena and now are set by the
 * caller, the rest begins as 0. The items, and the notice made of them, are
 * the arena's. The worst notice of a patch gives its line; of those told
 * before the digest's time the newest, which says how it stands now.
 */
struct digest_items {
	struct digest_item *item;
	size_t n, cap;
	struct store *store;
	struct arena *arena;
	int64_t now;
	bool newest;
};

/*
 * Adds a patch, by the facts of a notice about it. What is silenced adds
 * nothing, nor do facts of a newer program, whose patch has its line from
 * others.
 */
enum status digest_add(struct digest_items *l, int64_t patch,
		       struct slice facts, struct err *err);

/*
 * The notice of these, which are put in order, for what came to be from then
 * on. forgotten: with the regressions that the target has known for over a
 * week.
 */
enum status digest_write(struct digest_items *l,
			 const struct config_channel *ch, struct slice target,
			 bool forgotten, int64_t from, struct notice *ret,
			 struct err *err);

#endif
