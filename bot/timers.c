#include "bot/desk.h"

#include <stdio.h>
#include "bot/digest.h"
#include "bot/store/prune.h"
#include "bot/store/query.h"
#include "bot/tell.h"
#include "ph/clock.h"

/* What the desk does because time passes. */

/* At the latest: a mailbox may have gone silent, a clock may have jumped. */
#define TIMERS_MOST 600

static enum status run_digests(struct desk *d, int64_t now, int64_t *next,
			       struct err *err)
{
	enum status st = PH_OK;

	for (size_t i = 0; i < d->config->n_channels && st == PH_OK; i++) {
		const struct config_channel *ch = &d->config->channels[i];
		int64_t at = INT64_MAX;

		st = digest_run(d, ch, now, err);
		if (st == PH_OK)
			st = digest_next(d, ch, now, &at, err);
		if (at < *next)
			*next = at;
	}
	return st;
}

/* -- words to the operator -- */

struct silent_search {
	struct desk *desk;
	int64_t now;
	enum status st;
	struct err *err;
};

static void tell_silent(struct silent_search *f, const struct mailbox_row *row,
			int64_t since)
{
	char key[160], subject[160], text[256], date[32];

	clock_rfc3339(since, date);
	snprintf(key, sizeof(key), "silent:%.*s:%s", S_FMT(row->name), date);
	snprintf(subject, sizeof(subject), "no report in %.*s since %s",
		 S_FMT(row->name), date);
	snprintf(text, sizeof(text),
		 "The mailbox is usually heard of more often (usual_gap).\n"
		 "perfherald status says whether it can be read.");
	f->st = tell_operator(f->desk, slice_of(key), slice_of(subject),
			      slice_of(text), f->now, f->err);
	if (f->st == PH_NONE)
		f->st = PH_OK;
}

static void check_silent(void *arg, const struct mailbox_row *row)
{
	struct silent_search *f = arg;
	const struct config *config = f->desk->config;
	int64_t since = row->last_report ? row->last_report : row->opened;

	for (size_t i = 0; i < config->n_mailboxes && f->st == PH_OK; i++) {
		const struct config_mailbox *box = &config->mailboxes[i];

		if (box->usual_gap && since &&
		    slice_eq(slice_of(box->name), row->name) &&
		    f->now - since > box->usual_gap)
			tell_silent(f, row, since);
	}
}

static enum status tell_silences(struct desk *d, int64_t now, struct err *err)
{
	struct silent_search f = { d, now, PH_OK, err };
	struct arena arena;
	enum status st;

	arena_init(&arena);
	st = mailbox_each(d->store, &arena, check_silent, &f, err);
	arena_release(&arena);
	return st == PH_OK ? f.st : st;
}

/*
 * Drift: a field that was nearly always read before, and in this week's
 * reports mostly is not.
 */
#define DRIFT_WEEKS   8
#define DRIFT_REPORTS 10 /* of a week, fewer say nothing */
#define DRIFT_USUAL   0.9
#define DRIFT_DROP    0.25 /* under the usual share */

struct drift {
	struct field_row now;
	int64_t hits, total; /* of the weeks before */
};

struct drifts {
	struct drift field[64];
	size_t n;
	int64_t week;
};

static void add_field(void *arg, const struct field_row *row)
{
	struct drifts *l = arg;
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->field[i].now.kind == row->kind &&
		    slice_eq(l->field[i].now.field, row->field))
			break;
	if (i == ARRAY_LEN(l->field))
		return;
	if (i == l->n)
		l->field[l->n++] =
			(struct drift){ .now = { .kind = row->kind,
						 .field = row->field } };
	if (row->week == l->week) {
		l->field[i].now = *row;
	} else {
		l->field[i].hits += row->hits;
		l->field[i].total += row->total;
	}
}

static bool has_drifted(const struct drift *f)
{
	double usual, share;

	if (f->now.total < DRIFT_REPORTS || f->total < DRIFT_REPORTS)
		return false;
	usual = (double)f->hits / (double)f->total;
	share = (double)f->now.hits / (double)f->now.total;
	return usual >= DRIFT_USUAL && usual - share >= DRIFT_DROP;
}

static void say_drift(struct buf *b, const struct drift *f)
{
	buf_printf(b,
		   "%s reports, %.*s: read in %lld of %lld, before in %lld "
		   "of %lld\n",
		   report_kind_name(f->now.kind), S_FMT(f->now.field),
		   (long long)f->now.hits, (long long)f->now.total,
		   (long long)f->hits, (long long)f->total);
}

static enum status tell_drift(struct desk *d, int64_t now, struct err *err)
{
	int64_t day = now / 86400;
	struct drifts l = { .week = day - (day + 3) % 7 };
	struct arena arena;
	enum status st;
	struct buf b;
	char key[32];

	arena_init(&arena);
	buf_init(&b);
	st = field_each(d->store, l.week - DRIFT_WEEKS * 7, &arena, add_field,
			&l, err);
	for (size_t i = 0; i < l.n; i++)
		if (has_drifted(&l.field[i]))
			say_drift(&b, &l.field[i]);
	snprintf(key, sizeof(key), "drift:%lld", (long long)l.week);
	if (st == PH_OK && b.len) {
		buf_add_str(&b, "perfherald list --partial names the mails.");
		st = tell_operator(d, slice_of(key),
				   S("the robot's mails have changed"),
				   buf_slice(&b), now, err);
	}
	buf_release(&b);
	arena_release(&arena);
	return st == PH_NONE ? PH_OK : st;
}

/* A slice at a time: what is left comes with the next call, at once. */
static enum status forget_old(struct desk *d, int64_t now, int64_t *next,
			      struct err *err)
{
	int64_t n;
	enum status st;

	if (!d->config->keep)
		return PH_OK;
	st = prune_before(d->store, now - d->config->keep, &n, err);
	if (st == PH_OK && n == PRUNE_MOST)
		*next = now;
	return st;
}

static enum status run_timers(struct desk *d, int64_t now, int64_t *next,
			      struct err *err)
{
	enum status st = run_digests(d, now, next, err);

	if (st == PH_OK && d->config->operator_)
		st = tell_silences(d, now, err);
	if (st == PH_OK && d->config->operator_)
		st = tell_drift(d, now, err);
	if (st == PH_OK)
		st = forget_old(d, now, next, err);
	return st;
}

enum status desk_timers(struct desk *d, int64_t now, int64_t *ret_next,
			struct err *err)
{
	int64_t next = now + TIMERS_MOST;
	enum status st;

	*ret_next = d->timers_at;
	if (now < d->timers_at && d->timers_at <= now + TIMERS_MOST)
		return PH_OK;
	st = store_begin(d->store, err);
	if (st == PH_OK)
		st = store_end(d->store, run_timers(d, now, &next, err), err);
	if (st == PH_OK)
		*ret_next = d->timers_at = next;
	return st;
}
