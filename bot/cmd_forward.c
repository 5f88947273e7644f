#include "bot/command.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/desk.h"
#include "bot/desk_git.h"
#include "bot/gate.h"
#include "bot/store/message.h"
#include "bot/store/query.h"
#include "bot/summary.h"
#include "bot/target.h"
#include "bot/tell.h"

/* forward: the summary of a patch to one person or channel, now. */

struct forward {
	struct ask ask;
	const char *patch_name, *to, *channel, *note;
	struct patch_row patch;
	const struct config_channel *ch;
	struct slice target;

	struct trees trees;
	struct branch branch; /* of the patch's last report */

	struct notice notice;
};

/* -- whereto -- */

/* For an address: the first mail channel that may write there. */
static enum status choose_for_address(struct forward *f, struct err *err)
{
	const struct config *c = f->ask.config;
	struct slice why = S_INIT("there is no channel of type mail");

	f->target = slice_of(f->to);
	for (size_t i = 0; i < c->n_channels; i++) {
		enum status st;

		if (c->channels[i].type != CHANNEL_MAIL)
			continue;
		st = gate_target(f->ask.store, &c->channels[i], f->target,
				 &f->ask.arena, &why, err);
		if (st == PH_OK)
			f->ch = &c->channels[i];
		if (st != PH_NONE)
			return st;
	}
	return err_exit(err, PH_BAD, EX_CONFIG, "%s cannot be mailed: %.*s",
			f->to, S_FMT(why));
}

/* By what the state knows of its commit: git itself is the desk's to ask. */
static enum status choose_people(struct forward *f, struct err *err)
{
	const struct desk_git git = desk_git_known(f->ask.store);
	struct target_known known = { .author = f->patch.author,
				      .branch = f->branch };
	struct slice who = f->target, *list;
	struct commit_facts facts;
	size_t n;
	enum status st = git.commit(git.arg, f->patch.commit, &f->ask.arena,
				    &facts, err);

	if (st != PH_OK && st != PH_NONE)
		return st;
	known.git = st == PH_OK ? &facts : NULL;
	target_expand(f->ch, who, &known, &f->ask.arena, &list, &n);
	if (!n)
		return err_exit(err, PH_BAD, EX_DATAERR,
				"it is not known who the patch's %.*s is",
				S_FMT(slice_from(who, 1)));
	if (n > 1)
		return err_exit(err, PH_BAD, EX_USAGE,
				"%.*s of this patch are %zu: say --to",
				S_FMT(who), n);
	f->target = list[0];
	return PH_OK;
}

static enum status choose(struct forward *f, struct err *err)
{
	const struct config_list *to;
	enum status st;

	if (f->to)
		return choose_for_address(f, err);
	st = ask_channel(f->ask.config, f->channel, &f->ch, err);
	if (st != PH_OK)
		return st;
	to = &f->ch->to;
	f->target = to->n ? slice_of(to->item[0]) : S("");
	if (to->n != 1 && f->ch->type == CHANNEL_MAIL)
		return err_exit(err, PH_BAD, EX_USAGE,
				"channel %s has several targets: say --to",
				f->channel);
	return target_is_people(f->ch, f->target) ? choose_people(f, err)
						  : PH_OK;
}

/* A person's word is not the word of the tree's owner. */
static enum status check_private(const struct forward *f, struct err *err)
{
	if (!f->branch.is_private || !target_is_list(f->ch, f->target))
		return PH_OK;
	return err_exit(
		err, PH_BAD, EX_CONFIG,
		"%.*s: the tree's owner wants no list to hear of branch "
		"%.*s (private_report_branch)",
		S_FMT(f->target), S_FMT(f->patch.branch));
}

/* -- what -- */

struct newest {
	int64_t id;
};

static void take_first(void *arg, const struct message_row *row)
{
	struct newest *n = arg;

	if (!n->id)
		n->id = row->id;
}

/* What its other reports measured stands behind it. */
static enum status fill(struct forward *f, int64_t message, struct err *err)
{
	const struct facts_ask ask = { .kind = NOTICE_FORWARD,
				       .made = f->ask.now,
				       .author = f->patch.author,
				       .note = slice_of(f->note ? f->note : ""),
				       .regzbot = f->ask.config->regzbot };
	struct summary_of of = { .patch = &f->patch, .message = message };
	struct result_row *now, *past;
	struct arena *arena = &f->ask.arena;
	struct store *s = f->ask.store;
	enum status st =
		result_list(s, message, 0, 0, arena, &now, &of.n_now, err);

