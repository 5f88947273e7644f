#include "bot/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "ph/slice.h"

/* What --help says below the summary; see struct command. */
static const char watch_help[] =
	"Catches up with every mailbox, then waits for mail; decides and sends "
	"what is due. Ends on SIGTERM, and reads the configuration again on "
	"SIGHUP. Without `send: true` in the configuration notices are held.\n"
	"\n"
	"  --once  catch up, deliver what is due, end; 69 when a mailbox "
	"failed\n";

static const char process_help[] =
	"MESSAGE is a file (a mail, or a report as pasted), an mbox, a "
	"Maildir, a folder of such files, - for standard input, the "
	"Message-ID of a mail in the state or in a mailbox, or uid:MAILBOX/N. "
	"A running watch decides and delivers; without one it is done before "
	"this command ends.\n"
	"\n"
	"  --again   decide anew what has been decided\n"
	"  --resend  send it although it was sent\n"
	"  --vouch   take your word that an unproven message is real\n";

static const char parse_help[] =
	"MESSAGE is a file (a mail, or a report as pasted), an mbox, a "
	"Maildir, a folder of such files, or - for standard input. Needs no "
	"configuration and keeps nothing. With --format json, one object a "
	"message and line.\n";

static const char check_help[] =
	"Mistakes come as file:line:column: text, all at once; exit code 78 "
	"when there is one. Warnings tell what is no mistake and yet hardly "
	"meant: a route that can never match, a folder that is not there.\n"
	"\n"
	"  --connect  log in to every mailbox and knock at every channel, "
	"telling nobody\n"
	"  --schema   print the keys as JSON Schema for editors, and nothing "
	"else\n";

/* In the order of the manual page. */
const struct command commands[] = {
	{ "watch", "[--once]", "Watch the mailboxes and tell what they bring",
	  watch_help, cmd_watch },
	{ "process", "[--again] [--resend] [--vouch] [--] MESSAGE...",
	  "Take in messages by hand", process_help, cmd_process },
	{ "parse", "[--format text|json] [--] MESSAGE...",
	  "Say what messages are and print what they report", parse_help,
	  cmd_parse },
	{ "check", "[--connect] [--schema]",
	  "Report every mistake of the configuration", check_help, cmd_check },
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
