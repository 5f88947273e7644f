#include "bot/decision.h"

#include "bot/silence.h"

/* Which of the news is told, and on which channels. */

enum status decide_history(struct decision *d, struct err *err)
{
	enum status st;

	if (d->m.history && !d->desk->rehearsal) {
		st = decision_trace(d, "history", err,
				    "it arrived before the mailbox's "
				    "tell_since or first opening: read and "
				    "shown, not told");
		return st == PH_OK ? decision_end(d, MESSAGE_REPORT, "history")
				   : st;
	}
	for (size_t i = 0; i < d->n_results; i++)
		if (d->results[i].news)
			return PH_OK;
	st = decision_trace(d, "news", err, "nothing in it is new: not told");
	return st == PH_OK ? decision_end(d, MESSAGE_REPORT, "a repeat") : st;
}

/* -- what the matchers are asked about -- */

static struct route_result asked(const struct decision *d, size_t i)
{
	const struct result_row *r = &d->results[i];

	return (struct route_result){ .testcase = r->testcase,
				      .metric = r->metric,
				      .host = r->host,
				      .verdict = r->verdict,
				      .percent = r->percent,
				      .has_effect = r->has_effect,
				      .effect = r->effect,
				      .evidence = r->evidence,
				      .too_good = d->about[i].too_good };
}

static void fill_lists(struct decision *d)
{
	const struct message *m = &d->mail;
	struct slice *lists =
		arena_array(d->arena, struct slice, m->n_to + m->n_cc + 1);
	size_t n = 0;

	for (size_t i = 0; i < m->n_to; i++)
		lists[n++] = m->to[i].address;
	for (size_t i = 0; i < m->n_cc; i++)
		lists[n++] = m->cc[i].address;
	d->subject.lists = lists;
	d->subject.n_lists = n;
}

static void fill_subject(struct decision *d)
{
	struct route_result *results =
		arena_array(d->arena, struct route_result, d->n_results + 1);
	size_t n = 0;

	d->subject = (struct route_subject){
		.tree = d->report.commit.tree,
		.branch = d->report.commit.branch,
		.label = d->report.commit.label,
		.subsystem = d->report.commit.subsystem,
		.author = d->id.author,
		.files = d->git ? d->git->files : NULL,
		.n_files = d->git ? d->git->n_files : 0,
		.results = results,
	};
	fill_lists(d);
	d->place = arena_array(d->arena, size_t, d->n_results + 1);
	for (size_t i = 0; i < d->n_results; i++) {
		if (!d->results[i].news)
			continue;
		d->place[n] = i;
		results[n++] = asked(d, i);
	}
	d->subject.n_results = n;
}

/* -- silence -- */

static void take_out(struct decision *d, const bool *silenced)
{
	struct route_result *kept = arena_array(d->arena, struct route_result,
						d->subject.n_results + 1);
	size_t n = 0;

	for (size_t i = 0; i < d->subject.n_results; i++) {
		if (silenced[i])
			continue;
		kept[n] = d->subject.results[i];
		d->place[n++] = d->place[i];
	}
	d->subject.results = kept;
	d->subject.n_results = n;
}

enum status decide_silence(struct decision *d, struct err *err)
{
	struct slice why;
	bool *silenced;
	size_t before;
	enum status st;

	fill_subject(d);
	before = d->subject.n_results;
	silenced = arena_array(d->arena, bool, before + 1);
	st = silence_find(d->desk->store, &d->subject, d->patch.hex, d->now,
			  d->arena, silenced, &why, err);
	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	take_out(d, silenced);
	st = decision_trace(d, "silence", err, "%zu of %zu new results: %.*s",
			    before - d->subject.n_results, before, S_FMT(why));
	if (st != PH_OK || d->subject.n_results)
		return st;
	return decision_end(d, MESSAGE_REPORT, "%.*s", S_FMT(why));
}

/* -- routes -- */

enum status decide_routes(struct decision *d, struct err *err)
{
	enum status st = PH_OK;

	route_match(d->desk->config, &d->subject, d->arena, &d->outcome);
	for (size_t i = 0; i < d->outcome.n_trace && st == PH_OK; i++)
		st = decision_trace(d, "route", err, "%.*s",
				    S_FMT(d->outcome.trace[i]));
	if (st != PH_OK || d->outcome.n_hits)
		return st;
	return decision_end(d, MESSAGE_REPORT, "no route matches");
}
