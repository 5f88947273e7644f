#include "bot/fixes.h"

#include "bot/store/fix.h"
#include "bot/store/message.h"

static bool is_open(enum patch_life life)
{
	return life == LIFE_OPEN || life == LIFE_ACK;
}

static enum status close_patch(struct store *s, struct patch_row *patch,
			       const struct fix_row *fix, int64_t now,
			       struct arena *arena, struct err *err)
{
	struct slice reason =
		slice_of(arena_printf(arena, "commit %.*s (\"%.*s\")",
				      S_FMT(slice_head(fix->fix, 12)),
				      S_FMT(fix->title)));
	enum status st;

	if (!is_open(patch->life))
		return PH_OK;
	st = patch_set_life(s, patch->id, LIFE_FIXED, reason, now, err);
	if (st == PH_OK)
		st = audit_add(s, now, S("perfherald"), S("close"), patch->id,
			       reason, err);
	patch->life = LIFE_FIXED;
	patch->life_reason = reason;
	return st;
}

/* The patch that a claim names, by commit or by report. */
static enum status named(struct store *s, const struct fix_row *fix,
			 struct arena *arena, int64_t *ret, struct err *err)
{
	struct message_row m;
	enum status st = patch_of_commit(s, fix->commit, ret, err);

	if (st != PH_NONE || !fix->report.len)
		return st;
	st = message_find(s, fix->report, arena, &m, err);
	if (st != PH_OK || !m.patch || m.state != MESSAGE_REPORT)
		return st == PH_OK ? PH_NONE : st;
	return patch_root(s, m.patch, ret, err);
}

/* A patch that was posted anew may name the report about itself: PH_NONE. */
static enum status by_another(struct store *s, int64_t patch,
			      const struct fix_row *fix, struct err *err)
{
	int64_t owner;
	enum status st = patch_of_commit(s, fix->fix, &owner, err);

	if (st == PH_OK)
		return owner == patch ? PH_NONE : PH_OK;
	return st == PH_NONE ? PH_OK : st;
}

static enum status take(struct desk *d, const struct fix_row *fix, int64_t now,
			struct arena *arena, struct err *err)
{
	struct patch_row patch;
	int64_t id;
	enum status st = fix_add(d->store, fix, now, err);

	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	st = named(d->store, fix, arena, &id, err);
	if (st == PH_OK)
		st = by_another(d->store, id, fix, err);
	if (st == PH_OK)
		st = patch_get(d->store, id, arena, &patch, err);
	if (st == PH_OK)
		st = close_patch(d->store, &patch, fix, now, arena, err);
	return st == PH_NONE ? PH_OK : st;
}

enum status fixes_take(struct desk *d, const struct fix_claim *claim,
		       int64_t now, struct err *err)
{
	struct slice report = claim->report, key = claim->report;
	struct fix_row fix = { .fix = slice_of(claim->fix),
			       .title = claim->title,
			       .commit = claim->commit };
	struct arena arena;
	enum status st;

	/* as message rows have it */
	slice_take_until(&report, '@', &key);
	fix.report = key;
	arena_init(&arena);
	st = take(d, &fix, now, &arena, err);
	arena_release(&arena);
	return st;
}

enum status fixes_of(struct desk *d, struct patch_row *patch,
		     struct slice report, int64_t now, struct arena *arena,
		     struct slice *ret_commit, struct slice *ret_title,
		     struct err *err)
{
	struct fix_row fix;
	enum status st =
		fix_of_patch(d->store, patch->id, report, arena, &fix, err);

	if (st != PH_OK)
		return st;
	*ret_commit = fix.fix;
	*ret_title = fix.title;
	return close_patch(d->store, patch, &fix, now, arena, err);
}
