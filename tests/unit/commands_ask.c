/* Commands that ask: what they print, and that they change nothing. */
#include "tests/console.h"

#include <stdio.h>
#include <unistd.h>
#include "tests/scratch.h"

static void list_names_patches(void **state)
{
	(void)state;
	EXITS(0, "list");
	typed_says("WORSE 12.0%");
	typed_says("BETTER 30.5%");
	typed_says("ext4: batch it");
	/* nothing of a mail reaches the terminal as a command */
	typed_says_not("\x1b");
	EXITS(0, "list", "--verdict", "regression");
	typed_says("mm: walk");
	typed_says_not("ext4");
	EXITS(0, "list", "EXT4");
	typed_says_not("mm: walk");
	EXITS(0, "list", "--limit=1");
	typed_says("(the newest 1; --all for all)");
	EXITS(0, "list", "--format", "json");
	assert_int_equal(console_json(), 2);
	EXITS(0, "list", "--partial");
	typed_says_not("mm: walk");
	EXITS(0, "list", "--messages", "report");
	typed_says("test.eml");
}

static void show_tells_all_of_a_patch(void **state)
{
	(void)state;
	EXITS(0, "show", "aaaaaaaa");
	typed_says("author@example.org");
	typed_says("open since");
	typed_says("0 better, 1 worse, worst 12.0%");
	typed_says("nr_task=100%");
	typed_says("  reports  ");
	typed_says("  https://lore.kernel.org/r/"
		   "202610010915.4e1c09ab-lkp@intel.com");
	typed_says("notices");
	EXITS(0, "show", "--format", "json", "aaaaaaaa");
	assert_int_equal(console_json(), 1);
	EXITS(0, "show", "202610010915.4e1c09ab-lkp@xxxxxxxxx");
	EXITS(EX_DATAERR, "show", "cccc");
	typed_says("no such patch");
	EXITS(EX_USAGE, "show");
}

static void why_prints_the_path(void **state)
{
	(void)state;
	EXITS(0, "why", "202610010915.4e1c09ab-lkp@intel.com");
	typed_says("proof    dkim: made up");
	typed_says("news: the first of this patch");
	typed_says("chat: the first notice, queued");
	typed_says("notice 1 chat: pending");
	EXITS(0, "why", "bbbbbbbb");
	typed_says("fsmark.files_per_sec");
	EXITS(0, "why", "--format=json", "bbbbbbbb");
	assert_int_equal(console_json(), 1);
	EXITS(EX_DATAERR, "why", "nothing");
	typed_says("no such message or patch");
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
		STORY_COMMIT_A,
		"https://git.kernel.org/linus/" STORY_COMMIT_A,
		"WALK",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		EXITS(0, "show", names[i]);
		typed_says("mm: walk");
		EXITS(0, "why", names[i]);
		typed_says("202610010915.4e1c09ab-lkp@intel.com");
		EXITS(0, "route", "test", names[i]);
	}
	EXITS(EX_DATAERR, "show", "t");
	EXITS(EX_DATAERR, "show", " it");
	EXITS(0, "show", "4: b");
	typed_says("ext4: batch it");
	/* both have it */
	EXITS(EX_DATAERR, "patch", "merge", names[2], names[5], "--reason",
	      "x");
	typed_says("are one patch already");
	/* who changes something says it in full */
	EXITS(EX_DATAERR, "patch", "ack", "WALK");
	typed_says("perfherald list TEXT finds it");
	EXITS(EX_DATAERR, "forward", "WALK", "--channel", "chat");
	EXITS(0, "patch", "ack", names[3]);
}

static void status_calls_for_a_person(void **state)
{
	struct store *s;

	(void)state;
	EXITS(0, "status");
	typed_says("watch     running");
	typed_says("2 report");
	typed_says("2 pending");
	EXITS(0, "status", "--format", "json");
	assert_int_equal(console_json(), 1);
	s = console_open();
	story_ok(outbox_set(s, 1, OUTBOX_DEAD, S("550 no"), story.now,
			    &story.err));
	store_close(s);
	EXITS(1, "status");
	typed_says("! outbox");
	typed_says("1 dead");
}

static void status_tells_what_was_never_read(void **state)
{
	struct store *s = console_open();
	int64_t since;

	(void)state;
	story_ok(mailbox_trouble(s, S("lore"), S("refused"), true, story.now,
				 &since, &story.err));
	store_close(s);
	EXITS(0, "status");
	typed_says("mailbox   lore: not read yet\n");
}

