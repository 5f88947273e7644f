#include "bot/command.h"

#include <string.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/facts.h"
#include "bot/name.h"
#include "bot/print_patch.h"
#include "bot/store/outbox.h"
#include "bot/store/query.h"

/* show: all that is known of a patch. */

struct showing {
	struct ask ask;
	struct json j;
	struct arena rows; /* its reports', one at a time */
	size_t n;	   /* printed so far of a part */
};

static void label(struct buf *b, const char *name)
{
	buf_printf(b, "  %-9s", name);
}

static void field(struct buf *b, const char *name, struct slice value)
{
	if (!value.len)
		return;
	label(b, name);
	put_clean(b, value);
	buf_add_char(b, '\n');
}

/* -- its hashes -- */

static void show_commit(void *arg, struct slice commit, struct slice patchid,
			int64_t first)
{
	struct showing *s = arg;
	struct buf *b = &s->ask.out;

	(void)patchid;
	label(b, s->n++ ? "" : "commits");
	put_clean(b, commit);
	buf_add_str(b, "  since ");
	put_time(b, first);
	buf_add_char(b, '\n');
}

static void commit_json(void *arg, struct slice commit, struct slice patchid,
			int64_t first)
{
	struct showing *s = arg;

	json_open_object(&s->j, NULL);
	json_put_str(&s->j, "commit", commit);
	if (patchid.len > 1)
		json_put_str(&s->j, "patch_id", patchid);
	put_json_time(&s->j, "first_seen", first);
	json_close_object(&s->j);
}

/* -- its reports -- */

static void show_report(void *arg, const struct message_row *row)
{
	struct showing *s = arg;
	struct buf *b = &s->ask.out;

	label(b, s->n++ ? "" : "reports");
	put_time(b, row->arrived);
	buf_add_str(b, "  ");
	if (row->msgid.len)
		put_clean(b, facts_report_url(row->msgid, &s->rows));
	else
		put_clean(b, row->subject);
	buf_add_char(b, '\n');
}

static void report_json(void *arg, const struct message_row *row)
{
	struct showing *s = arg;

	json_open_object(&s->j, NULL);
	put_json_time(&s->j, "arrived", row->arrived);
	json_put_opt(&s->j, "message_id", row->msgid);
	json_put_opt(&s->j, "report", facts_report_url(row->msgid, &s->rows));
	json_close_object(&s->j);
}

static enum status each_report(struct showing *s, int64_t patch,
			       void (*fn)(void *arg,
					  const struct message_row *row),
			       struct err *err)
{
	enum status st;

	s->n = 0;
	arena_init(&s->rows);
	st = query_messages(s->ask.store, 1u << MESSAGE_REPORT, false, patch, 0,
			    &s->rows, fn, s, err);
	arena_release(&s->rows);
	return st;
}

/* -- its notices -- */

static void show_notice(void *arg, const struct outbox_row *row)
{
	struct showing *s = arg;
	struct buf *b = &s->ask.out;

	if (!s->n++)
		buf_add_str(b, "\nnotices\n");
	buf_printf(b, "  %-5lld ", (long long)row->id);
	put_time(b, row->sent_at ? row->sent_at : row->created);
	buf_printf(b, "  %-9s ", outbox_state_name(row->state));
	put_clean(b, row->channel);
	if (row->target.len) {
		buf_add_str(b, " to ");
		put_clean(b, row->target);
	}
	if (row->reason.len) {
		buf_add_str(b, ": ");
		put_clean(b, row->reason);
	}
	buf_add_char(b, '\n');
}

static void notice_json(void *arg, const struct outbox_row *row)
{
	struct showing *s = arg;

	json_open_object(&s->j, NULL);
	print_outbox_members(&s->j, row, &s->ask.arena);
	json_close_object(&s->j);
}

/* -- what people did -- */

static void show_deed(void *arg, const struct audit_row *row)
{
	struct showing *s = arg;
	struct buf *b = &s->ask.out;

	if (!s->n++)
		buf_add_str(b, "\ndeeds\n");
	buf_add_str(b, "  ");
	put_time(b, row->at);
	buf_add_str(b, "  ");
	put_clean(b, row->who);
	buf_add_str(b, ": ");
	put_clean(b, row->action);
	if (row->reason.len) {
		buf_add_str(b, " (");
		put_clean(b, row->reason);
		buf_add_char(b, ')');
	}
	buf_add_char(b, '\n');
}

static void deed_json(void *arg, const struct audit_row *row)
{
	struct showing *s = arg;

	json_open_object(&s->j, NULL);
	put_json_time(&s->j, "at", row->at);
	json_put_str(&s->j, "who", row->who);
	json_put_str(&s->j, "action", row->action);
	json_put_opt(&s->j, "reason", row->reason);
	json_close_object(&s->j);
}

/* -- text -- */

