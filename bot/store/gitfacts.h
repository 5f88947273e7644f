/*
 * gitfacts - what the git helper has answered, kept so that nothing is asked
 * twice. Fixes are in fix.h.
 */
#ifndef BOT_STORE_GITFACTS_H
#define BOT_STORE_GITFACTS_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/store/open.h"
#include "ph/arena.h"
#include "ph/slice.h"

struct gitfacts_row {
	struct slice json; /* of commit_to_json; empty: not in the tree */
	int64_t asked;	   /* seconds UTC */
	int64_t answered;  /* 0: the answer did not come in time */
	bool settled;	   /* merged: nothing more is to be learned */
};

/* What is known of a commit, by the digits it was asked with. PH_NONE: it was
 * never asked for. */
enum status gitfacts_get(struct store *s, struct slice commit,
			 struct arena *arena, struct gitfacts_row *ret,
			 struct err *err);
/* What was known stays known: a commit may leave the tree, an answer may not
 * come. Wants a transaction. */
enum status gitfacts_put(struct store *s, struct slice commit,
			 const struct gitfacts_row *row, struct err *err);

/* Commits of patches still open and seen since, asked for before (or never)
 * and not settled: those of the newest patches first, at most max. */
enum status gitfacts_unsettled(struct store *s, int64_t before, int64_t since,
			       size_t max, struct arena *arena,
			       struct slice *ret, size_t *ret_n,
			       struct err *err);

#endif
