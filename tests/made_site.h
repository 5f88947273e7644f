/*
 * made_site - made-up results for pages of the site. Each text has markup and
 * quotes in it, so that a page shows what becomes of them.
 *
 * All texts are constants; nothing is to be released.
 */
#ifndef TESTS_MADE_SITE_H
#define TESTS_MADE_SITE_H

#include "ph/site.h"

#define MADE_SITE_DAY  86400
#define MADE_SITE_THEN 1790856000 /* 2026-10-01 12:00 */

/* The n-th result, from 0, of n days after then: regressions and improvements
 * by turns, the third without values; each of one series and one patch. */
struct site_result made_site_result(int n);

/* The first n results as a series. They are put into points, which must have
 * room for them and outlive it. */
struct site_series made_site_series(struct site_result *points, size_t n);

#endif
