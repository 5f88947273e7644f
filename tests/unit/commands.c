#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/command.h"
#include "bot/desk.h"
#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "bot/store/pack.h"
#include "bot/store/patch.h"
#include "bot/wake.h"
#include "ph/clock.h"
#include "tests/robot_mail.h"
#include "tests/scratch.h"

/*
 * Commands as a person calls them, on a state with two patches. A socket as
 * of a running watch stands beside the state, so that they knock and leave the
 * delivery to it.
 */

#define COMMIT_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"
#define COMMIT_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb2"

static struct arena arena;
static struct err err;
static int knock = -1, saved_out = -1, saved_err = -1;
static char config_path[512];

static void ok(enum status st)
{
	if (st != PH_OK)
		fail_msg("status %d: %s", st, err.text);
}

static void write_config(const char *send)
{
	FILE *f;

	snprintf(config_path, sizeof(config_path), "%s",
		 scratch_path("c.yaml"));
	f = fopen(config_path, "w");
	assert_non_null(f);
	fprintf(f,
		"state: %s\nsend: %s\n"
		"trust: {proof: [dkim]}\n"
		"smtp: {url: smtps://mail.example.org, "
		"from: bot@example.org}\n"
		"channels:\n"
		"  chat: {type: file, path: %s}\n"
		"  people: {type: mail, to: \"@author\", "
		"allow: [\"*@example.org\"]}\n"
		"routes:\n  - match: {min_percent: 3}\n    to: [chat]\n",
		scratch_path("state.db"), send, scratch_path("chat"));
	fclose(f);
	chmod(config_path, 0600);
}

static void give(struct store *s, const struct robot_mail *m)
{
	struct message *msg = arena_new(&arena, struct message);
	struct report *report = arena_new(&arena, struct report);
	struct message_in in = { .source = S("file"),
				 .folder = S("test.eml"),
				 .now = clock_wall(),
				 .by_hand = true,
				 .proven = PROVEN_DKIM,
				 .proof = S("made up"),
				 .message = msg,
				 .report = report };
	int64_t id;

	in.arrived = in.now;
	ok(message_read(robot_mail(m, &arena), &arena, msg, &err));
	ok(report_read(msg, &arena, report, &err));
	in.packed = pack_text(s, &arena, msg->text);
	ok(store_begin(s, &err));
	ok(store_end(s, message_add(s, &in, &id, &err), &err));
}

static void decide(struct store *s)
{
	struct config_errors errors;
	struct config *config;
	struct desk desk;

	config_errors_init(&errors);
	ok(config_read(config_path, CONFIG_TO_WORK, &config, &errors, NULL,
		       &err));
	desk_init(&desk, config, s, NULL);
	while (desk_step(&desk, clock_wall(), &err) == PH_OK)
		;
	config_free(config);
	config_errors_release(&errors);
}

static int set_up(void **state)
{
	static const struct robot_mail a = {
		.id = "202610010915.4e1c09ab-lkp@intel.com",
		.commit = COMMIT_A,
		.title = "mm: walk \x1b[31mthe list",
		.to = "author@example.org",
		.tree = "https://git.kernel.org/cgit/linux/kernel/git/next/"
			"linux-next.git master",
		.label = "linux-next:master",
		.metric = "will-it-scale.per_process_ops",
		.percent = 12.0,
	};
	struct robot_mail b = a;
	struct store *s = scratch_store("state.db");

	(void)state;
	arena_init(&arena);
	write_config("true");
	give(s, &a);
	b.id = NULL;
	b.commit = COMMIT_B;
	b.title = "ext4: batch it";
	b.verdict = "improvement";
	b.metric = "fsmark.files_per_sec";
	b.percent = 30.5;
	give(s, &b);
	decide(s);
	store_close(s);
	ok(wake_listen(scratch_path("state.db"), &knock, &err));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	wake_unlisten(scratch_path("state.db"), knock);
	arena_release(&arena);
	return 0;
}

/* -- running one -- */

