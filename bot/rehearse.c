#include "bot/desk.h"

#include "bot/desk_git.h"
#include "bot/pipeline.h"

/* Decisions for their own sake: in a transaction that is rolled back, so that
 * every stage may write as it always does. */

static enum status decide(struct decision *d, struct err *err)
{
	enum status st = pipeline_prepare(d, err);

	if (st == PH_OK)
		st = pipeline_decide(d, err);
	else if (st == PH_NONE)
		return err_set(err, PH_NONE, "%.*s", S_FMT(d->reason));
	return st == PH_NONE ? PH_OK : st;
}

/* in NULL: the message is stored, by this id. */
static enum status decide_in(struct decision *d, const struct message_in *in,
			     int64_t id, struct err *err)
{
	struct store *s = d->desk->store;
	enum status st = PH_OK;

	if (in)
		st = message_add(s, in, &id, err);
	/* a copy is stored: that one is decided */
	if (st == PH_OK || st == PH_NONE)
		st = message_get(s, id, d->arena, &d->m, err);
	return st == PH_OK ? decide(d, err) : st;
}

static enum status rehearse(struct desk *desk, const struct message_in *in,
			    int64_t id, int64_t now, struct err *err)
{
	struct desk stage = *desk;
	struct arena arena;
	struct decision d = { .desk = &stage, .now = now, .arena = &arena };
	enum status st = store_begin(desk->store, err);

	if (st != PH_OK)
		return st;
	stage.git = desk_git_known(desk->store);
	arena_init(&arena);
	st = decide_in(&d, in, id, err);
	arena_release(&arena);
	store_rollback(desk->store);
	return st;
}

enum status desk_rehearse(struct desk *desk, int64_t message, int64_t now,
			  struct err *err)
{
	return rehearse(desk, NULL, message, now, err);
}

enum status desk_rehearse_mail(struct desk *desk, const struct message_in *in,
			       struct err *err)
{
	return rehearse(desk, in, 0, in->now, err);
}
