/*
 * facts_parts - what facts.c is made of; for the facts_*.c files only.
 */
#ifndef BOT_FACTS_PARTS_H
#define BOT_FACTS_PARTS_H

#include "bot/facts.h"
#include "bot/weigh.h"

/* The pair of values of a result's row; false without one. */
bool facts_pair(const struct report *r, const struct result *result,
		struct weigh_pair *ret);

/* One result, all but repeat and before. */
void facts_result(const struct report *r, const struct result *result,
		  struct arena *arena, struct notice_result *ret);

/* A parameter's value, by key; empty when there is none. */
struct slice facts_param(const struct result *result, struct slice key);

/* What other results of the report and of the past say about the headline. */
void facts_others(const struct report *r, const struct facts_history *h,
		  size_t headline, struct arena *arena,
		  struct weigh_others *ret);

/* "seen before as ..." for result i of the report; empty when it was not, and
 * for the headline (whole true) also when only another result was. */
struct slice facts_seen(const struct report *r, const struct facts_history *h,
			size_t i, bool whole, struct arena *arena);

/* "stress-ng.shm.fail 0 of 4 -> 1 of 4; 2 more": rows of any table that fail
 * more often than in the first column. */
struct slice facts_failures(const struct report *r, struct arena *arena);

/* Archives mask the robot's domain ("-lkp@xxxxxxxxx"): intel.com again. */
struct slice facts_unmask(struct slice text, struct arena *arena);

#endif