static void catch_output(void)
{
	int fd;

	fflush(stdout);
	fflush(stderr);
	saved_out = dup(STDOUT_FILENO);
	saved_err = dup(STDERR_FILENO);
	fd = open(scratch_path("output"), O_CREAT | O_TRUNC | O_RDWR, 0600);
	assert_true(fd >= 0);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static const char *caught(void)
{
	static char text[65536];
	ssize_t len;
	int fd;

	fflush(stdout);
	fflush(stderr);
	dup2(saved_out, STDOUT_FILENO);
	dup2(saved_err, STDERR_FILENO);
	close(saved_out);
	close(saved_err);
	fd = open(scratch_path("output"), O_RDONLY);
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	assert_true(len >= 0);
	text[len] = '\0';
	return text;
}

static const char *output;

/* words: up to a NULL, the command first. */
static int run(const char *first, ...)
{
	char *argv[16] = { (char *)first };
	const struct command *c = command_find(first);
	int argc = 1, code;
	va_list ap;

	va_start(ap, first);
	while (argc < 15 && (argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	argv[argc] = NULL;
	assert_non_null(c);
	catch_output();
	code = c->run(argc, argv, config_path);
	output = caught();
	return code;
}

static void says(const char *part)
{
	if (!strstr(output, part))
		fail_msg("no \"%s\" in:\n%s", part, output);
}

static void says_not(const char *part)
{
	if (strstr(output, part))
		fail_msg("\"%s\" in:\n%s", part, output);
}

static size_t is_json(void)
{
	const char *at = output;
	size_t n = 0;

	while (*at) {
		size_t len = strcspn(at, "\n");
		json_t *j = json_loadb(at, len, 0, NULL);

		assert_non_null(j);
		json_decref(j);
		at += len + 1;
		n++;
	}
	return n;
}

/* -- asking -- */

static void list_names_patches(void **state)
{
	(void)state;
	assert_int_equal(run("list", NULL), 0);
	says("WORSE 12.0%");
	says("BETTER 30.5%");
	says("ext4: batch it");
	/* nothing of a mail reaches the terminal as a command */
	says_not("\x1b");
	assert_int_equal(run("list", "--verdict", "regression", NULL), 0);
	says("mm: walk");
	says_not("ext4");
	assert_int_equal(run("list", "EXT4", NULL), 0);
	says_not("mm: walk");
	assert_int_equal(run("list", "--limit=1", NULL), 0);
	says("(the newest 1; --all for all)");
	assert_int_equal(run("list", "--format", "json", NULL), 0);
	assert_int_equal(is_json(), 2);
	assert_int_equal(run("list", "--partial", NULL), 0);
	says_not("mm: walk");
	assert_int_equal(run("list", "--messages", "report", NULL), 0);
	says("test.eml");
}

static void arguments_do_not_reach_the_terminal_as_commands(void **state)
{
	static const char *const commands[] = { "parse", "process", "check",
						"list",	 "outbox",  "patch",
						"why",	 "status" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		assert_int_equal(run(commands[i],
				     "--x\x1b[31m\x9b"
				     "2J",
				     NULL),
				 EX_USAGE);
		says_not("\x1b");
		says_not("\x9b");
		says("--x?[31m?2J");
	}
}

static void file_names_do_not_reach_the_terminal_as_commands(void **state)
{
	FILE *f = fopen(scratch_path("x\x1b[31m"), "w");

	(void)state;
	assert_non_null(f);
	fputs("From: a@example.org\nSubject: b\n\nc\n", f);
	fclose(f);
	assert_int_equal(run("process", scratch_path("x\x1b[31m"), NULL), 0);
	says("[31m: no performance report (other)");
	says_not("\x1b");
}

/* As of a shell's variable that is not set. */
static void an_empty_argument_names_nothing(void **state)
{
	struct store *s;
	struct patch_row row;

	(void)state;
	assert_int_equal(run("patch", "ack", "", NULL), EX_USAGE);
	says("an empty argument names nothing");
	assert_int_equal(run("show", "", NULL), EX_USAGE);
	assert_int_equal(run("parse", "", NULL), EX_USAGE);
	assert_int_equal(run("process", "", NULL), EX_USAGE);
	ok(store_open(scratch_path("state.db"), &s, &err));
	ok(store_begin(s, &err));
	assert_int_equal(patch_find(s, S(""), &arena, &row, &err), PH_NONE);
	ok(store_end(s, PH_OK, &err));
	store_close(s);
}

static void parse_takes_its_options_like_the_others(void **state)
{
	(void)state;
	assert_int_equal(run("parse", "--format=json", "/nonexistent", NULL),
			 EX_NOINPUT);
	assert_int_equal(run("parse", "/nonexistent", "--format", "json", NULL),
			 EX_NOINPUT);
	says_not("--format");
}

static void route_test_names_the_file_that_is_no_mail(void **state)
{
	FILE *f = fopen(scratch_path("junk"), "w");

	(void)state;
	assert_non_null(f);
	fputs("junk\n", f);
	fclose(f);
	assert_int_equal(run("route", "test", scratch_path("junk"), NULL),
			 EX_DATAERR);
	says("/junk: not a mail");
}

static void list_refuses_what_it_does_not_know(void **state)
{
	(void)state;
	assert_int_equal(run("list", "--state", "odd", NULL), EX_USAGE);
	says("not odd");
	assert_int_equal(run("list", "--since", NULL), EX_USAGE);
	says("--since wants a value");
	assert_int_equal(run("list", "--colour", NULL), EX_USAGE);
	says("unknown option: --colour");
	assert_int_equal(run("list", "--format", "xml", NULL), EX_USAGE);
}

static void show_tells_all_of_a_patch(void **state)
{
	(void)state;
	assert_int_equal(run("show", "aaaaaaaa", NULL), 0);
	says("author@example.org");
	says("open since");
	says("0 better, 1 worse, worst 12.0%");
	says("nr_task=100%");
	says("notices");
	assert_int_equal(run("show", "--format", "json", "aaaaaaaa", NULL), 0);
	assert_int_equal(is_json(), 1);
	assert_int_equal(run("show", "202610010915.4e1c09ab-lkp@xxxxxxxxx",
			     NULL),
			 0);
	assert_int_equal(run("show", "cccc", NULL), EX_DATAERR);
	says("no such patch");
	assert_int_equal(run("show", NULL), EX_USAGE);
}

static void why_prints_the_path(void **state)
{
	(void)state;
	assert_int_equal(run("why", "202610010915.4e1c09ab-lkp@intel.com",
			     NULL),
			 0);
	says("dkim: made up");
	says("news: the first of this patch");
	says("chat: the first notice, queued");
	says("notice 1 chat: pending");
	assert_int_equal(run("why", "bbbbbbbb", NULL), 0);
	says("fsmark.files_per_sec");
	assert_int_equal(run("why", "--format=json", "bbbbbbbb", NULL), 0);
	assert_int_equal(is_json(), 1);
	assert_int_equal(run("why", "nothing", NULL), EX_DATAERR);
	says("no such message or patch");
}

/* As people have them at hand: a link, a hash of any length, some words. */
static void a_patch_has_many_names(void **state)
{
	static const char *const names[] = {
		"202610010915.4e1c09ab-lkp@intel.com",
		"<202610010915.4e1c09ab-lkp@intel.com>",
		"https://lore.kernel.org/oe-lkp/"
		"202610010915.4e1c09ab-lkp@intel.com/",
		"https://lore.kernel.org/r/"
		"202610010915.4e1c09ab-lkp%40intel.com",
		"https://lore.kernel.org/all/"
		"202610010915.4e1c09ab-lkp@intel.com/T/#u",
		"AAAAAAAA",
		"aaaa",
		COMMIT_A,
		"https://git.kernel.org/linus/" COMMIT_A,
		"WALK",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_int_equal(run("show", names[i], NULL), 0);
		says("mm: walk");
		assert_int_equal(run("why", names[i], NULL), 0);
		says("202610010915.4e1c09ab-lkp@intel.com");
		assert_int_equal(run("route", "test", names[i], NULL), 0);
	}
	assert_int_equal(run("show", "t", NULL), EX_DATAERR);
	assert_int_equal(run("show", " it", NULL), EX_DATAERR);
	assert_int_equal(run("show", "4: b", NULL), 0);
	says("ext4: batch it");
	/* both have it */
	assert_int_equal(run("patch", "merge", names[2], names[5], "--reason",
			     "x", NULL),
			 EX_DATAERR);
	says("are one patch already");
	/* who changes something says it in full */
	assert_int_equal(run("patch", "ack", "WALK", NULL), EX_DATAERR);
	says("perfherald list TEXT finds it");
	assert_int_equal(run("forward", "WALK", "--channel", "chat", NULL),
			 EX_DATAERR);
	assert_int_equal(run("patch", "ack", names[3], NULL), 0);
}

static void status_calls_for_a_person(void **state)
{
	struct store *s;

	(void)state;
	assert_int_equal(run("status", NULL), 0);
	says("watch     running");
	says("2 report");
	says("2 pending");
	assert_int_equal(run("status", "--format", "json", NULL), 0);
	assert_int_equal(is_json(), 1);
	ok(store_open(scratch_path("state.db"), &s, &err));
	ok(outbox_set(s, 1, OUTBOX_DEAD, S("550 no"), clock_wall(), &err));
	store_close(s);
	assert_int_equal(run("status", NULL), 1);
	says("! outbox");
	says("1 dead");
}

/* -- changing -- */

static void the_outbox_is_settled_by_hand(void **state)
{
	struct store *s;

	(void)state;
	assert_int_equal(run("outbox", NULL), 0);
	says("WORSE 12.0% will-it-scale.per_process_ops");
	assert_int_equal(run("outbox", "drop", "1", NULL), 0);
	says("notice 1: dropped");
	assert_int_equal(run("outbox", "drop", "1", NULL), EX_DATAERR);
	says("notice 1 is cancelled");
	assert_int_equal(run("outbox", "retry", "1", "99", "x", NULL),
			 EX_DATAERR);
	says("notice 1: due now");
	says("no notice 99");
	says("x: not the number of a notice");
	assert_int_equal(run("outbox", "list", "--all", "--format", "json",
			     NULL),
			 0);
	assert_int_equal(is_json(), 2);
	assert_int_equal(run("outbox", "shake", NULL), EX_USAGE);
	ok(store_open(scratch_path("state.db"), &s, &err));
	ok(outbox_set(s, 1, OUTBOX_HELD, S("send is false"), clock_wall(),
		      &err));
	store_close(s);
	assert_int_equal(run("outbox", "release", "--yes", NULL), 0);
	says("1 for chat, 1 target\n");
	says("1 released");
	write_config("false");
	assert_int_equal(run("outbox", "release", NULL), EX_CONFIG);
	says("send: false");
}

/* What a person at a terminal types. */
static int answer(const char *text)
{
	int code, terminal, master = posix_openpt(O_RDWR | O_NOCTTY);
	int saved = dup(STDIN_FILENO);

	assert_true(master >= 0 && saved >= 0);
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0);
	dup2(terminal, STDIN_FILENO);
	assert_int_equal(write(master, text, strlen(text)), strlen(text));
	code = run("outbox", "release", NULL);
	dup2(saved, STDIN_FILENO);
	clearerr(stdin);
	close(saved);
	close(terminal);
	close(master);
	return code;
}

static int release_without_terminal(void)
{
	int code, saved = dup(STDIN_FILENO);

	assert_non_null(freopen("/dev/null", "r", stdin));
	code = run("outbox", "release", NULL);
	dup2(saved, STDIN_FILENO);
	close(saved);
	return code;
}

static void hold_notices(void)
{
	struct store *s;

	ok(store_open(scratch_path("state.db"), &s, &err));
	for (int64_t id = 1; id <= 2; id++)
		ok(outbox_set(s, id, OUTBOX_HELD, HELD_REASON, clock_wall(),
			      &err));
	store_close(s);
}

static void a_backlog_goes_when_somebody_says_so(void **state)
{
	(void)state;
	hold_notices();
	assert_int_equal(run("outbox", NULL), 0);
	says("send was false when it was made");
	says("send is true now: `perfherald outbox release` lets the held");
	assert_int_equal(run("status", NULL), 0);
	says("the held ones wait for perfherald outbox release");
	assert_int_equal(release_without_terminal(), EX_USAGE);
	says("2 for chat, 1 target\n2 notices are held\n");
	says("no terminal to ask on, so say --yes");
	assert_int_equal(answer("n\n"), 0);
	says("2 notices are held\nrelease them? [y/N] nothing was released");
	assert_int_equal(answer("\n"), 0);
	says("nothing was released");
	assert_int_equal(answer("y\n"), 0);
	says("2 released");
	assert_int_equal(release_without_terminal(), 0);
	says("0 notices are held; nothing to do");
	hold_notices();
	assert_int_equal(run("outbox", "release", "--yes", "--since", "1d",
			     NULL),
			 0);
	says("2 released");
}

static const struct misuse {
	const char *words[8], *says;
} misuses[] = {
#define SINCE                                                    \
	"--since is a span back from now (30s, 5m, 8h, 7d, 2w) " \
	"or a past date (2026-11-30, 2026-11-30T08:00:00Z), not "
	{ { "list", "--since", "5y" }, SINCE "5y\nusage: perfherald list" },
	{ { "list", "--since", "2999-01-01" }, SINCE "2999-01-01" },
	{ { "list", "--since=" }, SINCE "\n" },
	{ { "digest", "chat", "--since", "x" }, SINCE "x" },
	{ { "backtest", "x", "--since", "tomorrow" }, SINCE "tomorrow" },
	{ { "outbox", "release", "--since", "-1d" }, SINCE "-1d" },
	{ { "list", "--limit", "x" },
	  "--limit is a whole number from 1 to 1000000, not x" },
	{ { "list", "--limit", "0" }, "from 1 to 1000000, not 0" },
	{ { "list", "--limit", "10x" }, "from 1 to 1000000, not 10x" },
	{ { "list", "--limit", "1000001" }, "from 1 to 1000000, not 1000001" },
	{ { "list", "--limit", "99999999999999999999" }, "from 1 to 1000000" },
	{ { "list", "--state", "odd" },
	  "--state is open, acknowledged, fixed, invalid or stale, or several "
	  "with commas between, not odd" },
	{ { "list", "--state", "open,,fixed" }, "not open,,fixed" },
	{ { "list", "--state", "" }, "--state is open, " },
	{ { "list", "--verdict", "worse" },
	  "--verdict is regression or improvement, not worse" },
	{ { "list", "--messages", "odd" },
	  "--messages is new, report, duplicate, unproven, reply, other, "
	  "waiting, bad, oversized or poison, not odd" },
	{ { "list", "--messages", "bad", "--since", "7d" },
	  "TEXT, --since, --state, --verdict and --forgotten are for patches" },
	{ { "list", "--format", "xml" }, "--format is text or json, not xml" },
	{ { "list", "walk", "the" },
	  "put quotes around several words (\"walk the\")" },
	{ { "list", "-c", "x.yaml" },
	  "-c stands before the command: perfherald -c FILE list" },
	{ { "list", "--config=x.yaml" },
	  "--config=x.yaml stands before the command: "
	  "perfherald --config=x.yaml list" },
	{ { "status", "-v" },
	  "-v stands before the command: perfherald -v status" },
	{ { "check", "x.yaml" },
	  "x.yaml: the file to check is named by -c, before the command" },
	{ { "watch", "lore" },
	  "lore: the mailboxes to watch stand in the configuration" },
	{ { "watch", "--onse" }, "unknown option: --onse" },
	{ { "outbox", "list", "--since", "7d" }, "--since is for release" },
	{ { "outbox", "drop", "1", "--yes" }, "--yes is for release" },
	{ { "outbox", "retry", "1", "--all" }, "--all is for list" },
	{ { "outbox", "drop" }, "drop which notice?" },
	{ { "patch", "ack", "aaaa", "--as", "fixed" },
	  "--as and --commit are for close" },
	{ { "patch", "close", "aaaa", "--reason", "x", "--as", "open" },
	  "--as is fixed, invalid or stale, not open" },
	{ { "patch", "close", "aaaa", "--commit", "xyz" },
	  "--commit is 7 to 40 hex digits of the commit that fixes it, not "
	  "xyz" },
	{ { "silence", "add", "host=x", "--reason", "x", "--until", "5y" },
	  "--until is a span from now (8h, 7d, 2w) or a date to come "
	  "(2027-01-31), not 5y" },
	{ { "silence", "list", "3" }, "list takes no number" },
	{ { "silence", "list", "--until", "3d" },
	  "--until and --author are for add" },
	{ { "silence", "expire", "1", "--all" }, "--all is for list" },
	{ { "parse", "--format", "yaml", "x" },
	  "--format is text or json, not yaml" },
};

static void what_is_allowed_stands_in_the_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(misuses); i++) {
		const char *const *w = misuses[i].words;

		assert_int_equal(run(w[0], w[1], w[2], w[3], w[4], w[5], w[6],
				     w[7], NULL),
				 EX_USAGE);
		says(misuses[i].says);
	}
}

