#include "bot/store/patch.h"

#include <stdio.h>
#include "bot/store/patch_sql.h"
#include "ph/hash.h"

/* Digits of a hash that are compared by index; the rest is compared here. */
#define COMMIT_MIN 10

const char *patch_life_name(enum patch_life life)
{
	static const char *const name[LIFE_STATES] = {
		"open", "acknowledged", "fixed", "invalid", "stale",
	};

	return name[life];
}

bool patch_life_parse(struct slice name, enum patch_life *ret)
{
	if (slice_eq(name, S("ack"))) {
		*ret = LIFE_ACK;
		return true;
	}
	for (int i = 0; i < LIFE_STATES; i++) {
		if (!slice_eq(name, slice_of(patch_life_name(i))))
			continue;
		*ret = (enum patch_life)i;
		return true;
	}
	return false;
}

/* -- rows -- */

static enum status hex_is_free(struct store *s, const char *hex,
			       struct err *err)
{
	struct sql q = sql_start(s, "SELECT 1 FROM patch WHERE hex = ?");
	int64_t there;
	enum status st;

	sql_text(&q, slice_of(hex));
	st = sql_one(&q, &there, err);
	if (st == PH_NONE)
		return PH_OK;
	return st == PH_OK ? PH_NONE : st;
}

/* The shown id comes from what the patch was first known by, so the same mails
 * read into a new state give the same ids. */
static enum status make_hex(struct store *s, const struct patch_row *row,
			    char ret[13], struct err *err)
{
	enum status st = PH_NONE;

	for (int i = 0; st == PH_NONE; i++) {
		char number[16], name[65];
		struct slice parts[4] = { row->commit, row->norm, row->author };

		snprintf(number, sizeof(number), "%d", i);
		parts[3] = slice_of(number);
		hash_name(parts, ARRAY_LEN(parts), name);
		memcpy(ret, name, 12);
		ret[12] = '\0';
		st = hex_is_free(s, ret, err);
	}
	return st;
}

static void bind_row(struct sql *q, const struct patch_row *row)
{
	sql_text(q, row->title);
	sql_text(q, row->norm);
	sql_text(q, row->commit);
	sql_text(q, row->author);
	sql_text(q, row->tree);
	sql_text(q, row->branch);
	sql_text(q, row->label);
	sql_text(q, row->subsystem);
	sql_text(q, row->posted_link);
	sql_int(q, row->life);
	sql_text(q, row->life_reason);
	sql_int(q, row->life_since);
	sql_int(q, row->rank);
	sql_int(q, row->last_seen);
}

enum status patch_add(struct store *s, const struct patch_row *row,
		      int64_t *ret_id, struct err *err)
{
	struct sql q;
	char hex[13];
	enum status st = make_hex(s, row, hex, err);

	if (st != PH_OK)
		return st;
	q = sql_start(s, "INSERT INTO patch(title, norm, commit_id, author,"
			 " tree, branch, label, subsystem, posted_link, life,"
			 " life_reason, life_since, rank, last_seen,"
			 " first_seen, hex)"
			 " VALUES(?,?,?,?, ?,?,?,?,?,?, ?,?,?,?, ?,?)");
	bind_row(&q, row);
	sql_int(&q, row->first_seen);
	sql_text(&q, slice_of(hex));
	st = sql_run(&q, err);
	if (st == PH_OK)
		*ret_id = sql_new_id(s);
	return st;
}

enum status patch_update(struct store *s, const struct patch_row *row,
			 struct err *err)
{
	struct sql q =
		sql_start(s,
			  "UPDATE patch SET title = ?, norm = ?, commit_id = ?,"
			  " author = ?, tree = ?, branch = ?, label = ?,"
			  " subsystem = ?, posted_link = ?, life = ?,"
			  " life_reason = ?, life_since = ?, rank = ?,"
			  " last_seen = ?"
			  " WHERE id = ?");

	bind_row(&q, row);
	sql_int(&q, row->id);
	return sql_run(&q, err);
}

void patch_take_row(struct sql *q, struct arena *arena, struct patch_row *ret)
{
	ret->id = sql_take_int(q);
	ret->hex = sql_take_text(q, arena);
	ret->title = sql_take_text(q, arena);
	ret->norm = sql_take_text(q, arena);
	ret->commit = sql_take_text(q, arena);
	ret->author = sql_take_text(q, arena);
	ret->tree = sql_take_text(q, arena);
	ret->branch = sql_take_text(q, arena);
	ret->label = sql_take_text(q, arena);
	ret->subsystem = sql_take_text(q, arena);
	ret->posted_link = sql_take_text(q, arena);
	ret->life = (enum patch_life)sql_take_int(q);
	ret->life_reason = sql_take_text(q, arena);
	ret->life_since = sql_take_int(q);
	ret->rank = (int)sql_take_int(q);
	ret->first_seen = sql_take_int(q);
	ret->last_seen = sql_take_int(q);
}

