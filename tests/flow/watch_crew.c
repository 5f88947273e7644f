/*
 * The processes of a watch: there is one watch a state, it takes another
 * configuration, and who of them dies comes back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/clock.h"
#include "tests/guard.h"
#include "tests/rig.h"

static void a_second_watch_is_refused(void **state)
{
	struct rig *r = *state;

	rig_watch_idle(r);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_TEMPFAIL);
	rig_has(r, "out", "another watch has this state");
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
}

static void a_bad_configuration_is_refused_at_reload(void **state)
{
	struct rig *r = *state;

	rig_watch_idle(r);
	rig_write(r, "perfherald.yaml", "state: [\n");
	assert_int_equal(kill(r->watch, SIGHUP), 0);
	rig_wait_log(r, "the old configuration goes on");
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
}

static void a_good_configuration_is_taken_at_reload(void **state)
{
	struct rig *r = *state;

	rig_watch_idle(r);
	rig_configure(r, "poll: 1h");
	assert_int_equal(kill(r->watch, SIGHUP), 0);
	rig_wait_log(r, "reading ");
	rig_wait_log(r, "supervisor: reloaded");
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 1, 1);
}

/* Counts descriptors of a process that stand for the state or its journal. */
static int state_descriptors(const struct rig *r, pid_t pid)
{
	char dir[64], target[512];
	struct dirent *e;
	int n = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/fd", (int)pid);
	d = opendir(dir);
	if (!d)
		return -1;
	while ((e = readdir(d))) {
		ssize_t len = readlink(rig_path(dir, e->d_name), target,
				       sizeof(target) - 1);

		if (len < 0)
			continue;
		target[len] = '\0';
		if (!strncmp(target, rig_path(r->dir, "state.db"),
			     strlen(r->dir) + 9) &&
		    !strstr(target, ".lock"))
			n++;
	}
	closedir(d);
	return n;
}

/* The children of a process, at most max; how many. */
static size_t children(pid_t pid, pid_t *ret, size_t max)
{
	char path[64];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
		 (int)pid);
	f = fopen(path, "r");
	if (!f) /* it has ended */
		return 0;
	while (n < max && fscanf(f, "%d", &ret[n]) == 1)
		n++;
	fclose(f);
	return n;
}

static void the_supervisor_never_opens_the_state(void **state)
{
	struct rig *r = *state;
	pid_t child[8];
	size_t n_children;
	int n, of_children = 0;

	rig_watch_idle(r);
	n = state_descriptors(r, r->watch);
	if (n < 0) /* not root, and the process hides its secrets */
		skip();
	assert_int_equal(n, 0);
	/* the same look does see the worker's */
	n_children = children(r->watch, child, 8);
	for (size_t i = 0; i < n_children; i++)
		of_children += state_descriptors(r, child[i]);
	assert_true(of_children > 0);
}

static void killed_children_come_back(void **state)
{
	struct rig *r = *state;

	pid_t child[8];
	size_t n;

	rig_watch_idle(r);
	n = children(r->watch, child, 8);
	assert_int_equal(n, 3); /* worker, desk, courier */
	while (n--)
		assert_int_equal(kill(child[n], SIGKILL), 0);
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_assert_told(r, 1, 1);
}

/* The courier's, which says nothing when it has started them. */
static void find_carriers(const struct rig *r, pid_t *ret, size_t want)
{
	int64_t end = clock_mono_ms() + RIG_SECONDS * 1000 * guard_patience();
	pid_t child[8];
	size_t found;

	do {
		size_t n = children(r->watch, child, 8);

		assert_true(clock_mono_ms() < end);
		usleep(1000);
		found = 0;
		for (size_t i = 0; i < n; i++)
			found += children(child[i], ret + found, want - found);
	} while (found < want);
}

static void a_carrier_that_died_is_named_and_comes_back(void **state)
{
	struct rig *r = *state;
	pid_t carrier[2];

	rig_watch_idle(r);
	find_carriers(r, carrier, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(kill(carrier[i], SIGKILL), 0);
	rig_deliver(r, "1-regression.eml");
	rig_wait_told(r, 1, 1);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	rig_has(r, "log", "its sending process died");
	rig_assert_told(r, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_second_watch_is_refused),
		RIG_TEST(a_bad_configuration_is_refused_at_reload),
		RIG_TEST(a_good_configuration_is_taken_at_reload),
		RIG_TEST(the_supervisor_never_opens_the_state),
		RIG_TEST(killed_children_come_back),
		RIG_TEST(a_carrier_that_died_is_named_and_comes_back),
	};

	return cmocka_run_group_tests_name("watch_crew", tests, rig_start,
					   rig_stop);
}
