/*
 * clock - times as numbers, and their written forms.
 *
 * Wall times are seconds since 1970 UTC (int64_t); waits are milliseconds of
 * the monotonic clock. A module takes the time as an argument; only the loops
 * at the top ask these clocks.
 */
#ifndef PH_CLOCK_H
#define PH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/slice.h"

int64_t clock_wall(void);    /* seconds */
int64_t clock_wall_ms(void); /* milliseconds */
int64_t clock_mono_ms(void); /* milliseconds, never jumps */

/*
 * How long a peer is waited for, or left alone after failures. The fault tests
 * have many that hang, so they build with -DPH_HASTE=N, which leaves an N-th of
 * it.
 */
#ifdef PH_HASTE
#define PATIENCE(ms) ((ms) / PH_HASTE)
#else
#define PATIENCE(ms) (ms)
#endif

/* RFC 3339 in UTC, "2024-10-16T15:57:00Z". ret holds 32 bytes. */
void clock_rfc3339(int64_t t, char ret[32]);
/* RFC 5322 in UTC, "Wed, 16 Oct 2024 15:57:00 +0000". */
void clock_rfc5322(int64_t t, char ret[40]);
/* "2024-10-16". */
void clock_date(int64_t t, char ret[16]);

/*
 * A Date: or Received: time of RFC 5322, obsolete zones and missing seconds
 * included. False when it is no time between 1970 and 9999.
 */
bool clock_parse_rfc5322(struct slice s, int64_t *ret);
/* "2024-10-16", "2024-10-16T15:57:00Z" or with an offset. */
bool clock_parse_rfc3339(struct slice s, int64_t *ret);
/* "90d", "8h", "5m", "30s", "2w", "0": seconds. False on anything else or
 * over 100 years. */
bool clock_parse_span(struct slice s, int64_t *ret);

/* Calendar: days since 1970-01-01 of a proleptic Gregorian date. */
int64_t clock_days(int year, int month, int day);

#endif
