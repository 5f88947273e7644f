#include "config/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/clock.h"
#include "ph/limits.h"

#define COMMAND_MS 30000

extern char **environ;

static enum status fail(struct err *err, const char *path, const char *why)
{
	return err_exit(err, PH_FATAL, EX_CONFIG, "%s: %s", path, why);
}

/*
 * systemd gives a service its credentials by an ACL, and the mode then shows
 * that as a right of the group.
 */
static enum status find_file(const char *path, char *ret, size_t size,
			     mode_t *ret_forbidden, struct err *err)
{
	struct slice name = slice_of(path);
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	int len;

	if (!slice_skip(&name, S("credential:"))) {
		*ret_forbidden = 077;
		len = snprintf(ret, size, "%s", path);
	} else {
		*ret_forbidden = 007;
		if (!name.len || slice_chr(name, '/') ||
		    slice_eq(name, S("..")))
			return fail(err, path, "not the name of a credential");
		if (!dir)
			return fail(err, path,
				    "no credentials here (systemd sets "
				    "CREDENTIALS_DIRECTORY for a service with "
				    "LoadCredential=)");
		len = snprintf(ret, size, "%s/%s", dir, name.ptr);
	}
	if (len < 0 || (size_t)len >= size)
		return fail(err, path, "the name is too long");
	return PH_OK;
}

const char *secret_file(const char *path, struct arena *arena)
{
	char file[4096];
	mode_t forbidden;
	struct err ignored;

	if (!path ||
	    find_file(path, file, sizeof(file), &forbidden, &ignored) != PH_OK)
		return NULL;
	return arena_str(arena, slice_of(file));
}

/* O_NONBLOCK: a FIFO in its place must not hold us up. */
static enum status open_secret(const char *path, int *ret, struct err *err)
{
	char file[4096];
	mode_t forbidden;
	struct stat st;
	enum status s;
	int fd;

	s = find_file(path, file, sizeof(file), &forbidden, err);
	if (s != PH_OK)
		return s;
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && errno == EACCES)
		return fail(err, path,
			    "Permission denied; run as the user whom it "
			    "belongs to");
	if (fd < 0)
		return fail(err, path, strerror(errno));
	if (fstat(fd, &st) != 0)
		s = fail(err, path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		s = fail(err, path, "a secret must be a regular file");
	else if (st.st_mode & forbidden)
		s = err_exit(err, PH_FATAL, EX_CONFIG,
			     "%s: others can read or change this secret (mode "
			     "%03o): chmod 600",
			     path, (unsigned)st.st_mode & 0777);
	if (s != PH_OK) {
		close(fd);
		return s;
	}
	*ret = fd;
	return PH_OK;
}

static bool has_control(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7f)
			return true;
	return false;
}

/*
 * The first line in place. What no password, token or URL has is refused: an
 * editor or a copy put it there, and the peer would only say "wrong". NULL:
 * all is well, else what is wrong.
 */
static const char *first_line(char *bytes, size_t len)
{
	struct slice all = { bytes, len }, line;

	if (!len)
		return "it is empty";
	if (!slice_take_line(&all, &line) || !line.len)
		return "its first line is empty, where the secret must stand";
	if (slice_starts(line, S("\xef\xbb\xbf")))
		return "starts with a byte order mark: save it as plain text, "
		       "without one";
	if (has_control(line))
		return "has a control character in its first line, where the "
		       "secret stands: write it anew as plain text";
	bytes[line.len] = '\0';
	return NULL;
}

