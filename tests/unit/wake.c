#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bot/wake.h"

static char folder[] = "/tmp/perfherald-wake-XXXXXX";
static char state[512];

/* A folder so deep that its name would not fit a socket's address. */
static int make_folder(void **unused)
{
	char path[400];

	(void)unused;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/%0150d", folder, 0);
	if (mkdir(path, 0700) != 0)
		return -1;
	snprintf(state, sizeof(state), "%s/state.db", path);
	return 0;
}

static int remove_folder(void **unused)
{
	char path[400];

	(void)unused;
	snprintf(path, sizeof(path), "%s/%0150d", folder, 0);
	return rmdir(path) != 0 || rmdir(folder) != 0;
}

static bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static void a_bell_rings_until_drained(void **unused)
{
	struct err err;
	int bell;

	(void)unused;
	assert_int_equal(wake_bell_new(&bell, &err), PH_OK);
	assert_false(readable(bell));
	wake_ring(bell);
	wake_ring(bell);
	assert_true(readable(bell));
	wake_drain(bell);
	assert_false(readable(bell));
	close(bell);
}

static void a_knock_is_heard_by_the_watch_only(void **unused)
{
	struct stat st;
	struct err err;
	char path[600];
	int fd;

	(void)unused;
	assert_false(wake_knock(state));
	assert_int_equal(wake_listen(state, &fd, &err), PH_OK);
	snprintf(path, sizeof(path), "%s.wake", state);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(wake_knock(state));
	assert_true(readable(fd));
	wake_drain(fd);
	assert_false(readable(fd));
	wake_unlisten(state, fd);
	assert_false(wake_knock(state));
}

static void a_full_queue_still_counts_as_heard(void **unused)
{
	struct err err;
	int fd;

	(void)unused;
	assert_int_equal(wake_listen(state, &fd, &err), PH_OK);
	for (int i = 0; i < 5000; i++)
		assert_true(wake_knock(state));
	wake_unlisten(state, fd);
}

static void a_socket_left_by_a_dead_watch_is_replaced(void **unused)
{
	struct err err;
	int fd;

	(void)unused;
	assert_int_equal(wake_listen(state, &fd, &err), PH_OK);
	close(fd);
	assert_false(wake_knock(state));
	assert_int_equal(wake_listen(state, &fd, &err), PH_OK);
	assert_true(wake_knock(state));
	wake_unlisten(state, fd);
}

static void a_missing_folder_is_named(void **unused)
{
	struct err err;
	int fd = -1;

	(void)unused;
	assert_int_equal(wake_listen("/nowhere/at/all/state.db", &fd, &err),
			 PH_FATAL);
	assert_string_equal(err.text, "/nowhere/at/all/state.db.wake: "
				      "No such file or directory");
	assert_int_equal(fd, -1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bell_rings_until_drained),
		cmocka_unit_test(a_knock_is_heard_by_the_watch_only),
		cmocka_unit_test(a_full_queue_still_counts_as_heard),
		cmocka_unit_test(a_socket_left_by_a_dead_watch_is_replaced),
		cmocka_unit_test(a_missing_folder_is_named),
	};

	return cmocka_run_group_tests_name("wake", tests, make_folder,
					   remove_folder);
}
