/*
 * forktrace - preloaded, lets strace hold one process of a program, chosen by
 * its descent.
 *
 * PH_FORK_LOG is a file that gets a line "PLACE PID" for each process, with the
 * places of place.h. When the process of PH_TRACE_PLACE is forked, it
 * starts the shell command PH_TRACE_COMMAND (strace; "$0" is the process's
 * number) and goes on as soon as that has written to its standard error, which
 * strace does when it holds the process.
 *
 * strace alone counts the calls of every process of a program; the first of
 * them would fail, always.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include "tests/faults/place.h"

static int log_fd = -1;

__attribute__((constructor)) static void open_log(void)
{
	const char *path = getenv("PH_FORK_LOG");

	if (path)
		log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			      0600);
}

/* By writev: the calls that tests count and let fail are others. */
static void log_child(const char *child, pid_t pid)
{
	char line[96];
	struct iovec v = { line, 0 };
	int n = snprintf(line, sizeof(line), "%s %d\n", child, (int)pid);

	v.iov_len = (size_t)n;
	if (log_fd >= 0 && writev(log_fd, &v, 1) != n)
		abort();
}

static void be_traced(void)
{
	const char *command = getenv("PH_TRACE_COMMAND");
	char number[16], byte;
	int said[2];
	pid_t pid;

	snprintf(number, sizeof(number), "%d", (int)getpid());
	if (!command || pipe(said) != 0)
		abort();
	pid = real_fork();
	if (pid == 0) {
		dup2(said[1], STDERR_FILENO);
		unsetenv("LD_PRELOAD");
		execl("/bin/sh", "sh", "-c", command, number, (char *)NULL);
		_exit(127);
	}
	/* The reading end stays open: strace may have more to say. */
	close(said[1]);
	if (pid < 0 || read(said[0], &byte, 1) != 1)
		abort();
}

VISIBLE pid_t fork(void)
{
	const char *wanted = getenv("PH_TRACE_PLACE");
	char child[PLACE_LEN];
	pid_t pid = place_fork(child);

	if (pid > 0)
		log_child(child, pid);
	if (pid == 0 && wanted && !strcmp(wanted, place))
		be_traced();
	return pid;
}
