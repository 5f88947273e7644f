#include "bot/decision.h"

#include <stdio.h>
#include "bot/flood.h"
#include "bot/gate.h"
#include "bot/hours.h"
#include "bot/target.h"
#include "bot/tell.h"
#include "ph/addr.h"
#include "ph/hash.h"

/* Whom a channel means, and the notice that each of them gets. */

struct telling {
	struct decision *d;
	const struct config_channel *ch;
	const struct route_hit *hit;
	struct slice target;
	struct notice notice;
	char key[65];
	struct slice facts;
};

static enum status not_told(struct telling *t, struct err *err, const char *why)
{
	return decision_trace(t->d, "notice", err, "%s%s%.*s: not told: %s",
			      t->ch->name, t->target.len ? " to " : "",
			      S_FMT(t->target), why);
}

static enum status told(struct telling *t, struct err *err, const char *how)
{
	return decision_trace(t->d, "notice", err, "%s%s%.*s: %s, %s",
			      t->ch->name, t->target.len ? " to " : "",
			      S_FMT(t->target),
			      t->notice.kind == NOTICE_UPDATE
				      ? "an update in its thread"
				      : "the first notice",
			      how);
}

/* -- what it says -- */

static void make_key(struct telling *t)
{
	char revision[16];
	struct slice parts[5] = {
		slice_of(t->ch->name),
		t->target,
		S("notice"),
		t->d->m.msgkey,
	};
	size_t n = 4;

	/* a first notice and an update are one kind: the same report decided
	 * anew must not be told twice because it is an update by now */
	if (t->d->m.revision) {
		snprintf(revision, sizeof(revision), "%d", t->d->m.revision);
		parts[n++] = slice_of(revision);
	}
	hash_name(parts, n, t->key);
}

static enum status make_notice(struct telling *t, struct err *err)
{
	struct decision *d = t->d;
	size_t headline = d->place[t->hit->headline];
	int64_t at;
	enum status st =
		outbox_told(d->desk->store, d->patch.id, slice_of(t->ch->name),
			    t->target, !d->desk->config->send, &at, err);

	if (st != PH_OK && st != PH_NONE)
		return st;
	make_key(t);
	t->notice = d->about[headline];
	t->notice.kind = st == PH_OK ? NOTICE_UPDATE : NOTICE_FIRST;
	t->notice.patch = d->patch.hex;
	t->notice.key = slice_of(t->key);
	return PH_OK;
}

/* -- whether -- */

static bool was_mailed(const struct message *m, struct slice address)
{
	for (size_t i = 0; i < m->n_to; i++)
		if (addr_eq(m->to[i].address, address))
			return true;
	for (size_t i = 0; i < m->n_cc; i++)
		if (addr_eq(m->cc[i].address, address))
			return true;
	return false;
}

static bool adds_something(const struct notice *n)
{
	return n->kind == NOTICE_UPDATE || n->fix.len || n->before.len ||
	       n->results[0].contradiction;
}

/* A list, or people that no operator has named: they want a real proof, and the
 * owner of the tree has a say. */
static bool is_others(const struct telling *t, struct slice spec)
{
	return target_is_people(t->ch, spec) ||
	       target_is_list(t->ch, t->target);
}

/* What the owner of the tree has asked the robot for. NULL: nothing against
 * it. */
static const char *owners_wish(const struct telling *t, struct slice spec)
{
	const struct branch *b = &t->d->branch;

	if (!is_others(t, spec))
		return NULL;
	if (b->is_private && target_is_list(t->ch, t->target))
		return "the tree's owner wants no list to hear of this branch "
		       "(private_report_branch)";
	if (b->is_denied)
		return "the tree's owner wants this branch not measured "
		       "(branch_denylist and the like)";
	return NULL;
}

/* PH_NONE: not to be told, and the trace says why. */
static enum status may_tell(struct telling *t, struct slice spec,
			    struct err *err)
{
	struct decision *d = t->d;
	const char *why = NULL, *wish;
	struct slice gate;
	enum status st = gate_target(d->desk->store, t->ch, t->target, d->arena,
				     &gate, err);

	if (st == PH_NONE)
		why = arena_str(d->arena, gate);
	else if (st != PH_OK)
		return st;
	else if (is_others(t, spec) && d->m.proven < PROVEN_AUTHRES)
		why = "this target asks for a real proof of the report";
	else if ((wish = owners_wish(t, spec)))
		why = wish;
	else if (t->ch->only_if_new && was_mailed(&d->mail, t->target) &&
		 !adds_something(&t->notice))
		why = "the robot has mailed it already, and this adds nothing";
	if (!why)
		return PH_OK;
	st = not_told(t, err, why);
	return st == PH_OK ? PH_NONE : st;
}

/* -- when -- */

/* over: the limit that it is over; NULL: the channel collects anyway. */
static enum status put_off(struct telling *t, const char *over, struct err *err)
{
	struct decision *d = t->d;
	struct later_row row = { .key = slice_of(t->key),
				 .channel = slice_of(t->ch->name),
				 .target = t->target,
				 .patch = d->patch.id,
				 .message = d->m.id,
				 .facts = t->facts,
				 .at = d->now,
				 .over = over != NULL };
	enum status st = later_add(d->desk->store, &row, err);

	if (st == PH_NONE)
		return not_told(t, err, "this report is in a digest already");
	if (st != PH_OK)
		return st;
	if (over)
		d->desk->timers_at = 0;
	return told(t, err,
		    arena_printf(d->arena, "%s%sin the next digest",
				 over ? over : "", over ? ", so " : ""));
}

