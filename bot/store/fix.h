/*
 * fix - commits of the configured tree that say what they fix, and how far the
 * tree was read for them.
 *
 * All are kept, since a report may come after its fix.
 */
#ifndef BOT_STORE_FIX_H
#define BOT_STORE_FIX_H

#include <stdint.h>
#include "bot/store/open.h"
#include "ph/arena.h"
#include "ph/slice.h"

struct fix_row {
	struct slice fix, title;
	struct slice commit; /* what it fixes: hex digits, or empty */
	struct slice report; /* Message-ID before the @, or empty */
};

/* PH_NONE: known. Wants a transaction. */
enum status fix_add(struct store *s, const struct fix_row *row, int64_t now,
		    struct err *err);

/*
 * The first fix of a patch: one that names a commit id it was seen under, one
 * of its reports, or the report (Message-ID before the @, may be empty) that is
 * being decided. A commit of the patch itself is none. PH_NONE: none.
 */
enum status fix_of_patch(struct store *s, int64_t patch, struct slice report,
			 struct arena *arena, struct fix_row *ret,
			 struct err *err);

/* The tips that the last scan started from, with blanks between; empty: the
 * tree was never read. The setter wants a transaction. */
enum status fix_tips(struct store *s, struct arena *arena, struct slice *ret,
		     struct err *err);
enum status fix_set_tips(struct store *s, struct slice tips, struct err *err);

#endif
