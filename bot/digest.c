#include "bot/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include "bot/gate.h"
#include "bot/hours.h"
#include "bot/store/outbox.h"
#include "bot/store/patch.h"
#include "bot/store/query.h"
#include "bot/tell.h"
#include "ph/clock.h"

/* A patch's line, from the facts of one notice about it. */
struct item {
	int64_t patch;
	struct notice notice;
	struct slice standing; /* "fixed"; of a forgotten one "23 days" */
};

/* The worst notice of a patch gives its line; of those told before the digest's
 * time the newest, which says how it stands now. */
struct items {
	struct item *item;
	size_t n, cap;
	struct store *store;
	struct arena *arena;
	int64_t now;
	bool newest;
};

/* -- gathering -- */

static struct item *of_patch(struct items *l, int64_t patch)
{
	for (size_t i = 0; i < l->n; i++)
		if (patch && l->item[i].patch == patch)
			return &l->item[i];
	l->item =
		arena_grow(l->arena, l->item, &l->cap, l->n, sizeof(*l->item));
	l->item[l->n] = (struct item){ .patch = patch };
	return &l->item[l->n++];
}

static bool is_worse(const struct item *i)
{
	return i->notice.results[0].verdict == VERDICT_REGRESSION;
}

static int by_weight(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	double p = x->notice.results[0].percent;
	double q = y->notice.results[0].percent;

	if (is_worse(x) != is_worse(y))
		return is_worse(x) ? -1 : 1;
	return p > q ? -1 : p < q;
}

/* PH_NONE: nothing to say, by a person's word or since the facts are of a newer
 * program, whose patch has its line from them. */
static enum status read_item(const struct items *l, int64_t patch,
			     struct slice facts, struct item *ret,
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

static enum status add_facts(struct items *l, int64_t patch, struct slice facts,
			     struct err *err)
{
	struct item new = { 0 }, *old;
	enum status st = read_item(l, patch, facts, &new, err);

	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	old = of_patch(l, new.patch);
	if (!old->notice.n_results || l->newest || by_weight(&new, old) < 0)
		*old = new;
	return PH_OK;
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

static void add_item(struct lines *l, const struct item *item)
{
	struct buf b;

	buf_init(&b);
	notice_digest_line(&item->notice, &b);
	if (item->standing.len)
		buf_printf(&b, " (%.*s)", S_FMT(item->standing));
	add_line(l, arena_copy(l->arena, buf_slice(&b)));
	buf_release(&b);
}

static size_t add_verdict(struct lines *l, const struct items *items,
			  bool worse)
{
	size_t n = 0;

	for (size_t i = 0; i < items->n; i++) {
		if (is_worse(&items->item[i]) != worse)
			continue;
		if (!n++ && l->n->n_lines)
			add_line(l, S(""));
		add_item(l, &items->item[i]);
	}
	return n;
}

static void add_old(struct lines *l, const struct items *old)
{
	if (!old->n)
		return;
	add_line(l, S(""));
	add_line(l, S("open for over a week, no fix and no reply seen:"));
	for (size_t i = 0; i < old->n; i++)
		add_item(l, &old->item[i]);
}

static void fill(struct notice *n, struct items *items, struct items *old,
		 int64_t from, int64_t now, struct arena *arena)
{
	struct lines l = { .n = n, .arena = arena };
	char first[16], last[16];
	size_t worse, better;

	*n = (struct notice){ .kind = NOTICE_DIGEST, .made = now };
	if (items->n)
		qsort(items->item, items->n, sizeof(*items->item), by_weight);
	if (old->n)
		qsort(old->item, old->n, sizeof(*old->item), by_weight);
	worse = add_verdict(&l, items, true);
	better = add_verdict(&l, items, false);
	add_old(&l, old);
	n->title = slice_of(
		arena_printf(arena, "%zu worse, %zu better", worse, better));
	clock_date(from, first);
	clock_date(now, last);
	n->period =
		slice_of(strcmp(first, last)
				 ? arena_printf(arena, "%s to %s", first, last)
				 : arena_printf(arena, "%s", last));
}

static struct items items_of(struct desk *d, int64_t now, struct arena *arena)
{
	return (struct items){ .store = d->store, .arena = arena, .now = now };
}

/* Says of those that were closed since. */
static enum status mark_closed(struct items *l, struct err *err)
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
	struct items *old;
	struct slice target;
	enum status st;
	struct err *err;
};

static void note_old(void *arg, const struct told_row *row)
{
	struct old_search *f = arg;

	if (f->st == PH_OK && slice_eq(row->target, f->target) && row->patch)
		f->st = add_facts(f->old, row->patch, row->facts, f->err);
}

static bool has_patch(const struct items *l, int64_t patch)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->item[i].patch == patch)
			return true;
	return false;
}

