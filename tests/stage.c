#include "tests/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bot/command.h"
#include "bot/desk.h"
#include "bot/store/pack.h"
#include "tests/scratch.h"

#define WORDS 24

static struct buf output;

static void ok(enum status st, const struct err *err)
{
	if (st != PH_OK)
		fail_msg("status %d: %s", st, err->text);
}

static const char *config_file(void)
{
	return scratch_path("stage.yaml");
}

void stage_set(const char *more)
{
	FILE *f = fopen(config_file(), "w");

	assert_non_null(f);
	fprintf(f,
		"state: %s\n"
		"trust: {proof: [dkim]}\n"
		"channels:\n  told: {type: file, path: %s}\n"
		"routes:\n  - {match: {min_percent: 1}, to: [told]}\n%s",
		scratch_path("state.db"), scratch_path("told"),
		more ? more : "");
	fclose(f);
	chmod(config_file(), 0600);
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

static int open_scratch(const char *name)
{
	int fd = open(scratch_path(name),
		      O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

/* Puts fd in the place of a stream's descriptor; what stood there. */
static int swap(FILE *stream, int fd)
{
	int old;

	fflush(stream);
	old = dup(fileno(stream));
	assert_true(old >= 0);
	assert_true(dup2(fd, fileno(stream)) >= 0);
	return old;
}

static void swap_back(FILE *stream, int old)
{
	fflush(stream);
	dup2(old, fileno(stream));
	close(old);
}

static void collect(int fd)
{
	char block[4096];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, block, sizeof(block))) > 0)
		buf_add(&output, block, (size_t)n);
	close(fd);
}

static int run(int to, const char *first, va_list words)
{
	const struct command *c = command_find(first);
	char *argv[WORDS] = { (char *)first };
	int out = open_scratch("stage.out"), err = open_scratch("stage.err");
	int old_out, old_err, code, argc = 1;

	assert_non_null(c);
	while ((argv[argc] = va_arg(words, char *)))
		assert_true(++argc < WORDS);
	old_out = swap(stdout, to < 0 ? out : to);
	old_err = swap(stderr, err);
	code = c->run(argc, argv, config_file());
	swap_back(stdout, old_out);
	swap_back(stderr, old_err);
	buf_reset(&output);
	collect(out);
	collect(err);
	return code;
}

int stage_run(const char *first, ...)
{
	va_list words;
	int code;

	va_start(words, first);
	code = run(-1, first, words);
	va_end(words);
	return code;
}

int stage_run_to(int out, const char *first, ...)
{
	va_list words;
	int code;

	va_start(words, first);
	code = run(out, first, words);
	va_end(words);
	return code;
}

const char *stage_output(void)
{
	return buf_str(&output);
}
