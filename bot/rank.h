/*
 * rank - which rows of a table explain the headline.
 *
 * Of some hundreds of rows a notice shows at most four, and one line from the
 * profile. The rule, and nothing else:
 *
 * 1. Not shown: profile, scheduler trace and scheduler dump rows; slab caches,
 *    single CPUs, single NUMA nodes and single interrupt lines (where it ran,
 *    not what changed: one node's Mapped grew 90 times beside a gain of 18 %);
 *    locked memory (the monitors'), iTLB (where code happens to lie), boot
 *    times, run times, spreads, metric.* rates, the time split of fxmark. Rows
 *    within 10 % of the headline's own ratio only echo it, as does the headline
 *    under another name (ops beside ops_per_sec) and, turned over, a time of
 *    the test itself (filebench's sum_time_ms/op -16 % beside sum_operations/s
 *    +19 %).
 * 2. Shown only when it stands out of the noise (effect >= 2, see weigh.h),
 *    looks different in print, reaches 0.1, and, where the change is in points,
 *    moved by one at least.
 * 3. Ranked by min(effect, 10) x min(|ln(value / base)|, 2.3); shared and
 *    anonymous memory count half, since the robot's own files lie there.
 * 4. Each row belongs to a theme (test, cpu, sched, cache, memory, io, network,
 *    power); the best of a theme stands for it, so rows that say one thing in
 *    several units (perf-stat's four forms; mpstat, vmstat, iostat and time of
 *    one CPU state) fold by themselves.
 *
 * The profile line is the function whose own share moved most, idle loops
 * aside; of functions in files that the patch touches, when there are any. A
 * lock's slow path says nothing by itself: its caller is named too.
 */
#ifndef BOT_RANK_H
#define BOT_RANK_H

#include "ph/arena.h"
#include "ph/notice.h"
#include "ph/report.h"
#include "ph/slice.h"

#define RANK_ROWS 4

/*
 * Picks the rows for `result`, one of r->results, from its table: the last
 * column against the first. symbols: functions in files that the patch
 * touches, may be NULL. ret has room for RANK_ROWS + 1 lines; the profile line
 * stands last. Returns how many were filled; none without a table.
 */
size_t rank_rows(const struct report *r, const struct result *result,
		 const struct slice *symbols, size_t n_symbols,
		 struct arena *arena, struct notice_line *ret);

#endif
