#include "bot/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "ph/slice.h"
#include "ph/utf8.h"

/* What --help says below the summary; see struct command. */
static const char watch_help[] =
	"Catches up with every mailbox, then waits for mail; decides "
	"and sends what is due. Ends on SIGTERM, and reads the "
	"configuration again on SIGHUP, unless that would change too "
	"much (reload_limit): then SIGUSR1 reads it all the same. "
	"Without `send: true` in the configuration notices are held.\n"
	"\n"
	"  --once  catch up, deliver what is due, end; 69 when a "
	"mailbox failed\n";

static const char process_help[] =
	"MESSAGE is a file (a mail, or a report as pasted), an mbox, "
	"a Maildir, a folder of such files, - for standard input, "
	"the Message-ID of a mail in the state or in a mailbox (or "
	"an archive's link to it), or uid:MAILBOX/N. A running watch "
	"decides and delivers; without one it is done before this "
	"command ends.\n"
	"\n"
	"  --again   decide anew what has been decided\n"
	"  --resend  send it although it was sent\n"
	"  --vouch   take your word that an unproven message is real\n";

static const char parse_help[] =
	"MESSAGE is a file (a mail, or a report as pasted), an mbox, "
	"a Maildir, a folder of such files, or - for standard input. "
	"Needs no configuration and keeps nothing. With --format "
	"json, one object a message and line.\n";

static const char check_help[] =
	"Mistakes come as file:line:column: text, all at once; exit "
	"code 78 when there is one. Warnings tell what is no mistake "
	"and yet hardly meant: a route that can never match, a "
	"folder that is not there.\n"
	"\n"
	"  --connect  log in to every mailbox and knock at every "
	"channel, telling nobody\n"
	"  --schema   print the keys as JSON Schema for editors, and "
	"nothing else\n";

static const char forward_help[] =
	"Sends what is known of a patch, with its newest report, "
	"once more. PATCH is an id or a commit (4 digits or more), "
	"the Message-ID of a report or a link to it, or the whole "
	"title.\n"
	"\n"
	"  --to ADDRESS     one person, through the first mail "
	"channel that allows it\n"
	"  --channel NAME   a channel\n"
	"  --note TEXT      your word, below the numbers\n";

static const char digest_help[] =
	"Prints what was told on a channel, a line a patch, "
	"regressions first.\n"
	"\n"
	"  --since TIME          a span back from now, or a date (7d)\n"
	"  --send                sends it instead\n"
	"  --format text|json\n";

static const char list_help[] =
	"Lists patches, newest first; TEXT is looked for in their "
	"titles.\n"
	"\n"
	"  --since TIME       last seen since: a span back from now "
	"(7d), or a date\n"
	"  --state LIST       open, acknowledged, fixed, invalid, "
	"stale\n"
	"  --verdict WORD     with a regression, or an improvement\n"
	"  --forgotten        regressions of mainline, over a week "
	"old, that nobody\n"
	"                     has closed, taken up or replied to\n"
	"  --limit N, --all   how many (50)\n"
	"  --partial          messages that were read in part\n"
	"  --messages STATE   messages that are new, report, "
	"duplicate, unproven,\n"
	"                     reply, other, waiting, bad, oversized "
	"or poison\n"
	"  --format text|json\n";

static const char show_help[] =
	"PATCH is an id or a commit (4 digits or more), the "
	"Message-ID of a report or a link to it, or a part of the "
	"title.\n"
	"\n"
	"  --format text|json\n";

static const char why_help[] =
	"Prints the whole path of a message: proven how, read as "
	"what, which patch by which rung, which route and matcher, "
	"told or silent for what reason, and each attempt. NAME is a "
	"Message-ID or a link to it, uid:MAILBOX/N, or a patch (an "
	"id, a commit, a part of its title), whose messages are then "
	"all explained.\n"
	"\n"
	"  --format text|json\n";

static const char status_help[] =
	"What needs a person is marked with ! and makes the exit "
	"code 1.\n"
	"\n"
	"  --format text|json\n";

static const char patch_help[] =
	"  merge PATCH PATCH --reason TEXT    they are one\n"
	"  split PATCH COMMIT --reason TEXT   this commit is another "
	"patch\n"
	"  ack PATCH [--reason TEXT]          somebody looks at it\n"
	"  close PATCH --reason TEXT          it is settled\n"
	"      --as fixed|invalid|stale       how (fixed)\n"
	"      --commit ID                    by this commit, which "
	"is reason enough\n"
	"  reopen PATCH --reason TEXT         it is not\n";

static const char outbox_help[] =
	"  list               what is held, waits or is dead\n"
	"      --all          the sent ones too\n"
	"      --format text|json\n"
	"  retry ID...        due now, whatever happened before\n"
	"  drop ID...         never\n"
	"  release            sends what a dry run has held; says "
	"how much, and asks\n"
	"      --since TIME   what was made since: a span back from "
	"now, or a date\n"
	"      --yes          without asking, which a script must say\n";

static const char route_help[] =
	"Says who would be told of a report, and which line of the "
	"configuration decided. Nothing is written or sent. A file "
	"is taken at its word, without proof. A patch is named as "
	"for show.\n"
	"\n"
	"  --show  what each would get\n";

static const char backtest_help[] =
	"Decides the stored reports once more, under the "
	"configuration in use and under NEWCONFIG, and prints the "
	"difference per target. Nothing is written or sent.\n"
	"\n"
	"  --since TIME        reports that arrived since: a span "
	"back from now, or a\n"
	"                      date (90d)\n"
	"  --all               every difference, not the first 20\n"
	"  --format text|json\n";

