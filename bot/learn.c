#include "bot/learn.h"

#include "bot/store/message.h"
#include "bot/store/patch.h"

static enum status note_merge(struct store *s, int64_t left,
			      const struct commit_facts *facts, int64_t now,
			      struct arena *arena, struct err *err)
{
	struct slice reason =
		slice_of(arena_printf(arena, "two patches have the patch id %s",
				      facts->patch_id));
	const struct trace t = {
		.at = now, .patch = left, .step = S("identity"), .text = reason
	};
	enum status st = audit_add(s, now, S("perfherald"), S("merge"), left,
				   reason, err);

	return st == PH_OK ? trace_add(s, &t, err) : st;
}

static enum status merge_twins(struct store *s, int64_t *patch,
			       const struct commit_facts *facts, int64_t now,
			       struct arena *arena, struct err *err)
{
	enum status st;
	int64_t twin;

	while ((st = patch_twin(s, slice_of(facts->patch_id), *patch, &twin,
				err)) == PH_OK) {
		st = patch_merge(s, *patch, twin, patch, err);
		if (st == PH_OK)
			st = note_merge(s, *patch, facts, now, arena, err);
		if (st != PH_OK)
			return st;
	}
	return st == PH_NONE ? PH_OK : st;
}

static enum status learn_author(struct store *s, int64_t patch,
				const struct commit_facts *facts,
				struct arena *arena, struct err *err)
{
	struct patch_row row;
	enum status st = patch_get(s, patch, arena, &row, err);

	if (st != PH_OK)
		return st;
	if (facts->author.address.len)
		row.author = facts->author.address;
	if (facts->n_parents > 1)
		row.norm = S(""); /* merges are never compared by title */
	return patch_update(s, &row, err);
}

enum status learn_commit(struct store *s, struct slice commit,
			 const struct commit_facts *facts, int64_t now,
			 struct arena *arena, struct err *err)
{
	struct slice patch_id;
	int64_t patch;
	enum status st =
		patch_commit_get(s, commit, arena, &patch, &patch_id, err);

	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	st = learn_author(s, patch, facts, arena, err);
	/* "-": an operator split it off */
	if (st != PH_OK || slice_eq(patch_id, S("-")))
		return st;
	st = patch_commit_add(s, patch, commit, slice_of(facts->patch_id), now,
			      err);
	if (st == PH_OK)
		st = merge_twins(s, &patch, facts, now, arena, err);
	return st;
}
