#include "bot/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sysexits.h>
#include <unistd.h>

enum status wake_bell_new(int *ret_fd, struct err *err)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return err_exit(err, PH_FATAL, EX_OSERR, "eventfd: %s",
				strerror(errno));
	*ret_fd = fd;
	return PH_OK;
}

void wake_ring(int bell)
{
	const uint64_t one = 1;

	/* A counter at its limit (EAGAIN) is a bell that rings already. */
	if (write(bell, &one, sizeof(one)) < 0)
		return;
}

/*
 * A socket's path holds 107 bytes, a state file's may be longer: the folder is
 * opened and named through /proc.
 */
static int socket_address(const char *state, struct sockaddr_un *ret)
{
	const char *slash = strrchr(state, '/');
	const char *name = slash ? slash + 1 : state;
	char folder[4096] = ".";
	int dir, n;

	if (slash && (size_t)(slash - state) >= sizeof(folder)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s",
			 slash == state ? 1 : (int)(slash - state), state);
	dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(ret->sun_path, sizeof(ret->sun_path),
		     "/proc/self/fd/%d/%s.wake", dir, name);
	if (n < 0 || (size_t)n >= sizeof(ret->sun_path)) {
		close(dir);
		errno = ENAMETOOLONG;
		return -1;
	}
	return dir;
}

static int bind_private(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	/* bind gives the socket file the mode of its descriptor */
	if (fchmod(fd, 0600) != 0 ||
	    bind(fd, (const struct sockaddr *)addr, sizeof(*addr)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

enum status wake_listen(const char *state, int *ret_fd, struct err *err)
{
	struct sockaddr_un addr;
	int dir = socket_address(state, &addr);
	int fd = -1;

	if (dir >= 0) {
		unlink(addr.sun_path);
		fd = bind_private(&addr);
	}
	if (fd < 0)
		err_exit(err, PH_FATAL, EX_IOERR, "%s.wake: %s", state,
			 strerror(errno));
	if (dir >= 0)
		close(dir);
	if (fd < 0)
		return PH_FATAL;
	*ret_fd = fd;
	return PH_OK;
}

void wake_unlisten(const char *state, int fd)
{
	struct sockaddr_un addr;
	int dir = socket_address(state, &addr);

	if (dir >= 0) {
		unlink(addr.sun_path);
		close(dir);
	}
	close(fd);
}

bool wake_knock(const char *state)
{
	struct sockaddr_un addr;
	int dir = socket_address(state, &addr);
	int fd;
	bool heard = false;

	if (dir < 0)
		return false;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0) {
		/* A queue that is full (EAGAIN) wakes as well as one more. */
		heard = sendto(fd, "", 1, 0, (struct sockaddr *)&addr,
			       sizeof(addr)) == 1 ||
			errno == EAGAIN;
		close(fd);
	}
	close(dir);
	return heard;
}

void wake_drain(int fd)
{
	char waste[64];

	while (read(fd, waste, sizeof(waste)) > 0)
		;
}
