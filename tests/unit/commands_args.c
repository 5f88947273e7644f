/* The words of a command: what is understood, refused and how it is printed. */
#include "tests/console.h"

#include <stdio.h>
#include "tests/scratch.h"

static void arguments_do_not_reach_the_terminal_as_commands(void **state)
{
	static const char *const commands[] = { "parse", "process", "check",
						"list",	 "outbox",  "patch",
						"why",	 "status" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		EXITS(EX_USAGE, commands[i],
		      "--x\x1b[31m\x9b"
		      "2J");
		typed_says_not("\x1b");
		typed_says_not("\x9b");
		typed_says("--x?[31m?2J");
	}
}

static void file_names_do_not_reach_the_terminal_as_commands(void **state)
{
	const char *path =
		scratch_file("x\x1b[31m",
			     "From: a@example.org\nSubject: b\n\nc\n", 0600);

	(void)state;
	EXITS(0, "process", path);
	typed_says("[31m: no performance report (other)");
	typed_says_not("\x1b");
}

/* As of a shell's variable that is not set. */
static void an_empty_argument_names_nothing(void **state)
{
	struct store *s;
	struct patch_row row;

	(void)state;
	EXITS(EX_USAGE, "patch", "ack", "");
	typed_says("an empty argument names nothing");
	EXITS(EX_USAGE, "show", "");
	EXITS(EX_USAGE, "parse", "");
	EXITS(EX_USAGE, "process", "");
	s = console_open();
	story_ok(store_begin(s, &story.err));
	assert_int_equal(patch_find(s, S(""), &story.arena, &row, &story.err),
			 PH_NONE);
	story_ok(store_end(s, PH_OK, &story.err));
	store_close(s);
}

static void parse_takes_its_options_like_the_others(void **state)
{
	(void)state;
	EXITS(EX_NOINPUT, "parse", "--format=json", "/nonexistent");
	EXITS(EX_NOINPUT, "parse", "/nonexistent", "--format", "json");
	typed_says_not("--format");
}

static void route_test_names_the_file_that_is_no_mail(void **state)
{
	(void)state;
	EXITS(EX_DATAERR, "route", "test",
	      scratch_file("junk", "junk\n", 0600));
	typed_says("/junk: not a mail");
}

static void list_refuses_what_it_does_not_know(void **state)
{
	(void)state;
	EXITS(EX_USAGE, "list", "--state", "odd");
	typed_says("not odd");
	EXITS(EX_USAGE, "list", "--since");
	typed_says("--since wants a value");
	EXITS(EX_USAGE, "list", "--colour");
	typed_says("unknown option: --colour");
	EXITS(EX_USAGE, "list", "--format", "xml");
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
	{ { "status", "extra" }, "extra is too much" },
	{ { "fsck", "extra" }, "extra is too much" },
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

		EXITS(EX_USAGE, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
		typed_says(misuses[i].says);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CONSOLE_TEST(arguments_do_not_reach_the_terminal_as_commands),
		CONSOLE_TEST(file_names_do_not_reach_the_terminal_as_commands),
		CONSOLE_TEST(an_empty_argument_names_nothing),
		CONSOLE_TEST(parse_takes_its_options_like_the_others),
		CONSOLE_TEST(route_test_names_the_file_that_is_no_mail),
		CONSOLE_TEST(list_refuses_what_it_does_not_know),
		CONSOLE_TEST(what_is_allowed_stands_in_the_error),
	};

	return cmocka_run_group_tests_name("commands_args", tests, NULL, NULL);
}
