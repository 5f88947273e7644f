#include "bot/digest.h"

#include <stdio.h>
#include "bot/digest_lines.h"
#include "bot/hours.h"
#include "bot/store/outbox.h"
#include "bot/tell.h"
#include "ph/clock.h"

static struct digest_items items_of(struct desk *d, int64_t now,
				    struct arena *arena)
{
	return (struct digest_items){ .store = d->store,
				      .arena = arena,
				      .now = now };
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
	struct digest_items items = items_of(d, now, arena);
	enum status st = PH_OK;
	struct notice notice;
	char period[32];
	int64_t id = 0;

	for (size_t i = 0; i < n && st == PH_OK; i++)
		st = digest_add(&items, rows[i].patch, rows[i].facts, err);
	if (st == PH_OK && !items.n)
		return mark_taken(d, rows, n, 0, err);
	if (st == PH_OK)
		st = digest_write(&items, ch, rows[0].target, !rows[0].over,
				  rows[0].at, &notice, err);
	if (st != PH_OK)
		return st;
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
	struct digest_items items;
	struct slice target;
	bool any;
	enum status st;
	struct err *err;
};

static void finish_target(struct since *f)
{
	struct notice n;

	if (!f->any || !f->items.n || f->st != PH_OK)
		return;
	f->st = digest_write(&f->items, f->ch, f->target, true, f->from, &n,
			     f->err);
	if (f->st == PH_OK)
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
		f->st = digest_add(&f->items, row->patch, row->facts, f->err);
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
