#include "tests/stage.h"

#include <stdio.h>
#include "bot/desk.h"
#include "bot/store/pack.h"
#include "tests/scratch.h"

static void ok(enum status st, const struct err *err)
{
	if (st != PH_OK)
		fail_msg("status %d: %s", st, err->text);
}

static const char *config_file(void)
{
	return scratch_path("stage.yaml");
}

void stage_set(void)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "state: %s\n"
		 "trust: {proof: [dkim]}\n"
		 "channels:\n  told: {type: file, path: %s}\n"
		 "routes:\n  - {match: {min_percent: 1}, to: [told]}\n",
		 scratch_path("state.db"), scratch_path("told"));
	scratch_file("stage.yaml", text, 0600);
	store_close(scratch_store("state.db"));
}

static struct store *open_state(void)
{
	struct store *s = NULL;
	struct err err;

	ok(store_open(scratch_path("state.db"), &s, &err), &err);
	return s;
}

static void decide(struct store *s, int64_t now)
{
	struct config_errors errors;
	struct config *config;
	struct desk desk;
	struct err err;
	enum status st;

	config_errors_init(&errors);
	ok(config_read(config_file(), CONFIG_TO_WORK, &config, &errors, NULL,
		       &err),
	   &err);
	desk_init(&desk, config, s, NULL);
	while ((st = desk_step(&desk, now, &err)) == PH_OK)
		;
	assert_int_equal(st, PH_NONE);
	config_free(config);
	config_errors_release(&errors);
}

int64_t stage_give(const struct robot_mail *m, enum proven proven,
		   int64_t arrived)
{
	static uint32_t uid;
	struct message_in in = { .source = S("work"),
				 .folder = S("INBOX"),
				 .uidvalidity = 1,
				 .uid = ++uid,
				 .arrived = arrived,
				 .now = arrived,
				 .has_tell_since = true, /* 1970: no history */
				 .proven = proven,
				 .proof = S("made up") };
	struct store *s = open_state();
	struct message mail;
	struct report report;
	struct arena arena;
	struct err err;
	int64_t id;

	arena_init(&arena);
	ok(message_read(robot_mail(m, &arena), &arena, &mail, &err), &err);
	ok(report_read(&mail, &arena, &report, &err), &err);
	in.message = &mail;
	in.report = &report;
	in.packed = pack_text(s, &arena, mail.text);
	ok(store_begin(s, &err), &err);
	ok(store_end(s, message_add(s, &in, &id, &err), &err), &err);
	decide(s, arrived);
	arena_release(&arena);
	store_close(s);
	return id;
}

/* -- running -- */

int stage_run(const char *first, ...)
{
	va_list words;
	int code;

	va_start(words, first);
	code = typed_run(config_file(), -1, first, words);
	va_end(words);
	return code;
}

int stage_run_to(int out, const char *first, ...)
{
	va_list words;
	int code;

	va_start(words, first);
	code = typed_run(config_file(), out, first, words);
	va_end(words);
	return code;
}
