/*
 * rank - which rows of a table explain the headline.
 *
 * Of some hundreds of rows a notice shows at most four and one profile line.
 */
#ifndef BOT_RANK_H
#define BOT_RANK_H

#include "ph/arena.h"
#include "ph/notice.h"
#include "ph/report.h"
#include "ph/slice.h"

#define RANK_ROWS 4

/*
 * Picks the rows for report.results[result] from its table, last column
 * against the first. symbols: functions in files that the patch touches, may
 * be NULL. ret has room for RANK_ROWS + 1 lines; the profile line stands last.
 * Returns how many were filled; none without a table.
 */
size_t rank_rows(const struct report *r, const struct result *result,
		 const struct slice *symbols, size_t n_symbols,
		 struct arena *arena, struct notice_line *ret);

#endif
