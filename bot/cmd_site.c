#include "bot/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "bot/site.h"
#include "bot/store/query.h"

/* site: static pages, plots and feeds. */

bool site_is_private(const struct site *s, struct slice label,
		     struct slice tree, struct slice branch)
{
	return s->has_private &&
	       trees_branch(&s->trees, label, tree, branch).is_private;
}

enum status site_put(struct site *s, struct slice name, struct err *err)
{
	enum status st =
		site_folder_put(s->folder, name, buf_slice(&s->html), err);

	buf_reset(&s->html);
	return st;
}

/* -- the walk -- */

struct walk {
	struct site *site;
	enum status st;
	struct err *err;
};

static void walk_patch(void *arg, const struct patch_line *line)
{
	struct walk *w = arg;

	if (w->st != PH_OK)
		return;
	arena_reset(&w->site->arena);
	w->st = site_one_patch(w->site, &line->patch, w->err);
	if (w->st == PH_NONE)
		w->st = PH_OK;
	progress_add(&w->site->progress, 1);
}

static enum status walk_patches(struct site *s, struct err *err)
{
	const struct patch_filter filter = { .since = s->since };
	struct walk w = { .site = s, .err = err };
	enum status st = query_patches(s->ask.store, &filter, &s->ask.arena,
				       walk_patch, &w, err);

	return w.st != PH_OK ? w.st : st;
}

static enum status write_style(struct site *s, struct err *err)
{
	buf_add_slice(&s->html, site_style);
	return site_put(s, S("style.css"), err);
}

static enum status write_all(struct site *s, struct err *err)
{
	enum status st = write_style(s, err);

	if (st == PH_OK)
		st = walk_patches(s, err);
	if (st == PH_OK)
		st = site_all_series(s, err);
	return st == PH_OK ? site_lists(s, err) : st;
}

/* -- before and after -- */

static enum status read_trees(struct site *s, struct err *err)
{
	enum status st =
		trees_read(&s->trees, s->ask.config->git.trees, NULL, err);

	for (size_t i = 0; st == PH_OK && i < s->trees.n; i++)
		s->has_private |= s->trees.tree[i].private_branch != NULL;
	return st;
}

/* Without a URL the folder tells this site from others. */
static void set_seed(struct site *s, const char *dir)
{
	char full[PATH_MAX];

	s->seed = s->base;
	if (!s->seed.len)
		s->seed =
			arena_copy(&s->names,
				   slice_of(realpath(dir, full) ? full : dir));
}

static void say(struct site *s, const char *dir, const struct site_counts *c)
{
	put_clean(&s->ask.out, slice_of(dir));
	buf_printf(&s->ask.out,
		   ": %lld files, %lld of them written, %lld removed\n",
		   (long long)c->files, (long long)c->changed,
		   (long long)c->removed);
}

static enum status run(struct site *s, const char *dir, struct err *err)
{
	struct site_counts counts;
	enum status st = read_trees(s, err);

	if (st != PH_OK)
		return st;
	s->spool = tmpfile();
	if (!s->spool)
		return err_exit(err, PH_FATAL, EX_IOERR, "temporary file: %s",
				strerror(errno));
	st = site_folder_open(dir, &s->folder, err);
	if (st != PH_OK)
		return st;
	set_seed(s, dir);
	progress_begin(&s->progress, 0);
	st = write_all(s, err);
	progress_clear(&s->progress);
	st = site_folder_close(s->folder, st, &counts, err);
	if (st == PH_OK)
		say(s, dir, &counts);
	return st;
}

static void begin(struct site *s)
{
	arena_init(&s->arena);
	arena_init(&s->names);
	buf_init(&s->html);
	trees_init(&s->trees);
}

static void end(struct site *s)
{
	if (s->spool)
		fclose(s->spool);
	free(s->refs);
	free(s->places);
	site_groups_release(s);
	trees_release(&s->trees);
	buf_release(&s->html);
	arena_release(&s->arena);
}

/* A link in a feed: nothing but a place on the web, with a slash at its end. */
static bool is_base(struct slice s)
{
	return slice_is_web_url(s) && slice_ends(s, S("/")) &&
	       !slice_chr(s, '?') && !slice_chr(s, '#');
}

static int read_args(struct site *s, struct args *args, const char **ret_dir)
{
	const char *base;
	int code = EX_OK;

	while (args_more(args) && !code) {
		if (ask_since(args, ask_now(), &s->since, &code))
			continue;
		if (args_value(args, "--base", &base)) {
			s->base = slice_of(base);
			if (!is_base(s->base))
				return command_usage(
					"site",
					"--base is the site's URL with a "
					"slash at its end, not %s",
					base);
			continue;
		}
		if (*ret_dir)
			return command_usage("site", "one folder at a time");
		if (!args_word(args, ret_dir))
			return args_fail(args);
	}
	if (args->missing || code)
		return code ? code : args_fail(args);
	return *ret_dir ? EX_OK : command_usage("site", "into which folder?");
}

int cmd_site(int argc, char **argv, const char *config_path)
{
	struct site s = { 0 };
	struct args args = args_of(argc, argv);
	const char *dir = NULL;
	struct err err = { 0 };
	enum status st;
	int code = read_args(&s, &args, &dir);

	if (!code)
		code = ask_open(&s.ask, config_path);
	if (code)
		return code;
	begin(&s);
	st = run(&s, dir, &err);
	end(&s);
	return ask_close(&s.ask, st, &err);
}
