#include "bot/command.h"

#include <assert.h>
#include <string.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/name.h"
#include "bot/store/patch.h"

/* patch: correct the identity or the life of a patch, with who and why. */

struct deed {
	struct ask ask;
	const char *verb;
	const char *word[2];
	size_t n_words;
	const char *reason, *as, *commit;
	struct patch_row patch;
};

static void say(struct deed *d, int64_t patch, const char *what)
{
	struct patch_row row;
	struct err ignored;

	if (patch_get(d->ask.store, patch, &d->ask.arena, &row, &ignored))
		return;
	buf_printf(&d->ask.out, "patch %.*s %s: ", S_FMT(row.hex), what);
	put_clean(&d->ask.out, row.title);
	buf_add_char(&d->ask.out, '\n');
}

/* -- identity -- */

static enum status merge(struct deed *d, struct err *err)
{
	struct patch_row other;
	int64_t left;
	enum status st = ask_patch(&d->ask, d->word[1], &other, err);

	if (st == PH_OK && other.id == d->patch.id)
		return err_exit(err, PH_BAD, EX_DATAERR,
				"%s and %s are one patch already", d->word[0],
				d->word[1]);
	if (st == PH_OK)
		st = patch_merge(d->ask.store, d->patch.id, other.id, &left,
				 err);
	if (st == PH_OK)
		say(d, left, "holds both");
	return st;
}

static enum status split(struct deed *d, struct err *err)
{
	int64_t made;
	enum status st = patch_split(d->ask.store, d->patch.id,
				     name_plain(d->word[1], &d->ask.arena),
				     d->ask.now, &made, err);

	if (st == PH_OK)
		say(d, made, "stands alone");
	return st;
}

/* -- life -- */

static struct slice reason_of(struct deed *d)
{
	if (d->commit && d->reason)
		return slice_of(arena_printf(&d->ask.arena, "commit %s: %s",
					     d->commit, d->reason));
	if (d->commit)
		return slice_of(
			arena_printf(&d->ask.arena, "commit %s", d->commit));
	return slice_of(d->reason ? d->reason : "");
}

static enum status set_life(struct deed *d, enum patch_life life,
			    struct err *err)
{
	enum status st = patch_set_life(d->ask.store, d->patch.id, life,
					reason_of(d), d->ask.now, err);

	if (st == PH_OK)
		say(d, d->patch.id,
		    arena_printf(&d->ask.arena, "is %s",
				 patch_life_name(life)));
	return st;
}

static enum status ack(struct deed *d, struct err *err)
{
	return set_life(d, LIFE_ACK, err);
}

static enum status reopen(struct deed *d, struct err *err)
{
	return set_life(d, LIFE_OPEN, err);
}

static bool is_commit(const char *text)
{
	size_t n = 0;

	while (is_hex(text[n]))
		n++;
	return n >= 7 && n <= 40 && !text[n];
}

static bool closes_as(const char *text, enum patch_life *ret)
{
	return patch_life_parse(slice_of(text), ret) && *ret != LIFE_OPEN &&
	       *ret != LIFE_ACK;
}

static enum status close_it(struct deed *d, struct err *err)
{
	enum patch_life life = LIFE_FIXED;

	if (d->as)
		closes_as(d->as, &life);
	return set_life(d, life, err);
}

/* -- the command -- */

static const struct verb {
	const char *name;
	size_t words;
	const char *wants; /* the words, in words */
	bool wants_reason;
	enum status (*run)(struct deed *d, struct err *err);
} verbs[] = {
	{ "merge", 2, "two patches", true, merge },
	{ "split", 2, "a patch and one of its commits", true, split },
	{ "ack", 1, "one patch", false, ack },
	{ "close", 1, "one patch", true, close_it },
	{ "reopen", 1, "one patch", true, reopen },
};

static const struct verb *verb_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static enum status note(struct deed *d, struct err *err)
{
	const char *action = d->verb;

	if (d->n_words == 2)
		action = arena_printf(&d->ask.arena, "%s %s %s", d->verb,
				      d->word[0], d->word[1]);
	return audit_add(d->ask.store, d->ask.now, ask_who(&d->ask.arena),
			 slice_of(action), d->patch.id, reason_of(d), err);
}

static enum status run(struct deed *d, const struct verb *verb, struct err *err)
{
	struct store *s = d->ask.store;
	enum status st = store_begin(s, err);

	if (st != PH_OK)
		return st;
	st = ask_patch(&d->ask, d->word[0], &d->patch, err);
	if (st == PH_OK)
		st = verb->run(d, err);
	if (st == PH_OK)
		st = note(d, err);
	/* not found is no success here */
	st = store_end(s, st == PH_NONE ? PH_BAD : st, err);
	d->ask.changed = st == PH_OK;
	if (st != PH_OK)
		buf_reset(&d->ask.out);
	return st;
}

static int read_args(struct deed *d, struct args *args)
{
	const char *word;

	while (args_more(args)) {
		if (args_value(args, "--reason", &d->reason) ||
		    args_value(args, "--as", &d->as) ||
		    args_value(args, "--commit", &d->commit))
			continue;
		if (!args_word(args, &word))
			return args_fail(args);
		if (!d->verb)
			d->verb = word;
		else if (d->n_words < ARRAY_LEN(d->word))
			d->word[d->n_words++] = word;
		else
			return command_usage("patch", "%s is one too many",
					     word);
	}
	return args->missing ? args_fail(args) : 0;
}

static int check(const struct deed *d, const struct verb *verb)
{
	enum patch_life life;

	if (!d->verb)
		return command_usage("patch", "merge, split, ack, close or "
					      "reopen?");
	if (!verb)
		return command_usage("patch",
				     "%s is none of merge, split, "
				     "ack, close, reopen",
				     d->verb);
	if (d->n_words != verb->words)
		return command_usage("patch", "%s wants %s", d->verb,
				     verb->wants);
	if ((d->as || d->commit) && verb->run != close_it)
		return command_usage("patch",
				     "--as and --commit are for close");
	if (d->commit && !is_commit(d->commit))
		return command_usage("patch",
				     "--commit is 7 to 40 hex digits of the "
				     "commit that fixes it, not %s",
				     d->commit);
	if (d->as && !closes_as(d->as, &life))
		return command_usage("patch",
				     "--as is fixed, invalid or stale, not %s",
				     d->as);
	if (verb->wants_reason && !d->reason && !d->commit)
		return command_usage("patch", "%s wants a --reason", d->verb);
	return 0;
}

int cmd_patch(int argc, char **argv, const char *config_path)
{
	struct deed d = { .ask.use = CONFIG_TO_WORK };
	struct args args = args_of(argc, argv);
	const struct verb *verb;
	struct err err = { 0 };
	int code = read_args(&d, &args);

	if (code)
		return code;
	verb = d.verb ? verb_of(d.verb) : NULL;
	code = check(&d, verb);
	if (!code)
		code = ask_open(&d.ask, config_path);
	if (code)
		return code;
	assert(verb);
	return ask_deliver(&d.ask, run(&d, verb, &err), &err);
}
