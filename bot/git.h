/*
 * git - what a local kernel tree knows about a commit (libgit2 below).
 *
 * Reads only: any repository will do, bare, shallow, partial, with alternates,
 * owned by another user. A commit that is not there is normal (a posted patch,
 * a tree that was fetched last week) and no error. libgit2 maps whole packs, so
 * only the helper process of git_helper.h calls this.
 */
#ifndef BOT_GIT_H
#define BOT_GIT_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/err.h"
#include "ph/report.h"
#include "ph/slice.h"

#define GIT_HEX 40

struct gittree;

/* What a tree says about one commit; memory of the arena. */
struct commit_facts {
	char id[GIT_HEX + 1];
	struct slice title;
	struct person author, committer; /* through .mailmap */
	int64_t authored, committed;	 /* seconds UTC */
	size_t n_parents;
	/* As `git patch-id --stable` prints it; "" for a merge and where a
	 * parent or a blob is not in the tree. */
	char patch_id[GIT_HEX + 1];
	struct slice *files; /* paths touched, old and new names */
	size_t n_files;
	struct slice *merged; /* configured refs that contain it */
	size_t n_merged;
	struct pair *trailers; /* "Reviewed-by" -> "Name <address>" */
	size_t n_trailers;
	struct slice *symbols; /* functions in these files. By git_symbols.h */
	size_t n_symbols;
	struct pair *maintainers; /* address -> section of MAINTAINERS; most
				     specific first. Filled by git_people.h */
	size_t n_maintainers;
};

/*
 * PH_OK: *ret is to be closed with gittree_close.
 * PH_BAD: no repository there, or one this libgit2 cannot read (another object
 *         format), with the reason.
 */
enum status gittree_open(const struct config_git *config, struct gittree **ret,
			 struct err *err);
void gittree_close(struct gittree *tree);

/*
 * Looks a commit up by 10 to 40 hex digits.
 * PH_NONE: not in this tree, or the digits fit several.
 * PH_RETRY: the repository could not be read just now.
 */
enum status gittree_commit(struct gittree *tree, struct slice hex,
			   struct arena *arena, struct commit_facts *ret,
			   struct err *err);

/*
 * A file's content at the first configured ref (HEAD without one).
 * PH_NONE: not there, or its blob is not in a partial clone.
 */
enum status gittree_file(struct gittree *tree, const char *path,
			 struct arena *arena, struct slice *ret,
			 struct err *err);

/* The same at a commit. */
enum status gittree_file_of(struct gittree *tree, const char *commit,
			    const char *path, struct arena *arena,
			    struct slice *ret, struct err *err);

/*
 * A commit's message and its diff to its only parent, as `git format-patch`
 * prints them but for the head. A diff over 4 MiB is left out.
 * PH_NONE: not there, a merge, or its blobs are not in a partial clone.
 */
enum status gittree_patch(struct gittree *tree, struct slice hex,
			  struct arena *arena, struct slice *ret,
			  struct err *err);

const struct config_git *gittree_config(const struct gittree *tree);

/* One commit that says it fixes something. */
struct fix_claim {
	char fix[GIT_HEX + 1]; /* the commit that says so */
	struct slice title;    /* its title */
	struct slice commit;   /* Fixes: hex digits, or empty */
	struct slice report;   /* Closes: or Link: message id, or empty */
};
typedef void fix_claim_fn(void *arg, const struct fix_claim *fix);

/*
 * Calls fn for every Fixes:, Closes: and Link: line (the kernel's
 * submitting-patches document) in commits of the configured refs that are not
 * reachable from since (NULL: the newest GIT_SCAN_MAX). *ret_tips gets the
 * tips that this scan started from, for the next one. Stops early, without an
 * error, where a shallow clone ends.
 */
#define GIT_SCAN_MAX 200000
enum status gittree_fixes(struct gittree *tree, const char *const *since,
			  size_t n_since, fix_claim_fn *fn, void *arg,
			  struct arena *arena, struct slice **ret_tips,
			  size_t *ret_n, struct err *err);

#endif
