#include "bot/command.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/desk.h"
#include "bot/store/outbox.h"
#include "bot/supervisor.h"
#include "bot/target.h"
#include "bot/tell.h"
#include "ph/channel.h"
#include "ph/clock.h"
#include "ph/limits.h"

/*
 * drill: one marked test notice a channel, by the way that real ones go, and
 * what became of it. Nobody is ever mailed who was not named in the
 * configuration by an address of its own: in place of people of a patch, and of
 * lists, the operator gets it.
 */

/* How long a running watch may take; a peer that hangs is given up sooner. */
#define WAIT_MS 120000
#define LOOK_MS 50

struct shot {
	const struct config_channel *ch;
	struct slice target;
	const char *instead; /* of "@author" or a list; NULL: nothing */
	const char *why_not; /* it is not tried; NULL: it is */
	int code;	     /* the exit code that goes with that */
	bool paused;
	int64_t id; /* of its notice */
	struct outbox_row row;
};

struct drill {
	struct ask ask;
	const char **names;
	size_t n_names;
	bool show;
	struct shot *shots;
	size_t n;
	int code;
};

static void note_code(struct drill *d, int code)
{
	if (!d->code)
		d->code = code;
}

/* -- whom -- */

static bool is_own(const struct config_channel *ch, struct slice to)
{
	return !target_is_people(ch, to) && !target_is_list(ch, to);
}

/* The operator's own address; empty: there is none. */
static struct slice operator_address(const struct config *c)
{
	const struct config_channel *op = c->operator_;

	for (size_t i = 0; op && i < op->to.n; i++) {
		struct slice to = slice_of(op->to.item[i]);

		if (op->type == CHANNEL_MAIL && is_own(op, to))
			return to;
	}
	return S("");
}

static void aim_mail(const struct config *c, struct shot *s)
{
	const struct config_list *to = &s->ch->to;

	for (size_t i = 0; i < to->n; i++) {
		s->target = slice_of(to->item[i]);
		if (is_own(s->ch, s->target))
			return;
	}
	s->instead = to->item[0];
	s->target = operator_address(c);
	if (s->target.len)
		return;
	s->why_not = "it goes to people of a patch, or to a list, who are not "
		     "bothered by a drill; name an operator with a mail "
		     "address, who gets it in their place";
	s->code = EX_CONFIG;
}

static void aim(const struct config *c, const struct config_channel *ch,
		struct shot *s)
{
	*s = (struct shot){ .ch = ch };
	if (ch->type == CHANNEL_MAIL)
		aim_mail(c, s);
	else if (ch->to.n)
		s->target = slice_of(ch->to.item[0]);
}

static enum status aim_all(struct drill *d, struct err *err)
{
	const struct config *c = d->ask.config;

	d->shots = arena_array(&d->ask.arena, struct shot,
			       c->n_channels + d->n_names);
	for (size_t i = 0; !d->n_names && i < c->n_channels; i++)
		aim(c, &c->channels[i], &d->shots[d->n++]);
	for (size_t i = 0; i < d->n_names; i++) {
		const struct config_channel *ch;
		enum status st = ask_channel(c, d->names[i], &ch, err);

		if (st != PH_OK)
			return st;
		aim(c, ch, &d->shots[d->n++]);
	}
	if (!d->n)
		return err_exit(err, PH_BAD, EX_CONFIG,
				"%s: there is no channel to drill", c->file);
	return PH_OK;
}

static void take_pause(void *arg, const struct channel_row *row)
{
	struct drill *d = arg;

	for (size_t i = 0; i < d->n; i++) {
		struct shot *s = &d->shots[i];

		if (!row->paused_since || s->why_not ||
		    !slice_eq(slice_of(s->ch->name), row->name))
			continue;
		s->paused = true;
		if (!row->gone)
			continue;
		s->why_not = arena_printf(
			&d->ask.arena,
			"its service said that the URL is gone for good "
			"(%.*s); write a new one, or outbox retry a notice "
			"that waits for it",
			S_FMT(row->reason));
		s->code = EX_UNAVAILABLE;
	}
}

/* -- what -- */

static void fill(struct drill *d, const struct shot *s, struct notice *ret)
{
	static const struct notice_result result = {
		.testcase = S_INIT("drill"),
		.metric = S_INIT("drill.operations_per_second"),
		.verdict = VERDICT_REGRESSION,
		.has_percent = true,
		.percent = 10,
		.change_kind = CHANGE_RELATIVE,
		.has_values = true,
		.base = 20000,
		.value = 18000,
		.base_dev = -1,
		.value_dev = -1,
		.better = BETTER_HIGHER,
	};
	struct arena *arena = &d->ask.arena;
	struct utsname host;

	if (uname(&host) != 0)
		snprintf(host.nodename, sizeof(host.nodename), "unknown");
	*ret = (struct notice){
		.kind = NOTICE_DRILL,
		.made = d->ask.now,
		.results = arena_new(arena, struct notice_result),
		.n_results = 1,
	};
	ret->results[0] = result;
	ret->title = slice_of(
		arena_printf(arena, "test of channel %s", s->ch->name));
	ret->note = slice_of(arena_printf(
		arena,
		"%.*s on %s tries whether perfherald can send here%s%s. "
		"Nothing is to be done.",
		S_FMT(ask_who(arena)), host.nodename,
		s->instead ? ", in place of " : "",
		s->instead ? s->instead : ""));
}

