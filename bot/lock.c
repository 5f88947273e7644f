#include "bot/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sysexits.h>
#include <unistd.h>

/* What to do when a file cannot be made beside the state. */
static const char *hint(int error)
{
	if (error == ENOENT)
		return "; make the state's folder first";
	if (error == EACCES)
		return "; run as the user whom the state belongs to";
	return "";
}

enum status lock_take(const char *state, const char *name, int *ret_fd,
		      struct err *err)
{
	char path[4096];
	int fd, n;

	n = snprintf(path, sizeof(path), "%s.%s", state, name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return err_exit(err, PH_FATAL, EX_NOINPUT,
				"%s: the name is too long", state);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_exit(err, PH_FATAL,
				errno == ENOENT ? EX_NOINPUT : EX_IOERR,
				"%s: %s%s", path, strerror(errno), hint(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*ret_fd = fd;
		return PH_OK;
	}
	n = errno;
	close(fd);
	if (n == EWOULDBLOCK)
		return err_exit(err, PH_RETRY, EX_TEMPFAIL,
				"%s: another process holds it", path);
	return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s", path, strerror(n));
}
