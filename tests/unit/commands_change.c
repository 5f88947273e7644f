/* Commands that change the state: what they do and say, and what they refuse. */
#include "tests/console.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/scratch.h"

static void the_outbox_is_settled_by_hand(void **state)
{
	struct store *s;

	(void)state;
	EXITS(0, "outbox");
	typed_says("WORSE 12.0% will-it-scale.per_process_ops");
	EXITS(0, "outbox", "drop", "1");
	typed_says("notice 1: dropped");
	EXITS(EX_DATAERR, "outbox", "drop", "1");
	typed_says("notice 1 is cancelled");
	EXITS(EX_DATAERR, "outbox", "retry", "1", "99", "x");
	typed_says("notice 1: due now");
	typed_says("no notice 99");
	typed_says("x: not the number of a notice");
	EXITS(0, "outbox", "list", "--all", "--format", "json");
	assert_int_equal(console_json(), 2);
	EXITS(EX_USAGE, "outbox", "shake");
	s = console_open();
	story_ok(outbox_set(s, 1, OUTBOX_HELD, S("send is false"), story.now,
			    &story.err));
	store_close(s);
	EXITS(0, "outbox", "release", "--yes");
	typed_says("1 for chat, 1 target\n");
	typed_says("1 released");
	console_write_config("false");
	EXITS(EX_CONFIG, "outbox", "release");
	typed_says("send: false");
	EXITS(0, "outbox", "retry", "1");
	typed_says("notice 1: due now, but held while send is false\n");
}

/* A root of its own may have no pseudo-terminals. False: none. */
static bool open_terminal(int *ret_master, int *ret_terminal)
{
	*ret_terminal = -1;
	*ret_master = posix_openpt(O_RDWR | O_NOCTTY);
	if (*ret_master >= 0 && grantpt(*ret_master) == 0 &&
	    unlockpt(*ret_master) == 0)
		*ret_terminal = open(ptsname(*ret_master), O_RDWR | O_NOCTTY);
	return *ret_terminal >= 0;
}

/* What a person at a terminal types. */
static int answer(const char *text)
{
	int code, master, terminal, saved = dup(STDIN_FILENO);

	assert_true(saved >= 0);
	assert_true(open_terminal(&master, &terminal));
	dup2(terminal, STDIN_FILENO);
	assert_int_equal(write(master, text, strlen(text)), strlen(text));
	code = console_run("outbox", "release", NULL);
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
	code = console_run("outbox", "release", NULL);
	dup2(saved, STDIN_FILENO);
	close(saved);
	return code;
}

static void hold_notices(void)
{
	struct store *s;

	s = console_open();
	for (int64_t id = 1; id <= 2; id++)
		story_ok(outbox_set(s, id, OUTBOX_HELD, HELD_REASON, story.now,
				    &story.err));
	store_close(s);
}

static void a_backlog_goes_when_somebody_says_so(void **state)
{
	(void)state;
	hold_notices();
	EXITS(0, "outbox");
	typed_says("send was false when it was made");
	typed_says(
		"send is true now: `perfherald outbox release` lets the held");
	EXITS(0, "status");
	typed_says("the held ones wait for perfherald outbox release");
	assert_int_equal(release_without_terminal(), EX_USAGE);
	typed_says("2 for chat, 1 target\n2 notices are held\n");
	typed_says("no terminal to ask on, so say --yes");
	EXITS(0, "outbox", "release", "--yes", "--since", "1d");
	typed_says("2 released");
	assert_int_equal(release_without_terminal(), 0);
	typed_says("0 notices are held; nothing to do");
}

static void a_person_at_a_terminal_is_asked(void **state)
{
	int master, terminal;
	bool here = open_terminal(&master, &terminal);

	(void)state;
	close(terminal);
	close(master);
	if (!here)
		skip();
	hold_notices();
	assert_int_equal(answer("n\n"), 0);
	typed_says(
		"2 notices are held\nrelease them? [y/N] nothing was released");
	assert_int_equal(answer("\n"), 0);
	typed_says("nothing was released");
	assert_int_equal(answer("y\n"), 0);
	typed_says("2 released");
}

