#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bot/sandbox.h"
#include "ph/limits.h"
#include "ph/slice.h"
#include "tests/guard.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif
#ifndef UNDER_ASAN
#define UNDER_ASAN 0
#endif

static char folder[] = "/tmp/perfherald-sandbox-XXXXXX";
static char inside[128], secret[128];

static int write_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd < 0 ? -1 : close(fd);
}

static int make_files(void **unused)
{
	(void)unused;
	if (!mkdtemp(folder))
		return -1;
	snprintf(inside, sizeof(inside), "%s/inside", folder);
	snprintf(secret, sizeof(secret), "%s/secret", folder);
	return mkdir(inside, 0700) != 0 || write_file(secret) != 0;
}

static int remove_files(void **unused)
{
	(void)unused;
	return unlink(secret) != 0 || rmdir(inside) != 0 || rmdir(folder) != 0;
}

/* What a child may do is told by its exit code: 0 when it went as expected,
 * else the number of the first check that did not. */
static int in_child(int (*fn)(void))
{
	int status;
	pid_t pid;

	/* valgrind's own calls are refused with ours */
	if (guard_valgrind())
		skip();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(fn());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
}

static int enter(bool runs_commands, bool network)
{
	const struct sandbox_path paths[] = { { inside, true } };
	const struct sandbox s = { .memory = 64 * MIB,
				   .paths = paths,
				   .n_paths = ARRAY_LEN(paths),
				   .runs_commands = runs_commands,
				   .network = network };
	struct err err;

	return sandbox_enter(&s, &err);
}

static int try_files(void)
{
	char path[160];

	if (enter(false, true))
		return 1;
	snprintf(path, sizeof(path), "%s/new", inside);
	if (write_file(path) != 0 || unlink(path) != 0)
		return 2;
	if (open(secret, O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES)
		return 3;
	if (open("/etc/shadow", O_RDONLY | O_CLOEXEC) >= 0)
		return 4;
	snprintf(path, sizeof(path), "%s/beside", folder);
	if (write_file(path) == 0)
		return 5;
	return open("/etc/hosts", O_RDONLY | O_CLOEXEC) < 0 ? 6 : 0;
}

static void files_outside_are_out_of_reach(void **unused)
{
	(void)unused;
	if (!has_landlock())
		skip();
	assert_int_equal(in_child(try_files), 0);
}

static int try_commands(void)
{
	if (enter(true, true))
		return 1;
	if (open(secret, O_RDONLY | O_CLOEXEC) < 0)
		return 2;
	execl("/bin/true", "true", (char *)NULL);
	return 3;
}

static void a_mailbox_with_a_command_may_run_it(void **unused)
{
	(void)unused;
	assert_int_equal(in_child(try_commands), 0);
}

/* Calls that no process of ours makes, whatever it may do besides. None does a
 * thing with these arguments, should it be allowed. */
static const long forbidden[] = {
	SYS_add_key,
	SYS_bpf,
	SYS_clone3,
	SYS_io_uring_setup,
	SYS_mount,
	SYS_setns,
	SYS_process_vm_writev,
	SYS_unshare,
	SYS_reboot,
	SYS_keyctl,
	SYS_userfaultfd,
	SYS_pidfd_getfd,
};
/* Those that a command of the operator's may make. */
static const long for_commands[] = {
	SYS_execveat,		SYS_pidfd_open, SYS_memfd_create,
	SYS_vmsplice,		SYS_mq_open,	SYS_shmget,
	SYS_sched_setattr,	SYS_setuid,	SYS_inotify_init1,
	4000 /* one to come */,
};

static bool is_absent(long call)
{
	return syscall(call, -1, 0, 0, 0, 0) < 0 && errno == ENOSYS;
}

static int try_calls(void)
{
	if (enter(false, true))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(forbidden); i++)
		if (!is_absent(forbidden[i]))
			return 10 + (int)i;
	for (size_t i = 0; i < ARRAY_LEN(for_commands); i++)
		if (!is_absent(for_commands[i]))
			return 30 + (int)i;
	if (!UNDER_ASAN && !is_absent(SYS_ptrace))
		return 2;
	execl("/bin/true", "true", (char *)NULL);
	return errno == ENOSYS ? 0 : 3;
}

static int try_calls_with_commands(void)
{
	if (enter(true, true))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(forbidden); i++)
		if (!is_absent(forbidden[i]))
			return 10 + (int)i;
	return !UNDER_ASAN && !is_absent(SYS_ptrace) ? 2 : 0;
}

static void calls_nobody_needs_are_absent(void **unused)
{
	(void)unused;
	assert_int_equal(in_child(try_calls), 0);
	assert_int_equal(in_child(try_calls_with_commands), 0);
}

