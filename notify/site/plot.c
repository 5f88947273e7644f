#include "notify/site/plot.h"

#include <math.h>
#include <stdio.h>
#include "notify/site/markup.h"
#include "notify/site/scale.h"
#include "notify/words.h"
#include "ph/clock.h"

/* In the drawing's own units; the style sheet fits it to the page. */
#define WIDTH  760
#define HEIGHT 320
#define LEFT   90
#define RIGHT  (WIDTH - 20)
#define TOP    20
#define BOTTOM (HEIGHT - 40)

#define MARK	 6 /* half of a mark's width */
#define CAP	 4 /* half of a deviation's end */
#define DAY	 86400
#define MAX_DAYS 5 /* dates written at the axis */

struct plot {
	struct buf *b;
	struct scale x, y;
};

/* -- how far it reaches -- */

static double spread(double value, int32_t dev)
{
	return dev > 0 ? fabs(value) * dev / 100 : 0;
}

static void widen(double *low, double *high, double value, int32_t dev)
{
	*low = fmin(*low, value - spread(value, dev));
	*high = fmax(*high, value + spread(value, dev));
}

/* False: there is nothing to draw. */
static bool set_scales(struct plot *p, const struct site_series *s)
{
	double low = HUGE_VAL, high = -HUGE_VAL;
	double first = HUGE_VAL, last = -HUGE_VAL;

	for (size_t i = 0; i < s->n_points; i++) {
		const struct site_result *r = &s->points[i];

		if (!r->has_values)
			continue;
		widen(&low, &high, r->base, r->base_dev);
		widen(&low, &high, r->value, r->value_dev);
		widen(&first, &last, (double)r->when, -1);
	}
	if (low > high)
		return false;
	scale_init(&p->y, low, high, BOTTOM, TOP);
	/* times have no round decimals: half a day of room at both ends */
	p->x = (struct scale){ .low = first - DAY / 2,
			       .high = last + DAY / 2,
			       .from = LEFT + 2 * MARK,
			       .to = RIGHT - 2 * MARK };
	return true;
}

/* -- axes -- */

static void put_y_axis(struct plot *p)
{
	for (size_t i = 0; i < p->y.n_ticks; i++) {
		double y = scale_place(&p->y, p->y.tick[i]);

		buf_printf(p->b,
			   "<line class=\"axis\" x1=\"%d\" x2=\"%d\" "
			   "y1=\"%.1f\" y2=\"%.1f\"/>"
			   "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
			   LEFT, RIGHT, y, y, LEFT - 8, y + 4);
		words_number(p->b, p->y.tick[i]);
		buf_add_str(p->b, "</text>\n");
	}
}

static void put_day(struct plot *p, double t, const char *anchor)
{
	char day[16];

	clock_date((int64_t)t, day);
	buf_printf(p->b,
		   "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
		   scale_place(&p->x, t), BOTTOM + 24, anchor, day);
}

/* From the first point to the last. */
static void put_x_axis(struct plot *p)
{
	double first = p->x.low + DAY / 2, last = p->x.high - DAY / 2;
	double days = (last - first) / DAY;
	int n = days < 1 ? 1 : days < MAX_DAYS ? 2 : MAX_DAYS;

	if (n == 1) {
		put_day(p, (first + last) / 2, "middle");
		return;
	}
	for (int i = 0; i < n; i++)
		put_day(p, first + (last - first) * i / (n - 1),
			i == 0	     ? "start"
			: i == n - 1 ? "end"
				     : "middle");
}

/* -- a point -- */

static void put_spread(struct plot *p, double x, double value, int32_t dev)
{
	double up = scale_place(&p->y, value + spread(value, dev));
	double down = scale_place(&p->y, value - spread(value, dev));

	if (dev <= 0)
		return;
	buf_printf(p->b,
		   "<path class=\"spread\" d=\"M%.1f %.1fh%dm%d 0V%.1fm%d 0h%d"
		   "\"/>",
		   x - CAP, up, 2 * CAP, -CAP, down, -CAP, 2 * CAP);
}

