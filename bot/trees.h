/*
 * trees - the robot's own table of trees (lkp-tests, folder repo/linux): one
 * small YAML file a tree, its name the word before the colon of a label
 * ("peterz-queue:sched/core").
 *
 * Keys that we use; all others are passed over:
 *	url			where the tree is
 *	owner			person or list of persons
 *	mail_cc, mail_to	further persons and lists
 *	private_report_branch	expression over a whole branch name: the robot
 *				mails its owner only, and so do we
 *	public_report_branch	the same: an exception from the above
 *	branch_denylist		the same: the robot does not test it
 *	branch_allowlist	the same: the robot tests nothing else
 *	branch_deny_runtime_test  the same: built, not measured
 */
#ifndef BOT_TREES_H
#define BOT_TREES_H

#include <stdbool.h>
#include "bot/pattern.h"
#include "ph/arena.h"
#include "ph/err.h"
#include "ph/message.h"
#include "ph/slice.h"

struct tree {
	struct slice name, url;
	struct person *owners, *cc; /* cc: mail_cc and mail_to */
	size_t n_owners, n_cc;
	/* NULL: not in the file */
	struct pattern *private_branch, *public_branch, *denied, *allowed,
		*no_runtime;
};

struct trees {
	struct arena arena; /* owns all but the patterns */
	struct tree *tree;
	size_t n, cap;
};

void trees_init(struct trees *t);
void trees_release(struct trees *t);

/*
 * Adds the tree of one file.
 * PH_BAD: not YAML, or an expression that is none; err has "name:line:column:"
 *         before the reason. Nothing was added.
 */
enum status trees_add(struct trees *t, struct slice name, struct slice yaml,
		      struct err *err);

/*
 * Adds all files of a folder but for DEFAULTS and those that are bad. folder
 * NULL: there is no table, and nothing is added.
 * *ret_bad (may be NULL) counts these; err then holds the first reason.
 * PH_FATAL: the folder cannot be read.
 */
enum status trees_read(struct trees *t, const char *folder, size_t *ret_bad,
		       struct err *err);

/* By the word before the colon of a label, else by URL. NULL: unknown. */
const struct tree *trees_find(const struct trees *t, struct slice label,
			      struct slice url);

/* Whether reports of this branch are for its owner alone. */
bool tree_is_private(const struct tree *t, struct slice branch);
/* Whether the robot was asked not to measure this branch. */
bool tree_is_denied(const struct tree *t, struct slice branch);

/* One branch of a report, as the table sees it. */
struct branch {
	const struct tree *tree; /* NULL: not in the table */
	bool is_private, is_denied;
};

/* name empty: the branch is what stands behind the colon of the label. trees
 * may be NULL. */
struct branch trees_branch(const struct trees *t, struct slice label,
			   struct slice url, struct slice name);

#endif
