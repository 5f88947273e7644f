#include "bot/command.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/ask.h"
#include "bot/replay.h"
#include "ph/clock.h"

/* backtest: whom another configuration would have told, and whom not. */

#define USUAL_SINCE (90 * 86400)
#define USUAL_LINES 20

struct backtest {
	struct ask ask;
	const char *path;
	int64_t since;
	bool all;
	int64_t last_ms;
};

static void show_progress(void *arg, int64_t done)
{
	struct backtest *b = arg;
	int64_t now = clock_mono_ms();

	if (now - b->last_ms < 500 || !isatty(STDERR_FILENO))
		return;
	b->last_ms = now;
	fprintf(stderr, "\r%lld reports", (long long)done);
}

static void put_target(struct buf *b, struct slice channel, struct slice target)
{
	put_clean(b, channel);
	if (!target.len)
		return;
	buf_add_char(b, ' ');
	put_clean(b, target);
}

static void say_targets(struct buf *b, const struct replay *r)
{
	buf_add_str(b, "   NOW   THEN  CHANGED  TARGET\n");
	for (size_t i = 0; i < r->n_targets; i++) {
		const struct replay_target *t = &r->targets[i];

		buf_printf(b, "%6lld %6lld  %7lld  ", (long long)t->before,
			   (long long)t->after, (long long)t->changed);
		put_target(b, t->channel, t->target);
		buf_add_char(b, '\n');
	}
}

static void say_changes(struct backtest *t, const struct replay *r)
{
	struct buf *b = &t->ask.out;
	size_t n = r->n_changes;

	if (!t->all && n > USUAL_LINES)
		n = USUAL_LINES;
	if (n)
		buf_add_char(b, '\n');
	for (size_t i = 0; i < n; i++) {
		const struct replay_change *c = &r->changes[i];

		buf_printf(b, "%c ", c->added ? '+' : '-');
		put_time(b, c->arrived);
		buf_add_str(b, "  ");
		put_target(b, c->channel, c->target);
		buf_add_str(b, ": ");
		put_clean(b, c->subject);
		buf_add_char(b, '\n');
	}
	if (n < r->n_changes)
		buf_printf(b, "... and %zu more (--all)\n", r->n_changes - n);
}

static void say(struct backtest *t, const struct replay *r)
{
	struct buf *b = &t->ask.out;

	if (r->n_targets)
		say_targets(b, r);
	say_changes(t, r);
	buf_printf(b, "%s%lld of %lld reports would be told differently\n",
		   r->n_targets ? "\n" : "", (long long)r->affected,
		   (long long)r->reports);
}

static void say_json(struct backtest *t, const struct replay *r)
{
	struct json j;

	json_begin(&j, &t->ask.out);
	json_open_object(&j, NULL);
	json_put_int(&j, "reports", r->reports);
	json_put_int(&j, "affected", r->affected);
	json_open_array(&j, "targets");
	for (size_t i = 0; i < r->n_targets; i++) {
		json_open_object(&j, NULL);
		json_put_str(&j, "channel", r->targets[i].channel);
		json_put_opt(&j, "target", r->targets[i].target);
		json_put_int(&j, "now", r->targets[i].before);
		json_put_int(&j, "then", r->targets[i].after);
		json_close_object(&j);
	}
	json_close_array(&j);
	json_open_array(&j, "changes");
	for (size_t i = 0; i < r->n_changes; i++) {
		json_open_object(&j, NULL);
		json_put_bool(&j, "added", r->changes[i].added);
		json_put_str(&j, "channel", r->changes[i].channel);
		json_put_opt(&j, "target", r->changes[i].target);
		json_put_str(&j, "subject", r->changes[i].subject);
		put_json_time(&j, "arrived", r->changes[i].arrived);
		json_close_object(&j);
	}
	json_close_array(&j);
	json_close_object(&j);
	buf_add_char(&t->ask.out, '\n');
}

static enum status run(struct backtest *t, const struct config *other,
		       struct err *err)
{
	struct replay r;
	enum status st = replay_run(t->ask.store, t->ask.config, other,
				    t->since, t->ask.now, show_progress, t,
				    &t->ask.arena, &r, err);

	if (t->last_ms)
		fputc('\n', stderr);
	if (st != PH_OK)
		return st;
	if (t->ask.json)
		say_json(t, &r);
	else
		say(t, &r);
	return PH_OK;
}

int cmd_backtest(int argc, char **argv, const char *config_path)
{
	struct backtest t = { 0 };
	struct args args = args_of(argc, argv);
	struct config *other;
	struct err err = { 0 };
	int code = 0;

	t.since = ask_now() - USUAL_SINCE;
	while (args_more(&args) && !code) {
		if (ask_format(&t.ask, &args, &code) ||
		    ask_since(&args, ask_now(), &t.since, &code))
			continue;
		if (args_flag(&args, "--all"))
			t.all = true;
		else if (t.path)
			return command_usage("backtest", "one file at a time");
		else if (!args_word(&args, &t.path))
			return args_fail(&args);
	}
	if (code || args.missing)
		return code ? code : args_fail(&args);
	if (!t.path)
		return command_usage("backtest", "which configuration?");
	other = command_config(t.path, CONFIG_TO_ASK, &code);
	if (!other)
		return code;
	code = ask_open(&t.ask, config_path);
	if (!code)
		code = ask_close(&t.ask, run(&t, other, &err), &err);
	config_free(other);
	return code;
}
