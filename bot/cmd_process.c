#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include "bot/args.h"
#include "bot/command.h"
#include "bot/hand.h"
#include "bot/hand_imap.h"
#include "bot/name.h"
#include "bot/supervisor.h"
#include "ph/archive.h"
#include "ph/source.h"

static enum status process_source(struct hand *h, const char *path,
				  struct err *err)
{
	struct source_item item;
	struct source *source;
	char where[4200];
	enum status s = source_open(path, &source, err);

	if (s)
		return s;
	while ((s = source_next(source, &item, err)) != PH_NONE) {
		if (s == PH_FATAL)
			break;
		if (s) { /* this one only */
			hand_fail(h, s, err);
			continue;
		}
		snprintf(where, sizeof(where), "%.*s", S_FMT(item.where));
		s = hand_take(h, item.raw, "file", where, item.arrived, err);
		if (s)
			break;
	}
	source_close(source);
	return s == PH_NONE ? PH_OK : s;
}

static enum status process_archived(struct hand *h, struct slice id,
				    struct err *err)
{
	const char *path[ARCHIVE_COPIES];
	struct arena arena;
	enum status s;
	size_t n;

	arena_init(&arena);
	s = archive_find(h->config->archive, id, &arena, path, &n, err);
	for (size_t i = 0; !s && i < n; i++)
		s = process_source(h, path[i], err);
	arena_release(&arena);
	return s;
}

static enum status process_id(struct hand *h, const char *name, struct slice id,
			      struct err *err)
{
	enum status s = hand_take_known(h, id, err);

	if (s == PH_NONE)
		s = process_archived(h, id, err);
	if (s == PH_NONE)
		s = hand_imap_id(h, id, err);
	if (s == PH_NONE)
		err_exit(err, s, EX_NOINPUT,
			 "%s: no such file, and no message of this id in the "
			 "state, the archive or the mailboxes",
			 name);
	return s;
}

static enum status process_one(struct hand *h, const char *name,
			       struct err *err)
{
	struct arena arena;
	struct stat st;
	struct slice id;
	enum status s;

	if (!strcmp(name, "-") || stat(name, &st) == 0)
		return process_source(h, name, err);
	if (!strncmp(name, "uid:", 4))
		return hand_imap_uid(h, name, err);
	arena_init(&arena);
	id = name_plain(name, &arena);
	/* without an @ it was meant for a file, and that says why not */
	s = slice_chr(id, '@') ? process_id(h, name, id, err)
			       : process_source(h, name, err);
	arena_release(&arena);
	return s;
}

/* All are tried; what is wrong with the state ends it. */
static enum status process_all(struct hand *h, int n, char **names)
{
	struct err err;
	enum status s = PH_OK;

	for (int i = 0; i < n; i++) {
		s = process_one(h, names[i], &err);
		if (s)
			hand_fail(h, s, &err);
	}
	s = hand_flush(h, &err);
	progress_clear(&h->progress);
	if (s)
		hand_fail(h, s, &err);
	return s;
}

static enum status open_all(struct hand *h, struct err *err)
{
	const struct config *config = h->config;
	enum status s = store_migrate(config->state, err);

	if (!s)
		s = store_open(config->state, &h->store, err);
	if (!s)
		s = prover_new(&config->trust, &h->prover, err);
	if (!s)
		s = archive_make(config->archive, err);
	return s;
}

static int run(struct hand *h, int n, char **names)
{
	struct err err;
	enum status s = open_all(h, &err);
	int code;

	if (s)
		hand_fail(h, s, &err);
	else
		process_all(h, n, names);
	prover_free(h->prover);
	store_close(h->store);
	if (!h->changed)
		return h->code;
	code = supervisor_deliver(h->config);
	return h->code ? h->code : code;
}

/* Leaves the messages in argv from 1 on. */
static int read_args(int argc, char **argv, struct hand *h, int *ret_n)
{
	struct args args = args_of(argc, argv);
	const char *word;

	while (args_more(&args)) {
		if (args_flag(&args, "--again"))
			h->again = true;
		else if (args_flag(&args, "--resend"))
			h->resend = true;
		else if (args_flag(&args, "--vouch"))
			h->vouch = true;
		else if (args_word(&args, &word))
			argv[++*ret_n] = argv[args.at - 1];
		else
			return args_fail(&args);
	}
	return *ret_n ? EX_OK : command_usage("process", "which message?");
}

int cmd_process(int argc, char **argv, const char *config_path)
{
	struct config *config;
	struct hand h;
	int n = 0, code;

	hand_init(&h, NULL, NULL, NULL);
	if (read_args(argc, argv, &h, &n))
		return EX_USAGE;
	config = command_config(config_path, CONFIG_TO_WORK, &code);
	if (!config)
		return code;
	h.config = config;
	code = run(&h, n, argv + 1);
	hand_release(&h);
	config_free(config);
	return code;
}
