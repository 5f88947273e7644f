/*
 * finding - one result with all that is known around it: its message and its
 * patch, as an export and a page of a series want it.
 *
 * Readers page: no statement is open between two calls, so that whoever writes
 * to a slow pipe holds nothing up.
 */
#ifndef BOT_STORE_FINDING_H
#define BOT_STORE_FINDING_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/store/message.h"
#include "bot/store/open.h"
#include "bot/store/patch.h"
#include "ph/arena.h"

struct finding {
	struct result_row result;
	struct patch_row patch; /* the root; id 0: unproven, of no patch */
	struct slice msgid, msgkey, subject;
	enum proven proven;
	int64_t date; /* Date: of the report, seconds UTC; 0: none */
};

struct finding_filter {
	int64_t since, until; /* arrived at or after, and before; 0: any */
	bool unproven;	      /* also of reports that nothing proves */
};

/*
 * Up to max findings in the order their reports were taken in, behind the
 * result with the id `after` (0 at first). Memory of the arena.
 */
enum status finding_page(struct store *s, const struct finding_filter *f,
			 int64_t after, size_t max, struct arena *arena,
			 struct finding **ret, size_t *ret_n, struct err *err);

/* One by its result's id. PH_NONE: it is gone. */
enum status finding_get(struct store *s, int64_t result, struct arena *arena,
			struct finding *ret, struct err *err);

#endif
