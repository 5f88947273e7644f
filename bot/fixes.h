/*
 * fixes - a patch that the tree holds a fix for is `fixed`, by itself.
 */
#ifndef BOT_FIXES_H
#define BOT_FIXES_H

#include <stdint.h>
#include "bot/desk.h"
#include "bot/git.h"
#include "bot/store/patch.h"

/*
 * Takes one claim of a commit in the tree: it is kept, and the patch that it
 * names is closed where it was open. Wants a transaction.
 */
enum status fixes_take(struct desk *d, const struct fix_claim *claim,
		       int64_t now, struct err *err);

/*
 * The fix of a patch whose report (its msgkey) is being decided, for the
 * notice; closes it too. PH_NONE: none is known. Wants a transaction.
 */
enum status fixes_of(struct desk *d, struct patch_row *patch,
		     struct slice report, int64_t now, struct arena *arena,
		     struct slice *ret_commit, struct slice *ret_title,
		     struct err *err);

#endif