static void patches_are_corrected_with_a_reason(void **state)
{
	(void)state;
	assert_int_equal(run("patch", "close", "aaaaaaaa", NULL), EX_USAGE);
	says("close wants a --reason");
	assert_int_equal(run("patch", "close", "aaaaaaaa", "--as", "open",
			     "--reason", "x", NULL),
			 EX_USAGE);
	assert_int_equal(run("patch", "close", "aaaaaaaa", "--commit", "HEAD~1",
			     NULL),
			 EX_USAGE);
	says("--commit is 7 to 40 hex digits of the commit that fixes it, "
	     "not HEAD~1");
	assert_int_equal(run("patch", "close", "aaaaaaaa", "--commit",
			     "0123456789ab", NULL),
			 0);
	says("is fixed");
	assert_int_equal(run("show", "aaaaaaaa", NULL), 0);
	says("fixed since");
	says("commit 0123456789ab");
	assert_int_equal(run("patch", "merge", "aaaaaaaa", "bbbbbbbb",
			     "--reason", "same change", NULL),
			 0);
	says("holds both");
	assert_int_equal(run("show", "bbbbbbbb", NULL), 0);
	says("1 better, 1 worse");
	says("merge aaaaaaaa bbbbbbbb (same change)");
	assert_int_equal(run("patch", "split", "aaaaaaaa", "bbbbbbbb",
			     "--reason", "not the same", NULL),
			 0);
	says("stands alone");
	assert_int_equal(run("show", "bbbbbbbb", NULL), 0);
	says("1 better, 0 worse");
	assert_int_equal(run("patch", "split", "aaaaaaaa", "aaaaaaaa",
			     "--reason", "x", NULL),
			 EX_DATAERR);
	says("nothing to split");
	assert_int_equal(run("patch", "ack", "nobody", NULL), EX_DATAERR);
}

