#include "bot/resolve.h"

#include "bot/store/outbox.h"
#include "bot/store/patch.h"
#include "bot/tell.h"

/* An alert lapses by itself after a week (notify/alertmanager.c). */
#define LAPSE_S (7 * 86400)
/* A command may have begun to close a patch before the last look and ended
 * after it. */
#define OVERLAP_S 60

static enum status resolve(struct desk *d, const struct config_channel *ch,
			   const struct told_row *row, int64_t now,
			   struct arena *arena, struct err *err)
{
	struct patch_row patch;
	struct notice n;
	struct slice key;
	int64_t id;
	enum status st = patch_get(d->store, row->patch, arena, &patch, err);

	if (st == PH_OK)
		st = notice_from_json(row->facts, arena, &n, err);
	if (st != PH_OK)
		return st;
	/* told as closed already */
	if (slice_eq(n.state, slice_of(patch_life_name(patch.life))))
		return PH_OK;
	n.kind = NOTICE_UPDATE;
	n.made = now;
	n.state = slice_of(patch_life_name(patch.life));
	if (patch.life == LIFE_FIXED && patch.life_reason.len)
		n.fix = slice_of(arena_printf(arena, "fixed: %.*s",
					      S_FMT(patch.life_reason)));
	key = slice_of(arena_printf(arena, "closed %.*s %lld", S_FMT(patch.hex),
				    (long long)patch.life_since));
	st = tell_target(d, ch, row->target, key, patch.id, &n, now, &id, err);
	return st == PH_NONE ? PH_OK : st;
}

static enum status resolve_channel(struct desk *d,
				   const struct config_channel *ch, int64_t now,
				   struct arena *arena, struct err *err)
{
	struct told_row *rows;
	size_t n;
	enum status st = told_closed(d->store, slice_of(ch->name),
				     d->resolved_at, arena, &rows, &n, err);

	if (st != PH_OK || !n)
		return st;
	st = store_begin(d->store, err);
	if (st != PH_OK)
		return st;
	for (size_t i = 0; i < n && st == PH_OK; i++)
		st = resolve(d, ch, &rows[i], now, arena, err);
	return store_end(d->store, st, err);
}

enum status resolve_alerts(struct desk *d, int64_t now, struct err *err)
{
	enum status st = PH_OK;
	struct arena arena;

	if (d->resolved_at < now - LAPSE_S)
		d->resolved_at = now - LAPSE_S;
	arena_init(&arena);
	for (size_t i = 0; i < d->config->n_channels && st == PH_OK; i++)
		if (d->config->channels[i].type == CHANNEL_ALERTMANAGER)
			st = resolve_channel(d, &d->config->channels[i], now,
					     &arena, err);
	arena_release(&arena);
	if (st == PH_OK)
		d->resolved_at = now - OVERLAP_S;
	return st;
}