enum status patch_root(struct store *s, int64_t id, int64_t *ret,
		       struct err *err)
{
	struct sql q = sql_start(s, "SELECT ifnull(merged_into, id)"
				    " FROM patch WHERE id = ?");

	sql_int(&q, id);
	return sql_one(&q, ret, err);
}

enum status patch_get(struct store *s, int64_t id, struct arena *arena,
		      struct patch_row *ret, struct err *err)
{
	struct sql q;
	int64_t root;
	enum status st = patch_root(s, id, &root, err);

	if (st != PH_OK)
		return st;
	q = sql_start(s, "SELECT" PATCH_COLUMNS "FROM patch p WHERE id = ?");
	sql_int(&q, root);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	patch_take_row(&q, arena, ret);
	sql_stop(&q);
	return PH_OK;
}

/* -- commits -- */

/* Whether one of two hashes is the other's start. */
static bool same_commit(struct slice a, struct slice b)
{
	return slice_starts(a, b) || slice_starts(b, a);
}

/* The stored commit that is, starts, or is started by the given one. */
static enum status find_commit(struct store *s, struct slice commit,
			       struct arena *arena, struct slice *ret_commit,
			       int64_t *ret_patch, struct err *err)
{
	struct sql q;
	enum status st;

	if (commit.len < COMMIT_MIN)
		return PH_NONE;
	q = sql_start(s, "SELECT commit_id, patch FROM patch_commit"
			 " WHERE commit_id >= ?1 AND commit_id < ?1 || 'g'"
			 " ORDER BY first_seen");
	sql_text(&q, slice_head(commit, COMMIT_MIN));
	while ((st = sql_row(&q, err)) == PH_OK) {
		*ret_commit = sql_take_text(&q, arena);
		*ret_patch = sql_take_int(&q);
		if (same_commit(*ret_commit, commit))
			break;
	}
	sql_stop(&q);
	return st;
}

enum status patch_of_commit(struct store *s, struct slice commit,
			    int64_t *ret_id, struct err *err)
{
	struct arena arena;
	struct slice stored;
	int64_t patch = 0;
	enum status st;

	arena_init(&arena);
	st = find_commit(s, commit, &arena, &stored, &patch, err);
	arena_release(&arena);
	return st == PH_OK ? patch_root(s, patch, ret_id, err) : st;
}

enum status patch_of_patchid(struct store *s, struct slice patchid,
			     int64_t *ret_id, struct err *err)
{
	struct sql q;
	int64_t patch;
	enum status st;

	if (!patchid.len)
		return PH_NONE;
	q = sql_start(s, "SELECT patch FROM patch_commit WHERE patchid = ?"
			 " AND patchid != '' ORDER BY first_seen LIMIT 1");
	sql_text(&q, patchid);
	st = sql_one(&q, &patch, err);
	return st == PH_OK ? patch_root(s, patch, ret_id, err) : st;
}

enum status patch_twin(struct store *s, struct slice patchid, int64_t but,
		       int64_t *ret_id, struct err *err)
{
	struct sql q;

	if (!patchid.len)
		return PH_NONE;
	q = sql_start(s, "SELECT ifnull(p.merged_into, p.id) AS root"
			 " FROM patch_commit c JOIN patch p ON p.id = c.patch"
			 " WHERE c.patchid = ? AND c.patchid != ''"
			 " AND root != ? ORDER BY c.first_seen LIMIT 1");
	sql_text(&q, patchid);
	sql_int(&q, but);
	return sql_one(&q, ret_id, err);
}

enum status patch_commit_get(struct store *s, struct slice commit,
			     struct arena *arena, int64_t *ret_patch,
			     struct slice *ret_patchid, struct err *err)
{
	struct slice stored;
	struct sql q;
	int64_t patch;
	enum status st = find_commit(s, commit, arena, &stored, &patch, err);

	if (st == PH_OK)
		st = patch_root(s, patch, ret_patch, err);
	if (st != PH_OK)
		return st;
	q = sql_start(s, "SELECT patchid FROM patch_commit"
			 " WHERE commit_id = ?");
	sql_text(&q, stored);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	*ret_patchid = sql_take_text(&q, arena);
	sql_stop(&q);
	return PH_OK;
}

