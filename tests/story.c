#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include "bot/store/message.h"
#include "bot/store/pack.h"
#include "bot/store/query.h"
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

int story_begin_chat(void **state)
{
	story_begin(state);
	story_config(STORY_CHAT);
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

void story_decide(void)
{
	enum status st;

	while ((st = desk_step(&story.desk, story.now, &story.err)) == PH_OK)
		;
	if (st != PH_NONE)
		story_ok(st);
}

static int64_t take_in(struct slice bytes, enum proven proven,
		       struct report *report)
{
	struct arena *arena = &story.arena;
	struct message *msg = arena_new(arena, struct message);
	struct message_in in = { .source = S("file"),
				 .folder = S("test.eml"),
				 .arrived = story.now,
				 .now = story.now,
				 .by_hand = true,
				 .proven = proven,
				 .proof = S("dkim: made up"),
				 .message = msg,
				 .report = report };
	struct err *err = &story.err;
	int64_t id;

	story_ok(message_read(bytes, arena, msg, err));
	story_ok(report_read(msg, arena, report, err));
	msg->date = story.now; /* the story's clock, not the header's */
	in.packed =
		pack_text(story.store, arena, msg->bounce ? bytes : msg->text);
	story_ok(store_begin(story.store, err));
	story_ok(store_end(story.store, message_add(story.store, &in, &id, err),
			   err));
	return id;
}

int64_t story_put(const struct robot_mail *m, enum proven proven)
{
	struct report *report = arena_new(&story.arena, struct report);
	int64_t id = take_in(robot_mail(m, &story.arena), proven, report);

	assert_int_equal(report->kind, REPORT_PERFORMANCE);
	assert_int_equal(report->n_results, 1);
	assert_false(report->partial);
	return id;
}

int64_t story_give(const struct robot_mail *m, enum proven proven)
{
	int64_t id = story_put(m, proven);

	story_decide();
	return id;
}

int64_t story_give_raw(const char *raw, enum proven proven)
{
	struct report *report = arena_new(&story.arena, struct report);
	struct slice bytes = slice_of(arena_str(&story.arena, slice_of(raw)));
	int64_t id = take_in(bytes, proven, report);

	story_decide();
	return id;
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

static void expect(unsigned states, int64_t message, const char *notices)
{
	struct words w = { "" };

	story_ok(outbox_each(story.store, states, 0, message, &story.arena,
			     put_notice, &w, &story.err));
	assert_string_equal(w.text, notices);
}

void story_expect(int64_t message, const char *notices)
{
	expect(~0u, message, notices);
}

void story_expect_pending(const char *notices)
{
	expect(1u << OUTBOX_PENDING, 0, notices);
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

static struct message_row row_of(int64_t message)
{
	struct message_row row;

	story_ok(message_get(story.store, message, &story.arena, &row,
			     &story.err));
	return row;
}

enum message_state story_state(int64_t message)
{
	return row_of(message).state;
}

int64_t story_patch(int64_t message)
{
	struct message_row row = row_of(message);
	int64_t root;

	assert_true(row.patch);
	story_ok(patch_root(story.store, row.patch, &root, &story.err));
	return root;
}

struct patch_row story_patch_row(int64_t message)
{
	struct patch_row row;

	story_ok(patch_get(story.store, story_patch(message), &story.arena,
			   &row, &story.err));
	return row;
}

enum patch_life story_life(int64_t message)
{
	return story_patch_row(message).life;
}

/* -- what an operator does -- */

void story_set_life(int64_t message, enum patch_life life, const char *reason)
{
	int64_t patch = story_patch(message);

	story_ok(store_begin(story.store, &story.err));
	story_ok(store_end(story.store,
			   patch_set_life(story.store, patch, life,
					  slice_of(reason), story.now,
					  &story.err),
			   &story.err));
}

void story_again(int64_t message, bool vouched, bool resend)
{
	story_ok(store_begin(story.store, &story.err));
	story_ok(store_end(story.store,
			   message_again(story.store, message, vouched, resend,
					 &story.err),
			   &story.err));
	story_decide();
}

void story_silence(const char *match, int64_t seconds)
{
	struct silence_row silence = { .match = slice_of(match),
				       .author = S("me"),
				       .reason = S("known"),
				       .from = story.now,
				       .until = story.now + seconds };
	int64_t id;

	story_ok(store_begin(story.store, &story.err));
	story_ok(store_end(story.store,
			   silence_add(story.store, &silence, &id, &story.err),
			   &story.err));
}

/* -- the clock -- */

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