/* -- showing -- */

static void put_shot(struct drill *d, const struct shot *s)
{
	struct buf *b = &d->ask.out;

	buf_printf(b, "channel %s", s->ch->name);
	if (s->target.len) {
		buf_add_str(b, " to ");
		put_clean(b, s->target);
	}
	if (s->instead)
		buf_printf(b, " in place of %s", s->instead);
	buf_add_str(b, ": ");
}

/* One line of text, or one object, a channel. */
static void report(struct drill *d, const struct shot *s, const char *result,
		   struct slice text)
{
	struct buf *b = &d->ask.out;
	struct json j;

	if (!d->ask.json) {
		put_shot(d, s);
		buf_add_str(b, result);
		if (text.len) {
			buf_add_str(b, ": ");
			put_clean(b, text);
		}
		buf_add_char(b, '\n');
		ask_flush(&d->ask);
		return;
	}
	json_begin(&j, b);
	json_open_object(&j, NULL);
	json_put_cstr(&j, "channel", s->ch->name);
	json_put_opt(&j, "target", s->target);
	if (s->instead)
		json_put_cstr(&j, "in_place_of", s->instead);
	json_put_cstr(&j, "result", result);
	json_put_opt(&j, "text", text);
	json_close_object(&j);
	buf_add_char(b, '\n');
	ask_flush(&d->ask);
}

static void skip(struct drill *d, const struct shot *s)
{
	report(d, s, "skipped", slice_of(s->why_not));
	/* who asks for all knows that some cannot be */
	if (d->n_names || s->code != EX_CONFIG)
		note_code(d, s->code);
}

static enum status show_one(struct drill *d, const struct shot *s,
			    struct err *err)
{
	struct slice line, rest;
	struct parcel parcel;
	struct notice n;
	enum status st;

	fill(d, s, &n);
	n.key = S("drill");
	st = channel_render(d->ask.config, s->ch, s->target, &n, &d->ask.arena,
			    &parcel, err);
	if (st != PH_OK)
		return st;
	if (d->ask.json) {
		report(d, s, "shown", parcel.body);
		return PH_OK;
	}
	report(d, s, "would send", S(""));
	rest = parcel.body;
	while (slice_take_line(&rest, &line)) {
		buf_add_str(&d->ask.out, "    ");
		put_clean(&d->ask.out, line);
		buf_add_char(&d->ask.out, '\n');
	}
	return PH_OK;
}

static enum status show_all(struct drill *d, struct err *err)
{
	enum status st = PH_OK;

	for (size_t i = 0; i < d->n && st == PH_OK; i++)
		if (d->shots[i].why_not)
			skip(d, &d->shots[i]);
		else
			st = show_one(d, &d->shots[i], err);
	if (st == PH_OK && !d->show)
		fprintf(stderr,
			"perfherald: %s says send: false, so nothing "
			"was sent\n",
			d->ask.config->file);
	return st;
}

/* -- sending -- */

static enum status queue_one(struct drill *d, struct desk *desk, struct shot *s,
			     struct err *err)
{
	struct notice n;
	char key[32];
	enum status st;

	fill(d, s, &n);
	snprintf(key, sizeof(key), "%" PRId64, clock_wall_ms());
	st = tell_target(desk, s->ch, s->target, slice_of(key), 0, &n,
			 d->ask.now, &s->id, err);
	/* what was mended is tried before its hour is over */
	if (st == PH_OK && s->paused)
		st = outbox_retry(d->ask.store, s->id, d->ask.now, err);
	return st == PH_NONE ? PH_OK : st;
}

static enum status queue_all(struct drill *d, struct err *err)
{
	struct store *store = d->ask.store;
	struct desk desk;
	enum status st = store_begin(store, err);

	if (st != PH_OK)
		return st;
	desk_init(&desk, d->ask.config, store, NULL);
	for (size_t i = 0; i < d->n && st == PH_OK; i++)
		if (!d->shots[i].why_not)
			st = queue_one(d, &desk, &d->shots[i], err);
	if (st == PH_OK)
		st = audit_add(store, d->ask.now, ask_who(&d->ask.arena),
			       S("drill"), 0, S(""), err);
	return store_end(store, st, err);
}

