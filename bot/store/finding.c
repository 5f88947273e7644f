#include "bot/store/finding.h"

#include <assert.h>
#include "bot/store/patch_sql.h"

/* p is the root. */
#define FINDINGS                                                            \
	"SELECT" RESULT_COLUMNS ", m.msgid, m.msgkey, m.subject, m.proven," \
	" m.date," PATCH_COLUMNS "FROM result r"                            \
	" JOIN message m ON m.id = r.message"                               \
	" LEFT JOIN patch q ON q.id = r.patch"                              \
	" LEFT JOIN patch p ON p.id = ifnull(q.merged_into, q.id)"

static_assert(MESSAGE_REPORT == 1 && MESSAGE_UNPROVEN == 3,
	      "as the statements below have them");

static void take_row(struct sql *q, struct arena *arena, struct finding *ret)
{
	result_take_row(q, arena, &ret->result);
	ret->msgid = sql_take_text(q, arena);
	ret->msgkey = sql_take_text(q, arena);
	ret->subject = sql_take_text(q, arena);
	ret->proven = (enum proven)sql_take_int(q);
	ret->date = sql_take_int(q);
	patch_take_row(q, arena, &ret->patch);
}

enum status finding_page(struct store *s, const struct finding_filter *f,
			 int64_t after, size_t max, struct arena *arena,
			 struct finding **ret, size_t *ret_n, struct err *err)
{
	struct finding *rows = arena_array(arena, struct finding, max);
	struct sql q =
		sql_start(s, FINDINGS " WHERE r.id > ?1 AND m.arrived >= ?2"
				      " AND (?3 = 0 OR m.arrived < ?3)"
				      " AND (m.state = 1 OR ?4 AND m.state = 3)"
				      " ORDER BY r.id LIMIT ?5");
	enum status st;
	size_t n = 0;

	sql_int(&q, after);
	sql_int(&q, f->since);
	sql_int(&q, f->until);
	sql_int(&q, f->unproven);
	sql_int(&q, (int64_t)max);
	while ((st = sql_row(&q, err)) == PH_OK)
		take_row(&q, arena, &rows[n++]);
	if (st != PH_NONE)
		return st;
	*ret = rows;
	*ret_n = n;
	return PH_OK;
}

enum status finding_get(struct store *s, int64_t result, struct arena *arena,
			struct finding *ret, struct err *err)
{
	struct sql q = sql_start(s, FINDINGS " WHERE r.id = ?");
	enum status st;

	sql_int(&q, result);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	*ret = (struct finding){ 0 };
	take_row(&q, arena, ret);
	sql_stop(&q);
	return PH_OK;
}