static const char export_help[] =
	"Writes results for other programs, a line each: what is known of the "
	"patch, the test, the numbers and the report. With kcidb, one JSON "
	"object for the kernel's CI database. FILE comes to be whole or not at "
	"all; without one, or with -, it is standard output.\n"
	"\n"
	"  --format json|csv|kcidb  (json)\n"
	"  --since 90d       of reports that arrived since; a span or a date\n"
	"  --until 7d        ... and before\n"
	"  --state LIST      open, acknowledged, fixed, invalid, stale\n"
	"  --verdict V       regressions, or improvements\n"
	"  --match KEY=GLOB  the cell KEY (metric, host, tree, ...; see\n"
	"                    perfherald(1)) fits; all keys must, one key "
	"twice:\n"
	"                    one of them\n"
	"  --unproven        also of reports that nothing proves\n"
	"  --authors         with the authors' addresses, else none is "
	"written\n"
	"  --origin NAME     KCIDB's name of who submits (perfherald)\n";

static const char site_help[] =
	"Writes static pages into DIR: lists, a page a patch, a page with a "
	"plot for each metric of a test on a host, and Atom feeds. They need "
	"no server and no script. Run it as often as you like: only what "
	"changed is written, what is no more is removed, and no file that it "
	"did not write is touched.\n"
	"\n"
	"  --base URL       where it will be found, with a slash at its end; "
	"for feeds\n"
	"  --since 90d      patches last seen since; a span or a date\n";

static const char silence_help[] =
	"  add KEY=GLOB... --until TIME --reason TEXT [--author NAME]\n"
	"      KEY is patch, tree, branch, label, subsystem, files, "
	"testcase,\n"
	"      metric, host, verdict, evidence, author or list. All "
	"must hold; one\n"
	"      key twice: one of them; but one patch, by its id or commit. "
	"TIME is\n"
	"      a span from now, or a date to come.\n"
	"  list               those in force\n"
	"      --all          ended ones too\n"
	"      --format text|json\n"
	"  expire ID...       ends it now\n";

static const char drill_help[] =
	"Sends one test notice, marked as such, over each channel (or "
	"those named), by the way that real ones go, and says what became "
	"of it. It is tried once. A mail channel's first address of its own "
	"gets it; where there are only people of a patch (@author) or lists, "
	"the operator does in their place. A channel that is paused is "
	"tried all the same. While send is false it is shown only.\n"
	"\n"
	"  --show              print it, send nothing\n"
	"  --format text|json\n";

static const char restore_help[] =
	"The copy is checked first, and what was there is kept "
	"beside it. Not while a watch runs.\n";

/* In the order of the manual page. */
const struct command commands[] = {
	{ "watch", "[--once]", "Watch the mailboxes and tell what they bring",
	  watch_help, cmd_watch },
	{ "process", "[OPTION...] [--] MESSAGE...", "Take in messages by hand",
	  process_help, cmd_process },
	{ "parse", "[--format text|json] [--] MESSAGE...",
	  "Say what messages are and print what they report", parse_help,
	  cmd_parse },
	{ "forward", "PATCH --to ADDRESS|--channel NAME [...]",
	  "Send the summary of a patch now", forward_help, cmd_forward },
	{ "digest", "CHANNEL [OPTION...]", "Print or send a digest now",
	  digest_help, cmd_digest },
	{ "list", "[OPTION...] [TEXT]",
	  "List patches, or messages that something is odd about", list_help,
	  cmd_list },
	{ "show", "[OPTION...] PATCH",
	  "Show a patch: its hashes, results, notices and life", show_help,
	  cmd_show },
	{ "why", "[OPTION...] NAME", "Say why a message was told, or was not",
	  why_help, cmd_why },
	{ "status", "[--format text|json]",
	  "Say how things stand; exit 1 when something needs a person",
	  status_help, cmd_status },
	{ "patch", "merge|split|ack|close|reopen PATCH [OPTION...]",
	  "Correct the identity or the life of a patch", patch_help,
	  cmd_patch },
	{ "outbox", "[list|retry ID...|drop ID...|release] [...]",
	  "Look at the queue, and settle what waits", outbox_help, cmd_outbox },
	{ "silence", "add|list|expire [OPTION...]",
	  "Mute by matcher, with a reason and an end", silence_help,
	  cmd_silence },
	{ "route", "test [--show] MESSAGE|PATCH", "Try the routes on a report",
	  route_help, cmd_route },
	{ "backtest", "NEWCONFIG [OPTION...]",
	  "Run stored reports through another configuration", backtest_help,
	  cmd_backtest },
	{ "site", "[--base URL] [--since TIME] DIR",
	  "Write static pages, plots and feeds", site_help, cmd_site },
	{ "export", "[OPTION...] [FILE|-]", "Write results for other programs",
	  export_help, cmd_export },
	{ "check", "[--connect] [--schema]",
	  "Report every mistake of the configuration", check_help, cmd_check },
	{ "drill", "[--show] [CHANNEL...]",
	  "Send a marked test notice over each channel", drill_help,
	  cmd_drill },
	{ "backup", "FILE", "Write a whole copy of the state into a new file",
	  "Safe beside a running watch.\n", cmd_backup },
	{ "restore", "FILE", "Put a copy of the state in its place",
	  restore_help, cmd_restore },
	{ "fsck", "", "Check every page and row of the state", NULL, cmd_fsck },
	{ "migrate-state", "", "Bring the state to this program's schema",
	  "A watch does this by itself when it starts.\n", cmd_migrate_state },
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
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	utf8_flatten(text, strlen(text));
	fprintf(stderr, "perfherald %s: %s\nusage: perfherald %s %s\n", name,
		text, name, c ? c->synopsis : "");
	return EX_USAGE;
}