/* PH_OK: nobody has closed it, taken it up or replied. */
static enum status stand(const struct items *l, struct item *item,
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

static enum status keep_forgotten(struct items *old, const struct items *fresh,
				  struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < old->n; i++) {
		struct item *item = &old->item[i];
		enum status st = PH_NONE;

		if (is_worse(item) && !has_patch(fresh, item->patch))
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
			    struct slice target, struct items *fresh,
			    struct items *old, struct err *err)
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

/* -- by schedule -- */

static enum status mark_taken(struct desk *d, const struct later_row *rows,
			      size_t n, int64_t digest, struct err *err)
{
	enum status st = PH_OK;

	for (size_t i = 0; i < n && st == PH_OK; i++)
		st = later_taken(d->store, rows[i].id, digest, err);
	return st;
}

/* Rows of one target. */
static enum status send_rows(struct desk *d, const struct config_channel *ch,
			     const struct later_row *rows, size_t n,
			     int64_t now, struct arena *arena, struct err *err)
{
	struct items items = items_of(d, now, arena), old = { 0 };
	enum status st = PH_OK;
	struct notice notice;
	char period[32];
	int64_t id = 0;

	for (size_t i = 0; i < n && st == PH_OK; i++)
		st = add_facts(&items, rows[i].patch, rows[i].facts, err);
	if (st == PH_OK && !items.n)
		return mark_taken(d, rows, n, 0, err);
	if (st == PH_OK)
		st = mark_closed(&items, err);
	if (st == PH_OK && !rows[0].over)
		st = find_old(ch, rows[0].target, &items, &old, err);
	if (st != PH_OK)
		return st;
	fill(&notice, &items, &old, rows[0].at, now, arena);
	clock_rfc3339(now, period);
	st = tell_target(d, ch, rows[0].target, slice_of(period), 0, &notice,
			 now, &id, err);
	if (st == PH_OK || st == PH_NONE)
		st = mark_taken(d, rows, n, id, err);
	return st;
}

static enum status send_all(struct desk *d, const struct config_channel *ch,
			    bool over, int64_t now, struct err *err)
{
	struct later_row *rows;
	struct arena arena;
	size_t n, next;
	enum status st;

	arena_init(&arena);
	st = later_list(d->store, slice_of(ch->name), over, &arena, &rows, &n,
			err);
	for (size_t i = 0; i < n && st == PH_OK; i = next) {
		for (next = i + 1; next < n; next++)
			if (!slice_eq(rows[next].target, rows[i].target))
				break;
		st = send_rows(d, ch, rows + i, next - i, now, &arena, err);
	}
	arena_release(&arena);
	return st;
}

static const char *slot_name(const struct config_channel *ch, char ret[128])
{
	snprintf(ret, 128, "digest.%s", ch->name);
	return ret;
}

/* A schedule seen for the first time starts with its next slot. */
static enum status run_schedule(struct desk *d, const struct config_channel *ch,
				int64_t now, struct err *err)
{
	int64_t slot = hours_digest_slot(&ch->digest, now), done;
	char name[128];
	enum status st;

	if (!slot)
		return PH_OK;
	st = store_meta_get(d->store, slot_name(ch, name), &done, err);
	if (st == PH_OK && done >= slot)
		return PH_OK;
	if (st == PH_OK)
		st = send_all(d, ch, false, now, err);
	if (st == PH_OK || st == PH_NONE)
		st = store_meta_set(d->store, name, slot, err);
	return st;
}

enum status digest_run(struct desk *d, const struct config_channel *ch,
		       int64_t now, struct err *err)
{
	int64_t over;
	enum status st = run_schedule(d, ch, now, err);

	if (st == PH_OK)
		st = later_over_since(d->store, slice_of(ch->name), &over, err);
	if (st == PH_OK && over && now >= over + 3600)
		st = send_all(d, ch, true, now, err);
	return st;
}

enum status digest_next(struct desk *d, const struct config_channel *ch,
			int64_t now, int64_t *ret, struct err *err)
{
	int64_t slot = hours_digest_next(&ch->digest, now), over;
	enum status st =
		later_over_since(d->store, slice_of(ch->name), &over, err);

	if (st != PH_OK)
		return st;
	*ret = slot ? slot : INT64_MAX;
	if (over && over + 3600 < *ret)
		*ret = over + 3600;
	return PH_OK;
}

/* -- by hand -- */

struct since {
	struct desk *desk;
	const struct config_channel *ch;
	int64_t from, now;
	struct arena *arena;
	enum status (*fn)(void *arg, struct slice target, struct notice *n,
			  struct err *err);
	void *arg;
	struct items items;
	struct slice target;
	bool any;
	enum status st;
	struct err *err;
};

static void finish_target(struct since *f)
{
	struct items old;
	struct notice n;

	if (!f->any || !f->items.n || f->st != PH_OK)
		return;
	f->st = mark_closed(&f->items, f->err);
	if (f->st == PH_OK)
		f->st = find_old(f->ch, f->target, &f->items, &old, f->err);
	if (f->st != PH_OK)
		return;
	fill(&n, &f->items, &old, f->from, f->now, f->arena);
	f->st = f->fn(f->arg, f->target, &n, f->err);
}

static void take_told(void *arg, const struct told_row *row)
{
	struct since *f = arg;

	if (!f->any || !slice_eq(f->target, row->target)) {
		finish_target(f);
		f->items = items_of(f->desk, f->now, f->arena);
		f->target = row->target;
		f->any = true;
	}
	if (f->st == PH_OK)
		f->st = add_facts(&f->items, row->patch, row->facts, f->err);
}

enum status digest_since(struct desk *d, const struct config_channel *ch,
			 int64_t since, int64_t now, struct arena *arena,
			 enum status (*fn)(void *arg, struct slice target,
					   struct notice *n, struct err *err),
			 void *arg, struct err *err)
{
	struct since f = { .desk = d,
			   .ch = ch,
			   .from = since,
			   .now = now,
			   .arena = arena,
			   .fn = fn,
			   .arg = arg,
			   .st = PH_OK,
			   .err = err };
	enum status st = told_each(d->store, slice_of(ch->name), since, now + 1,
				   arena, take_told, &f, err);

	if (st == PH_OK)
		finish_target(&f);
	return st == PH_OK ? f.st : st;
}
