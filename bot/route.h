/*
 * route - which channels a patch is told on, and which line decided.
 *
 * Routes are tried in order; the first that matches ends the search unless it
 * says `continue`. A route matches when one new result fits all of its result
 * keys (test case, metric, host, verdict, percent, effect, evidence, too
 * good) while the patch fits the others; `all`, `any` and `not` are asked
 * about that same result. Pure: reads no state, no clock, no file.
 */
#ifndef BOT_ROUTE_H
#define BOT_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/notice.h"
#include "ph/report.h"
#include "ph/slice.h"

/* One new result. */
struct route_result {
	struct slice testcase, metric, host;
	enum verdict verdict;
	double percent;	 /* magnitude, as the robot prints it */
	bool has_effect; /* without one min_effect never holds */
	double effect;
	enum evidence evidence;
	bool too_good;
};

struct route_subject {
	struct slice tree; /* URL as in the report */
	struct slice branch, label, subsystem;
	struct slice author;	   /* address */
	const struct slice *files; /* paths; none without a git tree */
	size_t n_files;
	const struct slice *lists; /* addresses in the report's To and Cc */
	size_t n_lists;
	const struct route_result *results; /* the news alone */
	size_t n_results;
};

/* A channel to be told. */
struct route_hit {
	const struct config_channel *channel;
	const struct config_route *route; /* the first that names it */
	size_t *results; /* places in subject.results that matched, rising */
	size_t n_results;
	size_t headline; /* the worst of them: a place in subject.results */
};

struct route_outcome {
	struct route_hit *hits; /* each channel once, in order of routes */
	size_t n_hits;
	struct slice *trace; /* a line a route tried, as "route in line 31:
				no: verdict (line 32) ..." */
	size_t n_trace;
};

/* All memory comes from the arena. */
void route_match(const struct config *config, const struct route_subject *s,
		 struct arena *arena, struct route_outcome *ret);

/*
 * Whether one matcher holds for at least one of the results (a silence asks
 * this too). ret_results (n_results of them, or NULL) tells for which; ret_why
 * (or NULL) says in words which line decided.
 */
bool route_holds(const struct config_match *m, const struct route_subject *s,
		 struct arena *arena, bool *ret_results, struct slice *ret_why);

/* Whether a is worse than b: a regression before an improvement, then the
 * larger percentage. */
bool route_worse(const struct route_result *a, const struct route_result *b);

#endif
