#include "bot/reload.h"

#include <sysexits.h>
#include "bot/replay.h"
#include "ph/clock.h"
#include "ph/log.h"

static int verdict(const struct config *after, const struct replay *r)
{
	int64_t share;

	if (r->reports < RELOAD_REPORTS)
		return 0;
	share = 100 * r->affected / r->reports;
	if (share <= after->reload_limit)
		return 0;
	log_error("%s: %lld of the last %lld reports would be told "
		  "differently, over reload_limit (%lld %%)",
		  after->file, (long long)r->affected, (long long)r->reports,
		  (long long)after->reload_limit);
	return 1;
}

int reload_judge(const struct config *before, const struct config *after)
{
	struct store *store;
	struct arena arena;
	struct replay replay;
	struct err err;
	int64_t now = clock_wall();
	enum status st = store_open(before->state, &store, &err);
	int code;

	if (st != PH_OK) {
		log_error("%s", err.text);
		return err_exit_code(&err, st);
	}
	arena_init(&arena);
	st = replay_run(store, before, after, now - RELOAD_SINCE, now, NULL,
			NULL, &arena, &replay, &err);
	code = st == PH_OK ? verdict(after, &replay) : err_exit_code(&err, st);
	if (st != PH_OK)
		log_error("%s", err.text);
	arena_release(&arena);
	store_close(store);
	return code;
}
