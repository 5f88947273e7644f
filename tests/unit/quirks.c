/*
 * Every oddity of tests/quirks.md, one fixture each: tests/golden/NNN-name.txt
 * (a report as pasted) or .eml, and beside it the JSON that must come out,
 * laid out for reading. GOLDEN=write in the environment writes these instead
 * (make golden); the diff is then the review.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bot/print_report.h"
#include "ph/message.h"
#include "ph/report.h"
#include "tests/guard.h"

#define FOLDER	  "tests/golden/"
#define OPEN_DEEP 4 /* levels that get lines of their own */

static void read_file(const char *path, struct buf *ret)
{
	char block[4096];
	size_t n;
	FILE *in = fopen(path, "rb");

	buf_init(ret);
	if (!in)
		return;
	while ((n = fread(block, 1, sizeof(block), in)))
		buf_add(ret, block, n);
	fclose(in);
}

static void write_file(const char *path, struct slice s)
{
	FILE *out = fopen(path, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(s.ptr, 1, s.len, out), s.len);
	assert_int_equal(fclose(out), 0);
}

/* tests/quirks.md has a line for the fixture's number. */
static void assert_is_listed(const char *name)
{
	struct buf list;
	char cell[16];

	snprintf(cell, sizeof(cell), "\n| %.3s |", name);
	read_file("tests/quirks.md", &list);
	if (!strstr(buf_str(&list), cell))
		fail_msg("%s has no line in tests/quirks.md", name);
	buf_release(&list);
}

static void put_break(struct buf *out, unsigned depth)
{
	buf_printf(out, "\n%*s", (int)depth, "");
}

/* Breaks lines at the outer levels; a row stays on one line. */
static void lay_out(struct buf *out, struct slice json)
{
	unsigned depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < json.len; i++) {
		char c = json.ptr[i];

		if (quoted && c == '\\') {
			buf_add(out, json.ptr + i++, 2);
			continue;
		}
		if (c == '"')
			quoted = !quoted;
		if (!quoted && (c == '}' || c == ']') && depth-- <= OPEN_DEEP)
			put_break(out, depth);
		buf_add_char(out, c);
		if (!quoted && (c == '{' || c == '[') && ++depth <= OPEN_DEEP)
			put_break(out, depth);
		if (!quoted && c == ',' && depth <= OPEN_DEEP)
			put_break(out, depth);
	}
}

static void check_fixture(void **state)
{
	const char *path = *state, *name = strrchr(path, '/') + 1;
	char json_path[300];
	struct buf raw, want, json, got;
	struct message msg;
	struct report r;
	struct arena arena;
	struct err err;

	assert_is_listed(name);
	snprintf(json_path, sizeof(json_path), "%.*sjson",
		 (int)(strlen(path) - 3), path);
	read_file(path, &raw);
	read_file(json_path, &want);
	arena_init(&arena);
	buf_init(&json);
	buf_init(&got);
	assert_int_equal(message_read(guard_bytes(raw.ptr, raw.len), &arena,
				      &msg, &err),
			 PH_OK);
	assert_int_equal(report_read(&msg, &arena, &r, &err), PH_OK);
	print_report_json(&json, &r, name, -1);
	lay_out(&got, buf_slice(&json));
	if (getenv("GOLDEN"))
		write_file(json_path, buf_slice(&got));
	else
		assert_string_equal(buf_str(&got), buf_str(&want));
	buf_release(&raw);
	buf_release(&want);
	buf_release(&json);
	buf_release(&got);
	arena_release(&arena);
}

/* A summary is for a person: one screen, no control characters. */
static void check_summary(void **state)
{
	struct buf raw, text;
	struct message msg;
	struct report r;
	struct arena arena;
	struct slice rest, line;
	size_t lines = 0;
	struct err err;

	read_file(*state, &raw);
	arena_init(&arena);
	buf_init(&text);
	assert_int_equal(message_read(buf_slice(&raw), &arena, &msg, &err),
			 PH_OK);
	assert_int_equal(report_read(&msg, &arena, &r, &err), PH_OK);
	print_report_text(&text, &r, slice_of(*state));
	rest = buf_slice(&text);
	while (slice_take_line(&rest, &line)) {
		lines++;
		for (size_t i = 0; i < line.len; i++)
			assert_true((unsigned char)line.ptr[i] >= ' ');
	}
	assert_in_range(lines, 1, 25);
	buf_release(&raw);
	buf_release(&text);
	arena_release(&arena);
}

int main(void)
{
	static struct CMUnitTest tests[600];
	glob_t found;
	size_t n = 0;

	if (glob(FOLDER "[0-9]*.txt", 0, NULL, &found) ||
	    glob(FOLDER "[0-9]*.eml", GLOB_APPEND, NULL, &found)) {
		fprintf(stderr, "no fixtures in " FOLDER "\n");
		return 1;
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		assert_true(n + 2 <= ARRAY_LEN(tests));
		tests[n++] = (struct CMUnitTest){
			.name = found.gl_pathv[i],
			.test_func = check_fixture,
			.initial_state = found.gl_pathv[i],
		};
		tests[n++] = (struct CMUnitTest){
			.name = "its summary",
			.test_func = check_summary,
			.initial_state = found.gl_pathv[i],
		};
	}
	n = (size_t)_cmocka_run_group_tests("quirks", tests, n, NULL, NULL);
	globfree(&found);
	return (int)n;
}
