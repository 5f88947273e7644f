/*
 * weigh - is it noise? Effect and evidence grade of one result.
 *
 * The rule, and nothing else:
 *
 * deviation s = the printed "± N%" plus half a point; none printed counts as
 * 1 %, since the robot prints none up to 2 %.
 * effect      = |ln(value / base)| / sqrt(s_base^2 + s_value^2), how many times
 *		 the run-to-run noise the change is; for absolute changes, and
 *		 where base or value is not above 0, |value - base| over the same
 *		 root with s times value.
 * confirmed   = another test case, or the same on another class of host, has
 *		 the same verdict; or a "[still regression on ...]" line.
 *
 *	A  effect >= 4 and confirmed
 *	B  effect >= 4, or >= 2 and confirmed
 *	C  effect >= 2
 *	D  below; with both deviations unprinted "too small to judge"
 *
 * Values that are both whole numbers below 100 reach B at most: one more or
 * less moves them by per cents. An opposite verdict for the same key lowers by
 * one; opposite verdicts elsewhere say "mixed" and lower nothing.
 */
#ifndef BOT_WEIGH_H
#define BOT_WEIGH_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/notice.h"
#include "ph/report.h"
#include "ph/slice.h"

/* Two values of one metric, and how they are compared. */
struct weigh_pair {
	double base, value;
	int32_t base_dev, value_dev; /* printed per cent; negative: none */
	bool relative;
};

/* False when there is no number: both values 0. *ret_at_least: a deviation
 * was not printed, so the true noise may be less. */
bool weigh_effect(const struct weigh_pair *p, double *ret, bool *ret_at_least);

/* What others say about the result. Empty slices: nobody. */
struct weigh_others {
	struct slice other_test; /* a test case with the same verdict */
	struct slice other_host; /* another class of host, same verdict */
	struct slice still;	 /* ref of a "still regression" line */
	bool opposite_same;	 /* the other verdict for the very same key */
	struct slice opposite;	 /* where the other verdict was: "in fsmark",
				    "on lkp-icl-2sp1" */
};

struct weigh {
	enum evidence grade; /* EVIDENCE_NONE: no values to judge by */
	bool has_effect, at_least;
	double effect;
	bool mixed;
	struct slice reasons[6];
	size_t n_reasons;
};

/* pair NULL: the report gives no values. Reasons live in the arena. */
void weigh_result(const struct weigh_pair *pair,
		  const struct weigh_others *others, struct arena *arena,
		  struct weigh *ret);

#endif
