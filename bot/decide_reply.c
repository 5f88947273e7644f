#include "bot/decision.h"

#include <stdio.h>
#include "bot/flood.h"
#include "bot/reply.h"
#include "bot/tell.h"
#include "ph/addr.h"
#include "ph/clock.h"

/* A person's reply, and a bounce: what they mean for a patch or a recipient. */

static enum status load(struct decision *d, struct err *err)
{
	return message_load(d->desk->store, d->m.id, d->arena, &d->mail, err);
}

/* -- what it answers -- */

static enum status by_notice(struct decision *d, struct slice id,
			     struct err *err)
{
	struct outbox_row *row = arena_new(d->arena, struct outbox_row);
	enum status st =
		outbox_by_message_id(d->desk->store, id, d->arena, row, err);

	if (st == PH_OK)
		d->notice = row;
	return st;
}

static enum status by_report(struct decision *d, struct slice id,
			     struct err *err)
{
	struct message_row row;
	enum status st = message_find(d->desk->store, id, d->arena, &row, err);

	if (st == PH_OK && row.patch && row.state == MESSAGE_REPORT)
		return patch_root(d->desk->store, row.patch, &d->patch_id, err);
	return st == PH_OK ? PH_NONE : st;
}

/* The mail that is answered, then what stands before it in the thread. */
static enum status answered(struct decision *d,
			    enum status (*find)(struct decision *d,
						struct slice id,
						struct err *err),
			    struct err *err)
{
	enum status st = PH_NONE;

	if (d->mail.in_reply_to.len)
		st = find(d, d->mail.in_reply_to, err);
	for (size_t i = d->mail.n_references; i-- > 0 && st == PH_NONE;)
		st = find(d, d->mail.references[i], err);
	return st;
}

/* PH_OK: one of our notices, sent back by a list or a forwarding rule. */
static enum status own_notice(struct decision *d, struct err *err)
{
	struct outbox_row row;
	enum status st = outbox_by_message_id(d->desk->store, d->m.msgid,
					      d->arena, &row, err);

	if (st == PH_OK)
		decision_end(d, MESSAGE_OTHER, "our own notice %lld, come back",
			     (long long)row.id);
	return st;
}

enum status decide_thread(struct decision *d, struct err *err)
{
	enum status st = load(d, err);

	if (st == PH_NONE)
		return decision_end(d, MESSAGE_REPLY, "a person's reply");
	if (st == PH_OK)
		st = own_notice(d, err);
	if (st != PH_NONE)
		return st == PH_OK ? PH_NONE : st;
	st = answered(d, by_notice, err);
	if (st == PH_OK && d->notice->patch)
		st = patch_root(d->desk->store, d->notice->patch, &d->patch_id,
				err);
	else if (st == PH_NONE)
		st = answered(d, by_report, err);
	if (st != PH_OK && st != PH_NONE)
		return st;
	decision_end(d, MESSAGE_REPLY,
		     d->notice	   ? "a reply to notice %lld"
		     : d->patch_id ? "a reply about a patch"
				   : "a person's reply",
		     d->notice ? (long long)d->notice->id : 0);
	return PH_OK;
}

/* -- who commands -- */

static enum status ignored(struct decision *d, struct err *err, const char *why)
{
	enum status st = decision_trace(d, "command", err, "ignored: %s", why);

	return st == PH_OK ? PH_NONE : st;
}

enum status decide_sender(struct decision *d, struct err *err)
{
	struct reply_command command;

	if (!reply_read(d->mail.text, &command))
		return PH_NONE;
	if (d->mail.automatic)
		return ignored(d, err, "automatic mail");
	if (!d->notice || !d->patch_id)
		return ignored(d, err, "it answers no notice of ours");
	if (!addr_eq(d->mail.from.address, d->notice->target) ||
	    addr_is_list(d->notice->target))
		return ignored(d, err, "the notice was not to its sender");
	if (d->m.proven < PROVEN_AUTHRES)
		return ignored(d, err,
			       arena_printf(d->arena,
					    "nothing proves its sender: %.*s",
					    S_FMT(d->m.proof)));
	return PH_OK;
}

/* -- what is done -- */

static enum status dup(struct decision *d, struct slice commit, struct err *err)
{
	struct store *s = d->desk->store;
	int64_t other;
	enum status st = patch_of_commit(s, commit, &other, err);

	if (st == PH_OK)
		return patch_merge(s, d->patch_id, other, &d->patch_id, err);
	if (st == PH_NONE)
		st = patch_commit_add(s, d->patch_id, commit, S(""), d->now,
				      err);
	return st;
}

static enum status set_life(struct decision *d, enum patch_life life,
			    struct slice arg, struct err *err)
{
	const char *what = life == LIFE_FIXED ? "commit " : "";
	struct slice reason = slice_of(
		arena_printf(d->arena, "%s%.*s%ssays %.*s", what, S_FMT(arg),
			     arg.len ? ", " : "", S_FMT(d->mail.from.address)));

