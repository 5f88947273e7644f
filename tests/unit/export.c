#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/export.h"
#include "tests/exported.h"
#include "tests/scratch.h"
#include "tests/table.h"

/* What is let out, in lines of JSON, and where it goes. */

static void json_says_all_of_a_result(void **state)
{
	json_t *j;

	(void)state;
	assert_int_equal(stage_run("export", NULL), 0);
	assert_int_equal(exported_lines(), 2);
	j = exported_line(0);
	assert_string_equal(exported_text(j, "schema"), "perfherald.result/1");
	assert_int_equal(strlen(exported_text(j, "patch")), 12);
	assert_string_equal(exported_text(j, "title"), EXPORTED_TITLE);
	assert_string_equal(exported_text(j, "commit"), EXPORTED_A);
	assert_string_equal(exported_text(j, "branch"), "master");
	assert_string_equal(exported_text(j, "label"), "linux-next:master");
	assert_string_equal(exported_text(j, "subsystem"), "mm");
	assert_string_equal(exported_text(j, "state"), "open");
	assert_string_equal(exported_text(j, "testcase"), "will-it-scale");
	assert_non_null(strstr(exported_text(j, "parameters"), "nr_task=100%"));
	assert_string_equal(exported_text(j, "host"), "lkp-spr-2sp4");
	assert_string_equal(exported_text(j, "better"), "higher");
	assert_string_equal(exported_text(j, "verdict"), "regression");
	assert_float_equal(exported_number(j, "percent"), 12, 1e-6);
	assert_float_equal(exported_number(j, "change"), -12, 1e-6);
	assert_string_equal(exported_text(j, "change_kind"), "relative");
	assert_float_equal(exported_number(j, "base"), 100000, 1e-6);
	assert_float_equal(exported_number(j, "base_deviation"), 3, 1e-6);
	assert_float_equal(exported_number(j, "value"), 88000, 1e-6);
	assert_string_equal(exported_text(j, "evidence"), "C");
	assert_true(json_is_true(json_object_get(j, "news")));
	assert_true(json_is_true(json_object_get(j, "headline")));
	assert_string_equal(exported_text(j, "proof"), "dkim");
	assert_string_equal(exported_text(j, "message_id"), EXPORTED_ID);
	assert_string_equal(exported_text(j, "report"),
			    "https://lore.kernel.org/r/"
			    "202610010915.4e1c09ab-lkp@intel.com");
	assert_string_equal(exported_text(j, "reported"),
			    "2026-10-01T01:15:41Z");
	assert_string_equal(exported_text(j, "arrived"),
			    "2020-10-01T12:00:00Z");
	json_decref(j);
}

static void authors_are_named_only_when_asked_for(void **state)
{
	static const char *const forms[] = { "json", "csv", "kcidb" };
	json_t *j;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		assert_int_equal(stage_run("export", "--format", forms[i],
					   NULL),
				 0);
		typed_says_not("author@example.org");
	}
	assert_int_equal(stage_run("export", "--authors", NULL), 0);
	j = exported_line(0);
	assert_string_equal(exported_text(j, "author"), "author@example.org");
	json_decref(j);
	assert_int_equal(stage_run("export", "--format=csv", "--authors", NULL),
			 0);
	typed_says(",author\r\n");
	typed_says(",author@example.org\r\n");
	assert_int_equal(stage_run("export", "--format=kcidb", "--authors",
				   NULL),
			 EX_USAGE);
}

static void what_nothing_proves_is_left_out(void **state)
{
	json_t *j;

	(void)state;
	assert_int_equal(stage_run("export", NULL), 0);
	typed_says_not(EXPORTED_C);
	assert_int_equal(stage_run("export", "--unproven", NULL), 0);
	assert_int_equal(exported_lines(), 3);
	j = exported_line(2);
	assert_string_equal(exported_text(j, "commit"), EXPORTED_C);
	assert_string_equal(exported_text(j, "proof"), "not proven");
	/* it belongs to no patch, so nothing of one is said */
	assert_null(json_object_get(j, "patch"));
	assert_null(json_object_get(j, "state"));
	json_decref(j);
}

/* -- what is chosen -- */

