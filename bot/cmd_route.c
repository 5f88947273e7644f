#include "bot/command.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/desk.h"
#include "bot/name.h"
#include "bot/store/message.h"
#include "bot/store/pack.h"
#include "bot/store/query.h"
#include "ph/channel.h"
#include "ph/source.h"

/* route test: who would be told of a report, which line decided, and what. */

struct route_test {
	struct ask ask;
	struct desk desk;
	struct rehearsal rehearsal;
	struct trees trees;
	const char *name;
	bool show;
	size_t n_told;
	enum status st; /* of rendering */
	struct err *err;
};

/* -- what is printed -- */

static void say_step(void *arg, struct slice step, struct slice text)
{
	struct route_test *t = arg;
	struct buf *b = &t->ask.out;

	put_column(b, step, 9);
	put_clean(b, text);
	buf_add_char(b, '\n');
}

static void put_indented(struct buf *b, struct slice text)
{
	struct slice line;

	while (slice_take_line(&text, &line)) {
		buf_add_str(b, "    ");
		put_clean(b, line);
		buf_add_char(b, '\n');
	}
}

static void render(struct route_test *t, const struct config_channel *ch,
		   struct slice target, const struct notice *n)
{
	struct parcel parcel;

	t->st = channel_render(t->ask.config, ch, target, n, &t->ask.arena,
			       &parcel, t->err);
	if (t->st == PH_OK)
		put_indented(&t->ask.out, parcel.body);
}

static void say_told(void *arg, const struct config_channel *ch,
		     struct slice target, const struct notice *n)
{
	struct route_test *t = arg;
	struct buf *b = &t->ask.out;

	t->n_told++;
	buf_printf(b, "tells    %s", ch->name);
	if (target.len) {
		buf_add_str(b, " to ");
		put_clean(b, target);
	}
	buf_add_str(b, ": ");
	notice_subject(n, b);
	buf_add_char(b, '\n');
	if (t->show && t->st == PH_OK)
		render(t, ch, target, n);
}

/* -- which report -- */

static void take_first(void *arg, const struct message_row *row)
{
	int64_t *id = arg;

	if (!*id)
		*id = row->id;
}

/* The newest report of a patch. */
static enum status of_patch(struct route_test *t, int64_t *ret, struct err *err)
{
	struct patch_row patch;
	struct arena walk;
	enum status st = patch_find_part(t->ask.store,
					 name_plain(t->name, &t->ask.arena),
					 &t->ask.arena, &patch, err);

	if (st != PH_OK)
		return st;
	*ret = 0;
	arena_init(&walk);
	st = query_messages(t->ask.store, 1u << MESSAGE_REPORT, false, patch.id,
			    1, &walk, take_first, ret, err);
	arena_release(&walk);
	return st == PH_OK && !*ret ? PH_NONE : st;
}

static enum status test_stored(struct route_test *t, struct err *err)
{
	struct message_row m;
	int64_t id;
	struct arena *arena = &t->ask.arena;
	enum status st = message_find(t->ask.store, name_plain(t->name, arena),
				      arena, &m, err);

	if (st == PH_OK)
		id = m.id;
	else if (st == PH_NONE)
		st = of_patch(t, &id, err);
	if (st == PH_NONE)
		return err_exit(err, PH_BAD, EX_DATAERR,
				"%s: no such file, message or patch", t->name);
	if (st != PH_OK)
		return st;
	st = desk_rehearse(&t->desk, id, t->ask.now, err);
	return st == PH_NONE ? err_exit(err, PH_BAD, EX_DATAERR, "%s: %s",
					t->name, err->text)
			     : st;
}

/* A file is taken at its word: the question is whom a report would reach. */
static enum status test_raw(struct route_test *t, struct slice raw,
			    struct err *err)
{
	struct arena *arena = &t->ask.arena;
	struct message *m = arena_new(arena, struct message);
	struct report *r = arena_new(arena, struct report);
	struct message_in in = { .source = S("file"),
				 .folder = slice_of(t->name),
				 .arrived = t->ask.now,
				 .now = t->ask.now,
				 .by_hand = true,
				 .proven = PROVEN_VOUCHED,
				 .proof = S("taken at its word for this test"),
				 .message = m,
				 .report = r };
	enum status st = message_read(arena_copy(arena, raw), arena, m, err);

	if (st == PH_OK)
		st = report_read(m, arena, r, err);
	if (st != PH_OK)
		return st;
	in.packed = pack_text(t->ask.store, arena, m->text);
	return desk_rehearse_mail(&t->desk, &in, err);
}

static enum status test_file(struct route_test *t, struct err *err)
{
	struct source_item item;
	struct source *source;
	struct err why = { 0 };
	enum status st = source_open(t->name, &source, err);

	if (st != PH_OK)
		return st;
	st = source_next(source, &item, err);
	if (st == PH_OK) {
		st = test_raw(t, item.raw, &why);
		if (st != PH_OK)
			err_exit(err, st, why.exit_code, "%.*s: %s",
				 S_FMT(item.where), why.text);
	}
	source_close(source);
	return st == PH_NONE ? err_exit(err, PH_BAD, EX_DATAERR,
					"%s: not a performance report", t->name)
			     : st;
}

static enum status run(struct route_test *t, struct err *err)
{
	struct stat there;
	enum status st;

	t->rehearsal = (struct rehearsal){ say_told, say_step, t };
	t->err = err;
	desk_init(&t->desk, t->ask.config, t->ask.store, NULL);
	t->desk.rehearsal = &t->rehearsal;
	t->desk.trees = &t->trees;
	st = trees_read(&t->trees, t->ask.config->git.trees, NULL, err);
	if (st == PH_OK)
		st = stat(t->name, &there) == 0 ? test_file(t, err)
						: test_stored(t, err);
	if (st != PH_OK || t->st != PH_OK)
		return st == PH_OK ? t->st : st;
	if (!t->n_told)
		buf_add_str(&t->ask.out, "tells    nobody\n");
	return PH_OK;
}

int cmd_route(int argc, char **argv, const char *config_path)
{
	struct route_test t = { 0 };
	struct args args = args_of(argc, argv);
	const char *verb = NULL;
	struct err err = { 0 };
	int code;

	while (args_more(&args)) {
		if (args_flag(&args, "--show"))
			t.show = true;
		else if (t.name)
			return command_usage("route", "one at a time");
		else if (!args_word(&args, verb ? &t.name : &verb))
			return args_fail(&args);
	}
	if (!verb || strcmp(verb, "test") != 0)
		return command_usage("route", "test is all there is");
	if (!t.name)
		return command_usage("route", "test which message or patch?");
	code = ask_open(&t.ask, config_path);
	if (code)
		return code;
	trees_init(&t.trees);
	code = ask_close(&t.ask, run(&t, &err), &err);
	trees_release(&t.trees);
	return code;
}
