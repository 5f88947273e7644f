/* Patches in the state: by which names one is found, merging, splitting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>
#include "bot/store/patch.h"
#include "tests/fresh.h"

#define NOW FRESH_NOW

static void a_hash_is_known_by_its_first_digits(void **state)
{
	int64_t id = fresh_patch("0123456789ab", "mm: do", NOW), got;

	(void)state;
	fresh_ok(patch_of_commit(fresh.store, S("0123456789"), &got,
				 &fresh.err));
	assert_int_equal(got, id);
	fresh_ok(patch_of_commit(fresh.store,
				 S("0123456789abcdef0123456789abcdef01234567"),
				 &got, &fresh.err));
	assert_int_equal(got, id);
	assert_int_equal(patch_of_commit(fresh.store, S("0123456789cd"), &got,
					 &fresh.err),
			 PH_NONE);
}

static void two_become_one_and_two_again(void **state)
{
	int64_t old = fresh_patch("aaaaaaaaaaaa", "mm: one", NOW - 10);
	int64_t young = fresh_patch("bbbbbbbbbbbb", "mm: two", NOW), got;
	struct patch_row row;

	(void)state;
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(patch_merge(fresh.store, young, old, &got, &fresh.err));
	fresh_ok(store_commit(fresh.store, &fresh.err));
	assert_int_equal(got, old);
	fresh_ok(patch_find(fresh.store, S("bbbbbbbb"), &fresh.arena, &row,
			    &fresh.err));
	assert_int_equal(row.id, old);
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(patch_split(fresh.store, old, S("bbbbbbbb"), NOW, &got,
			     &fresh.err));
	fresh_ok(store_commit(fresh.store, &fresh.err));
	assert_int_equal(got, young);
	fresh_ok(patch_find(fresh.store, S("bbbbbbbb"), &fresh.arena, &row,
			    &fresh.err));
	assert_int_equal(row.id, young);
	fresh_ok(store_begin(fresh.store, &fresh.err));
	assert_int_equal(patch_split(fresh.store, old, S("aaaaaaaa"), NOW, &got,
				     &fresh.err),
			 PH_BAD);
	store_rollback(fresh.store);
}

static void a_name_that_fits_two_is_refused(void **state)
{
	struct patch_row row;

	(void)state;
	fresh_patch("abcdef000001", "mm: one", NOW);
	fresh_patch("abcdef000002", "mm: two", NOW);
	assert_int_equal(patch_find(fresh.store, S("abcdef"), &fresh.arena,
				    &row, &fresh.err),
			 PH_BAD);
	assert_non_null(strstr(fresh.err.text, "fits several"));
	fresh_ok(patch_find(fresh.store, S("mm: two"), &fresh.arena, &row,
			    &fresh.err));
	assert_true(slice_eq(row.commit, S("abcdef000002")));
	assert_int_equal(patch_find(fresh.store, S("mm: three"), &fresh.arena,
				    &row, &fresh.err),
			 PH_NONE);
}

static void titles_match_one_patch_or_none(void **state)
{
	int64_t id = fresh_patch("aaaaaaaaaaaa", "mm: one", NOW), got;
	int n;

	(void)state;
	fresh_ok(patch_of_title(fresh.store, S("mm: one"), S("A@example.org"),
				&got, &n, &fresh.err));
	assert_int_equal(got, id);
	assert_int_equal(patch_of_title(fresh.store, S("mm: one"),
					S("b@example.org"), &got, &n,
					&fresh.err),
			 PH_NONE);
	fresh_patch("bbbbbbbbbbbb", "mm: one", NOW);
	assert_int_equal(patch_of_title(fresh.store, S("mm: one"),
					S("a@example.org"), &got, &n,
					&fresh.err),
			 PH_NONE);
	assert_int_equal(n, 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_begin, fresh_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_hash_is_known_by_its_first_digits),
		TEST(two_become_one_and_two_again),
		TEST(a_name_that_fits_two_is_refused),
		TEST(titles_match_one_patch_or_none),
	};

	return cmocka_run_group_tests_name("store_patch", tests, NULL, NULL);
}
