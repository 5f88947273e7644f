#include "bot/command.h"

#include <string.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/name.h"
#include "bot/print_patch.h"
#include "bot/store/outbox.h"
#include "bot/store/query.h"

/* why: the whole path of a message, or of all messages of a patch. */

struct telling {
	struct ask ask;
	struct json j;
	size_t n;
	enum status st;
	struct err *err;
};

/* -- text -- */

static void say_step(void *arg, const struct trace *t)
{
	struct telling *w = arg;
	struct buf *b = &w->ask.out;

	buf_add_str(b, "  ");
	put_time(b, t->at);
	buf_add_str(b, "  ");
	put_column(b, t->step, 9);
	put_clean(b, t->text);
	buf_add_char(b, '\n');
}

static void say_attempt(void *arg, const struct attempt_row *row)
{
	struct telling *w = arg;
	struct buf *b = &w->ask.out;

	buf_add_str(b, "      ");
	put_time(b, row->at);
	buf_add_str(b, "  ");
	put_clean(b, row->what);
	if (row->code)
		buf_printf(b, " %d", row->code);
	if (row->text.len) {
		buf_add_str(b, ": ");
		put_clean(b, row->text);
	}
	buf_add_char(b, '\n');
}

static void say_notice(void *arg, const struct outbox_row *row)
{
	struct telling *w = arg;
	struct buf *b = &w->ask.out;

	buf_printf(b, "  notice %lld ", (long long)row->id);
	put_clean(b, row->channel);
	if (row->target.len) {
		buf_add_str(b, " to ");
		put_clean(b, row->target);
	}
	buf_printf(b, ": %s", outbox_state_name(row->state));
	if (row->state == OUTBOX_SENT) {
		buf_add_char(b, ' ');
		put_time(b, row->sent_at);
	} else if (row->state == OUTBOX_PENDING) {
		buf_add_str(b, ", to be tried at ");
		put_time(b, row->next_try);
	}
	if (row->reason.len) {
		buf_add_str(b, ": ");
		put_clean(b, row->reason);
	}
	if (row->maybe_dup)
		buf_add_str(b, " (may have come twice)");
	buf_add_char(b, '\n');
	if (w->st == PH_OK)
		w->st = attempt_each(w->ask.store, row->id, &w->ask.arena,
				     say_attempt, w, w->err);
}

static void say_head(struct buf *b, const struct message_row *m)
{
	buf_printf(b, "message %lld  ", (long long)m->id);
	put_clean(b, m->msgid.len ? m->msgid : S("(no Message-ID)"));
	buf_add_str(b, "\n  from     ");
	put_clean(b, m->from);
	buf_add_str(b, "\n  subject  ");
	put_clean(b, m->subject);
	buf_add_str(b, "\n  source   ");
	put_clean(b, m->source);
	buf_add_char(b, ' ');
	put_clean(b, m->folder);
	if (m->uid)
		buf_printf(b, " UID %u", m->uid);
	buf_add_str(b, ", arrived ");
	put_time(b, m->arrived);
	buf_printf(b, "\n  read as  %s%s\n", report_kind_name(m->kind),
		   m->partial ? ", partly" : "");
	buf_printf(b, "  is       %s", message_state_name(m->state));
	if (m->reason.len) {
		buf_add_str(b, ": ");
		put_clean(b, m->reason);
	}
	buf_add_char(b, '\n');
}

/* -- JSON -- */

static void step_json(void *arg, const struct trace *t)
{
	struct telling *w = arg;

	json_open_object(&w->j, NULL);
	put_json_time(&w->j, "at", t->at);
	json_put_str(&w->j, "step", t->step);
	json_put_str(&w->j, "text", t->text);
	json_close_object(&w->j);
}

static void attempt_json(void *arg, const struct attempt_row *row)
{
	struct telling *w = arg;

	json_open_object(&w->j, NULL);
	put_json_time(&w->j, "at", row->at);
	json_put_str(&w->j, "what", row->what);
	if (row->code)
		json_put_int(&w->j, "code", row->code);
	json_put_opt(&w->j, "text", row->text);
	json_close_object(&w->j);
}

static void notice_json(void *arg, const struct outbox_row *row)
{
	struct telling *w = arg;

	json_open_object(&w->j, NULL);
	print_outbox_members(&w->j, row, &w->ask.arena);
	json_open_array(&w->j, "attempts");
	if (w->st == PH_OK)
		w->st = attempt_each(w->ask.store, row->id, &w->ask.arena,
				     attempt_json, w, w->err);
	json_close_array(&w->j);
	json_close_object(&w->j);
}