static void a_silence_wants_an_end_and_a_reason(void **state)
{
	(void)state;
	assert_int_equal(run("silence", "add", "host=lkp-*", "--reason", "x",
			     NULL),
			 EX_USAGE);
	says("needs an end");
	assert_int_equal(run("silence", "add", "host=lkp-*", "--until", "7d",
			     NULL),
			 EX_USAGE);
	says("needs a --reason");
	assert_int_equal(run("silence", "add", "colour=red", "--until", "7d",
			     "--reason", "x", NULL),
			 EX_USAGE);
	says("\"colour\" is none of");
	/* what no result can ever have */
	assert_int_equal(run("silence", "add", "verdict=worse", "--until", "7d",
			     "--reason", "x", NULL),
			 EX_USAGE);
	says("verdict is improvement or regression");
	assert_int_equal(run("silence", "add", "evidence=E", "--until", "7d",
			     "--reason", "x", NULL),
			 EX_USAGE);
	says("evidence is A, B, C or D");
	assert_int_equal(run("silence", "add", "host=lkp-*", "--until",
			     "2001-01-01", "--reason", "x", NULL),
			 EX_USAGE);
	assert_int_equal(run("silence", "add", "host=lkp-*", "--until", "7d",
			     "--reason", "it is being moved", NULL),
			 0);
	assert_int_equal(run("silence", "list", NULL), 0);
	says("host=lkp-*");
	says("it is being moved");
	assert_int_equal(run("silence", "expire", "1", NULL), 0);
	assert_int_equal(run("silence", "expire", "1", NULL), EX_DATAERR);
	assert_int_equal(run("silence", "list", NULL), 0);
	says("nothing is silenced");
}