/* Reads to the end or to one byte over the ceiling. */
static ssize_t read_all(int fd, char *bytes, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, bytes + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

enum status secret_read(const char *path, char **ret, struct err *err)
{
	const char *wrong;
	char *bytes;
	ssize_t len;
	int fd;
	enum status s = open_secret(path, &fd, err);

	if (s != PH_OK)
		return s;
	bytes = xcalloc(1, LIMIT_SECRET + 2);
	len = read_all(fd, bytes, LIMIT_SECRET + 1);
	if (len < 0)
		s = fail(err, path, strerror(errno));
	else if ((size_t)len > LIMIT_SECRET)
		s = fail(err, path,
			 "over 8 KiB, which is no secret "
			 "(LIMIT_SECRET)");
	else if ((wrong = first_line(bytes, (size_t)len)) != NULL)
		s = fail(err, path, wrong);
	close(fd);
	if (s == PH_OK)
		*ret = bytes;
	else
		secret_free(bytes);
	return s;
}

enum status secret_check(const char *path, struct err *err)
{
	char *secret;
	enum status s;

	if (slice_starts(slice_of(path), S("credential:")) &&
	    !getenv("CREDENTIALS_DIRECTORY"))
		return PH_NONE;
	s = secret_read(path, &secret, err);
	if (s == PH_OK)
		secret_free(secret);
	return s;
}

static _Noreturn void run_child(const char *command, int out)
{
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execle("/bin/sh", "sh", "-c", command, (char *)NULL, environ);
	_exit(127);
}

/* As read_all, until the deadline; PH_RETRY when that passes. */
static enum status read_until(int fd, int64_t deadline, char *bytes,
			      size_t size, size_t *ret_len)
{
	size_t len = 0;

	while (len < size) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = deadline - clock_mono_ms();
		ssize_t n;

		if (left <= 0)
			return PH_RETRY;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		n = read(fd, bytes + len, size - len);
		if (n < 0 && errno != EINTR)
			return PH_FATAL;
		if (!n)
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	*ret_len = len;
	return PH_OK;
}

/* Waits for the command, which may have closed its output early; the whole
 * process group dies at the deadline. */
static int reap(pid_t pid, int64_t deadline)
{
	int status = 0;

	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return status;
		if (got < 0 && errno != EINTR)
			return -1;
		if (clock_mono_ms() >= deadline)
			kill(-pid, SIGKILL);
		poll(NULL, 0, 5);
	}
}

static enum status run(const char *command, char *bytes, struct err *err)
{
	int64_t deadline = clock_mono_ms() + COMMAND_MS;
	const char *wrong;
	enum status s;
	size_t len = 0;
	int pipes[2], status;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) != 0)
		return err_set(err, PH_RETRY, "pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		run_child(command, pipes[1]);
	close(pipes[1]);
	if (pid < 0) {
		close(pipes[0]);
		return err_set(err, PH_RETRY, "fork: %s", strerror(errno));
	}
	setpgid(pid, pid); /* both sides: whoever comes first */
	s = read_until(pipes[0], deadline, bytes, LIMIT_SECRET + 1, &len);
	close(pipes[0]);
	if (s != PH_OK || len > LIMIT_SECRET)
		kill(-pid, SIGKILL);
	status = reap(pid, deadline);
	if (s == PH_RETRY)
		return err_exit(err, PH_RETRY, EX_CONFIG,
				"%s: gave no secret within 30 seconds",
				command);
	if (s == PH_OK && len > LIMIT_SECRET)
		return fail(err, command,
			    "printed over 8 KiB, which is no secret "
			    "(LIMIT_SECRET)");
	if (status < 0 || !WIFEXITED(status))
		return fail(err, command, "ended by a signal");
	if (WEXITSTATUS(status))
		return err_exit(err, PH_RETRY, EX_CONFIG,
				"%s: ended with exit code %d", command,
				WEXITSTATUS(status));
	if (s != PH_OK)
		return fail(err, command, "its output cannot be read");
	wrong = first_line(bytes, len);
	if (wrong)
		return err_exit(err, PH_FATAL, EX_CONFIG,
				"%s: printed no secret: %s", command, wrong);
	return PH_OK;
}

enum status secret_run(const char *command, char **ret, struct err *err)
{
	char *bytes = xcalloc(1, LIMIT_SECRET + 2);
	enum status s = run(command, bytes, err);

	if (s == PH_OK)
		*ret = bytes;
	else
		secret_free(bytes);
	return s;
}

char *secret_copy(const char *text)
{
	size_t len = strlen(text) + 1;
	char *ret = xcalloc(1, len > LIMIT_SECRET + 2 ? len : LIMIT_SECRET + 2);

	return memcpy(ret, text, len);
}

/* The buffer is at least that large, so all of it goes: what follows the first
 * line is as secret. */
void secret_free(char *secret)
{
	if (secret)
		explicit_bzero(secret, LIMIT_SECRET + 2);
	free(secret);
}
