/* The pages of all series, from the places that the walk has collected. */
#include "bot/site.h"

#include <stdlib.h>
#include "bot/facts.h"
#include "bot/store/finding.h"
#include "ph/report.h"

#define POINTS_SHOWN 400

/* Results were taken in in the order of their ids. */
static int by_series(const void *a, const void *b)
{
	const struct site_place *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return (x->result > y->result) - (x->result < y->result);
}

static int by_time(const void *a, const void *b)
{
	const struct site_result *x = a, *y = b;

	return (x->when > y->when) - (x->when < y->when);
}

static enum status read_point(struct site *s, int64_t result,
			      struct finding *ret_first,
			      struct site_result *ret, struct err *err)
{
	struct finding f;
	enum status st = finding_get(s->ask.store, result, &s->arena, &f, err);

	if (st != PH_OK)
		return st;
	/* decided anew since the walk */
	if (!f.patch.id)
		return PH_NONE;
	site_fill_result(s, &f.result, &f.patch,
			 facts_report_url(f.msgid, &s->arena), ret);
	*ret_first = f;
	return PH_OK;
}

/* The newest are shown. */
static enum status read_points(struct site *s, const struct site_place *places,
			       size_t n, struct finding *ret_last,
			       struct site_series *series, struct err *err)
{
	size_t skip = n > POINTS_SHOWN ? n - POINTS_SHOWN : 0;
	struct site_result *points =
		arena_array(&s->arena, struct site_result, n - skip);
	size_t kept = 0;

	for (size_t i = skip; i < n; i++) {
		enum status st = read_point(s, places[i].result, ret_last,
					    &points[kept], err);

		if (st == PH_NONE)
			continue;
		if (st != PH_OK)
			return st;
		kept++;
	}
	qsort(points, kept, sizeof(*points), by_time);
	series->points = points;
	series->n_points = kept;
	series->more_points = skip;
	return PH_OK;
}

static enum status put_series(struct site *s, const struct site_place *places,
			      size_t n, struct err *err)
{
	struct site_series series = { 0 };
	struct finding f = { 0 };
	struct slice name;
	enum status st;

	arena_reset(&s->arena);
	st = read_points(s, places, n, &f, &series, err);
	if (st != PH_OK || !series.n_points)
		return st;
	series.testcase = f.result.testcase;
	series.params = f.result.params;
	series.host = f.result.host;
	series.metric = f.result.metric;
	series.unit = metric_unit(f.result.metric);
	series.better = metric_better(f.result.metric);
	site_series_page(&series, &s->html);
	name = site_series_name(places[0].series, &s->arena);
	return site_put(s,
			slice_of(arena_printf(&s->arena, "series/%.*s.html",
					      S_FMT(name))),
			err);
}

enum status site_all_series(struct site *s, struct err *err)
{
	enum status st = PH_OK;
	size_t next;

	if (s->n_places)
		qsort(s->places, s->n_places, sizeof(*s->places), by_series);
	for (size_t i = 0; i < s->n_places && st == PH_OK; i = next) {
		next = i + 1;
		while (next < s->n_places &&
		       s->places[next].series == s->places[i].series)
			next++;
		st = put_series(s, s->places + i, next - i, err);
		progress_add(&s->progress, 1);
	}
	return st;
}