static void a_patch_is_forwarded(void **state)
{
	(void)state;
	assert_int_equal(run("forward", "aaaaaaaa", NULL), EX_USAGE);
	assert_int_equal(run("forward", "aaaaaaaa", "--to", "me@else.net",
			     NULL),
			 EX_CONFIG);
	says("allow list");
	assert_int_equal(run("forward", "aaaaaaaa", "--to", "me@example.org",
			     "--note", "look at this", NULL),
			 0);
	says("to people, me@example.org is queued");
	assert_int_equal(run("forward", "aaaaaaaa", "--channel", "none", NULL),
			 EX_CONFIG);
	assert_int_equal(run("forward", "aaaaaaaa", "--channel", "chat", NULL),
			 0);
	assert_int_equal(run("outbox", NULL), 0);
	says("to me@example.org: WORSE 12.0%");
}

static void a_digest_is_printed_or_sent(void **state)
{
	(void)state;
	assert_int_equal(run("digest", "chat", NULL), 0);
	says("WORSE 12.0% will-it-scale.per_process_ops");
	says("BETTER 30.5% fsmark.files_per_sec");
	assert_int_equal(run("digest", "people", NULL), 0);
	says("nothing to say");
	assert_int_equal(run("digest", "chat", "--send", NULL), 0);
	says("notice 3 to chat is queued");
	assert_int_equal(run("digest", "none", NULL), EX_CONFIG);
}

