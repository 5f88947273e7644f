/*
 * facts - a report and what is known of its patch, as the facts of a notice.
 *
 * The desk says what the state knows (struct facts_history) and what is asked
 * for; nothing here reads the state, the clock or a file.
 */
#ifndef BOT_FACTS_H
#define BOT_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/notice.h"
#include "ph/report.h"
#include "ph/slice.h"

enum tree_rank { TREE_POSTED, TREE_MAINTAINER, TREE_NEXT, TREE_MAINLINE };

/* An earlier result of the same patch, from another report. */
struct facts_past {
	struct slice testcase, metric, host;
	enum verdict verdict;
	bool has_percent;
	double percent;	     /* magnitude */
	struct slice commit; /* the hash it was seen under */
	struct slice where;  /* label, or tree and branch; may be empty */
	int64_t when;	     /* date of its report, seconds UTC */
	/* Index of the report's result with the same (test case, parameters,
	 * host, metric); -1: none. */
	int32_t same_as;
};

/* The newest result with the headline's (test case, host, metric) at another
 * patch that moved the other way. */
struct facts_opposite {
	struct slice commit, title;
	enum verdict verdict;
	bool has_percent;
	double percent;
	int64_t when;
};

struct facts_history {
	const struct facts_past *past; /* oldest first */
	size_t n_past;
	/* One a result of the report: told before, nothing new. NULL: none. */
	const bool *repeat;
	const struct facts_opposite *opposite; /* NULL: none */
	struct slice fix_commit, fix_title;    /* empty: no fix seen */
	struct slice state;    /* "acknowledged", "fixed"...; empty: open */
	enum tree_rank merged; /* where git says the commit stands; POSTED: not
				  known */
	/* Functions in files that the patch touches; none without a tree. */
	const struct slice *symbols;
	size_t n_symbols;
};

struct facts_ask {
	enum notice_kind kind;
	size_t headline;     /* index in report.results */
	int64_t made;	     /* seconds UTC */
	struct slice author; /* address, may be empty */
	struct slice note;   /* a forward's note, may be empty */
	enum config_regzbot regzbot;
};

/* Where the report's commit lives: a posted patch, the tree of a maintainer,
 * linux-next, mainline. By tree URL, then by label. */
enum tree_rank facts_tree_rank(const struct report *r);

/*
 * Fills *ret: all but patch, key, thread and thread_remote, which belong to
 * the row and come from the desk. The results are those of the report, the
 * asked headline first. Slices point into the report, the history or the
 * arena. history may be NULL: nothing is known.
 */
void facts_fill(const struct report *r, const struct facts_history *history,
		const struct facts_ask *ask, struct arena *arena,
		struct notice *ret);

/*
 * The parameters in words for notices and `show`: the test first when it has a
 * name ("page_fault2, mode=process nr_task=100%"); governor, host, kernel and
 * compiler are said elsewhere and left out.
 */
struct slice facts_params(const struct result *r, struct arena *arena);

/* https://lore.kernel.org/r/ID, where everybody can read a report; empty for
 * an empty Message-ID. */
struct slice facts_report_url(struct slice id, struct arena *arena);

#endif
