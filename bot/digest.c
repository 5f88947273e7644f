#include "bot/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include "bot/hours.h"
#include "bot/store/outbox.h"
#include "bot/store/patch.h"
#include "bot/tell.h"
#include "ph/clock.h"

/* A patch's line, from the newest facts about it. */
struct item {
	int64_t patch;
	struct notice notice;
};

struct items {
	struct item *item;
	size_t n, cap;
	struct arena *arena;
};

/* -- gathering -- */

static struct item *of_patch(struct items *l, int64_t patch)
{
	for (size_t i = 0; i < l->n; i++)
		if (patch && l->item[i].patch == patch)
			return &l->item[i];
	l->item = arena_grow(l->arena, l->item, &l->cap, l->n, sizeof(*l->item));
	l->item[l->n] = (struct item){ .patch = patch };
	return &l->item[l->n++];
}

/* A later notice of a patch takes the place of an earlier one. Facts that
 * cannot be read are of a newer program; the patch has its line from it. */
static void add_facts(struct items *l, int64_t patch, struct slice facts)
{
	struct notice n = { 0 };
	struct err ignored;

	if (notice_from_json(facts, l->arena, &n, &ignored) == PH_OK &&
	    n.n_results)
		of_patch(l, patch)->notice = n;
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
	add_line(l, arena_copy(l->arena, buf_slice(&b)));
	buf_release(&b);
}

static size_t add_verdict(struct lines *l, const struct items *items, bool worse)
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
	add_line(l, S("open for over a week, no fix seen:"));
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

/* -- the forgotten ones -- */

struct old_search {
	struct items *old;
	const struct items *fresh;
	struct slice target;
};

static void note_old(void *arg, const struct told_row *row)
{
	struct old_search *f = arg;

	if (!slice_eq(row->target, f->target) || !row->patch)
		return;
	for (size_t i = 0; i < f->fresh->n; i++)
		if (f->fresh->item[i].patch == row->patch)
			return;
	add_facts(f->old, row->patch, row->facts);
}

/* Keeps the regressions that nobody has closed or taken up. */
static enum status keep_open(struct desk *d, struct items *old, struct err *err)
{
	enum status st = PH_OK;
	size_t n = 0;

	for (size_t i = 0; i < old->n && st == PH_OK; i++) {
		struct patch_row patch;

		if (!is_worse(&old->item[i]))
			continue;
		st = patch_get(d->store, old->item[i].patch, old->arena, &patch,
			       err);
		if (st == PH_OK && patch.life == LIFE_OPEN)
			old->item[n++] = old->item[i];
		else if (st == PH_NONE)
			st = PH_OK;
	}
	old->n = n;
	return st;
}

static enum status find_old(struct desk *d, const struct config_channel *ch,
			    struct slice target, const struct items *fresh,
			    int64_t now, struct items *old, struct err *err)
{
	struct old_search f = { .old = old, .fresh = fresh, .target = target };
	enum status st =
		told_each(d->store, slice_of(ch->name), now - DIGEST_BACK,
			  now - DIGEST_OLD, old->arena, note_old, &f, err);

	return st == PH_OK ? keep_open(d, old, err) : st;
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
	struct items items = { .arena = arena }, old = { .arena = arena };
	enum status st = PH_OK;
	struct notice notice;
	char period[32];
	int64_t id = 0;

	for (size_t i = 0; i < n; i++)
		add_facts(&items, rows[i].patch, rows[i].facts);
	if (!rows[0].over)
		st = find_old(d, ch, rows[0].target, &items, now, &old, err);
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
	struct items old = { .arena = f->arena };
	struct notice n;

	if (!f->any || !f->items.n || f->st != PH_OK)
		return;
	f->st = find_old(f->desk, f->ch, f->target, &f->items, f->now, &old,
			 f->err);
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
		f->items = (struct items){ .arena = f->arena };
		f->target = row->target;
		f->any = true;
	}
	add_facts(&f->items, row->patch, row->facts);
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
