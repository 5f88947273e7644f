#include "bot/command.h"

#include <string.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/desk.h"
#include "bot/digest.h"
#include "bot/tell.h"
#include "ph/clock.h"

/* digest: what a channel was told lately, printed or sent as one notice. */

#define USUAL_SINCE (7 * 86400)

struct digesting {
	struct ask ask;
	struct desk desk;
	const char *name;
	const struct config_channel *ch;
	bool send;
	int64_t since;
	size_t n;
};

static enum status print(struct digesting *d, struct slice target,
			 struct notice *n)
{
	struct buf *b = &d->ask.out;

	if (d->ask.json) {
		notice_to_json(n, b);
		buf_add_char(b, '\n');
		return PH_OK;
	}
	if (d->n++)
		buf_add_char(b, '\n');
	if (target.len) {
		buf_add_str(b, "to ");
		put_clean(b, target);
		buf_add_char(b, '\n');
	}
	notice_text(n, b);
	return PH_OK;
}

static enum status send(struct digesting *d, struct slice target,
			struct notice *n, struct err *err)
{
	char key[48];
	int64_t id;
	enum status st;

	clock_rfc3339(d->ask.now, key);
	st = tell_target(&d->desk, d->ch, target, slice_of(key), 0, n,
			 d->ask.now, &id, err);
	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	d->ask.changed = true;
	buf_printf(&d->ask.out, "notice %lld to %s%s%.*s is %s\n",
		   (long long)id, d->ch->name, target.len ? ", " : "",
		   S_FMT(target),
		   d->ask.config->send ? "queued"
				       : "held, since send is false");
	return PH_OK;
}

static enum status take(void *arg, struct slice target, struct notice *n,
			struct err *err)
{
	struct digesting *d = arg;

	return d->send ? send(d, target, n, err) : print(d, target, n);
}

static enum status run(struct digesting *d, struct err *err)
{
	struct store *s = d->ask.store;
	enum status st = ask_channel(d->ask.config, d->name, &d->ch, err);

	if (st != PH_OK)
		return st;
	desk_init(&d->desk, d->ask.config, s, NULL);
	if (d->send)
		st = store_begin(s, err);
	if (st != PH_OK)
		return st;
	st = digest_since(&d->desk, d->ch, d->since, d->ask.now, &d->ask.arena,
			  take, d, err);
	if (d->send)
		st = store_end(s, st, err);
	if (st == PH_OK && !d->ask.out.len && !d->ask.json)
		buf_add_str(&d->ask.out, "nothing to say\n");
	return st;
}

int cmd_digest(int argc, char **argv, const char *config_path)
{
	struct digesting d = { 0 };
	struct args args = args_of(argc, argv);
	struct err err = { 0 };
	int code = 0;

	d.since = ask_now() - USUAL_SINCE;
	while (args_more(&args) && !code) {
		if (ask_format(&d.ask, &args, &code) ||
		    ask_since(&args, ask_now(), &d.since, &code))
			continue;
		if (args_flag(&args, "--send"))
			d.send = true;
		else if (d.name)
			return command_usage("digest", "one at a time");
		else if (!args_word(&args, &d.name))
			return args_fail(&args);
	}
	if (code || args.missing)
		return code ? code : args_fail(&args);
	if (!d.name)
		return command_usage("digest", "which channel's?");
	d.ask.use = d.send ? CONFIG_TO_WORK : CONFIG_TO_ASK;
	code = ask_open(&d.ask, config_path);
	if (code)
		return code;
	return ask_deliver(&d.ask, run(&d, &err), &err);
}
