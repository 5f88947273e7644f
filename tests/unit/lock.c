/* The files beside the state: who may make them, and whose they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/lock.h"
#include "tests/scratch.h"

#define SOMEBODY 65534

static struct err err;

static void one_has_it_at_a_time(void **state)
{
	const char *path = scratch_file("a.db", "", 0600);
	int fd, other;

	(void)state;
	assert_int_equal(lock_take(path, "lock", &fd, &err), PH_OK);
	assert_int_equal(lock_take(path, "lock", &other, &err), PH_RETRY);
	assert_int_equal(err_exit_code(&err, PH_RETRY), EX_TEMPFAIL);
	close(fd);
	assert_int_equal(lock_take(path, "lock", &fd, &err), PH_OK);
	close(fd);
}

/* One command that root runs must not shut out the service. */
static void one_that_root_makes_is_the_owners(void **state)
{
	const char *path = scratch_file("b.db", "", 0600);
	struct stat st;
	int fd;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(path, SOMEBODY, SOMEBODY), 0);
	assert_int_equal(lock_take(path, "courier", &fd, &err), PH_OK);
	close(fd);
	assert_int_equal(stat(scratch_path("b.db.courier"), &st), 0);
	assert_int_equal(st.st_uid, SOMEBODY);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_foreign_one_is_named(void **state)
{
	const char *path = scratch_file("c.db", "", 0600);
	enum status st;
	int fd;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(lock_take(path, "courier", &fd, &err), PH_OK);
	close(fd);
	assert_int_equal(chown(path, SOMEBODY, SOMEBODY), 0);
	assert_int_equal(chmod(scratch_dir(), 0755), 0);
	assert_int_equal(seteuid(SOMEBODY), 0);
	st = lock_take(path, "courier", &fd, &err);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(st, PH_FATAL);
	assert_non_null(strstr(err.text, "c.db.courier: Permission denied; it "
					 "belongs to another user than the "
					 "state: remove it"));
}

/* SQLite makes files beside the state, also for who only reads. */
static void a_folder_that_must_not_be_written_is_named(void **state)
{
	const char *dir = scratch_path("sealed");
	char path[256];
	struct store *s;
	enum status st;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir(dir, 0755), 0);
	assert_int_equal(chmod(scratch_dir(), 0755), 0);
	store_close(scratch_store("sealed/state.db"));
	snprintf(path, sizeof(path), "%s/state.db", dir);
	assert_int_equal(chown(path, SOMEBODY, SOMEBODY), 0);
	assert_int_equal(seteuid(SOMEBODY), 0);
	st = store_open(path, &s, &err);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(st, PH_FATAL);
	assert_non_null(strstr(err.text, "; its folder must be writable too"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_has_it_at_a_time),
		cmocka_unit_test(one_that_root_makes_is_the_owners),
		cmocka_unit_test(a_foreign_one_is_named),
		cmocka_unit_test(a_folder_that_must_not_be_written_is_named),
	};

	return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
