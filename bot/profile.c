#include "bot/profile.h"

#include <math.h>
#include "bot/weigh.h"
#include "ph/utf8.h"

/* Loops of a processor with nothing to do. */
static const struct slice idle[] = {
	S_INIT("*idle*"),     S_INIT("*mwait*"),   S_INIT("*safe_halt*"),
	S_INIT("poll_idle*"), S_INIT("cpu_relax"),
};

/* Where a processor waits for a lock; the caller is the news. */
static const struct slice slow_paths[] = {
	S_INIT("native_queued_spin_lock_slowpath*"),
	S_INIT("queued_spin_lock_slowpath*"),
	S_INIT("pv_queued_spin_lock_slowpath*"),
	S_INIT("__pv_queued_spin_lock_slowpath*"),
	S_INIT("queued_read_lock_slowpath*"),
	S_INIT("queued_write_lock_slowpath*"),
	S_INIT("osq_lock*"),
	S_INIT("rwsem_spin_on_owner*"),
	S_INIT("rwsem_down_*_slowpath*"),
	S_INIT("rwsem_optimistic_spin*"),
	S_INIT("mutex_spin_on_owner*"),
	S_INIT("_raw_spin_lock*"),
	S_INIT("_raw_read_lock*"),
	S_INIT("_raw_write_lock*"),
};

/* Frames of the lock itself, between its slow path and who wanted it. */
static const struct slice lock_frames[] = {
	S_INIT("*_slowpath*"), S_INIT("_raw_*"),    S_INIT("osq_lock*"),
	S_INIT("*_spin_*"),    S_INIT("__mutex_*"), S_INIT("mutex_*"),
	S_INIT("rwsem_*"),     S_INIT("down_*"),    S_INIT("__down_*"),
	S_INIT("*spin_lock*"), S_INIT("[unknown]"),
};

static bool matches(const struct slice *globs, size_t n, struct slice name)
{
	for (size_t i = 0; i < n; i++)
		if (slice_glob(globs[i], name))
			return true;
	return false;
}

/* "perf-profile.self.cycles-pp.NAME": takes all up to NAME; the event's name
 * differs from machine to machine. */
static bool take_front(struct slice *metric, struct slice front)
{
	struct slice event;

	return slice_skip(metric, front) &&
	       slice_take_until(metric, '.', &event);
}

struct moved {
	const struct cell *base, *value;
	double points;
};

static bool moved_enough(const struct report *r, const struct row *row,
			 size_t n_columns, struct moved *ret)
{
	const struct cell *base = row_cells(r, row);
	const struct cell *value = base + n_columns - 1;
	struct weigh_pair p = { base->value, value->value, base->dev_pct,
				value->dev_pct, false };
	double effect;
	bool at_least;

	ret->base = base;
	ret->value = value;
	ret->points = fabs(value->value - base->value);
	return ret->points >= 1 && weigh_effect(&p, &effect, &at_least) &&
	       effect >= 2;
}

static bool is_listed(const struct slice *symbols, size_t n, struct slice name)
{
	for (size_t i = 0; i < n; i++)
		if (slice_eq(symbols[i], name))
			return true;
	return false;
}

/* The function that moved most; one of the listed before all others. */
static struct slice pick_symbol(const struct report *r, const struct table *t,
				const struct slice *symbols, size_t n_symbols,
				struct moved *ret)
{
	struct slice best = { NULL, 0 };
	bool best_listed = false;

	for (uint32_t i = 0; i < t->n_rows; i++) {
		const struct row *row = &r->rows[t->first_row + i];
		struct slice name = row->metric;
		struct moved m;
		bool listed;

		if (!take_front(&name, S("perf-profile.self.")) ||
		    matches(idle, ARRAY_LEN(idle), name) ||
		    !moved_enough(r, row, t->n_columns, &m))
			continue;
		listed = is_listed(symbols, n_symbols, name);
		if (best.len &&
		    (best_listed > listed ||
		     (best_listed == listed && m.points <= ret->points)))
			continue;
		best = name;
		best_listed = listed;
		*ret = m;
	}
	return best;
}

/* The first frame of a chain that is not the lock's own. */
static struct slice caller_in(struct slice chain)
{
	struct slice frame;

	while (slice_take_until(&chain, '.', &frame))
		if (!matches(lock_frames, ARRAY_LEN(lock_frames), frame))
			return frame;
	return matches(lock_frames, ARRAY_LEN(lock_frames), chain)
		       ? (struct slice){ NULL, 0 }
		       : chain;
}

/* The caller in the call chain from this lock that moved most, the same way. */
static struct slice find_caller(const struct report *r, const struct table *t,
				struct slice lock, const struct moved *how)
{
	struct slice best = { NULL, 0 };
	double most = 0, sign = how->value->value - how->base->value;

	for (uint32_t i = 0; i < t->n_rows; i++) {
		const struct row *row = &r->rows[t->first_row + i];
		const struct cell *base = row_cells(r, row);
		double move = base[t->n_columns - 1].value - base->value;
		struct slice chain = row->metric, caller;

		if (!take_front(&chain, S("perf-profile.calltrace.")) ||
		    !slice_skip(&chain, lock) || !slice_skip(&chain, S(".")) ||
		    move * sign <= 0 || fabs(move) <= most)
			continue;
		caller = caller_in(chain);
		if (!caller.len)
			continue;
		best = caller;
		most = fabs(move);
	}
	return best;
}

struct slice profile_line(const struct report *r, const struct table *t,
			  const struct slice *symbols, size_t n_symbols,
			  struct arena *arena)
{
	struct moved m = { 0 };
	struct slice symbol = pick_symbol(r, t, symbols, n_symbols, &m), ret;
	struct buf b;

	if (!symbol.len)
		return symbol;
	buf_init(&b);
	utf8_put_clean(&b, symbol);
	buf_printf(&b, " %.1f%% -> %.1f%%", m.base->value, m.value->value);
	if (matches(slow_paths, ARRAY_LEN(slow_paths), symbol)) {
		struct slice caller = find_caller(r, t, symbol, &m);

		buf_add_str(&b, caller.len ? ", from " : "");
		utf8_put_clean(&b, caller);
	}
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}
