#include "bot/decision.h"

#include <stdio.h>

#include "ph/clock.h"

/* What the message is, whether it is believed, and what it says. */

enum status decide_kind(struct decision *d, struct err *err)
{
	enum report_kind kind = d->m.kind;

	(void)err;
	switch (kind) {
	case REPORT_PERFORMANCE:
		return PH_OK;
	case REPORT_REPLY:
		return decision_end(d, MESSAGE_REPLY, "a person's reply");
	case REPORT_OTHER:
		return decision_end(d, MESSAGE_OTHER, "not a report");
	default:
		return decision_end(d, MESSAGE_OTHER,
				    "a %s report; only performance is told",
				    report_kind_name(kind));
	}
}

enum status decide_load(struct decision *d, struct err *err)
{
	enum status st =
		message_load(d->desk->store, d->m.id, d->arena, &d->mail, err);

	if (st == PH_NONE)
		return decision_end(d, MESSAGE_BAD, "its text was not kept");
	if (st != PH_OK)
		return st;
	/* not over `automatic`: the report was recognised as one, but a
	 * notice of ours that comes back must never start a circle */
	if (d->mail.automatic)
		return decision_end(d, MESSAGE_OTHER, "automatic mail");
	st = report_read(&d->mail, d->arena, &d->report, err);
	if (st == PH_BAD)
		return decision_end(d, MESSAGE_BAD, "%s", err->text);
	if (st != PH_OK)
		return st;
	if (!d->report.n_results)
		return decision_end(d, MESSAGE_OTHER,
				    "a report without a headline");
	if (d->m.proven != PROVEN_NOT && d->mail.n_to)
		d->author = d->mail.to[0].address;
	return PH_OK;
}

enum status decide_ask_git(struct decision *d, struct err *err)
{
	const struct desk_git *git = &d->desk->git;
	struct commit_facts *facts;
	enum status st;

	/* history can be caught up with: nobody waits to be told of it */
	if (!git->commit || d->m.proven == PROVEN_NOT ||
	    (d->m.history && !d->desk->rehearsal) ||
	    d->report.commit.id.len < 10)
		return PH_OK;
	facts = arena_new(d->arena, struct commit_facts);
	st = git->commit(git->arg, d->report.commit.id, d->arena, facts, err);
	if (st == PH_OK)
		d->git = facts;
	return st == PH_NONE ? PH_OK : st;
}

enum status decide_proof(struct decision *d, struct err *err)
{
	/* what proves it begins with the name of the proof */
	bool named = d->m.proven != PROVEN_NOT && d->m.proven != PROVEN_VOUCHED;
	enum status st = decision_trace(d, "proof", err, "%s%s%.*s",
					named ? "" : proven_name(d->m.proven),
					named ? "" : ": ", S_FMT(d->m.proof));

	if (st != PH_OK || d->m.proven != PROVEN_NOT)
		return st;
	return decision_end(d, MESSAGE_UNPROVEN,
			    "nothing proves that the robot sent it: %.*s",
			    S_FMT(d->m.proof));
}

static enum status replace(struct decision *d, const struct message_row *old,
			   struct err *err)
{
	struct store *s = d->desk->store;
	char reason[128];
	enum status st;

	snprintf(reason, sizeof(reason), "replaced by message %lld, proven %s",
		 (long long)d->m.id, proven_name(d->m.proven));
	d->replaces = old->id;
	st = message_decide(s, old->id, MESSAGE_DUPLICATE, slice_of(reason),
			    old->patch, d->now, err);
	if (st == PH_OK)
		st = result_forget(s, old->id, err);
	if (st == PH_OK)
		st = decision_trace(d, "identity", err,
				    "the same mail as message %lld, which is "
				    "proven less (%s) and is replaced",
				    (long long)old->id,
				    proven_name(old->proven));
	return st;
}

/* Rung 1. Only proven copies count, so that a forged early copy cannot silence
 * the real one. */
enum status decide_copy(struct decision *d, struct err *err)
{
	struct store *s = d->desk->store;
	struct message_row old;
	enum status st = message_same(s, d->m.msgkey, PROVEN_OPEN, d->m.id,
				      d->arena, &old, err);

	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	if (old.proven < d->m.proven)
		return replace(d, &old, err);
	d->patch_id = old.patch;
	return decision_end(d, MESSAGE_DUPLICATE,
			    "the same Message-ID as message %lld",
			    (long long)old.id);
}

/* -- drift -- */

static int64_t week_of(int64_t t)
{
	int64_t day = t / 86400;

	/* 1970-01-01 was a Thursday */
	return day - (day + 3) % 7;
}

enum status decide_count_fields(struct decision *d, struct err *err)
{
	const struct report *r = &d->report;
	const struct result *head = &r->results[0];
	const struct {
		const char *name;
		bool read;
	} field[] = {
		{ "commit", r->commit.id.len },
		{ "title", r->commit.title.len || r->posted.subject.len },
		{ "tree", r->commit.tree.len || r->posted.url.len },
		{ "testcase", r->testcase.len },
		{ "machine", r->machine.description.len },
		{ "host", head->machine.host.len },
		{ "parameters", r->n_params },
		{ "table", r->n_tables },
		{ "row", head->row >= 0 },
		{ "whole table", !r->partial },
		{ "compiler", r->compiler.len },
		{ "kconfig", r->kconfig.len },
		{ "archive", r->archive.len },
		{ "message id", r->id.len },
	};
	int64_t week = week_of(d->m.arrived);
	enum status st = PH_OK;

	if (d->desk->rehearsal)
		return PH_OK;
	for (size_t i = 0; i < ARRAY_LEN(field) && st == PH_OK; i++)
		st = field_hit(d->desk->store, week, r->kind,
			       slice_of(field[i].name), field[i].read, err);
	return st;
}

/* -- results -- */

static bool same_results(const struct decision *d, struct arena *arena)
{
	if (d->n_results != d->report.n_results)
		return false;
	for (size_t i = 0; i < d->n_results; i++) {
		struct result_row now;

		result_from_report(&d->report, i, arena, &now);
		if (!slice_eq(now.testcase, d->results[i].testcase) ||
		    !slice_eq(now.params, d->results[i].params) ||
		    !slice_eq(now.host, d->results[i].host) ||
		    !slice_eq(now.metric, d->results[i].metric) ||
		    now.verdict != d->results[i].verdict)
			return false;
	}
	return true;
}

static enum status write_again(struct decision *d, struct err *err)
{
	struct store *s = d->desk->store;
	enum status st = result_drop(s, d->m.id, err);

	for (size_t i = 0; i < d->report.n_results && st == PH_OK; i++) {
		struct result_row row;

		result_from_report(&d->report, i, d->arena, &row);
		row.message = d->m.id;
		st = result_add(s, &row, err);
	}
	if (st == PH_OK)
		st = result_list(s, d->m.id, 0, 0, d->arena, &d->results,
				 &d->n_results, err);
	return st;
}

/* A message decided anew is read by today's parser; its rows may be of an
 * older one. */
enum status decide_results(struct decision *d, struct err *err)
{
	enum status st = result_list(d->desk->store, d->m.id, 0, 0, d->arena,
				     &d->results, &d->n_results, err);

	if (st != PH_OK || same_results(d, d->arena))
		return st;
	return write_again(d, err);
}
