/*
 * route_words - why a matcher holds or not, for `why` and `route test`.
 */
#ifndef BOT_ROUTE_WORDS_H
#define BOT_ROUTE_WORDS_H

#include "bot/route.h"

/* The key that decided against a matcher. */
struct route_decider {
	const struct config_match *match;
	enum match_key key;
};

/* As written in a matcher: "regression", "A"; empty for none. */
struct slice route_verdict_word(enum verdict verdict);
struct slice route_evidence_word(enum evidence grade);

/* "no: verdict (line 32) asks for regression, and it is improvement". r NULL:
 * there is no new result. */
void route_put_no(struct buf *b, const struct route_decider *d,
		  const struct route_subject *s, const struct route_result *r);

/* "yes: verdict (line 32) hold, for 2 of 3 new results, the worst ...". worst
 * NULL: there is no new result; n: how many fit. */
void route_put_yes(struct buf *b, const struct config_match *m,
		   const struct route_subject *s,
		   const struct route_result *worst, size_t n);

#endif
