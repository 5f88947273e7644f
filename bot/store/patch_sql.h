/*
 * patch_sql - how rows of patches and results are read. For bot/store only.
 */
#ifndef BOT_STORE_PATCH_SQL_H
#define BOT_STORE_PATCH_SQL_H

#include "bot/store/patch.h"
#include "bot/store/sql.h"

/* Of "patch p". */
#define PATCH_COLUMNS                                                   \
	" p.id, p.hex, p.title, p.norm, p.commit_id, p.author, p.tree," \
	" p.branch, p.label, p.subsystem, p.posted_link, p.life,"       \
	" p.life_reason, p.life_since, p.rank, p.first_seen, p.last_seen "

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
