/*
 * Rows of lkp-tests' sbin/compare, which operators paste to this day:
 *
 *	value [ change ] value ... name
 *
 * The change is "%8.0f%%" without a plus sign and left out below 3 %; for
 * perf-profile it is a bare difference.
 */
#include "mail/report/row.h"

#include "mail/report/cell.h"

/* "12%", "-12%", "-0.3"; a bare number without a sign would be a value. */
static bool take_change(struct slice *s, struct cell *ret)
{
	struct slice at = *s;
	double value;

	if (cell_take_change(s, ret))
		return true;
	if (!cell_take_number(&at, &value) || !slice_skip(&at, S("%")))
		return false;
	ret->change = value;
	ret->kind = CHANGE_RELATIVE;
	*s = at;
	return true;
}

bool legacy_take_values(struct slice *s, size_t n, struct cell *ret)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = (struct cell){ .dev_pct = -1 };
		if (i)
			take_change(s, &ret[i]);
		if (!cell_take_value(s, &ret[i]))
			return false;
	}
	return true;
}
