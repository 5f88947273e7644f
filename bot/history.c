#include "bot/history.h"

static int32_t same_as(const struct result_row *now, size_t n_now,
		       const struct result_row *past)
{
	for (size_t i = 0; i < n_now; i++)
		if (result_same(&now[i], past))
			return (int32_t)i;
	return -1;
}

static struct slice where(const struct result_row *past, struct arena *arena)
{
	if (!past->tree.len || !past->branch.len)
		return past->tree.len ? past->tree : past->branch;
	return slice_of(arena_printf(arena, "%.*s %.*s", S_FMT(past->tree),
				     S_FMT(past->branch)));
}

void history_fill(const struct result_row *now, size_t n_now,
		  const struct result_row *past, size_t n_past,
		  const struct patch_row *patch, struct arena *arena,
		  struct facts_history *ret)
{
	struct facts_past *told =
		arena_array(arena, struct facts_past, n_past + 1);

	for (size_t i = 0; i < n_past; i++)
		told[i] = (struct facts_past){
			.testcase = past[i].testcase,
			.metric = past[i].metric,
			.host = past[i].host,
			.verdict = past[i].verdict,
			.has_percent = true,
			.percent = past[i].percent,
			.commit = past[i].commit,
			.where = where(&past[i], arena),
			.when = past[i].arrived,
			.same_as = same_as(now, n_now, &past[i]),
		};
	ret->past = told;
	ret->n_past = n_past;
	if (patch->life != LIFE_OPEN)
		ret->state = slice_of(patch_life_name(patch->life));
}

/* How many results of a metric are looked through for an old gain. */
#define OPPOSITE_MAX 50

static const struct result_row *first_opposite(const struct result_row *key,
					       const struct result_row *others,
					       size_t n)
{
	/* other parameters measure something else */
	for (size_t i = 0; i < n; i++)
		if (others[i].verdict != key->verdict &&
		    slice_eq(others[i].params, key->params))
			return &others[i];
	return NULL;
}

enum status history_opposite(struct store *s, const struct result_row *key,
			     int64_t patch, struct arena *arena,
			     const struct facts_opposite **ret, struct err *err)
{
	const struct result_row *found;
	struct result_row *others;
	struct facts_opposite *o;
	struct patch_row row;
	size_t n;
	enum status st = result_same_key(s, key, patch, OPPOSITE_MAX, arena,
					 &others, &n, err);

	*ret = NULL;
	if (st != PH_OK)
		return st;
	found = first_opposite(key, others, n);
	if (!found)
		return PH_OK;
	st = patch_get(s, found->patch, arena, &row, err);
	if (st != PH_OK)
		return st;
	o = arena_new(arena, struct facts_opposite);
	*o = (struct facts_opposite){ .commit = found->commit,
				      .title = row.title,
				      .verdict = found->verdict,
				      .has_percent = true,
				      .percent = found->percent,
				      .when = found->arrived };
	*ret = o;
	return PH_OK;
}