static void patches_are_corrected_with_a_reason(void **state)
{
	(void)state;
	EXITS(EX_USAGE, "patch", "close", "aaaaaaaa");
	typed_says("close wants a --reason");
	EXITS(EX_USAGE, "patch", "close", "aaaaaaaa", "--as", "open",
	      "--reason", "x");
	EXITS(EX_USAGE, "patch", "close", "aaaaaaaa", "--commit", "HEAD~1");
	typed_says(
		"--commit is 7 to 40 hex digits of the commit that fixes it, "
		"not HEAD~1");
	EXITS(0, "patch", "close", "aaaaaaaa", "--commit", "0123456789ab");
	typed_says("is fixed");
	EXITS(0, "show", "aaaaaaaa");
	typed_says("fixed since");
	typed_says("commit 0123456789ab");
	EXITS(0, "patch", "merge", "aaaaaaaa", "bbbbbbbb", "--reason",
	      "same change");
	typed_says("holds both");
	EXITS(0, "show", "bbbbbbbb");
	typed_says("1 better, 1 worse");
	typed_says("merge aaaaaaaa bbbbbbbb (same change)");
	EXITS(0, "patch", "split", "aaaaaaaa", "bbbbbbbb", "--reason",
	      "not the same");
	typed_says("stands alone");
	EXITS(0, "show", "bbbbbbbb");
	typed_says("1 better, 0 worse");
	EXITS(EX_DATAERR, "patch", "split", "aaaaaaaa", "aaaaaaaa", "--reason",
	      "x");
	typed_says("nothing to split");
	EXITS(EX_DATAERR, "patch", "ack", "nobody");
}

static void a_silence_wants_an_end_and_a_reason(void **state)
{
	(void)state;
	EXITS(EX_USAGE, "silence", "add", "host=lkp-*", "--reason", "x");
	typed_says("needs an end");
	EXITS(EX_USAGE, "silence", "add", "host=lkp-*", "--until", "7d");
	typed_says("needs a --reason");
	EXITS(EX_USAGE, "silence", "add", "colour=red", "--until", "7d",
	      "--reason", "x");
	typed_says("\"colour\" is none of");
	/* what no result can ever have */
	EXITS(EX_USAGE, "silence", "add", "verdict=worse", "--until", "7d",
	      "--reason", "x");
	typed_says("verdict is improvement or regression");
	EXITS(EX_USAGE, "silence", "add", "evidence=E", "--until", "7d",
	      "--reason", "x");
	typed_says("evidence is A, B, C or D");
	EXITS(EX_USAGE, "silence", "add", "host=lkp-*", "--until", "2001-01-01",
	      "--reason", "x");
	EXITS(EX_DATAERR, "silence", "add", "patch=cccc", "--until", "7d",
	      "--reason", "x");
	typed_says("cccc: no such patch");
	EXITS(EX_DATAERR, "silence", "add", "patch=a", "--until", "7d",
	      "--reason", "x");
	EXITS(EX_USAGE, "silence", "add", "patch=aaaa", "patch=bbbb", "--until",
	      "7d", "--reason", "x");
	typed_says("another for patch=bbbb");
	EXITS(0, "silence", "add", "host=lkp-*", "--until", "7d", "--reason",
	      "it is being moved");
	EXITS(0, "silence", "list");
	typed_says("host=lkp-*");
	typed_says("it is being moved");
	EXITS(0, "silence", "expire", "1");
	EXITS(EX_DATAERR, "silence", "expire", "1");
	EXITS(0, "silence", "list");
	typed_says("nothing is silenced");
}

static void a_long_path_is_shown_as_cut(void **state)
{
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s",
		 scratch_file("a-long-name-of-no-mail-at-all", "junk\n", 0600));
	EXITS(EX_DATAERR, "process", path);
	EXITS(0, "list", "--messages", "bad");
	typed_says(" ...ame-of-no-mail-at-all ");
}

