/* The state's file, its transactions and its copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/store/sql.h"
#include "tests/fresh.h"
#include "tests/scratch.h"

static void the_file_is_for_its_owner_alone(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat(scratch_path("state.db"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(scratch_path("state.db-wal"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	chmod(scratch_path("state.db"), 0640);
	assert_int_equal(store_migrate(scratch_path("state.db"), &fresh.err),
			 PH_FATAL);
	assert_int_equal(err_exit_code(&fresh.err, PH_FATAL), EX_CONFIG);
	assert_non_null(strstr(fresh.err.text, "chmod 600"));
}

static void what_is_no_state_is_refused(void **state)
{
	struct store *other = NULL;
	char text[4096];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	scratch_file("junk.db", text, 0600);
	assert_int_equal(store_migrate(scratch_path("junk.db"), &fresh.err),
			 PH_FATAL);
	assert_int_equal(err_exit_code(&fresh.err, PH_FATAL), EX_IOERR);
	assert_non_null(
		strstr(fresh.err.text, "damaged, or no perfherald state"));
	assert_int_equal(store_open(scratch_path("none.db"), &other,
				    &fresh.err),
			 PH_FATAL);
	assert_int_equal(err_exit_code(&fresh.err, PH_FATAL), EX_NOINPUT);
	assert_int_equal(store_migrate(scratch_path("no/such.db"), &fresh.err),
			 PH_FATAL);
	assert_int_equal(err_exit_code(&fresh.err, PH_FATAL), EX_NOINPUT);
}

static void a_transaction_that_fails_leaves_nothing(void **state)
{
	int64_t value;

	(void)state;
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(store_meta_set(fresh.store, "a", 1, &fresh.err));
	assert_int_equal(store_end(fresh.store, PH_BAD, &fresh.err), PH_BAD);
	assert_int_equal(store_meta_get(fresh.store, "a", &value, &fresh.err),
			 PH_NONE);
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(store_meta_set(fresh.store, "a", 2, &fresh.err));
	assert_int_equal(store_end(fresh.store, PH_NONE, &fresh.err), PH_NONE);
	fresh_ok(store_meta_get(fresh.store, "a", &value, &fresh.err));
	assert_int_equal(value, 2);
}

static void a_statement_that_was_never_right_says_so_later(void **state)
{
	struct sql q = sql_start(fresh.store, "SELECT nothing FROM nowhere");

	(void)state;
	fresh_ok(store_begin(fresh.store, &fresh.err));
	assert_int_equal(store_end(fresh.store, sql_run(&q, &fresh.err),
				   &fresh.err),
			 PH_FATAL);
	assert_non_null(strstr(fresh.err.text, "SQL logic error"));
}

static void a_copy_is_whole(void **state)
{
	struct store *copy;
	int64_t value;

	(void)state;
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(store_end(fresh.store,
			   store_meta_set(fresh.store, "a", 7, &fresh.err),
			   &fresh.err));
	fresh_ok(
		store_backup(fresh.store, scratch_path("copy.db"), &fresh.err));
	assert_int_equal(store_backup(fresh.store, scratch_path("copy.db"),
				      &fresh.err),
			 PH_FATAL);
	fresh_ok(store_open(scratch_path("copy.db"), &copy, &fresh.err));
	fresh_ok(store_meta_get(copy, "a", &value, &fresh.err));
	assert_int_equal(value, 7);
	fresh_ok(store_check(copy, &fresh.err));
	store_close(copy);
	unlink(scratch_path("copy.db"));
}

/* A file that may not grow gives what a full disk gives. */
static void a_full_disk_is_said_and_survived(void **state)
{
	struct rlimit was, none = { 0 };
	enum status st;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	none.rlim_max = was.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	st = store_begin(fresh.store, &fresh.err);
	if (st == PH_OK)
		st = store_end(fresh.store,
			       store_meta_set(fresh.store, "a", 1, &fresh.err),
			       &fresh.err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(st, PH_FATAL);
	assert_int_equal(err_exit_code(&fresh.err, st), EX_IOERR);
	/* it goes on once there is room */
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(store_end(fresh.store,
			   store_meta_set(fresh.store, "a", 1, &fresh.err),
			   &fresh.err));
	fresh_ok(store_check(fresh.store, &fresh.err));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_begin, fresh_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_file_is_for_its_owner_alone),
		TEST(what_is_no_state_is_refused),
		TEST(a_transaction_that_fails_leaves_nothing),
		TEST(a_statement_that_was_never_right_says_so_later),
		TEST(a_copy_is_whole),
		TEST(a_full_disk_is_said_and_survived),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
