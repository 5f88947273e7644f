#include "bot/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "ph/slice.h"

const struct command commands[] = {
	{ "parse", "[--format text|json] [--] MESSAGE...",
	  "Say what messages are and print what they report",
	  "MESSAGE is a file (a mail, or a report as pasted), an mbox, a "
	  "Maildir, "
	  "a folder of\nsuch files, or - for standard input. Needs no "
	  "configuration and keeps nothing.\nWith --format json, one object a "
	  "message and line.\n",
	  cmd_parse },
	{ "check", "[--connect] [--schema]",
	  "Report every mistake of the configuration",
	  "Mistakes come as file:line:column: text, all at once; exit code 78 "
	  "when there is\none. Warnings tell what is no mistake and yet hardly "
	  "meant: a route that can never\nmatch, a folder that is not there.\n"
	  "--connect also logs in to every mailbox and knocks at every "
	  "channel, "
	  "without\ntelling anyone anything. --schema prints the keys as JSON "
	  "Schema for editors, and\nnothing else.\n",
	  cmd_check },
	{ NULL, NULL, NULL, NULL, NULL },
};

const size_t n_commands = ARRAY_LEN(commands) - 1;

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < n_commands; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

int command_usage(const char *name, const char *fmt, ...)
{
	const struct command *c = command_find(name);
	va_list ap;

	fprintf(stderr, "perfherald %s: ", name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nusage: perfherald %s %s\n", name,
		c ? c->synopsis : "");
	return EX_USAGE;
}
