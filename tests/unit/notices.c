/*
 * Notices against their expected words, tests/golden/notices. NAME.txt is the
 * subject, an empty line and the text of
 *	NAME.json	a frozen notice, or
 *	NAME.eml	a robot's mail, with what is known of its patch in
 *			NAME.history (a line a fact; see take_fact)
 * GOLDEN=write in the environment writes the expected files instead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bot/facts.h"
#include "ph/message.h"
#include "ph/utf8.h"

#define FOLDER "tests/golden/notices/"

static struct arena arena;

static bool read_file(const char *path, struct slice *ret)
{
	FILE *in = fopen(path, "rb");
	struct buf b;
	int c;

	if (!in)
		return false;
	buf_init(&b);
	while ((c = getc(in)) != EOF)
		buf_add_char(&b, (char)c);
	fclose(in);
	*ret = arena_copy(&arena, buf_slice(&b));
	buf_release(&b);
	return true;
}

static char *beside(const char *path, const char *ending)
{
	const char *dot = strrchr(path, '.');

	return arena_printf(&arena, "%.*s%s", (int)(dot - path), path, ending);
}

/* Titles, links and metrics are never broken; the rest is ours to fit. */
static bool may_be_long(struct slice line)
{
	struct slice words = slice_trim(line);

	return slice_find(line, S("(\"")) || slice_find(line, S("://")) ||
	       !slice_chr(words, ' ');
}

/* What no line of our own may be, foreign words aside. */
static void check_shape(const struct notice *n, struct slice text)
{
	struct slice rest = text, line;
	size_t lines = 0;

	assert_true(utf8_valid(text));
	while (slice_take_line(&rest, &line)) {
		lines++;
		for (size_t i = 0; i < line.len; i++)
			assert_true((unsigned char)line.ptr[i] >= ' ');
		if (!may_be_long(line) && n->kind != NOTICE_DIGEST)
			assert_in_range(utf8_count(line), 0, 75);
		if (line.len && !slice_eq(line, S("-- ")))
			assert_true(line.ptr[line.len - 1] != ' ');
	}
	if (n->kind != NOTICE_DIGEST && lines > 25)
		fail_msg("%zu lines:\n%.*s", lines, S_FMT(text));
}

static void check_round_trip(const struct notice *n, struct buf *json)
{
	struct notice again;
	struct err err;
	struct buf second;

	buf_init(&second);
	notice_to_json(n, json);
	assert_null(slice_chr(buf_slice(json), '\n'));
	if (notice_from_json(buf_slice(json), &arena, &again, &err) != PH_OK)
		fail_msg("%s", err.text);
	notice_to_json(&again, &second);
	assert_string_equal(buf_str(json), buf_str(&second));
	buf_release(&second);
}

static void check_words(const char *path, struct buf *got)
{
	const char *expected = beside(path, ".txt");
	struct slice want;

	if (getenv("GOLDEN")) {
		FILE *out = fopen(expected, "wb");

		assert_non_null(out);
		fwrite(got->ptr, 1, got->len, out);
		fclose(out);
		return;
	}
	if (!read_file(expected, &want))
		fail_msg("%s is missing: make golden", expected);
	if (!slice_eq(want, buf_slice(got)))
		fail_msg("%s differs; now:\n%s", expected, buf_str(got));
}

static void check_notice(const char *path, const struct notice *n)
{
	struct notice mailed = *n;
	struct buf json, got;
	size_t at;

	buf_init(&json);
	buf_init(&got);
	check_round_trip(n, &json);
	notice_subject(n, &got);
	assert_null(slice_chr(buf_slice(&got), '\n'));
	buf_add_str(&got, "\n\n");
	at = got.len;
	mailed.may_reply = true;
	notice_text(&mailed, &got);
	check_shape(n, slice_from(buf_slice(&got), at));
	check_words(path, &got);
	buf_release(&json);
	buf_release(&got);
}

static void frozen(const char *path)
{
	struct slice json;
	struct notice n;
	struct err err;

	assert_true(read_file(path, &json));
	if (notice_from_json(json, &arena, &n, &err) != PH_OK)
		fail_msg("%s: %s", path, err.text);
	check_notice(path, &n);
}

/* What a NAME.history file says, in the structs that the desk fills. */
struct known {
	struct facts_ask ask;
	struct facts_history history;
	struct facts_past past[8];
	struct facts_opposite opposite;
	struct slice symbols[8];
	bool repeat[16];
};

static struct slice word(struct slice *line)
{
	struct slice w = { NULL, 0 };

