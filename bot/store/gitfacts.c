#include "bot/store/gitfacts.h"

#include "bot/store/sql.h"

enum status gitfacts_get(struct store *s, struct slice commit,
			 struct arena *arena, struct gitfacts_row *ret,
			 struct err *err)
{
	struct sql q = sql_start(s, "SELECT json, asked, answered, settled"
				    " FROM git_commit WHERE commit_id = ?");
	enum status st;

	sql_text(&q, commit);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	ret->json = sql_take_text(&q, arena);
	ret->asked = sql_take_int(&q);
	ret->answered = sql_take_int(&q);
	ret->settled = sql_take_int(&q);
	sql_stop(&q);
	return PH_OK;
}

enum status gitfacts_put(struct store *s, struct slice commit,
			 const struct gitfacts_row *row, struct err *err)
{
	struct sql q = sql_start(
		s, "INSERT INTO git_commit(commit_id, json, asked, answered,"
		   " settled) VALUES(?1, ?2, ?3, ?4, ?5)"
		   " ON CONFLICT(commit_id) DO UPDATE SET asked = ?3,"
		   " json = CASE WHEN ?4 ISNULL THEN json ELSE ?2 END,"
		   " answered = ifnull(?4, answered), settled = ?5");

	sql_text(&q, commit);
	sql_text(&q, row->json);
	sql_int(&q, row->asked);
	sql_id(&q, row->answered);
	sql_int(&q, row->settled);
	return sql_run(&q, err);
}

enum status gitfacts_unsettled(struct store *s, int64_t before, int64_t since,
			       size_t max, struct arena *arena,
			       struct slice *ret, size_t *ret_n, struct err *err)
{
	struct sql q =
		sql_start(s,
			  "SELECT c.commit_id FROM patch p"
			  " JOIN patch_commit c ON c.patch = p.id"
			  " LEFT JOIN git_commit g ON g.commit_id = c.commit_id"
			  " WHERE p.merged_into ISNULL AND p.last_seen >= ?"
			  " AND p.life < 2 AND ifnull(g.settled, 0) = 0"
			  " AND ifnull(g.asked, 0) < ?"
			  " ORDER BY p.last_seen DESC LIMIT ?");
	enum status st;

	*ret_n = 0;
	sql_int(&q, since);
	sql_int(&q, before);
	sql_int(&q, (int64_t)max);
	while ((st = sql_row(&q, err)) == PH_OK)
		ret[(*ret_n)++] = sql_take_text(&q, arena);
	return st == PH_NONE ? PH_OK : st;
}

/* -- fixes -- */

/* Reports are known by the part before the @: web copies mask the domain. */
static struct slice report_key(struct slice id)
{
	struct slice key;

	return slice_take_until(&id, '@', &key) ? key : id;
}

enum status fix_add(struct store *s, struct slice commit, struct slice report,
		    const struct fix_row *fix, struct err *err)
{
	struct sql q = sql_start(s, "INSERT OR IGNORE INTO git_fix(target,"
				    " fix, title) VALUES(?, ?, ?)");
	enum status st;

	sql_text(&q, commit.len ? commit : report_key(report));
	sql_text(&q, fix->commit);
	sql_text(&q, fix->title);
	st = sql_run(&q, err);
	if (st != PH_OK)
		return st;
	return sql_changes(s) ? PH_OK : PH_NONE;
}

/* Digits of a hash that are compared by index; the rest is compared here. */
#define PREFIX 8

static bool same_commit(struct slice a, struct slice b)
{
	return slice_starts(a, b) || slice_starts(b, a);
}

static enum status by_commit(struct store *s, struct slice commit, int64_t *ret,
			     struct err *err)
{
	struct sql q = sql_start(
		s, "SELECT c.commit_id, ifnull(p.merged_into, p.id)"
		   " FROM patch_commit c JOIN patch p ON p.id = c.patch"
		   " WHERE c.commit_id >= ?1 AND c.commit_id < ?1 || 'g'");
	struct arena arena;
	int64_t found = 0;
	bool several = false;
	enum status st;

	arena_init(&arena);
	sql_text(&q, slice_head(commit, PREFIX));
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct slice stored = sql_take_text(&q, &arena);
		int64_t patch = sql_take_int(&q);