/* -- both -- */

static void tell_json(struct telling *w, const struct message_row *m)
{
	struct ask *a = &w->ask;

	json_begin(&w->j, &a->out);
	json_open_object(&w->j, NULL);
	print_message_members(&w->j, m);
	json_open_array(&w->j, "path");
	w->st = trace_each(a->store, m->id, 0, &a->arena, step_json, w, w->err);
	json_close_array(&w->j);
	json_open_array(&w->j, "notices");
	if (w->st == PH_OK)
		w->st = outbox_each(a->store, ~0u, 0, m->id, &a->arena,
				    notice_json, w, w->err);
	json_close_array(&w->j);
	json_close_object(&w->j);
	buf_add_char(&a->out, '\n');
}

static void tell_text(struct telling *w, const struct message_row *m)
{
	struct ask *a = &w->ask;

	if (w->n++)
		buf_add_char(&a->out, '\n');
	say_head(&a->out, m);
	w->st = trace_each(a->store, m->id, 0, &a->arena, say_step, w, w->err);
	if (w->st == PH_OK)
		w->st = outbox_each(a->store, ~0u, 0, m->id, &a->arena,
				    say_notice, w, w->err);
}

static void tell_message(void *arg, const struct message_row *m)
{
	struct telling *w = arg;

	if (w->st != PH_OK)
		return;
	if (w->ask.json)
		tell_json(w, m);
	else
		tell_text(w, m);
	ask_flush(&w->ask);
}

/* -- what was done to the patch, by persons and by itself -- */

static void say_deed(void *arg, const struct audit_row *row)
{
	struct telling *w = arg;
	struct buf *b = &w->ask.out;

	buf_add_str(b, "  ");
	put_time(b, row->at);
	buf_add_str(b, "  ");
	put_clean(b, row->action);
	buf_add_str(b, " by ");
	put_clean(b, row->who);
	if (row->reason.len) {
		buf_add_str(b, ": ");
		put_clean(b, row->reason);
	}
	buf_add_char(b, '\n');
}

static enum status tell_deeds(struct telling *w, const struct patch_row *patch)
{
	struct ask *a = &w->ask;

	/* show has them in JSON; here a line is a message */
	if (a->json)
		return PH_OK;
	buf_printf(&a->out, "\npatch %.*s is %s\n", S_FMT(patch->hex),
		   patch_life_name(patch->life));
	return audit_each(a->store, patch->id, &a->arena, say_deed, w, w->err);
}

static enum status why_patch(struct telling *w, const char *name)
{
	struct ask *a = &w->ask;
	struct patch_row patch;
	enum status st = patch_find_part(a->store, name_plain(name, &a->arena),
					 &a->arena, &patch, w->err);

	if (st == PH_NONE)
		return err_exit(w->err, st, EX_DATAERR,
				"%s: no such message or patch; a Message-ID or "
				"its link, uid:MAILBOX/N, a commit or a part "
				"of a title names one",
				name);
	if (st == PH_OK)
		st = query_messages(a->store, ~0u, false, patch.id, 0,
				    &a->arena, tell_message, w, w->err);
	if (st == PH_OK)
		st = w->st;
	/* the walk has used the arena for itself */
	if (st == PH_OK)
		st = patch_get(a->store, patch.id, &a->arena, &patch, w->err);
	return st == PH_OK ? tell_deeds(w, &patch) : st;
}

static enum status why(struct telling *w, const char *name)
{
	struct message_row m;
	struct arena *arena = &w->ask.arena;
	enum status st = message_find(w->ask.store, name_plain(name, arena),
				      arena, &m, w->err);

	if (st == PH_NONE)
		return why_patch(w, name);
	if (st != PH_OK)
		return st;
	tell_message(w, &m);
	return w->st;
}

int cmd_why(int argc, char **argv, const char *config_path)
{
	struct err err = { 0 };
	struct telling w = { .err = &err };
	struct args args = args_of(argc, argv);
	const char *name = NULL;
	int code = 0;

	while (args_more(&args) && !code) {
		if (ask_format(&w.ask, &args, &code))
			continue;
		if (name)
			return command_usage("why", "one at a time");
		if (!args_word(&args, &name))
			return args_fail(&args);
	}
	if (code || args.missing)
		return code ? code : args_fail(&args);
	if (!name)
		return command_usage("why", "which message or patch?");
	code = ask_open(&w.ask, config_path);
	if (code)
		return code;
	return ask_close(&w.ask, why(&w, name), &err);
}
