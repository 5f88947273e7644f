#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>
#include "notify/site/plot.h"
#include "notify/site/scale.h"
#include "tests/made_site.h"
#include "tests/table.h"

/* Plots of the site, and the axes that they stand on. */

static struct scale_case {
	const char *name;
	double low, high;   /* of the data */
	double first, step; /* of the ticks */
	size_t n;	    /* of them; 0: any */
} scales[] = {
	{ "0 to 10", 0, 10, 0, 2, 6 },
	{ "77714 to 90682", 77714, 90682, 75000, 5000, 5 },
	{ "across 0", -3, 4, -4, 2, 5 },
	{ "negative", -100, -1, -100, 20, 6 },
	{ "small", 0.001, 0.0042, 0.001, 0.001, 5 },
	{ "one value", 50, 50, 49.94, 0.02, 7 },
	{ "all zero", 0, 0, 0, 0, 0 },
	{ "a hair apart", 1e9, 1e9 + 1e-7, 0, 0, 0 },
	{ "very large", -1e308, 1e308, 0, 0, 0 },
	{ "very small", 1e-308, 2e-308, 0, 0, 0 },
	{ "twelve powers apart", 1, 1e12, 0, 2e11, 6 },
};

/* cmocka compares floats, which are too coarse here. */
static void is_near(double got, double want)
{
	if (fabs(got - want) > 1e-9 * fmax(1, fabs(want)))
		fail_msg("%.17g, not %.17g", got, want);
}

static void a_scale_holds_its_values(void **state)
{
	const struct scale_case *c = *state;
	struct scale s;

	scale_init(&s, c->low, c->high, 280, 20);
	assert_true(isfinite(s.low) && isfinite(s.high) && s.low < s.high);
	assert_true(s.n_ticks >= 2 && s.n_ticks <= SCALE_TICKS);
	for (size_t i = 0; i < s.n_ticks; i++) {
		double place = scale_place(&s, s.tick[i]);

		assert_true(place >= 20 - 1e-6 && place <= 280 + 1e-6);
		if (i)
			assert_true(s.tick[i] > s.tick[i - 1]);
	}
	/* higher values stand higher up, which is less */
	assert_true(scale_place(&s, c->low) >= scale_place(&s, c->high));
	if (!c->n)
		return;
	assert_int_equal(s.n_ticks, c->n);
	is_near(s.tick[0], c->first);
	is_near(s.tick[1] - s.tick[0], c->step);
	/* the ends of the axis are its first and last tick */
	is_near(scale_place(&s, s.tick[0]), 280);
	is_near(scale_place(&s, s.tick[s.n_ticks - 1]), 20);
}

static void the_marks_of_a_plot_say_the_verdict(void **state)
{
	struct site_result points[4];
	struct site_series s = made_site_series(points, ARRAY_LEN(points));
	const char *svg;
	struct buf b;
	size_t n = 0;

	(void)state;
	buf_init(&b);
	plot_series(&b, &s);
	svg = buf_str(&b);
	assert_non_null(strstr(svg, "class=\"mark-worse\""));
	assert_non_null(strstr(svg, "class=\"mark-better\""));
	/* 88,000 less 4 % stands below all else, on an axis from 80,000 */
	assert_non_null(strstr(svg, ">80,000</text>"));
	assert_null(strstr(svg, ">75,000</text>"));
	/* a result without values has no mark */
	for (const char *at = svg; (at = strstr(at, "class=\"before\"")); at++)
		n++;
	assert_int_equal(n, 3);
	assert_non_null(strstr(svg, "3 measurements."));
	assert_non_null(strstr(svg, "href=\"../patch/c5598418bc5d.html\""));
	buf_release(&b);
}

static void without_values_there_is_no_plot(void **state)
{
	struct site_result points[2];
	struct site_series s = made_site_series(points, ARRAY_LEN(points));
	struct buf b;

	(void)state;
	points[0].has_values = points[1].has_values = false;
	buf_init(&b);
	plot_series(&b, &s);
	assert_int_equal(b.len, 0);
	buf_release(&b);
}

int main(void)
{
	static const struct CMUnitTest plain[] = {
		cmocka_unit_test(the_marks_of_a_plot_say_the_verdict),
		cmocka_unit_test(without_values_there_is_no_plot),
	};
	struct CMUnitTest tests[ARRAY_LEN(plain) + ARRAY_LEN(scales)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tests[n++] = plain[i];
	TABLE_ADD(tests, n, scales, name, a_scale_holds_its_values);
	return cmocka_run_group_tests_name("site_plot", tests, NULL, NULL);
}
