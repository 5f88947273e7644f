#include "bot/store/fix.h"

#include "bot/store/sql.h"

static enum status is_known(struct store *s, const struct fix_row *row,
			    struct err *err)
{
	struct sql q = sql_start(s, "SELECT 1 FROM fix WHERE fix = ?"
				    " AND commit_id = ? AND report = ?");
	int64_t one;

	sql_text(&q, row->fix);
	sql_text(&q, row->commit);
	sql_text(&q, row->report);
	return sql_one(&q, &one, err);
}

enum status fix_add(struct store *s, const struct fix_row *row, int64_t now,
		    struct err *err)
{
	struct sql q;
	enum status st = is_known(s, row, err);

	if (st != PH_NONE)
		return st == PH_OK ? PH_NONE : st;
	q = sql_start(s, "INSERT INTO fix(fix, title, commit_id, report, at)"
			 " VALUES(?, ?, ?, ?, ?)");
	sql_text(&q, row->fix);
	sql_text(&q, row->title);
	sql_text(&q, row->commit);
	sql_text(&q, row->report);
	sql_int(&q, now);
	return sql_run(&q, err);
}

/* A Fixes: line gives 8 digits or more, the patch 10 or more. */
#define NOT_ITS_OWN                                             \
	" AND f.fix NOT IN (SELECT commit_id FROM patch_commit" \
	" WHERE patch IN " PATCH_GROUP("?1") ")"

enum status fix_of_patch(struct store *s, int64_t patch, struct slice report,
			 struct arena *arena, struct fix_row *ret,
			 struct err *err)
{
	struct sql q = sql_start(
		s, "SELECT f.fix, f.title, f.commit_id, f.report, f.id"
		   " FROM patch_commit c JOIN fix f"
		   " ON f.commit_id != '' AND f.commit_id >= "
		   "substr(c.commit_id, 1, 8)"
		   " AND f.commit_id < substr(c.commit_id, 1, 8) || 'g'"
		   " AND (substr(c.commit_id, 1, length(f.commit_id))"
		   " = f.commit_id OR substr(f.commit_id, 1,"
		   " length(c.commit_id)) = c.commit_id)"
		   " WHERE c.patch IN " PATCH_GROUP("?1") NOT_ITS_OWN
		" UNION SELECT f.fix, f.title, f.commit_id, f.report, f.id"
		" FROM message m JOIN fix f ON f.report = m.msgkey"
		" AND f.report != ''"
		" WHERE m.state = 1 AND m.patch IN " PATCH_GROUP("?1")
			NOT_ITS_OWN
		" UNION SELECT f.fix, f.title, f.commit_id, f.report, f.id"
		" FROM fix f WHERE f.report = ?2 AND f.report != ''" NOT_ITS_OWN
		" ORDER BY 5 LIMIT 1");
	enum status st;

	sql_int(&q, patch);
	sql_text(&q, report);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	ret->fix = sql_take_text(&q, arena);
	ret->title = sql_take_text(&q, arena);
	ret->commit = sql_take_text(&q, arena);
	ret->report = sql_take_text(&q, arena);
	sql_stop(&q);
	return PH_OK;
}

enum status fix_tips(struct store *s, struct arena *arena, struct slice *ret,
		     struct err *err)
{
	struct sql q = sql_start(s, "SELECT tips FROM fix_scan");
	enum status st = sql_row(&q, err);

	*ret = S("");
	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	*ret = sql_take_text(&q, arena);
	sql_stop(&q);
	return PH_OK;
}

enum status fix_set_tips(struct store *s, struct slice tips, struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO fix_scan(id, tips)"
				    " VALUES(1, ?) ON CONFLICT DO UPDATE"
				    " SET tips = excluded.tips");

	sql_text(&q, tips);
	return sql_run(&q, err);
}
