#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include "bot/store/message.h"
#include "tests/scratch.h"
#include "tests/story.h"

struct story story;

const struct robot_mail story_mail = {
	.commit = STORY_COMMIT_A,
	.title = "mm: walk the list under one lock",
	.to = "author@example.org",
	.tree = STORY_NEXT,
	.label = "linux-next:master",
	.metric = "will-it-scale.per_process_ops",
	.percent = 12.0,
};

void story_ok(enum status st)
{
	if (st != PH_OK)
		fail_msg("status %d: %s", st, story.err.text);
}

int story_begin(void **state)
{
	(void)state;
	story = (struct story){ .store = scratch_store("state.db"),
				.now = STORY_START };
	arena_init(&story.arena);
	return 0;
}

int story_end(void **state)
{
	(void)state;
	arena_release(&story.arena);
	config_free(story.config);
	store_close(story.store);
	return 0;
}

void story_config(const char *yaml)
{
	struct config_errors errors;
	enum status st;

	config_free(story.config);
	story.config = NULL;
	config_errors_init(&errors);
	st = config_parse("test.yaml", slice_of(yaml), true, &story.config,
			  &errors, NULL, &story.err);
	if (st != PH_OK)
		fail_msg("%s", errors.n ? errors.line[0].text : story.err.text);
	config_errors_release(&errors);
	desk_init(&story.desk, story.config, story.store, NULL);
}

/* -- mails -- */

static void decide_all(void)
{
	enum status st;

	while ((st = desk_step(&story.desk, story.now, &story.err)) == PH_OK)
		;
	if (st != PH_NONE)
		story_ok(st);
}

static int64_t take_in(struct slice bytes, enum proven proven)
{
	struct arena *arena = &story.arena;
	struct message *msg = arena_new(arena, struct message);
	struct report *report = arena_new(arena, struct report);
	struct message_in in = { .source = S("file"),
				 .folder = S("test"),
				 .arrived = story.now,
				 .now = story.now,
				 .by_hand = true,
				 .proven = proven,
				 .proof = S("made up"),
				 .message = msg,
				 .report = report };
	struct err *err = &story.err;
	int64_t id;

	story_ok(message_read(bytes, arena, msg, err));
	story_ok(report_read(msg, arena, report, err));
	in.packed = message_pack(arena, msg->bounce ? bytes : msg->text);
	story_ok(store_begin(story.store, err));
	story_ok(store_end(story.store, message_add(story.store, &in, &id, err),
			   err));
	decide_all();
	return id;
}

int64_t story_give(const struct robot_mail *m, enum proven proven)
{
	return take_in(robot_mail(m, &story.arena), proven);
}

int64_t story_give_raw(const char *raw, enum proven proven)
{
	return take_in(slice_of(arena_printf(&story.arena, "%s", raw)), proven);
}

int64_t story_tell(const struct robot_mail *m, const char *notices)
{
	int64_t id = story_give(m, PROVEN_DKIM);

	story_expect(id, notices);
	return id;
}

/* -- what came of them -- */

struct words {
	char text[8192];
};

static void put(struct words *w, const char *line)
{
	size_t len = strlen(w->text);

	snprintf(w->text + len, sizeof(w->text) - len, "%s\n", line);
}

static struct notice notice_of(const struct outbox_row *row)
{
	struct notice n = { 0 };

	story_ok(notice_from_json(row->facts, &story.arena, &n, &story.err));
	return n;
}

static void put_notice(void *arg, const struct outbox_row *row)
{
	static const char *const kind[] = { "first",  "update",	  "forward",
					    "digest", "operator", "drill",
					    "answer" };
	struct notice n = notice_of(row);
	struct buf subject;

	buf_init(&subject);
	notice_subject(&n, &subject);
	put(arg,
	    arena_printf(&story.arena, "%s %.*s%s%.*s: %s", kind[row->kind],
			 S_FMT(row->channel), row->target.len ? " " : "",
			 S_FMT(row->target), buf_str(&subject)));
	buf_release(&subject);
}

void story_expect(int64_t message, const char *notices)
{
	struct words w = { "" };

	story_ok(outbox_each(story.store, ~0u, 0, message, &story.arena,
			     put_notice, &w, &story.err));
	assert_string_equal(w.text, notices);
}

static void put_digest(void *arg, const struct outbox_row *row)
{
	struct words *w = arg;
	struct notice n = notice_of(row);

	if (row->kind != NOTICE_DIGEST)
		return;
	w->text[0] = '\0';
	for (size_t i = 0; i < n.n_lines; i++)
		put(w, arena_str(&story.arena, n.lines[i]));
}

const char *story_digest(void)
{
	struct words *w = arena_new(&story.arena, struct words);

	story_ok(outbox_each(story.store, ~0u, 0, 0, &story.arena, put_digest,
			     w, &story.err));
	return w->text;
}

static void put_trace(void *arg, const struct trace *t)
{
	put(arg, arena_printf(&story.arena, "%.*s: %.*s", S_FMT(t->step),
			      S_FMT(t->text)));
}

void story_why(int64_t message, const char *part)
{
	struct words w = { "" };

	story_ok(trace_each(story.store, message, 0, &story.arena, put_trace,
			    &w, &story.err));
	if (!strstr(w.text, part))
		fail_msg("no \"%s\" in:\n%s", part, w.text);
}

int64_t story_patch(int64_t message)
{
	struct message_row row;
	int64_t root;

	story_ok(message_get(story.store, message, &story.arena, &row,
			     &story.err));
	assert_true(row.patch);
	story_ok(patch_root(story.store, row.patch, &root, &story.err));
	return root;
}

enum patch_life story_life(int64_t message)
{
	struct patch_row row;

	story_ok(patch_get(story.store, story_patch(message), &story.arena,
			   &row, &story.err));
	return row.life;
}

int64_t story_timers(void)
{
	int64_t next;

	story_ok(desk_timers(&story.desk, story.now, &next, &story.err));
	return next;
}

bool story_due(struct outbox_row *ret)
{
	enum status st = outbox_claim(story.store, story.now, S(""),
				      &story.arena, ret, &story.err);

	if (st != PH_NONE)
		story_ok(st);
	return st == PH_OK;
}
