/*
 * plot - a series over time as a drawing (SVG) inside a page.
 */
#ifndef NOTIFY_SITE_PLOT_H
#define NOTIFY_SITE_PLOT_H

#include "ph/arena.h"
#include "ph/site.h"

/*
 * A mark for the value before and one for the value with each patch that has
 * values, with their deviations, linked to the patch's page. What got worse
 * points down, what got better up. Nothing where no point has values.
 */
void plot_series(struct buf *b, const struct site_series *s);

#endif
