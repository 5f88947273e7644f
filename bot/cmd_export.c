#include "bot/command.h"

#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/ask.h"
#include "bot/export.h"
#include "bot/out.h"
#include "bot/progress.h"
#include "bot/trees.h"

/* export: results for other programs. */

#define PAGE	    256
#define MATCHES_MAX 64

struct match {
	size_t name; /* place in export_names */
	struct slice glob;
};

struct export
{
	struct ask ask;
	const struct export_form *form;
	struct export_options options;
	struct finding_filter filter;
	struct match matches[MATCHES_MAX];
	size_t n_matches;
	const char *file;

	struct trees trees;
	struct out out;
	struct progress progress;
	int64_t last; /* id of the last result that is written */
	bool deaf;    /* the reader has gone */
};

/* -- what is asked for -- */

static bool take_form(struct export *e, const char *name)
{
	static const struct export_form *const forms[] = { &export_json,
							   &export_csv,
							   &export_kcidb };

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (strcmp(forms[i]->name, name) != 0)
			continue;
		e->form = forms[i];
		return true;
	}
	return false;
}

static bool add_match(struct export *e, struct slice name, struct slice glob)
{
	if (!glob.len || e->n_matches == MATCHES_MAX)
		return false;
	for (size_t i = 0; i <= n_export_names; i++) {
		if (!slice_eq(slice_of(export_names[i]), name))
			continue;
		e->matches[e->n_matches++] = (struct match){ i, glob };
		return true;
	}
	return false;
}

static bool take_match(struct export *e, const char *text)
{
	struct slice glob = slice_of(text), name;

	return slice_take_until(&glob, '=', &name) && add_match(e, name, glob);
}

static bool take_verdict(struct export *e, const char *text)
{
	if (strcmp(text, verdict_name(VERDICT_IMPROVEMENT)) != 0 &&
	    strcmp(text, verdict_name(VERDICT_REGRESSION)) != 0)
		return false;
	return add_match(e, S("verdict"), slice_of(text));
}

static bool take_states(struct export *e, const char *text)
{
	struct slice rest = slice_of(text), word;
	enum patch_life life;

	do {
		if (!slice_take_until(&rest, ',', &word)) {
			word = rest;
			rest.len = 0;
		}
		if (!patch_life_parse(word, &life) ||
		    !add_match(e, S("state"), slice_of(patch_life_name(life))))
			return false;
	} while (rest.len);
	return true;
}

static bool take_origin(struct export *e, const char *text)
{
	struct slice s = slice_of(text);

	for (size_t i = 0; i < s.len; i++)
		if (!is_digit(s.ptr[i]) && s.ptr[i] != '_' &&
		    !(s.ptr[i] >= 'a' && s.ptr[i] <= 'z'))
			return false;
	e->options.origin = s;
	return s.len;
}

static const struct option {
	const char *name, *wants;
	bool (*take)(struct export *e, const char *value);
} options[] = {
	{ "--format", "json, csv or kcidb", take_form },
	{ "--state",
	  "open, acknowledged, fixed, invalid or stale, or several with commas "
	  "between",
	  take_states },
	{ "--verdict", "regression or improvement", take_verdict },
	{ "--match", "KEY=GLOB, with a cell that perfherald(1) lists for a KEY",
	  take_match },
	{ "--origin", "a word of small letters, digits and _", take_origin },
};

static const struct option *find_option(struct args *args, const char **value)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		if (args_value(args, options[i].name, value))
			return &options[i];
	return NULL;
}

static bool take_flag(struct export *e, struct args *args)
{
	if (args_flag(args, "--unproven"))
		e->filter.unproven = true;
	else if (args_flag(args, "--authors"))
		e->options.authors = true;
	else
		return false;
	return true;
}

/* False: it is none of ours. */
static bool take_option(struct export *e, struct args *args, int *ret_code)
{
	const struct option *option;
	const char *value;

	if (take_flag(e, args) ||
	    ask_since(args, ask_now(), &e->filter.since, ret_code) ||
	    ask_time(args, "--until", ask_now(), &e->filter.until, ret_code))
		return true;
	option = find_option(args, &value);
	if (option && !option->take(e, value))
		*ret_code = command_usage("export", "%s is %s, not %s",
					  option->name, option->wants, value);
	return option;
}

static int read_args(struct export *e, struct args *args)
{
	int code = EX_OK;

	while (args_more(args) && !code) {
		if (take_option(e, args, &code))
			continue;
		if (e->file)
			return command_usage("export", "one file at a time");
		if (!args_word(args, &e->file))
			return args_fail(args);
	}
	if (args->missing || code)
		return code ? code : args_fail(args);
	if (e->form == &export_kcidb && e->options.authors)
		return command_usage("export", "KCIDB's format has no authors");
	return EX_OK;
}

/* -- what is written -- */

/* As it is written, for a glob. */
static struct slice text_of(const struct export_cell *c, struct arena *arena)
{
	struct slice ret = c->text;
	struct json j;
	struct buf b;

