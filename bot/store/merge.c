#include <sysexits.h>
#include "bot/store/patch_sql.h"

/* Two patches become one, and one becomes two. */

/* Pointers stay one step long: what pointed to the loser follows it. */
static enum status point(struct store *s, int64_t loser, int64_t winner,
			 struct err *err)
{
	struct sql q = sql_start(s, "UPDATE patch SET merged_into = ?1"
				    " WHERE id = ?2 OR merged_into = ?2");
	enum status st;

	sql_int(&q, winner);
	sql_int(&q, loser);
	st = sql_run(&q, err);
	if (st != PH_OK)
		return st;
	q = sql_start(s, "UPDATE patch SET last_seen = max(last_seen,"
			 " (SELECT last_seen FROM patch WHERE id = ?1))"
			 " WHERE id = ?2");
	sql_int(&q, loser);
	sql_int(&q, winner);
	return sql_run(&q, err);
}

enum status patch_merge(struct store *s, int64_t a, int64_t b, int64_t *ret_id,
			struct err *err)
{
	struct patch_row one, two;
	struct arena arena;
	enum status st;

	arena_init(&arena);
	st = patch_get(s, a, &arena, &one, err);
	if (st == PH_OK)
		st = patch_get(s, b, &arena, &two, err);
	if (st == PH_OK && one.id != two.id) {
		bool first =
			one.first_seen < two.first_seen ||
			(one.first_seen == two.first_seen && one.id < two.id);

		st = first ? point(s, two.id, one.id, err)
			   : point(s, one.id, two.id, err);
		if (!first)
			one.id = two.id;
	}
	if (st == PH_OK)
		*ret_id = one.id;
	arena_release(&arena);
	return st;
}

/* The commit among those of a patch and of what was merged into it. */
static enum status own_commit(struct store *s, int64_t root,
			      struct slice commit, struct arena *arena,
			      struct slice *ret_commit, int64_t *ret_owner,
			      int64_t *ret_n, struct err *err)
{
	struct sql q = sql_start(s, "SELECT commit_id, patch FROM patch_commit"
				    " WHERE patch IN " PATCH_GROUP("?1"));
	int64_t n = 0;
	bool found = false;
	enum status st;

	sql_int(&q, root);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct slice have = sql_take_text(&q, arena);
		int64_t owner = sql_take_int(&q);

		n++;
		if (!slice_starts(have, commit) && !slice_starts(commit, have))
			continue;
		found = true;
		*ret_commit = have;
		*ret_owner = owner;
	}
	if (st != PH_NONE)
		return st;
	*ret_n = n;
	return found ? PH_OK : PH_NONE;
}

static enum status unpoint(struct store *s, int64_t id, struct err *err)
{
	struct sql q = sql_start(s, "UPDATE patch SET merged_into = NULL"
				    " WHERE id = ?");

	sql_int(&q, id);
	return sql_run(&q, err);
}

/* '-' as patch id: an operator said it is another patch, and rung 3 is not to
 * say otherwise. */
static enum status move_commit(struct store *s, struct slice commit, int64_t to,
			       struct err *err)
{
	struct sql q = sql_start(s, "UPDATE patch_commit SET patch = ?,"
				    " patchid = '-' WHERE commit_id = ?");

	sql_int(&q, to);
	sql_text(&q, commit);
	return sql_run(&q, err);
}

/* Messages about a commit; ?1 the patch, ?3 the commit. */
#define ABOUT "patch = ?1 AND substr(commit_id, 1, 10) = substr(?3, 1, 10)"

static enum status move_messages(struct store *s, int64_t from, int64_t to,
				 struct slice commit, struct err *err)
{
	/* the messages last: the others look at them */
	static const char outbox[] =
		"UPDATE outbox SET patch = ?2 WHERE patch = ?1 AND message IN"
		" (SELECT id FROM message WHERE " ABOUT ")";
	static const char result[] =
		"UPDATE result SET patch = ?2 WHERE patch = ?1 AND message IN"
		" (SELECT id FROM message WHERE " ABOUT ")";
	static const char message[] =
		"UPDATE message SET patch = ?2 WHERE " ABOUT;
	static const char *const texts[] = { outbox, result, message };
	enum status st = PH_OK;

	for (size_t i = 0; i < ARRAY_LEN(texts) && st == PH_OK; i++) {
		struct sql q = sql_start(s, texts[i]);

		sql_int(&q, from);
		sql_int(&q, to);
		sql_text(&q, commit);
		st = sql_run(&q, err);
	}
	return st;
}

static enum status split_off(struct store *s, struct patch_row *row,
			     struct slice commit, int64_t now, int64_t *ret_id,
			     struct err *err)
{
	int64_t from = row->id;
	enum status st;

	row->commit = commit;
	row->life = LIFE_OPEN;
	row->life_reason = S("");
	row->life_since = now;
	st = patch_add(s, row, ret_id, err);
	if (st == PH_OK)
		st = move_commit(s, commit, *ret_id, err);
	if (st == PH_OK)
		st = move_messages(s, from, *ret_id, commit, err);
	return st;
}

static enum status split(struct store *s, int64_t patch, struct slice commit,
			 int64_t now, struct arena *arena, int64_t *ret_id,
			 struct err *err)
{
	struct patch_row row;
	struct slice stored = { "", 0 };
	int64_t owner = 0, n = 0;
	enum status st = patch_get(s, patch, arena, &row, err);

	if (st == PH_OK)
		st = own_commit(s, row.id, commit, arena, &stored, &owner, &n,
				err);
	if (st == PH_NONE)
		return err_exit(err, PH_BAD, EX_DATAERR,
				"patch %.*s was never seen as %.*s",
				S_FMT(row.hex), S_FMT(commit));
	if (st != PH_OK)
		return st;
	if (n == 1)
		return err_exit(err, PH_BAD, EX_DATAERR,
				"patch %.*s was seen as %.*s only; there is "
				"nothing to split",
				S_FMT(row.hex), S_FMT(stored));
	if (owner == row.id)
		return split_off(s, &row, stored, now, ret_id, err);
	*ret_id = owner;
	return unpoint(s, owner, err);
}

enum status patch_split(struct store *s, int64_t patch, struct slice commit,
			int64_t now, int64_t *ret_id, struct err *err)
{
	struct arena arena;
	enum status st;

	arena_init(&arena);
	st = split(s, patch, commit, now, &arena, ret_id, err);
	arena_release(&arena);
	return st;
}
