/*
 * summary - what a notice of one stored report says, made anew: its text is
 * read again, and what else is known of the patch stands behind it.
 */
#ifndef BOT_SUMMARY_H
#define BOT_SUMMARY_H

#include "bot/facts.h"
#include "bot/store/patch.h"

struct summary_of {
	const struct patch_row *patch;
	int64_t message;
	const struct result_row *now; /* the report's, in its order */
	size_t n_now;
	const struct result_row *past; /* others of the patch, oldest first */
	size_t n_past;
	bool alone; /* say nothing of other patches */
};

/*
 * Fills *ret but for key, thread and thread_remote; the worst result is the
 * headline, whatever ask has there. Memory of the arena.
 * PH_NONE: the report's text is kept no more.
 * PH_BAD: it is read differently today than when it was taken in.
 */
enum status summary_make(struct store *s, const struct summary_of *of,
			 const struct facts_ask *ask, struct arena *arena,
			 struct notice *ret, struct err *err);

/* Place of the worst: a regression before an improvement, then the larger
 * percentage. n is at least 1. */
size_t summary_worst(const struct result_row *rows, size_t n);

#endif
