#include "bot/store/patch.h"

#include <sysexits.h>
#include "bot/store/message.h"
#include "bot/store/patch_sql.h"

/* A patch by what a person types. */

static bool all_hex(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_hex(s.ptr[i]))
			return false;
	return true;
}

static enum status several(struct store *s, struct slice name, int64_t a,
			   int64_t b, struct err *err)
{
	struct patch_row first = { 0 }, second = { 0 };
	struct arena arena;
	enum status st;

	arena_init(&arena);
	st = patch_get(s, a, &arena, &first, err);
	if (st == PH_OK)
		st = patch_get(s, b, &arena, &second, err);
	if (st == PH_OK)
		st = err_exit(err, PH_BAD, EX_DATAERR,
			      "%.*s fits several patches: %.*s (%.*s), "
			      "%.*s (%.*s)...",
			      S_FMT(name), S_FMT(first.hex),
			      S_FMT(slice_head(first.title, 60)),
			      S_FMT(second.hex),
			      S_FMT(slice_head(second.title, 60)));
	arena_release(&arena);
	return st;
}

/* Runs a query that gives ids of patches; fine when all have one root. */
static enum status the_one(struct store *s, struct sql *q, struct slice name,
			   int64_t *ret, struct err *err)
{
	int64_t found = 0, other = 0;
	enum status st;

	while ((st = sql_row(q, err)) == PH_OK) {
		int64_t id = sql_take_int(q);

		if (found && id != found)
			other = id;
		else
			found = id;
	}
	if (st != PH_NONE)
		return st;
	if (other)
		return several(s, name, found, other, err);
	*ret = found;
	return found ? PH_OK : PH_NONE;
}

static enum status by_hex(struct store *s, struct slice name, int64_t *ret,
			  struct err *err)
{
	struct sql q;

	if (name.len < 4 || name.len > 40 || !all_hex(name))
		return PH_NONE;
	q = sql_start(s, "SELECT ifnull(merged_into, id) FROM patch"
			 " WHERE hex >= ?1 AND hex < ?1 || 'g'"
			 " UNION SELECT ifnull(p.merged_into, p.id)"
			 " FROM patch_commit c JOIN patch p ON p.id = c.patch"
			 " WHERE c.commit_id >= ?1 AND c.commit_id < ?1 || 'g'"
			 " LIMIT 3");
	sql_text(&q, name);
	return the_one(s, &q, name, ret, err);
}

static enum status by_report(struct store *s, struct slice name,
			     struct arena *arena, int64_t *ret, struct err *err)
{
	struct message_row m;
	enum status st = message_find(s, name, arena, &m, err);

	if (st != PH_OK)
		return st;
	if (!m.patch)
		return PH_NONE;
	return patch_root(s, m.patch, ret, err);
}

static enum status by_title(struct store *s, struct slice name, int64_t *ret,
			    struct err *err)
{
	struct sql q = sql_start(s, "SELECT DISTINCT ifnull(merged_into, id)"
				    " FROM patch WHERE title = ? LIMIT 3");

	sql_text(&q, name);
	return the_one(s, &q, name, ret, err);
}

enum status patch_find(struct store *s, struct slice name, struct arena *arena,
		       struct patch_row *ret, struct err *err)
{
	int64_t id = 0;
	enum status st;

	/* a report may have no title */
	if (!name.len)
		return PH_NONE;
	st = by_hex(s, name, &id, err);
	/* forty digits of a commit that is known by ten */
	if (st == PH_NONE && all_hex(name))
		st = patch_of_commit(s, name, &id, err);
	if (st == PH_NONE)
		st = by_report(s, name, arena, &id, err);
	if (st == PH_NONE)
		st = by_title(s, name, &id, err);
	return st == PH_OK ? patch_get(s, id, arena, ret, err) : st;
}

static enum status by_part(struct store *s, struct slice name, int64_t *ret,
			   struct err *err)
{
	struct sql q;

	if (name.len < 3)
		return PH_NONE;
	q = sql_start(s, "SELECT DISTINCT ifnull(merged_into, id) FROM patch"
			 " WHERE instr(lower(title), lower(?)) LIMIT 3");
	sql_text(&q, name);
	return the_one(s, &q, name, ret, err);
}

enum status patch_find_part(struct store *s, struct slice name,
			    struct arena *arena, struct patch_row *ret,
			    struct err *err)
{
	int64_t id = 0;
	enum status st = patch_find(s, name, arena, ret, err);

	if (st != PH_NONE)
		return st;
	st = by_part(s, name, &id, err);
	return st == PH_OK ? patch_get(s, id, arena, ret, err) : st;
}
