#include "bot/desk.h"

#include "bot/pipeline.h"

void desk_init(struct desk *d, const struct config *config, struct store *store,
	       const struct desk_git *git)
{
	*d = (struct desk){ .config = config, .store = store };
	if (git)
		d->git = *git;
}

enum status decision_end(struct decision *d, enum message_state state,
			 const char *fmt, ...)
{
	struct buf b;
	va_list ap;

	buf_init(&b);
	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	d->state = state;
	d->reason = arena_copy(d->arena, buf_slice(&b));
	buf_release(&b);
	return PH_NONE;
}

static enum status put_trace(struct decision *d, const struct trace *t,
			     struct err *err)
{
	const struct rehearsal *r = d->desk->rehearsal;

	if (!r)
		return trace_add(d->desk->store, t, err);
	if (r->trace)
		r->trace(r->arg, t->step, t->text);
	return PH_OK;
}

enum status decision_trace(struct decision *d, const char *step,
			   struct err *err, const char *fmt, ...)
{
	struct trace t = { .at = d->now,
			   .message = d->m.id,
			   .patch = d->patch_id,
			   .step = slice_of(step) };
	enum status st;
	struct buf b;
	va_list ap;

	buf_init(&b);
	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	t.text = buf_slice(&b);
	st = put_trace(d, &t, err);
	buf_release(&b);
	return st;
}

/* Another command may have decided it since it was looked at. */
static enum status still_new(struct decision *d, struct err *err)
{
	struct message_row now;
	enum status st =
		message_get(d->desk->store, d->m.id, d->arena, &now, err);

	if (st == PH_OK && now.state != MESSAGE_NEW)
		return PH_NONE;
	return st;
}

static enum status write_decision(struct decision *d, bool prepared,
				  struct err *err)
{
	enum status st = still_new(d, err);

	if (st != PH_OK)
		return st;
	st = prepared ? pipeline_decide(d, err) : pipeline_answer(d, err);
	if (st != PH_OK && st != PH_NONE)
		return st;
	return message_decide(d->desk->store, d->m.id, d->state, d->reason,
			      d->patch_id, d->now, err);
}

static enum status decide(struct decision *d, bool *ret_waits, struct err *err)
{
	struct store *s = d->desk->store;
	enum status st = pipeline_prepare(d, err);
	bool prepared = st == PH_OK;

	*ret_waits = st == PH_RETRY;
	if (st != PH_OK && st != PH_NONE)
		return st;
	st = store_begin(s, err);
	if (st != PH_OK)
		return st;
	return store_end(s, write_decision(d, prepared, err), err);
}

/* *ret_waits: it waits for git, so others go first. */
static enum status decide_next(struct desk *desk, int64_t *after, int64_t now,
			       struct arena *arena, bool *ret_waits,
			       struct err *err)
{
	struct decision d = { .desk = desk, .now = now, .arena = arena };
	enum status st =
		message_next_new(desk->store, *after, arena, &d.m, err);

	if (st != PH_OK)
		return st;
	*after = d.m.id;
	st = decide(&d, ret_waits, err);
	return st == PH_NONE ? PH_OK : st;
}

/* Each that waits is read anew every time, so not too many are looked past. */
#define LOOK_PAST 64

enum status desk_step(struct desk *desk, int64_t now, struct err *err)
{
	struct arena arena;
	int64_t after = 0;
	enum status st;
	int n_waiting = 0;
	bool waits;

	arena_init(&arena);
	desk->waits = false;
	do {
		waits = false;
		arena_reset(&arena);
		st = decide_next(desk, &after, now, &arena, &waits, err);
		desk->waits = desk->waits || waits;
		n_waiting += waits;
	} while (waits && n_waiting < LOOK_PAST);
	arena_release(&arena);
	return waits ? PH_NONE : st;
}
