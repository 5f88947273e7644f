/*
 * people - the addresses behind a channel's targets for one patch.
 *
 *	@author		who wrote it
 *	@committer	who committed it
 *	@reviewers	its Reviewed-by and Acked-by trailers
 *	@maintainers	the M: lines of MAINTAINERS for its files
 *	a@b.c		itself
 * Pure: what is known comes as arguments, nothing is looked up.
 */
#ifndef BOT_PEOPLE_H
#define BOT_PEOPLE_H

#include <stdbool.h>
#include "bot/mailmap.h"
#include "bot/maintainers.h"
#include "bot/trees.h"
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/report.h"
#include "ph/slice.h"

/* Maintainers of more files than these are nobody in particular. */
#define PEOPLE_MAINTAINERS 8

struct people_facts {
	struct slice author, committer; /* addresses; empty: unknown */
	const struct pair *trailers;	/* "Reviewed-by" -> "Name <a@b>" */
	size_t n_trailers;
	const struct slice *files; /* paths; none without a git tree */
	size_t n_files;
	struct slice patch; /* text for MAINTAINERS' K:; may be empty */
	const struct maintainers *maintainers; /* NULL: none */
	const struct mailmap *mailmap;	       /* NULL: none */
	const struct tree *tree; /* of the robot's table; NULL: unknown */
	struct slice branch;
	const struct slice *mailed; /* To and Cc of the report */
	size_t n_mailed;
	bool adds; /* an update, a known fix, a contradiction or an old gain
		      undone: more than the robot's own mail says */
};

/* One candidate. Those that are not told keep their reason for `why`. */
struct people_target {
	struct slice address; /* empty: nobody stands behind the target */
	struct slice why;     /* "author", "maintainer of MEMORY MANAGEMENT",
				 "the robot has mailed them (only_if_new)" */
	bool told;
};

/*
 * The targets of a mail channel for one patch: each address once, the first
 * reason counts. Told is who the configuration means; allow lists, opt-outs
 * and bounces are asked later (gate.h).
 */
void people_find(const struct config_channel *ch, const struct people_facts *f,
		 struct arena *arena, struct people_target **ret, size_t *ret_n);

/* only_if_new: the robot has mailed this address, and we have no more to say. */
bool people_spared(const struct config_channel *ch,
		   const struct people_facts *f, struct slice address);

#endif
