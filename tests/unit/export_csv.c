#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>
#include "bot/export.h"
#include "tests/exported.h"
#include "tests/table.h"

/* CSV, taken apart again by rules that were written from RFC 4180. */

/* Takes one cell by RFC 4180 off *at; true when another follows in its line. */
static bool take_csv(const char **at, struct buf *ret)
{
	const char *p = *at;

	buf_reset(ret);
	if (*p == '"') {
		for (p++; *p != '"' || p[1] == '"'; p++) {
			assert_true(*p);
			p += *p == '"';
			buf_add_char(ret, *p);
		}
		p++;
	} else {
		for (; !strchr(",\r", *p); p++) {
			assert_true(*p != '"' && *p != '\n');
			buf_add_char(ret, *p);
		}
	}
	if (*p == ',') {
		*at = p + 1;
		return true;
	}
	assert_memory_equal(p, "\r\n", 2);
	*at = p + 2;
	return false;
}

static void csv_has_the_same_cells_in_every_line(void **state)
{
	struct buf cell, title;
	const char *at;
	size_t rows = 0;

	(void)state;
	buf_init(&cell);
	buf_init(&title);
	assert_int_equal(stage_run("export", "--format", "csv", NULL), 0);
	for (at = typed_output(); *at; rows++) {
		size_t n = 0;
		bool more;

		do {
			more = take_csv(&at, &cell);
			if (rows == 0)
				assert_string_equal(buf_str(&cell),
						    export_names[n]);
			if (rows == 1 && !strcmp(export_names[n], "title"))
				buf_add_slice(&title, buf_slice(&cell));
			n++;
		} while (more);
		assert_int_equal(n, n_export_names);
	}
	assert_int_equal(rows, 3);
	/* text, not a formula; a number that falls stays a number */
	assert_string_equal(buf_str(&title), "'" EXPORTED_TITLE);
	typed_says(",-12,relative,");
	buf_release(&cell);
	buf_release(&title);
}

static const struct formula {
	const char *text, *cell;
} formulas[] = {
	{ "plain", "plain" },
	{ "two words", "\"two words\"" },
	{ "a,b", "\"a,b\"" },
	{ "say \"x\"", "\"say \"\"x\"\"\"" },
	{ "=1+1", "\"'=1+1\"" },
	{ "+1", "\"'+1\"" },
	{ "-1", "\"'-1\"" },
	{ "@SUM(A1)", "\"'@SUM(A1)\"" },
	{ "\t=1", "\"' =1\"" },
	{ "\r=1", "\"' =1\"" },
	{ " \n@x", "\"'  @x\"" },
	{ "\xef\xbc\x9d\x31", "\"'\xef\xbc\x9d\x31\"" },
	{ "\xef\xbc\x8b\x31", "\"'\xef\xbc\x8b\x31\"" },
	{ "\xef\xbc\x8d\x31", "\"'\xef\xbc\x8d\x31\"" },
	{ "\xef\xbc\xa0\x31", "\"'\xef\xbc\xa0\x31\"" },
	{ "a=b", "a=b" },
	{ "mm-unstable", "mm-unstable" },
	{ "x\xff", "x\xef\xbf\xbd" },
};

static void a_csv_cell_is_never_a_formula(void **state)
{
	const struct formula *c = *state;
	struct export_options options = { 0 };
	struct finding f = { .patch.title = slice_of(c->text) };
	struct arena arena;
	struct buf line;
	const char *at;

	arena_init(&arena);
	buf_init(&line);
	export_csv.put(&options, 0, &f, NULL, &arena, &line);
	at = buf_str(&line);
	/* the first cell, the patch, is empty */
	assert_int_equal(*at++, ',');
	assert_int_equal(strncmp(at, c->cell, strlen(c->cell)), 0);
	assert_int_equal(at[strlen(c->cell)], ',');
	buf_release(&line);
	arena_release(&arena);
}

int main(void)
{
	static const struct CMUnitTest plain[] = {
		cmocka_unit_test(csv_has_the_same_cells_in_every_line),
	};
	struct CMUnitTest tests[ARRAY_LEN(plain) + ARRAY_LEN(formulas)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tests[n++] = plain[i];
	TABLE_ADD(tests, n, formulas, cell, a_csv_cell_is_never_a_formula);
	return cmocka_run_group_tests_name("export_csv", tests, exported_set_up,
					   NULL);
}
