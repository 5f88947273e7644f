/*
 * patch_sql - how rows of patches and results are read. For bot/store only.
 */
#ifndef BOT_STORE_PATCH_SQL_H
#define BOT_STORE_PATCH_SQL_H

#include "bot/store/patch.h"
#include "bot/store/sql.h"

#define PATCH_COLUMNS                                                    \
	" id, hex, title, norm, commit_id, author, tree, branch, label," \
	" subsystem, posted_link, life, life_reason, life_since, rank,"  \
	" first_seen, last_seen "

/* Takes PATCH_COLUMNS. */
void patch_take_row(struct sql *q, struct arena *arena, struct patch_row *ret);

/* Of "result r JOIN message m ON m.id = r.message". */
#define RESULT_COLUMNS                                                      \
	" r.id, r.message, r.patch, r.n, r.testcase, r.params, r.host,"     \
	" r.metric, r.verdict, r.percent, r.change_kind, r.change NOTNULL," \
	" r.change, r.base NOTNULL, r.base, r.value, r.base_dev,"           \
	" r.value_dev, r.effect NOTNULL, r.effect, r.evidence, r.news,"     \
	" r.why, m.commit_id, m.tree, m.branch, m.arrived "

/* Takes RESULT_COLUMNS. */
void result_take_row(struct sql *q, struct arena *arena,
		     struct result_row *ret);

#endif