static void a_backtest_tells_the_difference(void **state)
{
	const char *other = scratch_path("new.yaml");
	FILE *f = fopen(other, "w");

	(void)state;
	fprintf(f,
		"state: %s\nsend: true\n"
		"channels:\n  chat: {type: file, path: /tmp/x}\n"
		"  more: {type: file, path: /tmp/y}\n"
		"routes:\n"
		"  - match: {verdict: regression}\n    to: [chat, more]\n",
		scratch_path("state.db"));
	fclose(f);
	chmod(other, 0600);
	assert_int_equal(run("backtest", other, "--since", "2001-01-01", NULL),
			 0);
	says("     2      1        1  chat");
	says("     0      1        1  more");
	says("chat: BETTER 30.5% fsmark.files_per_sec");
	says("2 of 2 reports would be told differently");
	assert_int_equal(run("backtest", "--format=json", other, NULL), 0);
	assert_int_equal(is_json(), 1);
	/* nothing was written */
	assert_int_equal(run("outbox", "list", "--all", NULL), 0);
	says_not("more");
	assert_int_equal(run("backtest", scratch_path("none.yaml"), NULL),
			 EX_NOINPUT);
	unlink(other);
}

static void routes_are_tried(void **state)
{
	(void)state;
	assert_int_equal(run("route", "test", "aaaaaaaa", NULL), 0);
	says("route in line ");
	says("tells    chat: WORSE 12.0% will-it-scale.per_process_ops");
	assert_int_equal(run("route", "test", "--show", "bbbbbbbb", NULL), 0);
	says("BETTER  30.5%  fsmark.files_per_sec");
	assert_int_equal(run("route", "test", "nothing", NULL), EX_DATAERR);
	says("no such file, message or patch");
	assert_int_equal(run("route", "test", config_path, NULL), EX_DATAERR);
	assert_int_equal(run("route", "aaaaaaaa", NULL), EX_USAGE);
	/* nothing was written */
	assert_int_equal(run("outbox", "list", "--all", "--format=json", NULL),
			 0);
	assert_int_equal(is_json(), 2);
}