static int try_others(void)
{
	const struct rlimit none = { 0, 0 };
	struct rlimit mine;

	if (enter(false, true))
		return 1;
	if (kill(getppid(), 0) == 0 || errno != EPERM)
		return 2;
	if (kill(-1, 0) == 0 || errno != EPERM)
		return 3;
	if (syscall(SYS_tgkill, getppid(), getppid(), 0) == 0 || errno != EPERM)
		return 4;
	if (prlimit(getppid(), RLIMIT_CORE, &none, NULL) == 0 || errno != EPERM)
		return 5;
	return kill(getpid(), 0) != 0 || getrlimit(RLIMIT_CORE, &mine) != 0;
}

static void other_processes_are_out_of_reach(void **unused)
{
	(void)unused;
	assert_int_equal(in_child(try_others), 0);
}

static int try_rooms(void)
{
	const unsigned long rooms[] = { CLONE_NEWUSER, CLONE_NEWNS,
					CLONE_NEWNET | CLONE_NEWPID };

	if (enter(false, true))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(rooms); i++)
		if (syscall(SYS_clone, rooms[i] | SIGCHLD, 0, 0, 0, 0) >= 0 ||
		    errno != EPERM)
			return 2 + (int)i;
	if (ioctl(STDIN_FILENO, TIOCSTI, "x") == 0 || errno != EPERM)
		return 6;
	return ioctl(STDIN_FILENO, FIONBIO, &(int){ 0 }) != 0 && errno == EPERM;
}

static void no_other_rooms_and_no_terminal(void **unused)
{
	(void)unused;
	assert_int_equal(in_child(try_rooms), 0);
}

static void *end_thread(void *ret)
{
	*(bool *)ret = true;
	return NULL;
}

/* What a name server is asked from in libcurl, and a scan of the git helper. */
static int start_both(void)
{
	bool ran = false;
	pthread_t thread;
	int status;
	pid_t pid;

	if (enter(false, true))
		return 1;
	if (pthread_create(&thread, NULL, end_thread, &ran) != 0 ||
	    pthread_join(thread, NULL) != 0 || !ran)
		return 2;
	pid = fork();
	if (pid == 0)
		_exit(7);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 3;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}

static void threads_and_forks_start(void **unused)
{
	(void)unused;
	assert_int_equal(in_child(start_both), 0);
}

static int fail_an_assertion(void)
{
	if (enter(false, true))
		return 1;
	abort();
}

static void who_aborts_dies_of_it(void **unused)
{
	int status = in_child(fail_an_assertion);

	(void)unused;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

static int try_families(void)
{
	if (enter(false, true))
		return 1;
	if (socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0) >= 0 ||
	    errno != EACCES)
		return 2;
	if (socket(AF_MAX, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0 ||
	    errno != EACCES)
		return 3;
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0;
}

static void sockets_are_of_known_families(void **unused)
{
	(void)unused;
	assert_int_equal(in_child(try_families), 0);
}

static int try_network(void)
{
	if (enter(false, false))
		return 1;
	if (socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0)
		return 2;
	if (socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0)
		return 3;
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) < 0 ? 4 : 0;
}

static void the_desk_has_no_network(void **unused)
{
	(void)unused;
	assert_int_equal(in_child(try_network), 0);
}

static int try_memory(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	if (enter(false, true))
		return 1;
	if (mmap(NULL, 16 * MIB, PROT_READ, flags, -1, 0) == MAP_FAILED)
		return 2;
	return mmap(NULL, 64 * MIB, PROT_READ, flags, -1, 0) != MAP_FAILED;
}

static void memory_ends_at_its_limit(void **unused)
{
	(void)unused;
	if (UNDER_ASAN)
		skip();
	assert_int_equal(in_child(try_memory), 0);
}

static int spin(void)
{
	if (enter(false, true))
		return 1;
	sandbox_allow_seconds(1);
	for (volatile unsigned i = 0;; i++)
		;
}

static void a_message_that_spins_ends_the_process(void **unused)
{
	int status = in_child(spin);

	(void)unused;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGPROF);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_outside_are_out_of_reach),
		cmocka_unit_test(a_mailbox_with_a_command_may_run_it),
		cmocka_unit_test(calls_nobody_needs_are_absent),
		cmocka_unit_test(other_processes_are_out_of_reach),
		cmocka_unit_test(no_other_rooms_and_no_terminal),
		cmocka_unit_test(threads_and_forks_start),
		cmocka_unit_test(who_aborts_dies_of_it),
		cmocka_unit_test(sockets_are_of_known_families),
		cmocka_unit_test(the_desk_has_no_network),
		cmocka_unit_test(memory_ends_at_its_limit),
		cmocka_unit_test(a_message_that_spins_ends_the_process),
	};

	return cmocka_run_group_tests_name("sandbox", tests, make_files,
					   remove_files);
}