static void show_head(struct showing *s, const struct patch_line *line)
{
	const struct patch_row *p = &line->patch;
	struct buf *b = &s->ask.out;

	buf_add_str(b, "patch ");
	put_clean(b, p->hex);
	buf_add_str(b, "  ");
	put_clean(b, p->title);
	buf_add_char(b, '\n');
	field(b, "author", p->author);
	field(b, "tree", p->tree);
	field(b, "branch", p->branch);
	field(b, "posted", p->posted_link);
	label(b, "state");
	buf_add_str(b, patch_life_name(p->life));
	buf_add_str(b, " since ");
	put_time(b, p->life_since);
	if (p->life_reason.len) {
		buf_add_str(b, ": ");
		put_clean(b, p->life_reason);
	}
	buf_add_char(b, '\n');
	label(b, "seen");
	put_time(b, p->first_seen);
	buf_add_str(b, " to ");
	put_time(b, p->last_seen);
	buf_printf(b, ", %lld report%s\n", (long long)line->reports,
		   line->reports == 1 ? "" : "s");
	label(b, "net");
	print_net(b, line);
	buf_add_char(b, '\n');
}

static void show_result(struct showing *s, const struct result_row *r)
{
	static const char grade[] = "-ABCD";
	struct buf *b = &s->ask.out;

	buf_add_str(b, "  ");
	put_time(b, r->arrived);
	buf_printf(b, "  %-6s %c  ", r->news ? "news" : "repeat",
		   grade[r->evidence]);
	print_result_line(b, r);
	buf_add_str(b, "  ");
	put_clean(b, slice_head(r->commit, 12));
	buf_add_char(b, '\n');
}

static enum status show_text(struct showing *s, const struct patch_line *line,
			     const struct result_row *results, size_t n,
			     struct err *err)
{
	struct ask *a = &s->ask;
	int64_t id = line->patch.id;
	enum status st;

	show_head(s, line);
	st = patch_commit_each(a->store, id, &a->arena, show_commit, s, err);
	if (st == PH_OK)
		st = each_report(s, id, show_report, err);
	buf_add_str(&a->out, "\nresults\n");
	for (size_t i = 0; i < n; i++)
		show_result(s, &results[i]);
	s->n = 0;
	if (st == PH_OK)
		st = outbox_each(a->store, ~0u, id, 0, &a->arena, show_notice,
				 s, err);
	s->n = 0;
	if (st == PH_OK)
		st = audit_each(a->store, id, &a->arena, show_deed, s, err);
	return st;
}

/* -- JSON -- */

static enum status show_json(struct showing *s, const struct patch_line *line,
			     const struct result_row *results, size_t n,
			     struct err *err)
{
	struct ask *a = &s->ask;
	int64_t id = line->patch.id;
	enum status st;

	json_begin(&s->j, &a->out);
	json_open_object(&s->j, NULL);
	print_patch_members(&s->j, &line->patch);
	json_put_int(&s->j, "reports", line->reports);
	json_put_int(&s->j, "better", line->better);
	json_put_int(&s->j, "worse", line->worse);
	json_open_array(&s->j, "commits");
	st = patch_commit_each(a->store, id, &a->arena, commit_json, s, err);
	json_close_array(&s->j);
	json_open_array(&s->j, "messages");
	if (st == PH_OK)
		st = each_report(s, id, report_json, err);
	json_close_array(&s->j);
	json_open_array(&s->j, "results");
	for (size_t i = 0; i < n; i++) {
		json_open_object(&s->j, NULL);
		print_result_members(&s->j, &results[i]);
		json_close_object(&s->j);
	}
	json_close_array(&s->j);
	json_open_array(&s->j, "notices");
	if (st == PH_OK)
		st = outbox_each(a->store, ~0u, id, 0, &a->arena, notice_json,
				 s, err);
	json_close_array(&s->j);
	json_open_array(&s->j, "deeds");
	if (st == PH_OK)
		st = audit_each(a->store, id, &a->arena, deed_json, s, err);
	json_close_array(&s->j);
	json_close_object(&s->j);
	buf_add_char(&a->out, '\n');
	return st;
}

static enum status show(struct showing *s, const char *name, struct err *err)
{
	struct ask *a = &s->ask;
	struct result_row *results;
	struct patch_line line;
	struct patch_row patch;
	size_t n;
	enum status st = patch_find_part(a->store, name_plain(name, &a->arena),
					 &a->arena, &patch, err);

	if (st == PH_NONE)
		return err_exit(err, st, EX_DATAERR,
				"%s: no such patch; an id or a commit (4 "
				"digits or more), a Message-ID or its link, or "
				"a part of the title names one",
				name);
	if (st == PH_OK)
		st = query_patch_line(a->store, &patch, &a->arena, &line, err);
	if (st == PH_OK)
		st = result_list(a->store, 0, patch.id, 0, &a->arena, &results,
				 &n, err);
	if (st != PH_OK)
		return st;
	return a->json ? show_json(s, &line, results, n, err)
		       : show_text(s, &line, results, n, err);
}

int cmd_show(int argc, char **argv, const char *config_path)
{
	struct showing s = { 0 };
	struct args args = args_of(argc, argv);
	const char *name = NULL;
	struct err err = { 0 };
	int code = 0;

	while (args_more(&args) && !code) {
		if (ask_format(&s.ask, &args, &code))
			continue;
		if (name)
			return command_usage("show", "one patch at a time");
		if (!args_word(&args, &name))
			return args_fail(&args);
	}
	if (code || args.missing)
		return code ? code : args_fail(&args);
	if (!name)
		return command_usage("show", "which patch?");
	code = ask_open(&s.ask, config_path);
	if (code)
		return code;
	return ask_close(&s.ask, show(&s, name, &err), &err);
}
