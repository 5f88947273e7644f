/*
 * silence - what a person muted: matchers with an author, a reason, an end.
 *
 * A silence is kept as lines "key=glob", as it was typed; one key more than
 * once means one of. Silenced results are recorded and shown, and not told.
 */
#ifndef BOT_SILENCE_H
#define BOT_SILENCE_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/route.h"
#include "bot/store/open.h"
#include "ph/arena.h"

/*
 * Reads words "key=glob" into the kept form.
 * PH_BAD: an unknown key, a word without =, or no word at all.
 */
enum status silence_words(const char *const *words, size_t n, struct buf *ret,
			  struct err *err);

/*
 * Marks the results of a subject that a silence in force holds for.
 * hex: the patch's shown id. ret_silenced has subject->n_results places.
 * PH_OK: at least one is silenced; *ret_why says by which.
 * PH_NONE: none is.
 */
enum status silence_find(struct store *s, const struct route_subject *subject,
			 struct slice hex, int64_t now, struct arena *arena,
			 bool *ret_silenced, struct slice *ret_why,
			 struct err *err);

#endif
