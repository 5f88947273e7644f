/*
 * history - what the state knows of a patch, as facts.h wants it told.
 */
#ifndef BOT_HISTORY_H
#define BOT_HISTORY_H

#include "bot/facts.h"
#include "bot/store/patch.h"

/*
 * now: the rows of the report that is told, in its order; past: all others of
 * the patch, oldest first. Fills all of *ret but repeat and opposite.
 */
void history_fill(const struct result_row *now, size_t n_now,
		  const struct result_row *past, size_t n_past,
		  const struct patch_row *patch, struct arena *arena,
		  struct facts_history *ret);

/* The newest result of the same key and parameters at another patch that
 * moved the other way; NULL: there is none. */
enum status history_opposite(struct store *s, const struct result_row *key,
			     int64_t patch, struct arena *arena,
			     const struct facts_opposite **ret,
			     struct err *err);

#endif