		if (!same_commit(stored, commit))
			continue;
		several = several || (found && found != patch);
		found = patch;
	}
	arena_release(&arena);
	if (st != PH_NONE)
		return st;
	*ret = found;
	return found && !several ? PH_OK : PH_NONE;
}

static enum status by_report(struct store *s, struct slice report, int64_t *ret,
			     struct err *err)
{
	struct sql q =
		sql_start(s,
			  "SELECT ifnull(p.merged_into, p.id) FROM message m"
			  " JOIN patch p ON p.id = m.patch WHERE m.msgkey = ?"
			  " AND m.msgkey != '' AND m.state = 1 LIMIT 1");

	sql_text(&q, report_key(report));
	return sql_one(&q, ret, err);
}

enum status fix_target(struct store *s, struct slice commit,
		       struct slice report, int64_t *ret_patch, struct err *err)
{
	if (commit.len >= PREFIX)
		return by_commit(s, commit, ret_patch, err);
	return report.len ? by_report(s, report, ret_patch, err) : PH_NONE;
}

/* Goes through the index on targets once for each commit and each report of the
 * patch. */
#define FIXES                                                              \
	"SELECT g.target, g.fix, g.title, c.commit_id, g.rowid AS n"       \
	" FROM patch_commit c JOIN git_fix g ON"                           \
	" g.target >= substr(c.commit_id, 1, 8)"                           \
	" AND g.target < substr(c.commit_id, 1, 8) || 'g'"                 \
	" WHERE c.patch IN " PATCH_GROUP(                                  \
		"?1") " UNION ALL SELECT '', g.fix, g.title, '', g.rowid " \
		      "FROM message m"                                     \
		      " JOIN git_fix g ON g.target = m.msgkey"             \
		      " WHERE m.state = 1 AND m.msgkey != ''"              \
		      " AND m.patch IN " PATCH_GROUP("?1") " ORDER BY n"

static enum status is_own(struct store *s, int64_t patch, struct slice commit,
			  struct err *err)
{
	int64_t owner;
	enum status st = by_commit(s, commit, &owner, err);

	if (st != PH_OK)
		return st;
	return owner == patch ? PH_OK : PH_NONE;
}

enum status fix_of_patch(struct store *s, int64_t patch, struct arena *arena,
			 struct fix_row *ret, struct err *err)
{
	struct sql q = sql_start(s, FIXES);
	enum status st;

	sql_int(&q, patch);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct slice target = sql_take_text(&q, arena);
		struct fix_row row = { .commit = sql_take_text(&q, arena) };
		struct slice commit;

		row.title = sql_take_text(&q, arena);
		commit = sql_take_text(&q, arena);
		if (!same_commit(target, commit))
			continue;
		/* a patch that was posted anew may name the report itself */
		st = is_own(s, patch, row.commit, err);
		if (st == PH_OK)
			continue;
		if (st == PH_NONE) {
			*ret = row;
			st = PH_OK;
		}
		break;
	}
	sql_stop(&q);
	return st;
}

/* -- tips -- */

enum status fix_tips(struct store *s, struct arena *arena, struct slice **ret,
		     size_t *ret_n, struct err *err)
{
	struct sql q = sql_start(s, "SELECT tip FROM git_tip ORDER BY tip");
	struct slice *list = NULL;
	size_t n = 0, cap = 0;
	enum status st;

	while ((st = sql_row(&q, err)) == PH_OK) {
		list = arena_grow(arena, list, &cap, n, sizeof(*list));
		list[n++] = sql_take_text(&q, arena);
	}
	if (st != PH_NONE)
		return st;
	*ret = list;
	*ret_n = n;
	return PH_OK;
}

enum status fix_tips_set(struct store *s, const struct slice *tips, size_t n,
			 struct err *err)
{
	struct sql q = sql_start(s, "DELETE FROM git_tip");
	enum status st = sql_run(&q, err);

	for (size_t i = 0; i < n && st == PH_OK; i++) {
		q = sql_start(s, "INSERT OR IGNORE INTO git_tip VALUES(?)");
		sql_text(&q, tips[i]);
		st = sql_run(&q, err);
	}
	return st;
}
