/*
 * maintainers: thirty commits over a small MAINTAINERS file, a test each. Which
 * rule makes each expectation stands beside it in data/maintainers/commits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include "bot/maintainers.h"
#include "ph/limits.h"
#include "tests/guard.h"
#include "tests/table.h"

#define DATA	    "tests/unit/data/maintainers/"
#define MAX_COMMITS 64
#define MAX_FILES   8

struct commit {
	char *name;
	struct slice files[MAX_FILES];
	size_t n_files;
	struct buf patch, want;
};

static struct commit commits[MAX_COMMITS];
static size_t n_commits;
static struct maintainers *maintainers;
static struct mailmap map;
static struct arena arena;

static struct slice read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	struct slice text;
	struct buf b;
	char part[4096];
	size_t n;

	if (!f) {
		perror(path);
		exit(1);
	}
	buf_init(&b);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_add(&b, part, n);
	fclose(f);
	text = arena_copy(&arena, buf_slice(&b));
	buf_release(&b);
	return text;
}

static void take_field(struct commit *c, struct slice line)
{
	struct slice value = slice_from(line, 2);

	switch (*line.ptr) {
	case 'F':
		if (c->n_files < MAX_FILES)
			c->files[c->n_files++] = value;
		break;
	case 'P':
		buf_printf(&c->patch, "%.*s\n", S_FMT(value));
		break;
	case 'M':
	case 'R':
	case 'L':
		buf_printf(&c->want, "%.*s\n", S_FMT(line));
		break;
	default:
		break;
	}
}

static void read_commits(struct slice text)
{
	struct commit *c = NULL;
	struct slice line;

	while (slice_take_line(&text, &line)) {
		if (!line.len) {
			c = NULL;
		} else if (*line.ptr == '#') {
			continue;
		} else if (c) {
			take_field(c, line);
		} else if (n_commits < MAX_COMMITS) {
			c = &commits[n_commits++];
			c->name = arena_str(&arena, line);
		}
	}
}

static void finds(void **state)
{
	struct commit *c = *state;
	struct maintainer_list got;
	struct buf text;

	buf_init(&text);
	maintainers_find(maintainers, c->files, c->n_files,
			 buf_slice(&c->patch), &map, &arena, &got);
	for (size_t i = 0; i < got.n; i++)
		buf_printf(&text, "%c %.*s\n", "MRL"[got.item[i].role],
			   S_FMT(got.item[i].person.address));
	assert_string_equal(buf_str(&text), buf_str(&c->want));
	buf_release(&text);
}

static void says_which_section(void **state)
{
	static const struct slice file[] = { S_INIT("mm/memcontrol.c") };
	struct maintainer_list got;

	(void)state;
	maintainers_find(maintainers, file, 1, S(""), NULL, &arena, &got);
	assert_true(slice_eq(got.item[0].section, S("MEMORY CONTROLLER")));
	assert_true(slice_eq(got.item[0].person.name, S("Jan Memory")));
	assert_true(slice_eq(got.item[3].section, S("MEMORY MANAGEMENT")));
}

static void counts_bad_expressions(void **state)
{
	(void)state;
	assert_int_equal(maintainers_bad(maintainers), 1);
}

static void refuses_what_is_no_such_file(void **state)
{
	struct maintainers *m = NULL;
	struct err err;

	(void)state;
	assert_int_equal(maintainers_new(guard_copy("hello\n"), &m, &err),
			 PH_BAD);
	assert_string_equal(err.text, "MAINTAINERS: no section in it");
	assert_null(m);
}

static void size_has_a_ceiling(void **state)
{
	char *text = malloc(LIMIT_MAINTAINERS + 1);
	struct maintainers *m = NULL;
	struct err err;

	(void)state;
	assert_non_null(text);
	memset(text, '\n', LIMIT_MAINTAINERS + 1);
	memcpy(text, "A\nM:\ta@b.c\n", 11);
	assert_int_equal(maintainers_new((struct slice){ text,
							 LIMIT_MAINTAINERS },
					 &m, &err),
			 PH_OK);
	maintainers_free(m);
	assert_int_equal(
		maintainers_new((struct slice){ text, LIMIT_MAINTAINERS + 1 },
				&m, &err),
		PH_BAD);
	free(text);
}

static void files_have_a_ceiling(void **state)
{
	struct slice files[LIMIT_MAINTAINED_FILES + 1];
	struct maintainer_list got;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		files[i] = S("init/main.c");
	files[LIMIT_MAINTAINED_FILES] = S("mm/vmscan.c"); /* sorts last */
	maintainers_find(maintainers, files, LIMIT_MAINTAINED_FILES, S(""),
			 NULL, &arena, &got);
	assert_int_equal(got.n, 1);
	files[0] = S("mm/vmscan.c");
	maintainers_find(maintainers, files, LIMIT_MAINTAINED_FILES, S(""),
			 NULL, &arena, &got);
	assert_int_equal(got.n, 3);
	files[0] = S("init/main.c");
	maintainers_find(maintainers, files, LIMIT_MAINTAINED_FILES + 1, S(""),
			 NULL, &arena, &got);
	assert_int_equal(got.n, 1);
}

int main(void)
{
	static struct CMUnitTest tests[MAX_COMMITS + 5] = {
		cmocka_unit_test(says_which_section),
		cmocka_unit_test(counts_bad_expressions),
		cmocka_unit_test(refuses_what_is_no_such_file),
		cmocka_unit_test(size_has_a_ceiling),
		cmocka_unit_test(files_have_a_ceiling),
	};
	size_t n = TABLE_LISTED(tests);
	struct err err;
	int failed;

	arena_init(&arena);
	mailmap_parse(read_file(DATA "mailmap"), &arena, &map);
	if (maintainers_new(read_file(DATA "MAINTAINERS"), &maintainers,
			    &err) != PH_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	read_commits(read_file(DATA "commits"));
	for (size_t i = 0; i < n_commits; i++)
		tests[n++] = (struct CMUnitTest){
			.name = commits[i].name,
			.test_func = finds,
			.initial_state = &commits[i],
		};
	if (n_commits != 30) {
		fprintf(stderr, "%zu commits, not 30\n", n_commits);
		return 1;
	}
	failed = _cmocka_run_group_tests("maintainers", tests, n, NULL, NULL);
	maintainers_free(maintainers);
	for (size_t i = 0; i < n_commits; i++) {
		buf_release(&commits[i].patch);
		buf_release(&commits[i].want);
	}
	arena_release(&arena);
	return failed;
}