	assert_true(slice_take_word(line, &w));
	return w;
}

static double number(struct slice *line)
{
	return strtod(arena_str(&arena, word(line)), NULL);
}

static enum verdict verdict(struct slice *line)
{
	return slice_eq(word(line), S("regression")) ? VERDICT_REGRESSION
						     : VERDICT_IMPROVEMENT;
}

static void take_past(struct slice line, struct facts_past *p)
{
	p->testcase = word(&line);
	p->metric = word(&line);
	p->host = word(&line);
	p->verdict = verdict(&line);
	p->has_percent = true;
	p->percent = number(&line);
	p->commit = word(&line);
	p->where = word(&line);
	p->when = (int64_t)number(&line);
	p->same_as = (int32_t)number(&line);
}

static void take_opposite(struct slice line, struct facts_opposite *o)
{
	o->commit = word(&line);
	o->verdict = verdict(&line);
	o->has_percent = true;
	o->percent = number(&line);
	o->when = (int64_t)number(&line);
	o->title = slice_trim(line);
}

static void take_fact(struct known *k, struct slice line)
{
	struct slice what = word(&line);

	if (slice_eq(what, S("kind"))) {
		k->ask.kind = slice_eq(word(&line), S("update"))
				      ? NOTICE_UPDATE
				      : NOTICE_FORWARD;
	} else if (slice_eq(what, S("headline"))) {
		k->ask.headline = (size_t)number(&line);
	} else if (slice_eq(what, S("note"))) {
		k->ask.note = slice_trim(line);
	} else if (slice_eq(what, S("regzbot"))) {
		k->ask.regzbot = slice_eq(word(&line), S("send"))
					 ? REGZBOT_SEND
					 : REGZBOT_PRINT;
	} else if (slice_eq(what, S("state"))) {
		k->history.state = word(&line);
	} else if (slice_eq(what, S("fix"))) {
		k->history.fix_commit = word(&line);
		k->history.fix_title = slice_trim(line);
	} else if (slice_eq(what, S("symbol"))) {
		k->symbols[k->history.n_symbols++] = word(&line);
	} else if (slice_eq(what, S("repeat"))) {
		k->repeat[(size_t)number(&line)] = true;
	} else if (slice_eq(what, S("past"))) {
		take_past(line, &k->past[k->history.n_past++]);
	} else if (slice_eq(what, S("opposite"))) {
		take_opposite(line, &k->opposite);
		k->history.opposite = &k->opposite;
	} else {
		fail_msg("unknown fact %.*s", S_FMT(what));
	}
}

static void read_known(const char *path, struct known *k)
{
	struct slice text, line;

	*k = (struct known){ 0 };
	k->history.past = k->past;
	k->history.symbols = k->symbols;
	k->history.repeat = k->repeat;
	if (!read_file(path, &text))
		return;
	while (slice_take_line(&text, &line))
		take_fact(k, line);
}

static void reported(const char *path)
{
	struct known k;
	struct slice raw;
	struct message m;
	struct report r;
	struct notice n;
	struct err err;

	read_known(beside(path, ".history"), &k);
	assert_true(read_file(path, &raw));
	if (message_read(raw, &arena, &m, &err) != PH_OK ||
	    report_read(&m, &arena, &r, &err) != PH_OK)
		fail_msg("%s: %s", path, err.text);
	assert_int_equal(r.kind, REPORT_PERFORMANCE);
	k.ask.made = m.date;
	facts_fill(&r, &k.history, &k.ask, &arena, &n);
	check_notice(path, &n);
}

static void check_file(void **state)
{
	const char *path = *state;

	if (slice_ends(slice_of(path), S(".json")))
		frozen(path);
	else
		reported(path);
}

int main(void)
{
	struct CMUnitTest *tests;
	glob_t found;
	int failed;

	arena_init(&arena);
	if (glob(FOLDER "*.json", 0, NULL, &found) != 0 ||
	    glob(FOLDER "*.eml", GLOB_APPEND, NULL, &found) != 0)
		return 1;
	tests = arena_array(&arena, struct CMUnitTest, found.gl_pathc);
	for (size_t i = 0; i < found.gl_pathc; i++)
		tests[i] = (struct CMUnitTest){
			.name = found.gl_pathv[i],
			.test_func = check_file,
			.initial_state = found.gl_pathv[i],
		};
	failed = _cmocka_run_group_tests("notices", tests, found.gl_pathc, NULL,
					 NULL);
	globfree(&found);
	arena_release(&arena);
	return failed;
}