	if (st == PH_OK)
		st = result_list(s, 0, f->patch.id, message, arena, &past,
				 &of.n_past, err);
	if (st != PH_OK)
		return st;
	of.now = now;
	of.past = past;
	return summary_make(s, &of, &ask, arena, &f->notice, err);
}

static enum status read_report(struct forward *f, struct err *err)
{
	struct newest newest = { 0 };
	struct arena walk;
	enum status st;

	arena_init(&walk);
	st = query_messages(f->ask.store, 1u << MESSAGE_REPORT, false,
			    f->patch.id, 1, &walk, take_first, &newest, err);
	arena_release(&walk);
	if (st == PH_OK)
		st = newest.id ? fill(f, newest.id, err) : PH_NONE;
	if (st == PH_NONE)
		return err_exit(err, PH_BAD, EX_DATAERR,
				"no report of it is kept");
	return st;
}

/* -- and off -- */

static enum status queue(struct forward *f, struct err *err)
{
	struct store *s = f->ask.store;
	struct desk desk;
	char key[64];
	int64_t id;
	enum status st = store_begin(s, err);

	if (st != PH_OK)
		return st;
	desk_init(&desk, f->ask.config, s, NULL);
	snprintf(key, sizeof(key), "%.*s %lld", S_FMT(f->patch.hex),
		 (long long)f->ask.now);
	st = tell_target(&desk, f->ch, f->target, slice_of(key), f->patch.id,
			 &f->notice, f->ask.now, &id, err);
	if (st == PH_OK)
		st = audit_add(s, f->ask.now, ask_who(&f->ask.arena),
			       S("forward"), f->patch.id,
			       f->target.len ? f->target
					     : slice_of(f->ch->name),
			       err);
	st = store_end(s, st, err);
	if (st == PH_NONE)
		return PH_OK; /* twice within one second */
	if (st != PH_OK)
		return st;
	f->ask.changed = true;
	buf_printf(&f->ask.out, "notice %lld to %s%s%.*s is %s\n",
		   (long long)id, f->ch->name, f->target.len ? ", " : "",
		   S_FMT(f->target),
		   f->ask.config->send ? "queued"
				       : "held, since send is false");
	return PH_OK;
}

static enum status run(struct forward *f, struct err *err)
{
	enum status st = ask_patch(&f->ask, f->patch_name, &f->patch, err);

	if (st == PH_OK)
		st = trees_read(&f->trees, f->ask.config->git.trees, NULL, err);
	if (st != PH_OK)
		return st;
	f->branch = trees_branch(&f->trees, f->patch.label, f->patch.tree,
				 f->patch.branch);
	st = choose(f, err);
	if (st == PH_OK)
		st = check_private(f, err);
	if (st == PH_OK)
		st = read_report(f, err);
	return st == PH_OK ? queue(f, err) : st;
}

int cmd_forward(int argc, char **argv, const char *config_path)
{
	struct forward f = { .ask.use = CONFIG_TO_WORK };
	struct args args = args_of(argc, argv);
	struct err err = { 0 };
	int code;

	while (args_more(&args)) {
		if (args_value(&args, "--to", &f.to) ||
		    args_value(&args, "--channel", &f.channel) ||
		    args_value(&args, "--note", &f.note))
			continue;
		if (f.patch_name)
			return command_usage("forward", "one patch at a time");
		if (!args_word(&args, &f.patch_name))
			return args_fail(&args);
	}
	if (args.missing)
		return args_fail(&args);
	if (!f.patch_name)
		return command_usage("forward", "which patch?");
	if (!f.to == !f.channel)
		return command_usage("forward", "to whom? --to ADDRESS or "
						"--channel NAME");
	code = ask_open(&f.ask, config_path);
	if (code)
		return code;
	trees_init(&f.trees);
	code = ask_deliver(&f.ask, run(&f, &err), &err);
	trees_release(&f.trees);
	return code;
}