/* Down for worse and up for better, whatever the value did. */
static void put_mark(struct plot *p, double x, double y, enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_REGRESSION:
		buf_printf(p->b,
			   "<path class=\"mark-worse\" d=\"M%.1f %.1fh%dl%d "
			   "%dz\"/>",
			   x - MARK, y - MARK, 2 * MARK, -MARK, 2 * MARK);
		break;
	case VERDICT_IMPROVEMENT:
		buf_printf(p->b,
			   "<path class=\"mark-better\" d=\"M%.1f %.1fh%dl%d "
			   "%dz\"/>",
			   x - MARK, y + MARK, 2 * MARK, -MARK, -2 * MARK);
		break;
	case VERDICT_NONE:
		buf_printf(p->b,
			   "<rect class=\"mark-changed\" x=\"%.1f\" y=\"%.1f\""
			   " width=\"%d\" height=\"%d\"/>",
			   x - MARK, y - MARK, 2 * MARK, 2 * MARK);
		break;
	}
}

/* What a pointer or a screen reader is told. */
static void put_point_title(struct plot *p, const struct site_result *r)
{
	char day[16];

	clock_date(r->when, day);
	buf_printf(p->b, "<title>%s: ", day);
	words_number(p->b, r->base);
	buf_add_str(p->b, " to ");
	words_number(p->b, r->value);
	buf_printf(p->b, ", %s %.1f%%, ", markup_verdict(r->verdict),
		   r->percent);
	markup_text(p->b, r->title.len ? r->title : r->commit);
	buf_add_str(p->b, "</title>");
}

static void put_point(struct plot *p, const struct site_result *r)
{
	double x = scale_place(&p->x, (double)r->when);
	double before = scale_place(&p->y, r->base);
	double after = scale_place(&p->y, r->value);

	buf_add_str(p->b, "<a href=\"../patch/");
	markup_text(p->b, r->patch);
	buf_add_str(p->b, ".html\">");
	put_point_title(p, r);
	buf_printf(p->b,
		   "<line class=\"move\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
		   "y2=\"%.1f\"/>",
		   x, x, before, after);
	put_spread(p, x, r->base, r->base_dev);
	put_spread(p, x, r->value, r->value_dev);
	buf_printf(
		p->b,
		"<circle class=\"before\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/>",
		x, before, MARK - 2);
	put_mark(p, x, after, r->verdict);
	buf_add_str(p->b, "</a>\n");
}

/* -- all of it -- */

static void put_words(struct plot *p, const struct site_series *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_points; i++)
		n += s->points[i].has_values;
	buf_add_str(p->b, "<title id=\"plot-title\">");
	markup_text(p->b, s->metric);
	buf_add_str(p->b, " over time</title>\n<desc id=\"plot-desc\">");
	buf_printf(p->b,
		   "%zu measurement%s. Circles: before a patch. Triangles: "
		   "with it, pointing down where the robot calls it a "
		   "regression, up where an improvement. Bars: deviation. The "
		   "table below has the same numbers.</desc>\n",
		   n, n == 1 ? "" : "s");
}

void plot_series(struct buf *b, const struct site_series *s)
{
	struct plot p = { .b = b };

	if (!set_scales(&p, s))
		return;
	buf_printf(b,
		   "<div class=\"wide\">\n<svg "
		   "xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
		   "%d\" role=\"group\" aria-labelledby=\"plot-title plot-desc"
		   "\">\n",
		   WIDTH, HEIGHT);
	put_words(&p, s);
	put_y_axis(&p);
	put_x_axis(&p);
	for (size_t i = 0; i < s->n_points; i++)
		if (s->points[i].has_values)
			put_point(&p, &s->points[i]);
	buf_add_str(b, "</svg>\n</div>\n");
}
