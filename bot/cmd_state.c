#include "bot/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/ask.h"
#include "bot/lock.h"

/* backup, restore, fsck, migrate-state: keep the state. */

static int no_options(struct args *args, const char **words, size_t most,
		      size_t *ret_n)
{
	*ret_n = 0;
	while (args_more(args)) {
		if (*ret_n == most)
			return command_usage(args->argv[0], "%s is too much",
					     args->argv[args->at]);
		if (!args_word(args, &words[*ret_n]))
			return args_fail(args);
		++*ret_n;
	}
	return 0;
}

int cmd_backup(int argc, char **argv, const char *config_path)
{
	struct args args = args_of(argc, argv);
	const char *path;
	struct ask ask = { 0 };
	struct err err = { 0 };
	enum status st;
	size_t n;
	int code = no_options(&args, &path, 1, &n);

	if (code)
		return code;
	if (!n)
		return command_usage("backup", "into which file?");
	code = ask_open(&ask, config_path);
	if (code)
		return code;
	st = store_backup(ask.store, path, &err);
	if (st == PH_OK)
		buf_printf(&ask.out, "%s: a whole copy of %s\n", path,
			   ask.config->state);
	return ask_close(&ask, st, &err);
}

int cmd_fsck(int argc, char **argv, const char *config_path)
{
	struct args args = args_of(argc, argv);
	struct ask ask = { 0 };
	struct err err = { 0 };
	enum status st;
	size_t n;
	int code = no_options(&args, NULL, 0, &n);

	if (!code)
		code = ask_open(&ask, config_path);
	if (code)
		return code;
	st = store_check(ask.store, &err);
	if (st == PH_OK)
		buf_printf(&ask.out, "%s: in order\n", ask.config->state);
	return ask_close(&ask, st, &err);
}

int cmd_migrate_state(int argc, char **argv, const char *config_path)
{
	struct args args = args_of(argc, argv);
	struct config *config;
	struct err err = { 0 };
	enum status st;
	size_t n;
	int code = no_options(&args, NULL, 0, &n);

	if (code)
		return code;
	config = command_config(config_path, CONFIG_TO_ASK, &code);
	if (!config)
		return code;
	st = store_migrate(config->state, &err);
	if (st == PH_OK)
		printf("%s: ready for this perfherald\n", config->state);
	else
		fprintf(stderr, "perfherald: %s\n", err.text);
	code = err_exit_code(&err, st);
	config_free(config);
	return code;
}

/* -- restore -- */

static enum status failed(const char *path, struct err *err)
{
	return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s", path,
			strerror(errno));
}

/* A copy beside the state, so that the last step is one rename. */
static enum status copy_beside(const char *from, const char *beside,
			       struct err *err)
{
	struct store *backup;
	enum status st;

	if (access(from, F_OK) != 0)
		return err_exit(err, PH_FATAL, EX_NOINPUT, "%s: %s", from,
				strerror(errno));
	st = store_open(from, &backup, err);
	if (st != PH_OK)
		return st;
	unlink(beside); /* of an attempt that was cut off */
	st = store_check(backup, err);
	if (st == PH_OK)
		st = store_backup(backup, beside, err);
	store_close(backup);
	return st;
}

static enum status put_aside(const char *state, const char *aside,
			     bool *ret_was, struct err *err)
{
	static const char *const tail[] = { "-wal", "-shm", "" };
	char from[4200], to[4200];

	/* what the log holds belongs to the old file: they go together */
	for (size_t i = 0; i < ARRAY_LEN(tail); i++) {
		snprintf(from, sizeof(from), "%s%s", state, tail[i]);
		snprintf(to, sizeof(to), "%s%s", aside, tail[i]);
		*ret_was = rename(from, to) == 0;
		if (!*ret_was && errno != ENOENT)
			return failed(from, err);
	}
	return PH_OK;
}

static enum status restore(const char *state, const char *from, bool *ret_was,
			   struct err *err)
{
	char beside[4200], aside[4200];
	int watch = -1, courier = -1;
	enum status st = lock_take(state, "lock", &watch, err);

	snprintf(beside, sizeof(beside), "%s.restored", state);
	snprintf(aside, sizeof(aside), "%s.before-restore", state);
	if (st == PH_OK)
		st = lock_take(state, "courier", &courier, err);
	if (st == PH_OK)
		st = copy_beside(from, beside, err);
	if (st == PH_OK)
		st = put_aside(state, aside, ret_was, err);
	if (st == PH_OK && rename(beside, state) != 0)
		st = failed(beside, err);
	if (courier >= 0)
		close(courier);
	if (watch >= 0)
		close(watch);
	return st;
}

int cmd_restore(int argc, char **argv, const char *config_path)
{
	struct args args = args_of(argc, argv);
	const char *from;
	bool was = false;
	struct config *config;
	struct err err = { 0 };
	enum status st;
	size_t n;
	int code = no_options(&args, &from, 1, &n);

	if (code)
		return code;
	if (!n)
		return command_usage("restore", "from which file?");
	config = command_config(config_path, CONFIG_TO_ASK, &code);
	if (!config)
		return code;
	st = restore(config->state, from, &was, &err);
	if (st == PH_OK && was)
		printf("%s is restored; what was there is in "
		       "%s.before-restore\n",
		       config->state, config->state);
	else if (st == PH_OK)
		printf("%s is restored\n", config->state);
	else
		fprintf(stderr, "perfherald: %s\n", err.text);
	code = err_exit_code(&err, st);
	config_free(config);
	return code;
}
