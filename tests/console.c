#include "tests/console.h"

#include <jansson.h>
#include "bot/wake.h"
#include "ph/clock.h"
#include "tests/scratch.h"

static int knock = -1;

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

int console_run(const char *first, ...)
{
	va_list words;
	int code;

	va_start(words, first);
	code = typed_run(console_config(), -1, first, words);
	va_end(words);
	return code;
}

size_t console_json(void)
{
	const char *at = typed_output();
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
