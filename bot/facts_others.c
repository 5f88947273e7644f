#include "bot/facts_parts.h"

#include "notify/words.h"
#include "ph/clock.h"

/* A result of this report or of the past, as far as it can agree or not. */
struct other {
	struct slice testcase, metric, host;
	enum verdict verdict;
};

static bool same_class(struct slice a, struct slice b)
{
	return slice_eq(host_class(a), host_class(b));
}

static struct slice place(const char *how, struct slice what,
			  struct arena *arena)
{
	return slice_of(arena_printf(arena, "%s %.*s", how, S_FMT(what)));
}

/* The first thing that tells the other from the headline. */
static struct slice difference(const struct other *o, const struct result *head,
			       struct arena *arena)
{
	if (o->testcase.len && !slice_eq(o->testcase, head->testcase))
		return place("in", o->testcase, arena);
	if (o->metric.len && !slice_eq(o->metric, head->metric))
		return place("in", o->metric, arena);
	if (o->host.len && !slice_eq(o->host, head->machine.host))
		return place("on", o->host, arena);
	return S("with other parameters");
}

static void hear(const struct other *o, const struct result *head,
		 struct arena *arena, struct weigh_others *ret)
{
	if (o->verdict == VERDICT_NONE || head->verdict == VERDICT_NONE)
		return;
	if (o->verdict != head->verdict) {
		if (!ret->opposite.len)
			ret->opposite = difference(o, head, arena);
	} else if (o->testcase.len && !slice_eq(o->testcase, head->testcase)) {
		ret->other_test = o->testcase;
	} else if (slice_eq(o->metric, head->metric) && o->host.len &&
		   head->machine.host.len &&
		   !same_class(o->host, head->machine.host)) {
		ret->other_host = o->host;
	}
}

static void hear_report(const struct report *r, size_t headline,
			struct arena *arena, struct weigh_others *ret)
{
	for (size_t i = 0; i < r->n_results; i++) {
		const struct result *result = &r->results[i];
		struct other o = { result->testcase, result->metric,
				   result->machine.host, result->verdict };

		if (i != headline)
			hear(&o, &r->results[headline], arena, ret);
	}
}

static void hear_past(const struct facts_history *h, size_t headline,
		      const struct result *head, struct arena *arena,
		      struct weigh_others *ret)
{
	for (size_t i = 0; i < h->n_past; i++) {
		const struct facts_past *p = &h->past[i];
		struct other o = { p->testcase, p->metric, p->host,
				   p->verdict };

		if (p->same_as != (int32_t)headline)
			hear(&o, head, arena, ret);
		else if (p->verdict != head->verdict &&
			 p->verdict != VERDICT_NONE)
			ret->opposite_same = true;
	}
}

/* "[test failed on ...]" says nothing about the regression. */
static void hear_status(const struct report *r, const struct result *head,
			struct weigh_others *ret)
{
	for (size_t i = 0; i < r->n_status; i++)
		if (head->verdict == VERDICT_REGRESSION &&
		    slice_find(r->status[i].text, S("still")))
			ret->still = r->status[i].ref.len ? r->status[i].ref
							  : S("later trees");
}

void facts_others(const struct report *r, const struct facts_history *h,
		  size_t headline, struct arena *arena,
		  struct weigh_others *ret)
{
	const struct result *head = &r->results[headline];

	*ret = (struct weigh_others){ 0 };
	hear_report(r, headline, arena, ret);
	if (h)
		hear_past(h, headline, head, arena, ret);
	hear_status(r, head, ret);
}

static struct slice seen_words(const struct report *r,
			       const struct facts_past *p, bool same,
			       struct arena *arena)
{
	struct notice_result n = { .metric = same ? S("") : p->metric,
				   .verdict = p->verdict,
				   .has_percent = p->has_percent,
				   .percent = p->percent,
				   .change_kind = CHANGE_RELATIVE };
	struct slice ret;
	struct buf b;
	char date[16];

	clock_date(p->when, date);
	buf_init(&b);
	buf_add_str(&b, "seen before as ");
	if (p->commit.len && !slice_starts(r->commit.id, p->commit) &&
	    !slice_starts(p->commit, r->commit.id)) {
		words_commit(&b, p->commit, S(""));
		buf_add_str(&b, ", ");
	}
	words_result(&b, &n);
	buf_printf(&b, " on %s", date);
	if (p->where.len)
		buf_add_str(&b, ", ");
	words_place(&b, p->where);
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

struct slice facts_seen(const struct report *r, const struct facts_history *h,
			size_t i, bool whole, struct arena *arena)
{
	const struct facts_past *newest = NULL;

	for (size_t k = 0; h && k < h->n_past; k++)
		if (h->past[k].same_as == (int32_t)i)
			newest = &h->past[k];
	if (newest)
		return seen_words(r, newest, true, arena);
	if (whole && h && h->n_past)
		return seen_words(r, &h->past[h->n_past - 1], false, arena);
	return (struct slice){ NULL, 0 };
}
