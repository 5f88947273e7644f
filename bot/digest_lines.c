#include "bot/digest_lines.h"

#include <stdlib.h>
#include <string.h>
#include "bot/digest.h"
#include "bot/gate.h"
#include "bot/store/outbox.h"
#include "bot/store/patch.h"
#include "bot/store/query.h"
#include "ph/clock.h"

/* A patch's line, from the facts of one notice about it. */
struct digest_item {
	int64_t patch;
	struct notice notice;
	struct slice standing; /* "fixed"; of a forgotten one "23 days" */
};

/* -- gathering -- */

static struct digest_item *of_patch(struct digest_items *l, int64_t patch)
{
	for (size_t i = 0; i < l->n; i++)
		if (patch && l->item[i].patch == patch)
			return &l->item[i];
	l->item =
		arena_grow(l->arena, l->item, &l->cap, l->n, sizeof(*l->item));
	l->item[l->n] = (struct digest_item){ .patch = patch };
	return &l->item[l->n++];
}

static enum verdict verdict_of(const struct digest_item *i)
{
	return i->notice.results[0].verdict;
}

static int by_weight(const void *a, const void *b)
{
	const struct digest_item *x = a, *y = b;
	double p = x->notice.results[0].percent;
	double q = y->notice.results[0].percent;

	if (verdict_of(x) != verdict_of(y))
		return verdict_of(x) > verdict_of(y) ? -1 : 1;
	return p > q ? -1 : p < q;
}

/* PH_NONE: nothing to say, by a person's word or since the facts are of a newer
 * program, whose patch has its line from them. */
static enum status read_item(const struct digest_items *l, int64_t patch,
			     struct slice facts, struct digest_item *ret,
			     struct err *err)
{
	struct slice why;
	enum status st;

	if (notice_from_json(facts, l->arena, &ret->notice, err) != PH_OK ||
	    !ret->notice.n_results)
		return PH_NONE;
	st = gate_notice(l->store, &ret->notice, l->now, l->arena, &why, err);
	return st == PH_OK ? patch_root(l->store, patch, &ret->patch, err) : st;
}

enum status digest_add(struct digest_items *l, int64_t patch,
		       struct slice facts, struct err *err)
{
	struct digest_item new = { 0 }, *old;
	enum status st = read_item(l, patch, facts, &new, err);

	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	old = of_patch(l, new.patch);
	if (!old->notice.n_results || l->newest || by_weight(&new, old) < 0)
		*old = new;
	return PH_OK;
}

/* Says of those that were closed since. */
static enum status mark_closed(struct digest_items *l, struct err *err)
{
	for (size_t i = 0; i < l->n; i++) {
		struct patch_row patch;
		enum status st = patch_get(l->store, l->item[i].patch, l->arena,
					   &patch, err);

		if (st != PH_OK)
			return st;
		if (patch.life != LIFE_OPEN)
			l->item[i].standing =
				slice_of(patch_life_name(patch.life));
	}
	return PH_OK;
}

/* -- the forgotten ones -- */

struct old_search {
	struct digest_items *old;
	struct slice target;
	enum status st;
	struct err *err;
};

static void note_old(void *arg, const struct told_row *row)
{
	struct old_search *f = arg;

	if (f->st == PH_OK && slice_eq(row->target, f->target) && row->patch)
		f->st = digest_add(f->old, row->patch, row->facts, f->err);
}

static bool has_patch(const struct digest_items *l, int64_t patch)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->item[i].patch == patch)
			return true;
	return false;
}

/* PH_OK: nobody has closed it, taken it up or replied. */
static enum status stand(const struct digest_items *l, struct digest_item *item,
			 struct err *err)
{
	struct patch_standing standing;
	struct patch_row patch;
	enum status st =
		patch_get(l->store, item->patch, l->arena, &patch, err);

	if (st == PH_OK)
		st = query_standing(l->store, patch.id, &standing, err);
	if (st != PH_OK)
		return st;
	if (patch.life != LIFE_OPEN || standing.replied)
		return PH_NONE;
	item->standing = slice_of(
		arena_printf(l->arena, "%lld days%s",
			     (long long)(l->now - patch.first_seen) / 86400,
			     standing.mainline ? ", in mainline" : ""));
	return PH_OK;
}

