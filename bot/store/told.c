#include "bot/store/outbox.h"
#include "bot/store/sql.h"

/* What a target was told of patches, at once or to be put into a digest. */

static void take_row(struct sql *q, struct arena *arena, struct told_row *ret)
{
	ret->target = sql_take_text(q, arena);
	ret->patch = sql_take_int(q);
	ret->facts = sql_take_text(q, arena);
	ret->at = sql_take_int(q);
}

enum status told_each(struct store *s, struct slice channel, int64_t since,
		      int64_t until, struct arena *arena,
		      void (*fn)(void *arg, const struct told_row *row),
		      void *arg, struct err *err)
{
	struct sql q = sql_start(
		s, "SELECT target, patch, facts, at FROM later"
		   " WHERE channel = ?1 AND at >= ?2 AND at < ?3"
		   " UNION ALL SELECT target, patch, facts, created FROM outbox"
		   " WHERE channel = ?1 AND created >= ?2 AND created < ?3"
		   " AND kind IN (0, 1) AND state != 5"
		   " ORDER BY target, at");
	enum status st;

	sql_text(&q, channel);
	sql_int(&q, since);
	sql_int(&q, until);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct told_row row;

		take_row(&q, arena, &row);
		fn(arg, &row);
	}
	return st == PH_NONE ? PH_OK : st;
}

/*
 * SQLite takes the other columns from the row that has the maximum. CROSS says
 * that it is to begin with the few closed patches, not with all of a channel.
 */
enum status told_closed(struct store *s, struct slice channel, int64_t since,
			struct arena *arena, struct told_row **ret,
			size_t *ret_n, struct err *err)
{
	struct sql q = sql_start(
		s, "SELECT o.target, p.id, o.facts, p.life_since, max(o.id)"
		   " FROM patch p"
		   " CROSS JOIN patch m ON m.id IN " PATCH_GROUP(
			   "p.id") " CROSS JOIN outbox o ON o.patch = m.id AND "
				   "o.channel = ?1"
				   " WHERE p.life > 1 AND p.life_since >= ?2"
				   " AND o.kind IN (0, 1, 2) AND o.state != 5"
				   " GROUP BY p.id, o.target");
	struct told_row *list = NULL;
	size_t n = 0, cap = 0;
	enum status st;

	sql_text(&q, channel);
	sql_int(&q, since);
	while ((st = sql_row(&q, err)) == PH_OK) {
		list = arena_grow(arena, list, &cap, n, sizeof(*list));
		take_row(&q, arena, &list[n++]);
	}
	if (st != PH_NONE)
		return st;
	*ret = list;
	*ret_n = n;
	return PH_OK;
}
