#include "bot/news.h"

#include <math.h>

const struct result_row *news_old(const struct news_patch *p,
				  const struct result_row *result)
{
	const struct result_row *repeat = NULL;

	for (size_t i = p->n_past; i-- > 0;) {
		if (!result_same(&p->past[i], result))
			continue;
		if (p->past[i].news)
			return &p->past[i];
		if (!repeat)
			repeat = &p->past[i];
	}
	return repeat;
}

static bool moved(double old, double now)
{
	return fabs(now - old) > fmax(old / 2, NEWS_MOVE);
}

/* Why it is news although the key is known; NULL: it is not. */
static const char *change(const struct news_patch *p,
			  const struct result_row *old,
			  const struct result_row *now, struct arena *arena)
{
	if (old->verdict != now->verdict)
		return arena_printf(arena, "news: the verdict turned from %s",
				    verdict_name(old->verdict));
	if (moved(old->percent, now->percent))
		return arena_printf(arena, "news: it moved from %.1f%%",
				    old->percent);
	if (p->closed)
		return "news: the patch was closed";
	if (p->old_rank >= 0 && p->rank > p->old_rank)
		return "news: it came into a higher tree";
	if (p->new_hash && !p->same_diff &&
	    p->now - p->last_told > NEWS_SILENCE)
		return "news: a new commit id, and nothing told for 14 days";
	return NULL;
}

void news_judge(const struct news_patch *p, struct result_row *result,
		struct arena *arena)
{
	const struct result_row *old = news_old(p, result);
	const char *why;

	if (!old) {
		result->news = true;
		result->why = p->n_past ? S("news: not measured so before")
					: S("news: the first of this patch");
		return;
	}
	why = change(p, old, result, arena);
	result->news = why;
	if (!why)
		why = arena_printf(arena,
				   "repeat: known as %.1f%% on %.*s since the "
				   "report of commit %.*s",
				   old->percent, S_FMT(old->host),
				   S_FMT(slice_head(old->commit, 12)));
	result->why = slice_of(why);
}