static enum status keep_forgotten(struct digest_items *old,
				  const struct digest_items *fresh,
				  struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < old->n; i++) {
		struct digest_item *item = &old->item[i];
		enum status st = PH_NONE;

		if (verdict_of(item) == VERDICT_REGRESSION &&
		    !has_patch(fresh, item->patch))
			st = stand(old, item, err);
		if (st == PH_OK)
			old->item[n++] = *item;
		else if (st != PH_NONE)
			return st;
	}
	old->n = n;
	return PH_OK;
}

static enum status find_old(const struct config_channel *ch,
			    struct slice target, struct digest_items *fresh,
			    struct digest_items *old, struct err *err)
{
	struct old_search f = {
		.old = old, .target = target, .st = PH_OK, .err = err
	};
	enum status st;

	*old = *fresh;
	old->item = NULL;
	old->n = old->cap = 0;
	old->newest = true;
	st = told_each(old->store, slice_of(ch->name), old->now - DIGEST_BACK,
		       old->now - DIGEST_OLD, old->arena, note_old, &f, err);
	if (st == PH_OK)
		st = f.st;
	return st == PH_OK ? keep_forgotten(old, fresh, err) : st;
}

/* -- saying -- */

struct lines {
	struct notice *n;
	size_t cap;
	struct arena *arena;
};

static void add_line(struct lines *l, struct slice line)
{
	l->n->lines = arena_grow(l->arena, l->n->lines, &l->cap, l->n->n_lines,
				 sizeof(*l->n->lines));
	l->n->lines[l->n->n_lines++] = line;
}

static void add_item(struct lines *l, const struct digest_item *item)
{
	struct buf b;

	buf_init(&b);
	notice_digest_line(&item->notice, &b);
	if (item->standing.len)
		buf_printf(&b, " (%.*s)", S_FMT(item->standing));
	add_line(l, arena_copy(l->arena, buf_slice(&b)));
	buf_release(&b);
}

static size_t add_verdict(struct lines *l, const struct digest_items *items,
			  enum verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < items->n; i++) {
		if (verdict_of(&items->item[i]) != verdict)
			continue;
		if (!n++ && l->n->n_lines)
			add_line(l, S(""));
		add_item(l, &items->item[i]);
	}
	return n;
}

static void add_old(struct lines *l, const struct digest_items *old)
{
	if (!old->n)
		return;
	add_line(l, S(""));
	add_line(l, S("open for over a week, no fix and no reply seen:"));
	for (size_t i = 0; i < old->n; i++)
		add_item(l, &old->item[i]);
}

/* Only reports from before 2016 have no verdict. */
static struct slice title_of(size_t worse, size_t better, size_t changed,
			     struct arena *arena)
{
	const char *title =
		arena_printf(arena, "%zu worse, %zu better", worse, better);

	if (changed)
		title = arena_printf(arena, "%s, %zu changed", title, changed);
	return slice_of(title);
}

static void fill(struct notice *n, struct digest_items *items,
		 struct digest_items *old, int64_t from)
{
	struct lines l = { .n = n, .arena = items->arena };
	char first[16], last[16];
	size_t worse, better, changed;

	*n = (struct notice){ .kind = NOTICE_DIGEST, .made = items->now };
	if (items->n)
		qsort(items->item, items->n, sizeof(*items->item), by_weight);
	if (old->n)
		qsort(old->item, old->n, sizeof(*old->item), by_weight);
	worse = add_verdict(&l, items, VERDICT_REGRESSION);
	better = add_verdict(&l, items, VERDICT_IMPROVEMENT);
	changed = add_verdict(&l, items, VERDICT_NONE);
	add_old(&l, old);
	n->title = title_of(worse, better, changed, items->arena);
	clock_date(from, first);
	clock_date(items->now, last);
	n->period = slice_of(
		strcmp(first, last)
			? arena_printf(items->arena, "%s to %s", first, last)
			: arena_printf(items->arena, "%s", last));
}

enum status digest_write(struct digest_items *l,
			 const struct config_channel *ch, struct slice target,
			 bool forgotten, int64_t from, struct notice *ret,
			 struct err *err)
{
	struct digest_items old = { 0 };
	enum status st = mark_closed(l, err);

	if (st == PH_OK && forgotten)
		st = find_old(ch, target, l, &old, err);
	if (st == PH_OK)
		fill(ret, l, &old, from);
	return st;
}