static const struct choice {
	const char *words[4]; /* behind "export" */
	size_t lines;
} choices[] = {
	{ { "--since", "2020-10-15" }, 1 },
	{ { "--until", "2020-10-15" }, 1 },
	{ { "--since", "2020-10-15", "--until", "2020-10-20" }, 0 },
	{ { "--since", "2020-10-01T12:00:00Z" }, 2 },
	{ { "--until", "2020-10-01T12:00:00Z" }, 0 },
	{ { "--verdict", "improvement" }, 1 },
	{ { "--state", "open,fixed" }, 2 },
	{ { "--state", "fixed" }, 0 },
	{ { "--match", "metric=fsmark.*" }, 1 },
	{ { "--match", "host=lkp-*", "--match", "metric=*ops" }, 1 },
	{ { "--match", "host=lkp-icl*", "--match", "host=lkp-spr*" }, 2 },
	{ { "--match", "host=lkp-icl*", "--match", "metric=*ops" }, 0 },
	{ { "--match", "percent=30.5" }, 1 },
	{ { "--match", "headline=true" }, 2 },
	{ { "--match", "author=*@example.org" }, 2 },
};

static void results_are_chosen(void **state)
{
	const struct choice *c = *state;

	assert_int_equal(stage_run("export", c->words[0], c->words[1],
				   c->words[2], c->words[3], NULL),
			 0);
	assert_int_equal(exported_lines(), c->lines);
}

static void nonsense_is_refused(void **state)
{
	static const char *const words[][2] = {
		{ "--format", "xml" },
		{ "--since", "soon" },
		{ "--verdict", "worse" },
		{ "--state", "odd" },
		{ "--state", "" },
		{ "--match", "colour=red" },
		{ "--match", "metric" },
		{ "--match", "metric=" },
		{ "--origin", "Our Robot" },
		{ "--origin", "" },
		{ "a", "b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_int_equal(stage_run("export", words[i][0], words[i][1],
					   NULL),
				 EX_USAGE);
}

/* -- where it goes -- */

static void a_file_is_whole_or_not_there(void **state)
{
	const char *path = scratch_path("results.json");
	struct stat st;
	char text[512];
	FILE *f;

	(void)state;
	assert_int_equal(stage_run("export", path, NULL), 0);
	assert_string_equal(typed_output(), "");
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 1000);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_non_null(strstr(text, EXPORTED_A));
	/* one that cannot come to be leaves the old one alone */
	assert_int_equal(stage_run("export", "/nonexistent/x", NULL), EX_IOERR);
	typed_says("/nonexistent/x: No such file or directory");
	unlink(path);
}

static void the_state_is_not_written_over(void **state)
{
	char path[256], alias[300];

	(void)state;
	snprintf(path, sizeof(path), "%s", scratch_path("state.db"));
	snprintf(alias, sizeof(alias), "%s.alias", path);
	assert_int_equal(symlink(path, alias), 0);
	assert_int_equal(stage_run("export", path, NULL), EX_CANTCREAT);
	typed_says("state.db: is the state, which this would overwrite");
	assert_int_equal(stage_run("export", alias, NULL), EX_CANTCREAT);
	assert_int_equal(stage_run("fsck", NULL), EX_OK);
	unlink(alias);
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(stage_run("export", "/dev/full", NULL), EX_IOERR);
	typed_says("/dev/full: No space left on device");
}

static void a_reader_that_has_gone_is_an_error_without_words(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(stage_run_to(ends[1], "export", NULL), EX_IOERR);
	close(ends[1]);
	assert_string_equal(typed_output(), "");
}

static void the_manual_page_lists_all_cells(void **state)
{
	struct buf page;
	char block[4096], entry[64];
	size_t n;
	FILE *f = fopen("config/man/perfherald.1", "r");

	(void)state;
	assert_non_null(f);
	buf_init(&page);
	while ((n = fread(block, 1, sizeof(block), f)))
		buf_add(&page, block, n);
	fclose(f);
	for (size_t i = 0; i <= n_export_names; i++) {
		snprintf(entry, sizeof(entry), ".It Cm %s\n", export_names[i]);
		if (!strstr(buf_str(&page), entry))
			fail_msg("%s is not in perfherald.1", export_names[i]);
	}
	buf_release(&page);
}

int main(void)
{
	static const struct CMUnitTest plain[] = {
		cmocka_unit_test(json_says_all_of_a_result),
		cmocka_unit_test(authors_are_named_only_when_asked_for),
		cmocka_unit_test(what_nothing_proves_is_left_out),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(a_file_is_whole_or_not_there),
		cmocka_unit_test(the_state_is_not_written_over),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(
			a_reader_that_has_gone_is_an_error_without_words),
		cmocka_unit_test(the_manual_page_lists_all_cells),
	};
	struct CMUnitTest tests[ARRAY_LEN(plain) + ARRAY_LEN(choices)];
	size_t n = 0;

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tests[n++] = plain[i];
	TABLE_ADD(tests, n, choices, words[1], results_are_chosen);
	return cmocka_run_group_tests_name("export", tests, exported_set_up,
					   NULL);
}