enum status patch_of_title(struct store *s, struct slice norm,
			   struct slice author, int64_t *ret_id, int *ret_n,
			   struct err *err)
{
	struct sql q;
	int64_t id = 0, n = 0;
	enum status st;

	*ret_n = 0;
	if (!norm.len || !author.len)
		return PH_NONE;
	q = sql_start(s, "SELECT count(*), max(id) FROM patch WHERE norm = ?"
			 " AND norm != '' AND author = ? COLLATE NOCASE"
			 " AND merged_into ISNULL");
	sql_text(&q, norm);
	sql_text(&q, author);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	n = sql_take_int(&q);
	id = sql_take_int(&q);
	sql_stop(&q);
	*ret_n = (int)n;
	if (n != 1)
		return PH_NONE;
	*ret_id = id;
	return PH_OK;
}

/* A hash that comes again with more digits is kept with the more. */
static enum status lengthen(struct store *s, struct slice stored,
			    struct slice commit, struct slice patchid,
			    struct err *err)
{
	struct sql q = sql_start(s, "UPDATE patch_commit SET commit_id = ?1,"
				    " patchid = CASE WHEN patchid = ''"
				    " THEN ?2 ELSE patchid END"
				    " WHERE commit_id = ?3");

	sql_text(&q, commit.len > stored.len ? commit : stored);
	sql_text(&q, patchid);
	sql_text(&q, stored);
	return sql_run(&q, err);
}

enum status patch_commit_add(struct store *s, int64_t patch,
			     struct slice commit, struct slice patchid,
			     int64_t now, struct err *err)
{
	struct arena arena;
	struct slice stored;
	struct sql q;
	int64_t owner;
	enum status st;

	if (commit.len < COMMIT_MIN)
		return PH_OK;
	arena_init(&arena);
	st = find_commit(s, commit, &arena, &stored, &owner, err);
	if (st == PH_OK)
		st = lengthen(s, stored, commit, patchid, err);
	else if (st == PH_NONE) {
		q = sql_start(s, "INSERT INTO patch_commit VALUES(?, ?, ?, ?)");
		sql_text(&q, commit);
		sql_int(&q, patch);
		sql_text(&q, patchid);
		sql_int(&q, now);
		st = sql_run(&q, err);
	}
	arena_release(&arena);
	return st;
}

enum status patch_commit_each(struct store *s, int64_t patch,
			      struct arena *arena,
			      void (*fn)(void *arg, struct slice commit,
					 struct slice patchid, int64_t first),
			      void *arg, struct err *err)
{
	struct sql q =
		sql_start(s, "SELECT commit_id, patchid, first_seen"
			     " FROM patch_commit WHERE patch IN " PATCH_GROUP(
				     "?1") " ORDER BY first_seen");
	enum status st;

	sql_int(&q, patch);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct slice commit = sql_take_text(&q, arena);
		struct slice patchid = sql_take_text(&q, arena);

		fn(arg, commit, patchid, sql_take_int(&q));
	}
	return st == PH_NONE ? PH_OK : st;
}

/* -- life -- */

enum status patch_set_life(struct store *s, int64_t patch, enum patch_life life,
			   struct slice reason, int64_t now, struct err *err)
{
	struct sql q = sql_start(s, "UPDATE patch SET life = ?,"
				    " life_reason = ?, life_since = ?"
				    " WHERE id = ?");

	sql_int(&q, life);
	sql_text(&q, reason);
	sql_int(&q, now);
	sql_int(&q, patch);
	return sql_run(&q, err);
}

enum status audit_add(struct store *s, int64_t now, struct slice who,
		      struct slice action, int64_t patch, struct slice reason,
		      struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO audit(at, who, action, patch,"
				    " reason) VALUES(?, ?, ?, ?, ?)");

	sql_int(&q, now);
	sql_text(&q, who);
	sql_text(&q, action);
	sql_id(&q, patch);
	sql_text(&q, reason);
	return sql_run(&q, err);
}

enum status audit_each(struct store *s, int64_t patch, struct arena *arena,
		       void (*fn)(void *arg, const struct audit_row *row),
		       void *arg, struct err *err)
{
	struct sql q = sql_start(s, "SELECT at, who, action, patch, reason"
				    " FROM audit WHERE patch IN " PATCH_GROUP(
					    "?1") " ORDER BY id");
	enum status st;

	sql_int(&q, patch);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct audit_row row;

		row.at = sql_take_int(&q);
		row.who = sql_take_text(&q, arena);
		row.action = sql_take_text(&q, arena);
		row.patch = sql_take_int(&q);
		row.reason = sql_take_text(&q, arena);
		fn(arg, &row);
	}
	return st == PH_NONE ? PH_OK : st;
}
