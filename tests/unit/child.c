#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/child.h"
#include "bot/lock.h"
#include "bot/lockout.h"
#include "bot/systemd.h"
#include "ph/slice.h"
#include "tests/scratch.h"
#include "tests/table.h"

static void backoff_grows_to_five_minutes(void **state)
{
	static const struct {
		unsigned failures;
		uint32_t random;
		int64_t want;
	} cases[] = {
		{ 0, 0, 100 },
		{ 0, UINT32_MAX, 1000 },
		{ 3, UINT32_MAX, 8000 },
		{ 8, UINT32_MAX, 256000 },
		{ 9, UINT32_MAX, 300000 },
		{ 4000, UINT32_MAX, 300000 },
		{ 4000, 0, 100 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(child_backoff_ms(cases[i].failures,
						  cases[i].random),
				 cases[i].want);
}

/* -- how a child ends, and whose fault that is -- */

static int ends_by;   /* a signal, or 0 */
static int ends_with; /* an exit code */

static int end_so(const struct duty *duty)
{
	(void)duty;
	if (ends_by) {
		signal(ends_by, SIG_DFL);
		raise(ends_by);
	}
	_exit(ends_with);
}

static int run_to_end(duty_fn *run)
{
	static const struct config config;
	struct child c = { .name = "child",
			   .run = run,
			   .duty.config = &config };
	struct err err;
	int status;

	assert_int_equal(child_start(&c, 0, &err), PH_OK);
	assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
	return status;
}

static struct end_case {
	const char *name;
	int by, with;
	bool blames;
} ends[] = {
	{ "a crash", SIGSEGV, 0, true },
	{ "an assertion", SIGABRT, 0, true },
	{ "too much processor time", SIGPROF, 0, true },
	{ "out of memory", 0, EX_OSERR, true },
	{ "a sanitizer's exit code", 0, 1, true },
	{ "killed from outside", SIGKILL, 0, false },
	{ "nothing", 0, EX_OK, false },
	{ "no connection", 0, EX_UNAVAILABLE, false },
	{ "disk full", 0, EX_IOERR, false },
	{ "state busy", 0, EX_TEMPFAIL, false },
	{ "an unreadable secret", 0, EX_CONFIG, false },
	{ "a refused login", 0, WORKER_REFUSED, false },
};

static void check_end(void **state)
{
	const struct end_case *c = *state;

	ends_by = c->by;
	ends_with = c->with;
	assert_int_equal(child_blames_mail(run_to_end(end_so)), c->blames);
}

static int wait_for_stop(const struct duty *duty)
{
	while (!duty_stopped(duty))
		duty_wait(duty, -1, -1);
	return EX_PROTOCOL;
}

static void
a_child_is_asked_to_stop_and_left_alone_by_the_terminal(void **state)
{
	static const struct config config;
	struct child c = { .name = "child",
			   .run = wait_for_stop,
			   .duty.config = &config };
	struct err err;
	int status;

	(void)state;
	assert_int_equal(child_start(&c, 0, &err), PH_OK);
	kill(c.pid, SIGINT);
	kill(c.pid, SIGHUP);
	kill(c.pid, SIGTERM);
	assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
	/* the two first may come before they are ignored */
	if (WIFEXITED(status))
		assert_int_equal(WEXITSTATUS(status), EX_PROTOCOL);
	else
		assert_true(WTERMSIG(status) != SIGSEGV);
}

/* -- lock -- */

static int lock_again(const struct duty *duty)
{
	struct err err;
	int fd;

	(void)duty;
	return lock_take(scratch_path("s.db"), "lock", &fd, &err) == PH_RETRY
		       ? err.exit_code
		       : EX_OK;
}

static void a_lock_is_held_by_one(void **state)
{
	struct err err;
	int fd, status;

	(void)state;
	assert_int_equal(lock_take(scratch_path("s.db"), "lock", &fd, &err),
			 PH_OK);
	status = run_to_end(lock_again);
	assert_int_equal(WEXITSTATUS(status), EX_TEMPFAIL);
	close(fd);
	status = run_to_end(lock_again);
	assert_int_equal(WEXITSTATUS(status), EX_OK);
	assert_int_equal(lock_take("/nowhere/s.db", "lock", &fd, &err),
			 PH_FATAL);
	assert_int_equal(err.exit_code, EX_NOINPUT);
	assert_string_equal(err.text, "/nowhere/s.db.lock: No such file or "
				      "directory; make the state's folder "
				      "first");
}

/* -- systemd -- */

static int listen_at(const char *path, size_t len)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(addr.sun_path, path, len);
	assert_int_equal(
		bind(fd, (struct sockaddr *)&addr,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)),
		0);
	return fd;
}

static void assert_told(int fd)
{
	char text[64];
	ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(text, "READY=1\nSTATUS=fine");
	close(fd);
}

static void systemd_is_told_where_it_listens(void **state)
{
	const char *path = scratch_path("notify");
	char abstract[64];
	int fd;

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	systemd_tell("READY=1"); /* nobody is there, and nothing happens */
	setenv("NOTIFY_SOCKET", path, 1);
	fd = listen_at(path, strlen(path));
	systemd_tell("READY=1\nSTATUS=fine");
	assert_told(fd);
	snprintf(abstract, sizeof(abstract), "@perfherald-%d", (int)getpid());
	setenv("NOTIFY_SOCKET", abstract, 1);
	abstract[0] = '\0';
	fd = listen_at(abstract, 1 + strlen(abstract + 1));
	systemd_tell("READY=1\nSTATUS=fine");
	assert_told(fd);
	unsetenv("NOTIFY_SOCKET");
}

static void the_watchdog_is_fed_twice_as_often_as_asked(void **state)
{
	char pid[16];

	(void)state;
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	assert_int_equal(systemd_watchdog_ms(), 0);
	setenv("WATCHDOG_USEC", "30000000", 1);
	assert_int_equal(systemd_watchdog_ms(), 15000);
	setenv("WATCHDOG_PID", "1", 1);
	assert_int_equal(systemd_watchdog_ms(), 0);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	assert_int_equal(systemd_watchdog_ms(), 15000);
	setenv("WATCHDOG_USEC", "soon", 1);
	assert_int_equal(systemd_watchdog_ms(), 0);
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

int main(void)
{
	static const struct CMUnitTest fixed[] = {
		cmocka_unit_test(backoff_grows_to_five_minutes),
		cmocka_unit_test(
			a_child_is_asked_to_stop_and_left_alone_by_the_terminal),
		cmocka_unit_test(a_lock_is_held_by_one),
		cmocka_unit_test(systemd_is_told_where_it_listens),
		cmocka_unit_test(the_watchdog_is_fed_twice_as_often_as_asked),
	};
	struct CMUnitTest tests[ARRAY_LEN(fixed) + ARRAY_LEN(ends)];
	size_t n = 0;

	scratch_dir();
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		tests[n++] = fixed[i];
	TABLE_ADD(tests, n, ends, name, check_end);
	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
