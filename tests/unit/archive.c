#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/archive.h"
#include "ph/source.h"
#include "tests/scratch.h"

static const char *box;

#define MAIL(id) "Subject: x\nmessage-id:\n <" id ">\n\none\n"

static void put(const char *raw, int64_t arrived)
{
	struct err err;

	assert_int_equal(archive_put(box, slice_of(raw), arrived, &err), PH_OK);
}

/* How many files hold this id, and what is in the i-th. */
static size_t find(const char *id, size_t i, const char *want)
{
	const char *path[ARCHIVE_COPIES];
	struct source_item item;
	struct source *s;
	struct arena arena;
	struct err err;
	size_t n = 0;

	arena_init(&arena);
	if (archive_find(box, slice_of(id), &arena, path, &n, &err) == PH_OK &&
	    want) {
		assert_true(i < n);
		assert_int_equal(source_open(path[i], &s, &err), PH_OK);
		assert_int_equal(source_next(s, &item, &err), PH_OK);
		assert_true(slice_eq(item.raw, slice_of(want)));
		assert_int_equal(item.arrived, 1715925180);
		source_close(s);
	}
	arena_release(&arena);
	return n;
}

static void finds_by_id_what_was_put(void **state)
{
	(void)state;
	assert_int_equal(find("a@b", 0, NULL), 0);
	put(MAIL("a@b"), 1715925180);
	put(MAIL("c@d"), 1715925180);
	assert_int_equal(find("a@b", 0, MAIL("a@b")), 1);
	assert_int_equal(find("a@", 0, NULL), 0);
	put("no id", 1715925180);
	assert_int_equal(find("", 0, "no id"), 1);
}

static void the_same_mail_is_kept_once(void **state)
{
	(void)state;
	put(MAIL("e@f"), 1715925180);
	put(MAIL("e@f"), 1715929999);
	assert_int_equal(find("e@f", 0, MAIL("e@f")), 1);
	put(MAIL("e@f") "footer of a list\n", 1715925180);
	assert_int_equal(find("e@f", 0, NULL), 2);
}

static void finds_what_a_reader_has_moved(void **state)
{
	char command[4096];

	(void)state;
	put(MAIL("g@h"), 1715925180);
	snprintf(command, sizeof(command),
		 "for f in %s/new/*; do mv $f %s/cur/${f##*/}:2,S; done", box,
		 box);
	assert_int_equal(system(command), 0);
	assert_int_equal(find("g@h", 0, MAIL("g@h")), 1);
}

static void leaves_nothing_behind(void **state)
{
	char command[2048];

	(void)state;
	put(MAIL("i@j"), 1715925180);
	snprintf(command, sizeof(command), "test -z \"$(ls %s/tmp)\"", box);
	assert_int_equal(system(command), 0);
}

static void says_what_failed(void **state)
{
	const char *gone = scratch_path("gone");
	struct err err;

	(void)state;
	assert_int_equal(archive_put(gone, S("x"), 0, &err), PH_RETRY);
	assert_int_equal(err.exit_code, EX_IOERR);
	assert_non_null(strstr(err.text, gone));
	assert_non_null(strstr(err.text, "No such file or directory"));
	gone = scratch_path("gone/deep");
	assert_int_equal(archive_make(gone, &err), PH_RETRY);
	assert_non_null(strstr(err.text, gone));
}

static void without_an_archive_nothing_is_kept(void **state)
{
	const char *path[ARCHIVE_COPIES];
	struct err err;
	size_t n;

	(void)state;
	assert_int_equal(archive_make(NULL, &err), PH_OK);
	assert_int_equal(archive_put(NULL, S("x"), 0, &err), PH_OK);
	assert_int_equal(archive_find(NULL, S("a@b"), NULL, path, &n, &err),
			 PH_NONE);
}

static int make_box(void **state)
{
	struct err err;

	(void)state;
	box = scratch_path("box");
	if (archive_make(box, &err) != PH_OK)
		return -1;
	return archive_make(box, &err) == PH_OK ? 0 : -1; /* again is fine */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_by_id_what_was_put),
		cmocka_unit_test(the_same_mail_is_kept_once),
		cmocka_unit_test(finds_what_a_reader_has_moved),
		cmocka_unit_test(leaves_nothing_behind),
		cmocka_unit_test(says_what_failed),
		cmocka_unit_test(without_an_archive_nothing_is_kept),
	};

	return cmocka_run_group_tests_name("archive", tests, make_box, NULL);
}
