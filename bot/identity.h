/*
 * identity - which patch a report is about (DESIGN section 6).
 *
 * The rungs are tried in order: the same commit id, the same patch id, the
 * same title and author. The first rung, the same mail, is the desk's, since
 * it ends the matter. Reads the state and asks git; writes only in
 * identity_settle.
 */
#ifndef BOT_IDENTITY_H
#define BOT_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/facts.h"
#include "bot/git.h"
#include "bot/store/patch.h"
#include "ph/arena.h"
#include "ph/report.h"

/* Where to ask about commits. commit NULL: no tree is configured. */
struct desk_git {
	/*
	 * PH_OK: *ret is filled.
	 * PH_NONE: not in the tree, or the answer did not come in time.
	 * PH_RETRY: asked; come again when the desk is woken.
	 */
	enum status (*commit)(void *arg, struct slice hex, struct arena *arena,
			      struct commit_facts *ret, struct err *err);
	void *arg;
};

enum rung { RUNG_NONE, RUNG_COMMIT, RUNG_PATCH_ID, RUNG_TITLE };

struct identity {
	enum rung rung;
	int64_t patch;	/* 0 with RUNG_NONE */
	int64_t also;	/* another patch with the same patch id, to be merged;
			     0: none */
	bool new_hash;	/* this commit id was not seen for it */
	bool same_diff; /* its patch id is known to be the patch's */
	int rank;	/* enum tree_rank, by the report and by git */
	struct slice patch_id; /* empty: unknown */
	struct slice norm;     /* the title for the next report; empty: never */
	struct slice author;   /* address; empty: unknown */
	struct slice words;    /* for `why` */
};

/*
 * author: the address that the mail is to, empty when not proven. facts: what
 * git says of the report's commit, NULL: nothing.
 */
enum status identity_find(struct store *s, const struct report *r,
			  struct slice author, const struct commit_facts *facts,
			  struct arena *arena, struct identity *ret,
			  struct err *err);

/*
 * Creates the patch where none was found, merges where two were, and brings
 * its row up to date with the report. Wants a transaction.
 */
enum status identity_settle(struct store *s, const struct report *r,
			    const struct identity *id, int64_t arrived,
			    struct arena *arena, struct patch_row *ret,
			    struct err *err);

/* A title without leading bracket tags ("[PATCH v2 3/3]") and "Re:", blanks
 * squeezed. */
struct slice identity_strip(struct slice title, struct arena *arena);

/*
 * The tree that the configured branches say a commit stands in: linux-next
 * where a part of the branch's name starts with "next" or "linux-next", else
 * mainline, since whatever else one watches for merges follows it. In none of
 * them: TREE_POSTED.
 */
enum tree_rank identity_merged(const struct commit_facts *facts);

/*
 * A title for comparing: stripped. Empty for a merge commit's.
 */
struct slice identity_title(struct slice title, struct arena *arena);

#endif
