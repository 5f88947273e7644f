/*
 * result - the table of results that the pages of patches and of series share.
 */
#ifndef NOTIFY_SITE_RESULT_H
#define NOTIFY_SITE_RESULT_H

#include "ph/arena.h"
#include "ph/site.h"

enum result_columns {
	RESULTS_OF_PATCH,  /* tells the test, the host and the metric */
	RESULTS_OF_SERIES, /* tells the patch */
};

void result_table(struct buf *b, enum result_columns columns,
		  const struct site_result *results, size_t n);

/* "91,713 ± 3%", the deviation left out when none was printed. */
void result_value(struct buf *b, double value, int32_t dev);

#endif