/* No store of this process may be open while others are started. */
static enum status let_go(struct drill *d, struct err *err)
{
	int code;

	store_close(d->ask.store);
	d->ask.store = NULL;
	ask_flush(&d->ask);
	fflush(stdout);
	code = supervisor_deliver(d->ask.config);
	if (code)
		return err_exit(err, PH_RETRY, code,
				"the drill was not carried out to its end");
	return store_open(d->ask.config->state, &d->ask.store, err);
}

static bool is_settled(const struct outbox_row *row, int64_t now)
{
	return row->state != OUTBOX_SENDING &&
	       (row->state != OUTBOX_PENDING || row->tries ||
		row->next_try > now);
}

static enum status wait_for(struct drill *d, struct shot *s, int64_t until_ms,
			    struct err *err)
{
	for (;;) {
		enum status st = outbox_get(d->ask.store, s->id, &d->ask.arena,
					    &s->row, err);

		if (st != PH_OK || is_settled(&s->row, clock_wall()) ||
		    clock_mono_ms() >= until_ms)
			return st;
		poll(NULL, 0, LOOK_MS);
	}
}

/* A test that comes hours later would only puzzle people. */
static enum status call_off(struct drill *d, const struct shot *s,
			    struct err *err)
{
	enum status st;

	if (s->row.state != OUTBOX_PENDING && s->row.state != OUTBOX_HELD)
		return PH_OK;
	st = store_begin(d->ask.store, err);
	if (st != PH_OK)
		return st;
	return store_end(d->ask.store,
			 outbox_cancel(d->ask.store, s->id,
				       S("a drill is tried once"), err),
			 err);
}

static void say_outcome(struct drill *d, const struct shot *s)
{
	const struct outbox_row *row = &s->row;

	if (row->state == OUTBOX_SENT) {
		report(d, s, "sent", row->remote_id);
	} else if (row->state == OUTBOX_CANCELLED ||
		   row->state == OUTBOX_HELD) {
		report(d, s, "not sent", row->reason);
		note_code(d, EX_CONFIG);
	} else if (row->tries) {
		report(d, s, row->maybe_dup ? "may have come" : "failed",
		       row->reason);
		note_code(d, EX_UNAVAILABLE);
	} else {
		report(d, s, "not sent",
		       row->reason.len ? row->reason
				       : S("nobody has taken it up so far"));
		note_code(d, EX_TEMPFAIL);
	}
}

static enum status see_one(struct drill *d, struct shot *s, int64_t until_ms,
			   struct err *err)
{
	enum status st = wait_for(d, s, until_ms, err);

	if (st != PH_OK)
		return st;
	say_outcome(d, s);
	return call_off(d, s, err);
}

static enum status send_all(struct drill *d, struct err *err)
{
	int64_t until_ms;
	enum status st = queue_all(d, err);

	if (st == PH_OK)
		st = let_go(d, err);
	until_ms = clock_mono_ms() + WAIT_MS;
	for (size_t i = 0; i < d->n && st == PH_OK; i++)
		if (d->shots[i].why_not)
			skip(d, &d->shots[i]);
		else
			st = see_one(d, &d->shots[i], until_ms, err);
	return st;
}

/* -- the command -- */

static enum status run(struct drill *d, struct err *err)
{
	enum status st = aim_all(d, err);

	if (st == PH_OK)
		st = channel_row_each(d->ask.store, &d->ask.arena, take_pause,
				      d, err);
	if (st != PH_OK)
		return st;
	return d->show || !d->ask.config->send ? show_all(d, err)
					       : send_all(d, err);
}

/* Named twice, it is tried once. */
static void add_name(struct drill *d, const char *name)
{
	for (size_t i = 0; i < d->n_names; i++)
		if (!strcmp(d->names[i], name))
			return;
	d->names[d->n_names++] = name;
}

static int read_args(struct drill *d, struct args *args)
{
	const char *word;
	int code = 0;

	while (args_more(args) && !code) {
		if (ask_format(&d->ask, args, &code))
			continue;
		if (args_flag(args, "--show"))
			d->show = true;
		else if (args_word(args, &word))
			add_name(d, word);
		else
			return args_fail(args);
	}
	return args->missing ? args_fail(args) : code;
}

int cmd_drill(int argc, char **argv, const char *config_path)
{
	struct drill d = { .names = xcalloc((size_t)argc, sizeof(char *)),
			   .ask.use = CONFIG_TO_WORK,
			   .ask.makes_state = true };
	struct args args = args_of(argc, argv);
	struct err err = { 0 };
	int code = read_args(&d, &args);

	if (!code)
		code = ask_open(&d.ask, config_path);
	if (!code) {
		code = ask_close(&d.ask, run(&d, &err), &err);
		code = code ? code : d.code;
	}
	free(d.names);
	return code;
}