static void a_backtest_tells_the_difference(void **state)
{
	const char *yaml = arena_printf(
		&story.arena,
		"state: %s\nsend: true\n"
		"channels:\n  chat: {type: file, path: /tmp/x}\n"
		"  more: {type: file, path: /tmp/y}\n"
		"routes:\n"
		"  - match: {verdict: regression}\n    to: [chat, more]\n",
		scratch_path("state.db"));
	const char *other = scratch_file("new.yaml", yaml, 0600);

	(void)state;
	EXITS(0, "backtest", other, "--since", "2001-01-01");
	typed_says("     2      1        1  chat");
	typed_says("     0      1        1  more");
	typed_says("chat: BETTER 30.5% fsmark.files_per_sec");
	typed_says("2 of 2 reports would be told differently");
	EXITS(0, "backtest", "--format=json", other);
	assert_int_equal(console_json(), 1);
	/* nothing was written */
	EXITS(0, "outbox", "list", "--all");
	typed_says_not("more");
	EXITS(EX_NOINPUT, "backtest", scratch_path("none.yaml"));
}

static void routes_are_tried(void **state)
{
	(void)state;
	EXITS(0, "route", "test", "aaaaaaaa");
	typed_says("route in line ");
	typed_says("tells    chat: WORSE 12.0% will-it-scale.per_process_ops");
	EXITS(0, "route", "test", "--show", "bbbbbbbb");
	typed_says("BETTER  30.5%  fsmark.files_per_sec");
	EXITS(EX_DATAERR, "route", "test", "nothing");
	typed_says("no such file, message or patch");
	EXITS(EX_DATAERR, "route", "test", console_config());
	EXITS(EX_USAGE, "route", "aaaaaaaa");
	/* nothing was written */
	EXITS(0, "outbox", "list", "--all", "--format=json");
	assert_int_equal(console_json(), 2);
}

static void regressions_are_forgotten_by_nobody(void **state)
{
	struct store *s;
	struct patch_row row;

	(void)state;
	s = console_open();
	story_ok(patch_find(s, S("aaaaaaaa"), &story.arena, &row, &story.err));
	row.rank = 3; /* mainline */
	story_ok(store_begin(s, &story.err));
	story_ok(store_end(s, patch_update(s, &row, &story.err), &story.err));
	store_close(s);
	EXITS(0, "list", "--forgotten");
	typed_says("mm: walk");
	typed_says_not("ext4");
	EXITS(0, "patch", "ack", "aaaaaaaa");
	EXITS(0, "list", "--forgotten");
	typed_says_not("mm: walk");
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
	FILE *f = fopen(console_config(), "a");

	(void)state;
	assert_non_null(f);
	fputs("mailboxes:\n  m: {url: imaps://a@h/INBOX,"
	      " password_file: /nowhere/secret, ca_file: /nowhere/ca}\n",
	      f);
	fclose(f);
	for (size_t i = 0; i < ARRAY_LEN(asking); i++) {
		const char *const *w = asking[i];

		EXITS(0, w[0], w[1], w[2], w[3]);
		typed_says_not("/nowhere");
	}
	EXITS(EX_CONFIG, "outbox", "retry", "1");
	typed_says("password_file names /nowhere/secret: No such file");
	typed_says("ca_file names /nowhere/ca: No such file");
	EXITS(EX_CONFIG, "digest", "chat", "--send");
	EXITS(EX_CONFIG, "patch", "ack", "aaaaaaaa");
	EXITS(EX_CONFIG, "forward", "aaaaaaaa", "--channel", "chat");
}

static void without_a_state_there_is_nothing_to_ask(void **state)
{
	(void)state;
	unlink(scratch_path("state.db"));
	EXITS(EX_NOINPUT, "list");
	typed_says("nothing was read so far");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CONSOLE_TEST(list_names_patches),
		CONSOLE_TEST(show_tells_all_of_a_patch),
		CONSOLE_TEST(why_prints_the_path),
		CONSOLE_TEST(a_patch_has_many_names),
		CONSOLE_TEST(status_calls_for_a_person),
		CONSOLE_TEST(status_tells_what_was_never_read),
		CONSOLE_TEST(a_backtest_tells_the_difference),
		CONSOLE_TEST(routes_are_tried),
		cmocka_unit_test_setup_teardown(
			regressions_are_forgotten_by_nobody, console_begin_late,
			console_end),
		CONSOLE_TEST(only_who_sends_needs_secrets),
		CONSOLE_TEST(without_a_state_there_is_nothing_to_ask),
	};

	return cmocka_run_group_tests_name("commands_ask", tests, NULL, NULL);
}
