#include "bot/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/silence.h"
#include "bot/store/query.h"
#include "ph/clock.h"

/* silence: mute by matcher, with author, reason and end. */

struct muting {
	struct ask ask;
	const char *verb, *reason, *until, *author;
	const char **words;
	int64_t end; /* until, as a time */
	size_t n_words, n;
	bool all;
};

static void say_silence(void *arg, const struct silence_row *row)
{
	struct muting *m = arg;
	struct buf *b = &m->ask.out;
	struct slice match = row->match, one;

	buf_printf(b, "%5" PRId64 "  %s until ", row->id,
		   row->until > m->ask.now ? "holds" : "ended");
	put_time(b, row->until);
	buf_add_str(b, "  ");
	while (slice_take_line(&match, &one)) {
		put_clean(b, one);
		buf_add_char(b, ' ');
	}
	buf_add_str(b, " by ");
	put_clean(b, row->author);
	buf_add_str(b, ": ");
	put_clean(b, row->reason);
	buf_add_char(b, '\n');
	m->n++;
}

static void silence_json(void *arg, const struct silence_row *row)
{
	struct muting *m = arg;
	struct slice match = row->match, one;
	struct json j;

	json_begin(&j, &m->ask.out);
	json_open_object(&j, NULL);
	json_put_int(&j, "silence", row->id);
	json_open_array(&j, "match");
	while (slice_take_line(&match, &one))
		json_put_str(&j, NULL, one);
	json_close_array(&j);
	json_put_str(&j, "author", row->author);
	json_put_str(&j, "reason", row->reason);
	put_json_time(&j, "from", row->from);
	put_json_time(&j, "until", row->until);
	json_close_object(&j);
	buf_add_char(&m->ask.out, '\n');
}

static enum status list(struct muting *m, struct err *err)
{
	enum status st =
		silence_each(m->ask.store, m->all ? 0 : m->ask.now,
			     &m->ask.arena,
			     m->ask.json ? silence_json : say_silence, m, err);

	if (st == PH_OK && !m->n && !m->ask.json)
		buf_add_str(&m->ask.out, "nothing is silenced\n");
	return st;
}

static bool parse_until(const char *text, int64_t now, int64_t *ret)
{
	int64_t span;

	if (clock_parse_span(slice_of(text), &span)) {
		*ret = now + span;
		return true;
	}
	return clock_parse_rfc3339(slice_of(text), ret);
}

static enum status add_row(struct muting *m, const struct silence_row *row,
			   struct err *err)
{
	struct store *s = m->ask.store;
	int64_t id;
	enum status st = store_begin(s, err);

	if (st != PH_OK)
		return st;
	st = silence_add(s, row, &id, err);
	if (st == PH_OK)
		st = audit_add(s, m->ask.now, ask_who(&m->ask.arena),
			       S("silence add"), 0, row->reason, err);
	st = store_end(s, st, err);
	if (st != PH_OK)
		return st;
	m->ask.changed = true;
	buf_printf(&m->ask.out, "silence %" PRId64 " until ", id);
	put_time(&m->ask.out, row->until);
	buf_add_char(&m->ask.out, '\n');
	return PH_OK;
}

/* A patch by any of its names becomes its id: a typing error would silence
 * nothing, and the first digit of an id a sixteenth of all. */
static enum status name_patch(struct muting *m, struct err *err)
{
	const char **word = NULL;
	struct patch_row patch;
	enum status st;

	for (size_t i = 0; i < m->n_words; i++) {
		if (strncmp(m->words[i], "patch=", 6) != 0)
			continue;
		if (word)
			return err_exit(err, PH_BAD, EX_USAGE,
					"a silence is for one patch: add "
					"another for %s",
					m->words[i]);
		word = &m->words[i];
	}
	if (!word)
		return PH_OK;
	st = ask_patch(&m->ask, *word + 6, &patch, err);
	if (st == PH_OK)
		*word = arena_printf(&m->ask.arena, "patch=%.*s",
				     S_FMT(patch.hex));
	return st;
}

static enum status add(struct muting *m, struct err *err)
{
	struct silence_row row = { .reason = slice_of(m->reason),
				   .from = m->ask.now };
	struct buf match;
	enum status st;

	row.author = m->author ? slice_of(m->author) : ask_who(&m->ask.arena);
	row.until = m->end;
	buf_init(&match);
	st = name_patch(m, err);
	if (st == PH_OK)
		st = silence_words(m->words, m->n_words, &match, err);
	row.match = buf_slice(&match);
	if (st == PH_OK)
		st = add_row(m, &row, err);
	buf_release(&match);
	return st;
}

