#include "bot/store/prune.h"

#include <assert.h>
#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "bot/store/sql.h"

static_assert(MESSAGE_NEW == 0 && MESSAGE_WAITING == 6,
	      "as OLD_MESSAGES has it");
static_assert(OUTBOX_HELD == 0 && OUTBOX_PENDING == 1 && OUTBOX_SENDING == 2,
	      "as EMPTY_PATCHES has it");

/* ?1 is the time. NEW and WAITING messages have their story before them. */
#define OLD_MESSAGES                                                      \
	"(SELECT m.id FROM message m LEFT JOIN patch p ON p.id = m.patch" \
	" LEFT JOIN patch r ON r.id = p.merged_into"                      \
	" WHERE m.arrived < ?1 AND m.state NOT IN (0, 6)"                 \
	" AND max(ifnull(p.last_seen, 0), ifnull(r.last_seen, 0)) < ?1"   \
	" ORDER BY m.id LIMIT ?2)"

/* Patches of which nothing is left, and nothing waits. */
#define EMPTY_PATCHES                                                    \
	"(SELECT id FROM patch p WHERE last_seen < ?1"                   \
	" AND NOT EXISTS (SELECT 1 FROM message WHERE patch = p.id)"     \
	" AND NOT EXISTS (SELECT 1 FROM patch WHERE merged_into = p.id)" \
	" AND NOT EXISTS (SELECT 1 FROM outbox WHERE patch = p.id"       \
	" AND state IN (0, 1, 2)))"

static enum status run(struct store *s, const char *text, int64_t before,
		       bool limited, struct err *err)
{
	struct sql q = sql_start(s, text);

	sql_int(&q, before);
	if (limited)
		sql_int(&q, PRUNE_MOST);
	return sql_run(&q, err);
}

static enum status drop_patches(struct store *s, int64_t before,
				struct err *err)
{
	static const char *const texts[] = {
		"DELETE FROM later WHERE patch IN " EMPTY_PATCHES,
		"DELETE FROM trace WHERE patch IN " EMPTY_PATCHES,
		"DELETE FROM outbox WHERE patch IN " EMPTY_PATCHES,
		"DELETE FROM patch_commit WHERE patch IN " EMPTY_PATCHES,
		"DELETE FROM patch WHERE id IN " EMPTY_PATCHES,
	};
	enum status st = PH_OK;

	for (size_t i = 0; i < ARRAY_LEN(texts) && st == PH_OK; i++)
		st = run(s, texts[i], before, false, err);
	return st;
}

enum status prune_before(struct store *s, int64_t before, int64_t *ret_n,
			 struct err *err)
{
	enum status st =
		run(s, "DELETE FROM trace WHERE message IN " OLD_MESSAGES,
		    before, true, err);

	if (st == PH_OK)
		st = run(s, "DELETE FROM message WHERE id IN " OLD_MESSAGES,
			 before, true, err);
	if (st != PH_OK)
		return st;
	*ret_n = sql_changes(s);
	return drop_patches(s, before, err);
}