	if (c->kind != CELL_BOOL && c->kind != CELL_NUMBER)
		return ret;
	buf_init(&b);
	json_begin(&j, &b);
	if (c->kind == CELL_BOOL)
		json_put_bool(&j, NULL, c->yes);
	else
		json_put_double(&j, NULL, c->number);
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

/* A name that is given more than once: one of its globs. */
static bool fits(const struct export *e, const struct finding *f,
		 struct arena *arena)
{
	for (size_t i = 0; i < e->n_matches; i++) {
		size_t name = e->matches[i].name;
		struct export_cell c = export_cell(f, name, arena);
		struct slice text = text_of(&c, arena);
		bool found = false;

		for (size_t k = 0; k < e->n_matches && !found; k++)
			found = e->matches[k].name == name &&
				slice_glob(e->matches[k].glob, text);
		if (!found)
			return false;
	}
	return true;
}

/* What goes to KCIDB everybody may read. */
static bool is_withheld(const struct export *e, const struct finding *f)
{
	return e->form == &export_kcidb &&
	       trees_branch(&e->trees, f->patch.label, f->result.tree,
			    f->result.branch)
		       .is_private;
}

static enum status flush(struct export *e, struct err *err)
{
	enum status st = out_put(&e->out, buf_slice(&e->ask.out), err);

	buf_reset(&e->ask.out);
	e->deaf = st == PH_NONE;
	return st;
}

/* What the next page has to know of the last one, whose memory is gone by
 * then. */
static void keep(struct finding *before, const struct finding *f)
{
	before->result = (struct result_row){ .id = f->result.id,
					      .message = f->result.message };
}

static enum status write_page(struct export *e, unsigned pass,
			      const struct finding *rows, size_t n,
			      struct finding *before, bool *any,
			      struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].result.id > e->last)
			break;
		if (!fits(e, &rows[i], &e->ask.arena) ||
		    is_withheld(e, &rows[i]))
			continue;
		e->form->put(&e->options, pass, &rows[i], *any ? before : NULL,
			     &e->ask.arena, &e->ask.out);
		keep(before, &rows[i]);
		*any = true;
	}
	return flush(e, err);
}

/* Later passes end where the first one did: what has come since has no
 * checkout. */
static enum status run_pass(struct export *e, unsigned pass, struct err *err)
{
	struct finding before = { 0 }, *rows;
	bool any = false;
	int64_t at = 0;
	enum status st;
	size_t n;

	if (e->form->open)
		e->form->open(&e->options, pass, &e->ask.out);
	do {
		arena_reset(&e->ask.arena);
		st = finding_page(e->ask.store, &e->filter, at, PAGE,
				  &e->ask.arena, &rows, &n, err);
		if (st == PH_OK && n)
			at = rows[n - 1].result.id;
		if (st == PH_OK)
			st = write_page(e, pass, rows, n, &before, &any, err);
		progress_add(&e->progress, (int64_t)n);
	} while (st == PH_OK && n == PAGE && at < e->last);
	e->last = at;
	if (e->form->close)
		e->form->close(&e->options, pass, &e->ask.out);
	return st == PH_OK ? flush(e, err) : st;
}

/* A slip of the fingers that nothing could undo. */
static enum status spare_state(const struct export *e, struct err *err)
{
	struct stat state, there;

	if (!e->file || stat(e->file, &there) != 0 ||
	    stat(e->ask.config->state, &state) != 0 ||
	    state.st_ino != there.st_ino || state.st_dev != there.st_dev)
		return PH_OK;
	return err_exit(err, PH_BAD, EX_CANTCREAT,
			"%s: is the state, which this would overwrite",
			e->file);
}

static enum status run(struct export *e, struct err *err)
{
	enum status st = spare_state(e, err);

	if (st == PH_OK)
		st = trees_read(&e->trees, e->ask.config->git.trees, NULL, err);
	if (st == PH_OK)
		st = out_open(&e->out, e->file, err);
	if (st != PH_OK)
		return st;
	progress_begin(&e->progress, 0);
	e->progress.on &= !isatty(e->out.fd);
	for (unsigned pass = 0; pass < e->form->passes && st == PH_OK; pass++)
		st = run_pass(e, pass, err);
	progress_clear(&e->progress);
	return out_close(&e->out, st, err);
}

int cmd_export(int argc, char **argv, const char *config_path)
{
	struct export e = { .form = &export_json,
			    .options.origin = S("perfherald"),
			    .last = INT64_MAX };
	struct args args = args_of(argc, argv);
	struct err err = { 0 };
	enum status st;
	int code;

	code = read_args(&e, &args);
	if (!code)
		code = ask_open(&e.ask, config_path);
	if (code)
		return code;
	trees_init(&e.trees);
	st = run(&e, &err);
	trees_release(&e.trees);
	buf_reset(&e.ask.out);
	/* a reader that had enough is no news to anyone, but not all is done */
	code = ask_close(&e.ask, e.deaf ? PH_OK : st, &err);
	return e.deaf ? EX_IOERR : code;
}