static enum status expire_one(struct muting *m, const char *text,
			      struct err *err)
{
	struct store *s = m->ask.store;
	struct slice number = slice_of(text);
	uint64_t id;
	enum status st;

	if (!slice_take_uint(&number, INT64_MAX, &id) || number.len)
		return err_exit(err, PH_BAD, EX_USAGE,
				"%s: not the number of a silence", text);
	st = store_begin(s, err);
	if (st != PH_OK)
		return st;
	st = silence_end(s, (int64_t)id, m->ask.now, err);
	if (st == PH_NONE)
		st = err_exit(err, PH_BAD, EX_DATAERR,
			      "no silence %s is in force", text);
	if (st == PH_OK)
		st = audit_add(s, m->ask.now, ask_who(&m->ask.arena),
			       slice_of(arena_printf(&m->ask.arena,
						     "silence expire %s",
						     text)),
			       0, slice_of(m->reason ? m->reason : ""), err);
	st = store_end(s, st, err);
	if (st == PH_OK)
		buf_printf(&m->ask.out, "silence %s has ended\n", text);
	return st;
}

/* All are tried; the first failure is what the command ends with. */
static enum status expire(struct muting *m, struct err *err)
{
	enum status ret = PH_OK;

	for (size_t i = 0; i < m->n_words; i++) {
		struct err one = { 0 };
		enum status st = expire_one(m, m->words[i], &one);

		if (st == PH_OK)
			continue;
		if (ret != PH_OK) {
			fprintf(stderr, "perfherald: %s\n", one.text);
			continue;
		}
		*err = one;
		ret = st;
	}
	return ret;
}

static int read_args(struct muting *m, struct args *args)
{
	const char *word;
	int code = 0;

	while (args_more(args) && !code) {
		if (ask_format(&m->ask, args, &code) ||
		    args_value(args, "--reason", &m->reason) ||
		    args_value(args, "--until", &m->until) ||
		    args_value(args, "--author", &m->author))
			continue;
		if (args_flag(args, "--all"))
			m->all = true;
		else if (!args_word(args, &word))
			return args_fail(args);
		else if (!m->verb)
			m->verb = word;
		else
			m->words[m->n_words++] = word;
	}
	return args->missing ? args_fail(args) : code;
}

static int check(struct muting *m)
{
	bool is_add = m->verb && !strcmp(m->verb, "add");

	if (!m->verb)
		return command_usage("silence", "add, list or expire?");
	if (!is_add && strcmp(m->verb, "list") != 0 &&
	    strcmp(m->verb, "expire") != 0)
		return command_usage("silence",
				     "%s is none of add, list, "
				     "expire",
				     m->verb);
	if (is_add && !m->until)
		return command_usage("silence", "a silence needs an end: "
						"--until 7d");
	if (is_add && (!parse_until(m->until, m->ask.now, &m->end) ||
		       m->end <= m->ask.now))
		return command_usage("silence",
				     "--until is a span from now (8h, 7d, 2w) "
				     "or a date to come (2027-01-31), not %s",
				     m->until);
	if (!is_add && (m->until || m->author))
		return command_usage("silence", "--until and --author are for "
						"add");
	if (m->all && strcmp(m->verb, "list") != 0)
		return command_usage("silence", "--all is for list");
	if (is_add && (!m->reason || !*m->reason))
		return command_usage("silence", "a silence needs a --reason");
	if (!strcmp(m->verb, "list") && m->n_words)
		return command_usage("silence", "list takes no number");
	if (!strcmp(m->verb, "expire") && !m->n_words)
		return command_usage("silence", "expire which silence?");
	return 0;
}

static int run(struct muting *m, const char *config_path)
{
	struct err err = { 0 };
	int code = ask_open(&m->ask, config_path);

	if (code)
		return code;
	if (!strcmp(m->verb, "list"))
		return ask_close(&m->ask, list(m, &err), &err);
	if (!strcmp(m->verb, "add"))
		return ask_close(&m->ask, add(m, &err), &err);
	return ask_close(&m->ask, expire(m, &err), &err);
}

int cmd_silence(int argc, char **argv, const char *config_path)
{
	struct muting m = { .words = xcalloc((size_t)argc, sizeof(char *)) };
	struct args args = args_of(argc, argv);
	int code;

	m.ask.now = ask_now();
	code = read_args(&m, &args);

	if (!code)
		code = check(&m);
	if (!code)
		code = run(&m, config_path);
	free(m.words);
	return code;
}
