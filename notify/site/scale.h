/*
 * scale - where a number lies on an axis, and which numbers are written at it.
 */
#ifndef NOTIFY_SITE_SCALE_H
#define NOTIFY_SITE_SCALE_H

#include <stddef.h>

#define SCALE_TICKS 8

struct scale {
	double low, high; /* values at the two ends; low < high */
	double from, to;  /* places of these ends */
	double tick[SCALE_TICKS];
	size_t n_ticks; /* two or more */
};

/*
 * An axis on which all of low to high lies, with round numbers at it: 1, 2 or 5
 * times a power of ten apart. Any finite values will do, equal ones too.
 */
void scale_init(struct scale *s, double low, double high, double from,
		double to);

/* A value outside is put at the end that it passes. */
double scale_place(const struct scale *s, double value);

#endif
