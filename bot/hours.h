/*
 * hours - when a channel may speak.
 */
#ifndef BOT_HOURS_H
#define BOT_HOURS_H

#include <stdint.h>
#include "ph/config.h"

/* The first second at or after t (UTC) inside the window; t without one. Sets
 * the process's time zone for the moment of the call: one thread only. */
int64_t hours_next(const struct config_hours *h, int64_t t);

/* The latest time of a digest's schedule at or before t; 0: it has none. */
int64_t hours_digest_slot(const struct config_digest *d, int64_t t);
/* And the first one after t; 0: none. */
int64_t hours_digest_next(const struct config_digest *d, int64_t t);

#endif
