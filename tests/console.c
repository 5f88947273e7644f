#include "tests/console.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>
#include "bot/command.h"
#include "bot/wake.h"
#include "ph/clock.h"
#include "tests/scratch.h"

static int knock = -1, saved_out = -1, saved_err = -1;

const char *console_config(void)
{
	return scratch_path("c.yaml");
}

static const char *config_text(const char *send)
{
	return arena_printf(
		&story.arena,
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
}

void console_write_config(const char *send)
{
	scratch_file("c.yaml", config_text(send), 0600);
}

static void give_two(void)
{
	struct robot_mail m = story_mail;

	m.id = "202610010915.4e1c09ab-lkp@intel.com";
	m.title = "mm: walk \x1b[31mthe list";
	story_give(&m, PROVEN_DKIM);
	m.id = NULL;
	m.commit = STORY_COMMIT_B;
	m.title = "ext4: batch it";
	m.verdict = "improvement";
	m.metric = "fsmark.files_per_sec";
	m.percent = 30.5;
	story_give(&m, PROVEN_DKIM);
}

static int begin_at(int64_t now)
{
	story_begin(NULL);
	story.now = now;
	story_config(config_text("true"));
	console_write_config("true");
	give_two();
	story.now = clock_wall();
	store_close(story.store);
	story.store = NULL;
	story_ok(wake_listen(scratch_path("state.db"), &knock, &story.err));
	return 0;
}

int console_begin(void **state)
{
	(void)state;
	return begin_at(clock_wall());
}

int console_begin_late(void **state)
{
	(void)state;
	return begin_at(clock_wall() - 14 * STORY_DAY);
}

int console_end(void **state)
{
	wake_unlisten(scratch_path("state.db"), knock);
	return story_end(state);
}

struct store *console_open(void)
{
	struct store *s;

	story_ok(store_open(scratch_path("state.db"), &s, &story.err));
	return s;
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

int console_run(const char *first, ...)
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
	code = c->run(argc, argv, (char *)console_config());
	output = caught();
	return code;
}

void console_says(const char *part)
{
	if (!strstr(output, part))
		fail_msg("no \"%s\" in:\n%s", part, output);
}

void console_says_not(const char *part)
{
	if (strstr(output, part))
		fail_msg("\"%s\" in:\n%s", part, output);
}

size_t console_json(void)
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
