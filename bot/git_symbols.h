/*
 * git_symbols - the functions in the files that a commit touches: of a
 * profile's rows those are the ones its author can do something about.
 */
#ifndef BOT_GIT_SYMBOLS_H
#define BOT_GIT_SYMBOLS_H

#include "bot/git.h"

#define SYMBOL_FILES 32	  /* a commit that touches more is a clean-up */
#define SYMBOLS_MAX  2000 /* mm/ has no file with a quarter of that */

/*
 * Functions that a C text in the kernel's layout defines: a name directly
 * before the first parenthesis of a line that starts in the first column and
 * does not end with a semicolon. Appends to ret_list, which has room for
 * SYMBOLS_MAX; slices point into text.
 */
void symbols_find(struct slice text, struct slice *ret_list, size_t *n);

/* Fills facts->symbols from the commit's .c and .h files. */
void gitsymbols_fill(struct gittree *tree, struct arena *arena,
		     struct commit_facts *facts);

#endif
