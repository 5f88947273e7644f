/*
 * command - the table of commands, and how each is called.
 *
 * A command is one row of command.c. Whoever writes a command adds its row
 * there, in the order of DESIGN section 2, together with its prototype below;
 * nothing else knows the commands. main() answers --help from the table and
 * hands everything else on.
 */
#ifndef BOT_COMMAND_H
#define BOT_COMMAND_H

#include <stddef.h>
#include "ph/config.h"

/*
 * argv[0] is the command's name, argv[argc] is NULL. config_path is the file
 * of -c, or the usual one; it need not exist. Returns a sysexits number.
 */
typedef int command_fn(int argc, char **argv, const char *config_path);

struct command {
	const char *name;
	const char *synopsis; /* what follows the name: "[--once]", or "" */
	const char *summary;  /* one line, no full stop */
	/* For --help; may be NULL. A line is a paragraph, which is wrapped when
	 * printed; a line that starts with a blank stays as it is. */
	const char *details;
	command_fn *run;
};

command_fn cmd_backtest, cmd_backup, cmd_check, cmd_digest, cmd_drill,
	cmd_export, cmd_forward, cmd_fsck, cmd_list, cmd_migrate_state,
	cmd_outbox, cmd_parse, cmd_patch, cmd_process, cmd_restore, cmd_route,
	cmd_show, cmd_silence, cmd_site, cmd_status, cmd_watch, cmd_why;

extern const struct command commands[];
extern const size_t n_commands;

/* NULL: there is none of that name. */
const struct command *command_find(const char *name);

/*
 * Says on standard error what is wrong with the arguments (printf style) and
 * how the command is called. Returns EX_USAGE, so that a command fails with
 * `return command_usage("show", "one patch at a time");`.
 */
int command_usage(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Reads the configuration for a command; its mistakes go to standard error, a
 * line each, and with CONFIG_TO_WORK its warnings. To be released with
 * config_free. NULL: it is unusable, and *ret_code is the exit code.
 */
struct config *command_config(const char *path, enum config_use use,
			      int *ret_code);

#endif
