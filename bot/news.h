/*
 * news - whether a result says anything new about its patch.
 *
 * The rule of DESIGN section 6, and nothing else. A result whose (test case,
 * parameters, host, metric) the patch already has is a repeat, unless
 *	its verdict turned,
 *	it moved by more than the larger of half the old one and 5 points,
 *	the patch stands in a higher tree than ever before,
 *	the patch was closed, which reopens it, or
 *	the commit id is new, its patch id is not known to be the same, and the
 *	last telling is over 14 days old.
 * The old one is the last result of that key which was news itself, so a
 * slow drift is told once it has come far enough.
 */
#ifndef BOT_NEWS_H
#define BOT_NEWS_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/store/patch.h"
#include "ph/arena.h"

#define NEWS_MOVE    5.0 /* points */
#define NEWS_SILENCE (14 * 86400)

struct news_patch {
	const struct result_row *past; /* oldest first, all of the patch */
	size_t n_past;
	int rank, old_rank; /* enum tree_rank; old -1: never seen */
	bool closed;	    /* before this report */
	bool new_hash, same_diff;
	int64_t last_told; /* seconds UTC; 0: never */
	int64_t now;
};

/* Sets result->news and ->why (in the arena or static). */
void news_judge(const struct news_patch *p, struct result_row *result,
		struct arena *arena);

/* The latest past result of the same key, or NULL; one that was news goes
 * before one that was not. */
const struct result_row *news_old(const struct news_patch *p,
				  const struct result_row *result);

#endif
