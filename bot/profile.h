/*
 * profile - the one function of a table's profile rows that says most.
 */
#ifndef BOT_PROFILE_H
#define BOT_PROFILE_H

#include "ph/arena.h"
#include "ph/report.h"
#include "ph/slice.h"

/*
 * "native_queued_spin_lock_slowpath 61.90% -> 65.30%, from
 * folio_lruvec_lock_irqsave": the function whose own share moved most between
 * the first and the last column, by the rule in rank.h. Empty when none moved
 * by a point. The table has two columns or more.
 */
struct slice profile_line(const struct report *r, const struct table *t,
			  const struct slice *symbols, size_t n_symbols,
			  struct arena *arena);

#endif
