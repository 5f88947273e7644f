#include "bot/facts_parts.h"

#define FAILURES_SHOWN 2
#define COLUMNS	       68 /* of a line that wants to stay one */

/*
 * By how much more often the last column fails than the first, in shares of
 * its runs. The printed reproduction rate is not used: lkp-tests divides by the
 * run count of the column to the left.
 */
static double worsening(const struct fail_cell *first,
			const struct fail_cell *last, struct slice metric)
{
	double more;

	if (first->runs <= 0 || last->runs <= 0)
		return 0;
	more = (double)last->fails / (double)last->runs -
	       (double)first->fails / (double)first->runs;
	return slice_ends(metric, S(".pass")) ? -more : more;
}

/* Until 2021 profile rows were mistaken for failures. */
static bool is_failure(struct slice metric)
{
	return !slice_starts(metric, S("perf-profile."));
}

struct worse {
	const struct row *row;
	const struct fail_cell *first, *last;
	double by;
};

/* Keeps the worst few in order, worst first. */
static void keep(struct worse worst[FAILURES_SHOWN], struct worse w)
{
	for (size_t i = 0; i < FAILURES_SHOWN; i++) {
		struct worse out = worst[i];

		if (out.row && out.by >= w.by)
			continue;
		worst[i] = w;
		w = out;
	}
}

static size_t find_worse(const struct report *r,
			 struct worse worst[FAILURES_SHOWN])
{
	size_t n = 0;

	for (size_t t = 0; t < r->n_tables; t++) {
		const struct table *table = &r->tables[t];

		for (uint32_t i = 0;
		     table->n_columns > 1 && i < table->n_failures; i++) {
			const struct row *row =
				&r->failures[table->first_failure + i];
			const struct fail_cell *first = row_fails(r, row);
			const struct fail_cell *last =
				first + table->n_columns - 1;
			double by = worsening(first, last, row->metric);

			if (by <= 0 || !is_failure(row->metric))
				continue;
			keep(worst, (struct worse){ row, first, last, by });
			n++;
		}
	}
	return n;
}

static char *failure_text(const struct worse *w, struct arena *arena)
{
	return arena_printf(arena, "%.*s %lld of %lld -> %lld of %lld",
			    S_FMT(w->row->metric), (long long)w->first->fails,
			    (long long)w->first->runs,
			    (long long)w->last->fails,
			    (long long)w->last->runs);
}

struct slice facts_failures(const struct report *r, struct arena *arena)
{
	struct worse worst[FAILURES_SHOWN] = { { 0 } };
	size_t n = find_worse(r, worst), shown;
	struct slice ret;
	struct buf b;

	buf_init(&b);
	for (shown = 0; shown < FAILURES_SHOWN && worst[shown].row; shown++) {
		char *text = failure_text(&worst[shown], arena);

		if (shown &&
		    b.len + strlen(text) + strlen("; 99 more") > COLUMNS)
			break;
		buf_printf(&b, "%s%s", shown ? "; " : "", text);
	}
	if (n > shown)
		buf_printf(&b, "; %zu more", n - shown);
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}