static int64_t due_at(const struct telling *t)
{
	const struct config_channel *ch = t->ch;
	int64_t wait =
		ch->embargo > ch->group_wait ? ch->embargo : ch->group_wait;

	return hours_next(&ch->hours, t->d->now + wait);
}

/* Results that only the earlier notice has come along behind the new ones. */
static void join_results(struct notice *n, const struct notice *old,
			 struct arena *arena)
{
	struct notice_result *all = arena_array(arena, struct notice_result,
						n->n_results + old->n_results);
	size_t k = n->n_results;

	memcpy(all, n->results, n->n_results * sizeof(*all));
	for (size_t i = 0; i < old->n_results; i++) {
		const struct notice_result *r = &old->results[i];
		bool known = false;

		for (size_t j = 0; j < n->n_results && !known; j++)
			known = slice_eq(r->testcase, n->results[j].testcase) &&
				slice_eq(r->metric, n->results[j].metric) &&
				slice_eq(r->params, n->results[j].params) &&
				slice_eq(r->host, n->results[j].host);
		if (!known)
			all[k++] = *r;
	}
	n->results = all;
	n->n_results = k;
}

/*
 * A notice of the same patch to the same target that still waits in its
 * grouping window gives way: one notice says both, when the first would have
 * been sent. PH_NONE: there is none.
 */
static enum status group(struct telling *t, int64_t *due, struct err *err)
{
	struct decision *d = t->d;
	struct store *s = d->desk->store;
	struct outbox_row old;
	struct notice before;
	enum status st;

	if (!t->ch->group_wait)
		return PH_NONE;
	st = outbox_waiting(s, d->patch.id, slice_of(t->ch->name), t->target,
			    d->now, d->arena, &old, err);
	if (st != PH_OK)
		return st;
	st = notice_from_json(old.facts, d->arena, &before, err);
	if (st != PH_OK)
		return st;
	join_results(&t->notice, &before, d->arena);
	t->notice.kind = before.kind;
	t->facts = tell_json(&t->notice, d->arena);
	*due = old.due;
	return outbox_cancel(s, old.id,
			     S("superseded: grouped with a later "
			       "report of the patch"),
			     err);
}

static enum status queue(struct telling *t, struct err *err)
{
	struct decision *d = t->d;
	bool send = d->desk->config->send;
	struct outbox_row row = { .key = slice_of(t->key),
				  .channel = slice_of(t->ch->name),
				  .target = t->target,
				  .patch = d->patch.id,
				  .message = d->m.id,
				  .state = send ? OUTBOX_PENDING : OUTBOX_HELD,
				  .reason = send ? S("") : HELD_REASON,
				  .created = d->now,
				  .due = due_at(t) };
	int64_t id;
	enum status st = group(t, &row.due, err);

	if (st != PH_OK && st != PH_NONE)
		return st;
	row.kind = t->notice.kind;
	row.facts = t->facts;
	st = outbox_add(d->desk->store, &row, &id, err);
	if (st == PH_NONE)
		return not_told(t, err, "told of this report already");
	if (st != PH_OK)
		return st;
	d->desk->queued = true;
	return told(t, err, send ? "queued" : "held, since send was false");
}

static enum status rehearse(struct telling *t, struct err *err)
{
	const struct rehearsal *r = t->d->desk->rehearsal;

	if (r->told)
		r->told(r->arg, t->ch, t->target, &t->notice);
	return told(t, err, "would be told");
}

static enum status tell(struct telling *t, struct slice spec, struct err *err)
{
	enum status st = make_notice(t, err);
	const char *over;

	if (st == PH_OK)
		st = may_tell(t, spec, err);
	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	if (t->d->desk->rehearsal)
		return rehearse(t, err);
	t->facts = tell_json(&t->notice, t->d->arena);
	if (t->ch->digest.every != DIGEST_OFF)
		return put_off(t, NULL, err);
	st = flood_check(t->d->desk->store, t->ch, t->target, t->d->now, &over,
			 err);
	if (st == PH_NONE)
		return put_off(t, over, err);
	return st == PH_OK ? queue(t, err) : st;
}

/* -- whom -- */

static enum status tell_spec(struct decision *d, const struct route_hit *hit,
			     struct slice spec, struct err *err)
{
	struct telling t = { .d = d, .ch = hit->channel, .hit = hit };
	const struct target_known known = { d->id.author, d->git, d->branch };
	struct slice *targets;
	enum status st = PH_OK;
	size_t n;

	target_expand(t.ch, spec, &known, d->arena, &targets, &n);
	if (!n) {
		t.target = spec;
		return not_told(&t, err, "it is not known who that is");
	}
	for (size_t i = 0; i < n && st == PH_OK; i++) {
		t.target = targets[i];
		st = tell(&t, spec, err);
	}
	return st;
}

static enum status tell_channel(struct decision *d, const struct route_hit *hit,
				struct err *err)
{
	const struct config_list *to = &hit->channel->to;
	struct telling t = {
		.d = d, .ch = hit->channel, .hit = hit, .target = S_INIT("")
	};
	enum status st = PH_OK;

	/* a webhook, a file: the channel is the target */
	if (!to->n)
		return tell(&t, t.target, err);
	for (size_t i = 0; i < to->n && st == PH_OK; i++)
		st = tell_spec(d, hit, slice_of(to->item[i]), err);
	return st;
}

enum status decide_notices(struct decision *d, struct err *err)
{
	const struct report *r = &d->report;
	enum status st = PH_OK;

	d->branch = trees_branch(d->desk->trees, r->commit.label,
				 r->commit.tree, r->commit.branch);
	for (size_t i = 0; i < d->outcome.n_hits && st == PH_OK; i++)
		st = tell_channel(d, &d->outcome.hits[i], err);
	return st;
}