static void damage(const char *path)
{
	char junk[4096];
	FILE *f = fopen(path, "r+");

	memset(junk, 'x', sizeof(junk));
	assert_non_null(f);
	assert_int_equal(fseek(f, 4096, SEEK_SET), 0);
	for (int i = 0; i < 8; i++)
		assert_int_equal(fwrite(junk, 1, sizeof(junk), f),
				 sizeof(junk));
	fclose(f);
}

static void the_state_is_kept(void **state)
{
	char copy[512], bad[512];

	(void)state;
	snprintf(copy, sizeof(copy), "%s", scratch_path("copy.db"));
	snprintf(bad, sizeof(bad), "%s", scratch_path("bad.db"));
	assert_int_equal(run("backup", copy, NULL), 0);
	assert_int_equal(run("backup", copy, NULL), EX_CANTCREAT);
	says("exists already");
	assert_int_equal(run("backup", bad, NULL), 0);
	damage(bad);
	assert_int_equal(run("patch", "close", "aaaaaaaa", "--reason", "x",
			     NULL),
			 0);
	assert_int_equal(run("restore", bad, NULL), EX_IOERR);
	assert_int_equal(run("show", "aaaaaaaa", NULL), 0);
	says("fixed since");
	assert_int_equal(run("restore", copy, NULL), 0);
	assert_int_equal(run("show", "aaaaaaaa", NULL), 0);
	says("open since");
	assert_int_equal(run("fsck", NULL), 0);
	says("in order");
	assert_int_equal(run("migrate-state", NULL), 0);
	damage(scratch_path("state.db"));
	assert_int_equal(run("fsck", NULL), EX_IOERR);
	says("state.db");
}

