/* The page of a series: one metric, test and host over time. */
#include "ph/site.h"

#include "notify/site/markup.h"
#include "notify/site/plot.h"
#include "notify/site/result.h"

static struct slice title_of(const struct site_series *s, struct buf *b)
{
	buf_add_slice(b, s->metric);
	if (s->host.len) {
		buf_add_str(b, " on ");
		buf_add_slice(b, s->host);
	}
	return buf_slice(b);
}

static struct slice better_words(enum better better)
{
	switch (better) {
	case BETTER_HIGHER:
		return S("higher is better");
	case BETTER_LOWER:
		return S("lower is better");
	case BETTER_UNKNOWN:
		break;
	}
	return S("");
}

static void put_left_out(struct buf *b, const struct site_series *s)
{
	if (s->more_points)
		buf_printf(b,
			   "<p>The newest %zu of %zu measurements are "
			   "shown.</p>\n",
			   s->n_points, s->n_points + s->more_points);
}

void site_series_page(const struct site_series *s, struct buf *ret)
{
	struct buf title;

	buf_init(&title);
	markup_open(ret, title_of(s, &title), "../", S(""));
	buf_add_str(ret, "<dl>\n");
	markup_field(ret, "Test", s->testcase);
	markup_field(ret, "Parameters", s->params);
	markup_field(ret, "Host", s->host);
	markup_field(ret, "Unit", s->unit);
	markup_field(ret, "Direction", better_words(s->better));
	buf_add_str(ret, "</dl>\n");
	put_left_out(ret, s);
	plot_series(ret, s);
	buf_add_str(ret, "<h2>Measurements</h2>\n");
	result_table(ret, RESULTS_OF_SERIES, s->points, s->n_points);
	markup_close(ret);
	buf_release(&title);
}
