/*
 * learn - what an answer of git changes about a patch that is known already.
 *
 * A report is decided without git when the answer takes too long, and history
 * without waiting at all; this makes up for it.
 */
#ifndef BOT_LEARN_H
#define BOT_LEARN_H

#include <stdint.h>
#include "bot/git.h"
#include "bot/store/open.h"
#include "ph/arena.h"

/*
 * The commit's patch gets its patch id, its author through .mailmap, and where
 * another patch has the same patch id the two are merged, with an audit line.
 * What was told stays told. A commit that no report was about changes
 * nothing. Wants a transaction.
 */
enum status learn_commit(struct store *s, struct slice commit,
			 const struct commit_facts *facts, int64_t now,
			 struct arena *arena, struct err *err);

#endif