	return patch_set_life(d->desk->store, d->patch_id, life, reason, d->now,
			      err);
}

static enum status obey(struct decision *d, const struct reply_command *c,
			const char **ret_answer, struct err *err)
{
	switch (c->verb) {
	case REPLY_STOP:
		*ret_answer = "You get no more mail from this bot.";
		return optout_add(d->desk->store, d->mail.from.address,
				  S("it said stop"), d->now, err);
	case REPLY_ACK:
		*ret_answer = "Noted: somebody looks at it.";
		return set_life(d, LIFE_ACK, S(""), err);
	case REPLY_DUP:
		*ret_answer = "Noted: both commits are one patch.";
		return dup(d, c->arg, err);
	case REPLY_FIXED:
		*ret_answer = "Noted: it is fixed.";
		return set_life(d, LIFE_FIXED, c->arg, err);
	case REPLY_INVALID:
		*ret_answer = "Noted: it is no regression.";
		return set_life(d, LIFE_INVALID, c->arg, err);
	case REPLY_UNKNOWN:
		break;
	}
	*ret_answer = NULL;
	return PH_OK;
}

/* -- the answer -- */

static void put_lines(struct notice *n, struct slice text, struct arena *arena)
{
	struct slice line;
	size_t cap = 0;

	while (slice_take_line(&text, &line)) {
		n->lines = arena_grow(arena, n->lines, &cap, n->n_lines,
				      sizeof(*n->lines));
		n->lines[n->n_lines++] = line;
	}
}

/* A confirmation a mail; help at most once a thread and day. */
static struct slice occasion(struct decision *d, bool help)
{
	char date[16];

	if (!help)
		return d->m.msgkey;
	clock_date(d->now, date);
	return slice_of(arena_printf(d->arena, "help %lld %s",
				     (long long)d->patch_id, date));
}

static enum status answer(struct decision *d, const struct reply_command *c,
			  const char *text, struct err *err)
{
	struct notice n = { .kind = NOTICE_ANSWER,
			    .made = d->now,
			    .title = text ? S("done") : S("not understood"),
			    .report_id = d->m.msgid };
	const struct config_channel *ch;
	const char *over;
	int64_t id;
	enum status st;

	ch = config_channel(d->desk->config,
			    arena_str(d->arena, d->notice->channel));
	if (!ch)
		return PH_OK;
	/* what answers our answers would go on for ever */
	st = flood_check(d->desk->store, ch, d->notice->target, d->now, &over,
			 err);
	if (st == PH_NONE)
		return decision_trace(d, "command", err, "not answered: %s",
				      over);
	if (st != PH_OK)
		return st;
	put_lines(&n, c->line, d->arena);
	put_lines(&n, S("\n"), d->arena);
	put_lines(&n, text ? slice_of(text) : reply_help(), d->arena);
	st = tell_target(d->desk, ch, d->notice->target, occasion(d, !text),
			 d->patch_id, &n, d->now, &id, err);
	return st == PH_NONE ? PH_OK : st;
}

enum status decide_command(struct decision *d, struct err *err)
{
	struct reply_command c;
	const char *text;
	enum status st;

	if (!reply_read(d->mail.text, &c))
		return PH_NONE;
	st = obey(d, &c, &text, err);
	if (st == PH_OK)
		st = decision_trace(d, "command", err, "%s: %.*s",
				    text ? "done" : "not understood",
				    S_FMT(c.line));
	if (st == PH_OK && text)
		st = audit_add(d->desk->store, d->now, d->mail.from.address,
			       c.line, d->patch_id, S("by reply"), err);
	return st == PH_OK ? answer(d, &c, text, err) : st;
}

/* -- bounces -- */

/*
 * Counts only when it brings back a notice of ours to the one it names: nobody
 * else knows the Message-ID, so nobody can talk us out of mailing a third.
 */
enum status decide_bounce(struct decision *d, struct err *err)
{
	struct outbox_row row;
	struct bounce b;
	enum status st = load(d, err);

	decision_end(d, MESSAGE_OTHER, "a bounce");
	if (st != PH_OK)
		return st;
	if (!bounce_read(d->mail.text, &b))
		return decision_trace(d, "bounce", err,
				      "no permanent failure of one mail");
	st = outbox_by_message_id(d->desk->store, b.message, d->arena, &row,
				  err);
	if (st == PH_OK && !addr_eq(row.target, b.recipient))
		st = PH_NONE;
	if (st == PH_NONE)
		return decision_trace(d, "bounce", err,
				      "not of a notice of ours: %.*s",
				      S_FMT(b.message));
	if (st == PH_OK)
		st = bounce_add(d->desk->store, row.target, b.status, d->now,
				err);
	if (st == PH_OK)
		st = decision_trace(d, "bounce", err,
				    "counted against %.*s: %.*s",
				    S_FMT(row.target), S_FMT(b.status));
	return st;
}
