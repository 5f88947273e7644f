#include "tests/fresh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/store/patch.h"
#include "tests/scratch.h"

struct fresh fresh;

int fresh_begin(void **state)
{
	(void)state;
	fresh.store = scratch_store("state.db");
	arena_init(&fresh.arena);
	return 0;
}

int fresh_end(void **state)
{
	(void)state;
	arena_release(&fresh.arena);
	store_close(fresh.store);
	return 0;
}

void fresh_ok(enum status st)
{
	if (st != PH_OK)
		fail_msg("status %d: %s", st, fresh.err.text);
}

int64_t fresh_patch(const char *commit, const char *title, int64_t seen)
{
	struct patch_row row = { .title = slice_of(title),
				 .norm = slice_of(title),
				 .commit = slice_of(commit),
				 .author = S("a@example.org"),
				 .first_seen = seen,
				 .last_seen = seen };
	int64_t id;

	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(patch_add(fresh.store, &row, &id, &fresh.err));
	fresh_ok(patch_commit_add(fresh.store, id, row.commit, S(""), seen,
				  &fresh.err));
	fresh_ok(store_commit(fresh.store, &fresh.err));
	return id;
}
