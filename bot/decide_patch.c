#include "bot/decision.h"

#include "bot/fixes.h"
#include "bot/history.h"

/* Which patch the report is about, and what is new in it. */

static bool is_closed(enum patch_life life)
{
	return life == LIFE_FIXED || life == LIFE_INVALID || life == LIFE_STALE;
}

static enum status note_old(struct decision *d, struct err *err)
{
	struct patch_row old;
	enum status st;

	d->old_rank = -1;
	if (!d->id.patch)
		return PH_OK;
	st = patch_get(d->desk->store, d->id.patch, d->arena, &old, err);
	if (st != PH_OK)
		return st;
	d->old_rank = old.rank;
	d->closed = is_closed(old.life);
	return PH_OK;
}

static enum status reopen(struct decision *d, struct err *err)
{
	struct store *s = d->desk->store;
	enum status st = decision_trace(d, "life", err,
					"it was %s (%.*s) and is open again",
					patch_life_name(d->patch.life),
					S_FMT(d->patch.life_reason));

	if (st == PH_OK)
		st = patch_set_life(s, d->patch.id, LIFE_OPEN,
				    S("reported again"), d->now, err);
	if (st == PH_OK)
		st = audit_add(s, d->now, S("perfherald"), S("reopen"),
			       d->patch.id, S("reported again"), err);
	d->patch.life = LIFE_OPEN;
	d->patch.life_reason = S("reported again");
	return st;
}

/* A tree without the fix goes on being reported: with a known fix that does
 * not reopen the patch. */
static enum status find_fix(struct decision *d, struct err *err)
{
	enum status st =
		fixes_of(d->desk, &d->patch, d->m.msgkey, d->now, d->arena,
			 &d->history.fix_commit, &d->history.fix_title, err);

	if (st == PH_OK)
		d->closed = false;
	return st == PH_NONE ? PH_OK : st;
}

static enum status note_merge(struct decision *d, struct err *err)
{
	struct slice reason = slice_of(
		arena_printf(d->arena, "two patches have the patch id %.*s",
			     S_FMT(d->id.patch_id)));

	return audit_add(d->desk->store, d->now, S("perfherald"), S("merge"),
			 d->patch.id, reason, err);
}

enum status decide_patch(struct decision *d, struct err *err)
{
	struct store *s = d->desk->store;
	enum status st = identity_find(s, &d->report, d->author, d->git,
				       d->arena, &d->id, err);

	if (st == PH_OK)
		st = note_old(d, err);
	if (st == PH_OK)
		st = identity_settle(s, &d->report, &d->id, d->m.arrived,
				     d->arena, &d->patch, err);
	if (st == PH_OK && d->id.also)
		st = note_merge(d, err);
	if (st != PH_OK)
		return st;
	d->patch_id = d->patch.id;
	d->state = MESSAGE_REPORT;
	st = find_fix(d, err);
	if (st != PH_OK)
		return st;
	st = decision_trace(d, "identity", err, "patch %.*s, %s: %.*s",
			    S_FMT(d->patch.hex),
			    d->id.rung == RUNG_NONE ? "new" : "known",
			    S_FMT(d->id.words));
	if (st == PH_OK && d->closed && !d->m.history)
		st = reopen(d, err);
	return st;
}

/* -- news -- */

static enum status judge(struct decision *d, struct err *err)
{
	struct news_patch p = { .past = d->past,
				.n_past = d->n_past,
				.rank = d->id.rank,
				.old_rank = d->old_rank,
				.closed = d->closed && !d->m.history,
				.new_hash = d->id.new_hash,
				.same_diff = d->id.same_diff,
				.now = d->now };
	enum status st = outbox_last_told(d->desk->store, d->patch.id,
					  &p.last_told, err);

	for (size_t i = 0; i < d->n_results && st == PH_OK; i++) {
		struct result_row *r = &d->results[i];
		bool keeps = d->desk->rehearsal && r->patch;

		r->patch = d->patch.id;
		if (!keeps)
			news_judge(&p, r, d->arena);
		if (!r->news && d->m.revision) {
			r->news = true;
			r->why = S("told again at an operator's wish");
		}
		st = decision_trace(d, "news", err, "%s %.1f%% %.*s: %.*s",
				    verdict_name(r->verdict), r->percent,
				    S_FMT(r->metric), S_FMT(r->why));
	}
	return st;
}

enum status decide_news(struct decision *d, struct err *err)
{
	enum status st = result_list(d->desk->store, 0, d->patch.id, d->m.id,
				     d->arena, &d->past, &d->n_past, err);

	return st == PH_OK ? judge(d, err) : st;
}

/* -- weight -- */

static bool *repeats(const struct decision *d)
{
	bool *repeat = arena_array(d->arena, bool, d->n_results + 1);

	for (size_t i = 0; i < d->n_results; i++)
		repeat[i] = !d->results[i].news;
	return repeat;
}

static enum status weigh_one(struct decision *d, size_t i, struct err *err)
{
	struct facts_ask ask = { .kind = NOTICE_FIRST,
				 .headline = i,
				 .made = d->now,
				 .author = d->id.author,
				 .regzbot = d->desk->config->regzbot };
	struct notice *n = &d->about[i];
	enum status st =
		history_opposite(d->desk->store, &d->results[i], d->patch.id,
				 d->arena, &d->history.opposite, err);

	if (st != PH_OK)
		return st;
	facts_fill(&d->report, &d->history, &ask, d->arena, n);
	d->results[i].evidence = n->evidence;
	d->results[i].has_effect = n->has_effect;
	d->results[i].effect = n->effect;
	return result_decide(d->desk->store, &d->results[i], err);
}

enum status decide_weight(struct decision *d, struct err *err)
{
	enum status st = PH_OK;

	history_fill(d->results, d->n_results, d->past, d->n_past, &d->patch,
		     d->arena, &d->history);
	d->history.repeat = repeats(d);
	if (d->git) {
		d->history.merged = identity_merged(d->git);
		d->history.symbols = d->git->symbols;
		d->history.n_symbols = d->git->n_symbols;
	}
	d->about = arena_array(d->arena, struct notice, d->n_results);
	for (size_t i = 0; i < d->n_results && st == PH_OK; i++)
		st = weigh_one(d, i, err);
	return st;
}