/* A silence keeps its id, whatever it was named by. */
static void a_silence_knows_a_patch_by_its_commit(void **state)
{
	struct patch_row patch;
	struct store *s = console_open();
	char kept[64];

	(void)state;
	story_ok(
		patch_find(s, S("aaaaaaaa"), &story.arena, &patch, &story.err));
	store_close(s);
	snprintf(kept, sizeof(kept), "patch=%.*s ", S_FMT(patch.hex));
	EXITS(0, "silence", "add", "patch=aaaaaaaa", "--until", "7d",
	      "--reason", "known");
	EXITS(0, "silence", "list");
	typed_says(kept);
}

static void a_patch_is_forwarded(void **state)
{
	(void)state;
	EXITS(EX_USAGE, "forward", "aaaaaaaa");
	EXITS(EX_CONFIG, "forward", "aaaaaaaa", "--to", "me@else.net");
	typed_says("allow list");
	EXITS(0, "forward", "aaaaaaaa", "--to", "me@example.org", "--note",
	      "look at this");
	typed_says("to people, me@example.org is queued");
	EXITS(EX_CONFIG, "forward", "aaaaaaaa", "--channel", "none");
	EXITS(0, "forward", "aaaaaaaa", "--channel", "chat");
	EXITS(0, "outbox");
	typed_says("to me@example.org: WORSE 12.0%");
	EXITS(0, "show", "aaaaaaaa");
	typed_says(": forward (me@example.org)\n");
	typed_says(": forward (chat)\n");
}

static void a_digest_is_printed_or_sent(void **state)
{
	(void)state;
	EXITS(0, "digest", "chat");
	typed_says("WORSE 12.0% will-it-scale.per_process_ops");
	typed_says("BETTER 30.5% fsmark.files_per_sec");
	EXITS(0, "digest", "people");
	typed_says("nothing to say");
	EXITS(0, "digest", "chat", "--send");
	typed_says("notice 3 to chat is queued");
	EXITS(EX_CONFIG, "digest", "none");
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
	EXITS(0, "backup", copy);
	EXITS(EX_CANTCREAT, "backup", copy);
	typed_says("exists already");
	EXITS(0, "backup", bad);
	damage(bad);
	EXITS(0, "patch", "close", "aaaaaaaa", "--reason", "x");
	EXITS(EX_IOERR, "restore", bad);
	EXITS(0, "show", "aaaaaaaa");
	typed_says("fixed since");
	EXITS(EX_NOINPUT, "restore", scratch_path("none.db"));
	typed_says("none.db: No such file or directory\n");
	EXITS(0, "restore", copy);
	typed_says("what was there is in");
	EXITS(0, "show", "aaaaaaaa");
	typed_says("open since");
	unlink(scratch_path("state.db"));
	EXITS(0, "restore", copy);
	typed_says("state.db is restored\n");
	EXITS(0, "fsck");
	typed_says("in order");
	EXITS(0, "migrate-state");
	damage(scratch_path("state.db"));
	EXITS(EX_IOERR, "fsck");
	typed_says("state.db");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CONSOLE_TEST(the_outbox_is_settled_by_hand),
		CONSOLE_TEST(a_backlog_goes_when_somebody_says_so),
		CONSOLE_TEST(a_person_at_a_terminal_is_asked),
		CONSOLE_TEST(patches_are_corrected_with_a_reason),
		CONSOLE_TEST(a_silence_wants_an_end_and_a_reason),
		CONSOLE_TEST(a_long_path_is_shown_as_cut),
		CONSOLE_TEST(a_silence_knows_a_patch_by_its_commit),
		CONSOLE_TEST(a_patch_is_forwarded),
		CONSOLE_TEST(a_digest_is_printed_or_sent),
		CONSOLE_TEST(the_state_is_kept),
	};

	return cmocka_run_group_tests_name("commands_change", tests, NULL,
					   NULL);
}
