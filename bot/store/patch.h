/*
 * patch - one patch, whatever hashes it has had, its results and its life.
 *
 * A patch merged into another keeps its row and points to it; the calls here
 * follow the pointer. Ids shown to people are 12 hex digits.
 */
#ifndef BOT_STORE_PATCH_H
#define BOT_STORE_PATCH_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/store/open.h"
#include "ph/arena.h"
#include "ph/notice.h"
#include "ph/report.h"
#include "ph/slice.h"

enum patch_life {
	LIFE_OPEN,
	LIFE_ACK, /* somebody looks at it */
	LIFE_FIXED,
	LIFE_INVALID,
	LIFE_STALE,
	LIFE_STATES,
};

const char *patch_life_name(enum patch_life life); /* "acknowledged" */
/* By name, "ack" included. False: no such state. */
bool patch_life_parse(struct slice name, enum patch_life *ret);

struct patch_row {
	int64_t id;
	struct slice hex;	  /* shown id, 12 hex digits */
	struct slice title, norm; /* norm: for rung 4; empty never matches */
	struct slice commit;	  /* the last hash seen; may be empty */
	struct slice author;	  /* address; empty: unknown */
	struct slice tree, branch, label, subsystem; /* of the last report */
	struct slice posted_link;
	enum patch_life life;
	struct slice life_reason;
	int64_t life_since;
	int rank; /* the highest enum tree_rank seen; -1: none yet */
	int64_t first_seen, last_seen; /* seconds UTC, by arrival */
};

/* Creates one; ret_id and hex come back. Wants a transaction. */
enum status patch_add(struct store *s, const struct patch_row *row,
		      int64_t *ret_id, struct err *err);
/* Rewrites all but id, hex and first_seen. Wants a transaction. */
enum status patch_update(struct store *s, const struct patch_row *row,
			 struct err *err);
enum status patch_get(struct store *s, int64_t id, struct arena *arena,
		      struct patch_row *ret, struct err *err);

/* Follows the pointer of a merged patch. */
enum status patch_root(struct store *s, int64_t id, int64_t *ret,
		       struct err *err);

/*
 * A patch by what a person types: shown id or commit (4 digits or more), the
 * Message-ID of a report of it, or its title.
 * PH_NONE: none. PH_BAD: several; err lists some.
 */
enum status patch_find(struct store *s, struct slice name, struct arena *arena,
		       struct patch_row *ret, struct err *err);
/* The same, or a part of its title (3 bytes or more, any case): for who only
 * looks. */
enum status patch_find_part(struct store *s, struct slice name,
			    struct arena *arena, struct patch_row *ret,
			    struct err *err);

/* Hashes: all of 10 to 40 digits; a shorter one is equal to a longer that
 * starts with it. PH_NONE: unknown. */
enum status patch_of_commit(struct store *s, struct slice commit,
			    int64_t *ret_id, struct err *err);
enum status patch_of_patchid(struct store *s, struct slice patchid,
			     int64_t *ret_id, struct err *err);
/* A patch that has a commit of this patch id and is not `but`. */
enum status patch_twin(struct store *s, struct slice patchid, int64_t but,
		       int64_t *ret_id, struct err *err);
/* What is known of a commit: its patch and patch id, "-" where an operator
 * has split it off. */
enum status patch_commit_get(struct store *s, struct slice commit,
			     struct arena *arena, int64_t *ret_patch,
			     struct slice *ret_patchid, struct err *err);
/* The one patch with this normalised title and author; with several, or
 * none, PH_NONE, and *ret_n says how many. */
enum status patch_of_title(struct store *s, struct slice norm,
			   struct slice author, int64_t *ret_id, int *ret_n,
			   struct err *err);
/* Wants a transaction. patchid may be empty. */
enum status patch_commit_add(struct store *s, int64_t patch,
			     struct slice commit, struct slice patchid,
			     int64_t now, struct err *err);
/* How often and under which hashes; oldest first. */
enum status patch_commit_each(struct store *s, int64_t patch,
			      struct arena *arena,
			      void (*fn)(void *arg, struct slice commit,
					 struct slice patchid, int64_t first),
			      void *arg, struct err *err);

/* Merges the younger into the older, by pointer; *ret_id is what is left.
 * Wants a transaction. */
enum status patch_merge(struct store *s, int64_t a, int64_t b, int64_t *ret_id,
			struct err *err);
/* Takes a commit and the messages about it out of its patch into a new one.
 * PH_BAD: it is the patch's only commit, or not its. Wants a transaction. */
enum status patch_split(struct store *s, int64_t patch, struct slice commit,
			int64_t now, int64_t *ret_id, struct err *err);
/* Wants a transaction. */
enum status patch_set_life(struct store *s, int64_t patch, enum patch_life life,
			   struct slice reason, int64_t now, struct err *err);

/* A person's deeds. Wants a transaction. */
enum status audit_add(struct store *s, int64_t now, struct slice who,
		      struct slice action, int64_t patch, struct slice reason,
		      struct err *err);

struct audit_row {
	int64_t at, patch;
	struct slice who, action, reason;
};

enum status audit_each(struct store *s, int64_t patch, struct arena *arena,
		       void (*fn)(void *arg, const struct audit_row *row),
		       void *arg, struct err *err);

/* -- results -- */

struct result_row {
	int64_t id, message, patch; /* patch 0: not decided */
	int32_t n;		    /* position in the report, 0 the headline */
	struct slice testcase, params, host, metric; /* params: canonical */
	enum verdict verdict;
	double percent; /* magnitude, as the robot prints it */
	enum change_kind change_kind;
	bool has_change, has_values;
	double change, base, value;
	int32_t base_dev, value_dev; /* per cent; negative: none printed */
	bool has_effect;
	double effect;
	enum evidence evidence;
	bool news;
	struct slice why; /* in words: news or repeat by which rule */
	/* of its message */
	struct slice commit, tree, branch;
	int64_t arrived;
};

/* The same (test case, parameters, host, metric). */
bool result_same(const struct result_row *a, const struct result_row *b);

/* "mode=process nr_task=100%", keys sorted, from a result of a report. */
struct slice result_params(const struct result *r, struct arena *arena);

/* Fills the stored form of the n-th result of a report; ids stay 0. */
void result_from_report(const struct report *report, size_t n,
			struct arena *arena, struct result_row *ret);

/* Stores one; id and what the desk says are not looked at. Wants a
 * transaction. */
enum status result_add(struct store *s, const struct result_row *row,
		       struct err *err);

/* Takes a message's results out of their patch, or out of the state. Want a
 * transaction. */
enum status result_forget(struct store *s, int64_t message, struct err *err);
enum status result_drop(struct store *s, int64_t message, struct err *err);

/* Results of a message, or of a patch with all merged into it (message 0),
 * oldest first; but: a message to leave out (0: none). */
enum status result_list(struct store *s, int64_t message, int64_t patch,
			int64_t but, struct arena *arena,
			struct result_row **ret, size_t *ret_n,
			struct err *err);

/* The desk's word on a result: patch, news, why, effect, evidence. Wants a
 * transaction. */
enum status result_decide(struct store *s, const struct result_row *row,
			  struct err *err);

/* Results of other patches with this test case, metric and host, newest
 * first, at most max. */
enum status result_same_key(struct store *s, const struct result_row *key,
			    int64_t but_patch, size_t max, struct arena *arena,
			    struct result_row **ret, size_t *ret_n,
			    struct err *err);

#endif
