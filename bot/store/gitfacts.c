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
		   " json = CASE WHEN ?2 = '' THEN json ELSE ?2 END,"
		   " answered = ifnull(?4, answered),"
		   " settled = max(settled, ?5)");

	sql_text(&q, commit);
	sql_text(&q, row->json);
	sql_int(&q, row->asked);
	sql_id(&q, row->answered);
	sql_int(&q, row->settled);
	return sql_run(&q, err);
}

enum status gitfacts_unsettled(struct store *s, int64_t before, int64_t since,
			       size_t max, struct arena *arena,
			       struct slice *ret, size_t *ret_n,
			       struct err *err)
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