static void regressions_are_forgotten_by_nobody(void **state)
{
	struct store *s;
	struct patch_row row;

	(void)state;
	ok(store_open(scratch_path("state.db"), &s, &err));
	ok(patch_find(s, S("aaaaaaaa"), &arena, &row, &err));
	row.rank = 3; /* mainline */
	ok(store_begin(s, &err));
	ok(store_end(s, patch_update(s, &row, &err), &err));
	store_close(s);
	assert_int_equal(run("list", "--forgotten", NULL), 0);
	says("mm: walk");
	says_not("ext4");
	assert_int_equal(run("patch", "ack", "aaaaaaaa", NULL), 0);
	assert_int_equal(run("list", "--forgotten", NULL), 0);
	says_not("mm: walk");
}

/* As it is for a user whom the service's secrets do not belong to. */
static void only_who_sends_needs_secrets(void **state)
{
	static const char *const asking[][4] = {
		{ "list" },
		{ "show", "aaaaaaaa" },
		{ "why", "aaaaaaaa" },
		{ "status" },
		{ "outbox" },
		{ "outbox", "list", "--all" },
		{ "route", "test", "aaaaaaaa" },
		{ "digest", "chat" },
		{ "silence", "list" },
		{ "fsck" },
	};
	FILE *f = fopen(config_path, "a");

	(void)state;
	assert_non_null(f);
	fputs("mailboxes:\n  m: {url: imaps://a@h/INBOX,"
	      " password_file: /nowhere/secret, ca_file: /nowhere/ca}\n",
	      f);
	fclose(f);
	for (size_t i = 0; i < ARRAY_LEN(asking); i++) {
		const char *const *w = asking[i];

		assert_int_equal(run(w[0], w[1], w[2], w[3], NULL), 0);
		says_not("/nowhere");
	}
	assert_int_equal(run("outbox", "retry", "1", NULL), EX_CONFIG);
	says("password_file names /nowhere/secret: No such file");
	says("ca_file names /nowhere/ca: No such file");
	assert_int_equal(run("digest", "chat", "--send", NULL), EX_CONFIG);
	assert_int_equal(run("patch", "ack", "aaaaaaaa", NULL), EX_CONFIG);
	assert_int_equal(run("forward", "aaaaaaaa", "--channel", "chat", NULL),
			 EX_CONFIG);
}

static void without_a_state_there_is_nothing_to_ask(void **state)
{
	(void)state;
	unlink(scratch_path("state.db"));
	assert_int_equal(run("list", NULL), EX_NOINPUT);
	says("nothing was read so far");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(list_names_patches),
		TEST(arguments_do_not_reach_the_terminal_as_commands),
		TEST(file_names_do_not_reach_the_terminal_as_commands),
		TEST(an_empty_argument_names_nothing),
		TEST(parse_takes_its_options_like_the_others),
		TEST(route_test_names_the_file_that_is_no_mail),
		TEST(list_refuses_what_it_does_not_know),
		TEST(show_tells_all_of_a_patch),
		TEST(why_prints_the_path),
		TEST(a_patch_has_many_names),
		TEST(status_calls_for_a_person),
		TEST(the_outbox_is_settled_by_hand),
		TEST(a_backlog_goes_when_somebody_says_so),
		TEST(what_is_allowed_stands_in_the_error),
		TEST(patches_are_corrected_with_a_reason),
		TEST(a_silence_wants_an_end_and_a_reason),
		TEST(a_patch_is_forwarded),
		TEST(a_digest_is_printed_or_sent),
		TEST(a_backtest_tells_the_difference),
		TEST(routes_are_tried),
		TEST(the_state_is_kept),
		TEST(regressions_are_forgotten_by_nobody),
		TEST(only_who_sends_needs_secrets),
		TEST(without_a_state_there_is_nothing_to_ask),
	};

	return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
