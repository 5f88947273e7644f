#include "bot/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

/* What to do when a file cannot be opened or made beside the state. */
static const char *hint(const char *state, int error)
{
	if (error == ENOENT)
		return "; make the state's folder first";
	if (error != EACCES)
		return "";
	if (faccessat(AT_FDCWD, state, R_OK | W_OK, AT_EACCESS) == 0)
		return "; it belongs to another user than the state: remove it";
	return "; run as the user whom the state belongs to";
}

/* A lock that root makes must not shut out the user of the state. */
static void give_to_owner(int fd, const char *state)
{
	struct stat st;

	if (geteuid() != 0 || stat(state, &st) != 0)
		return;
	if (fchown(fd, st.st_uid, st.st_gid) != 0)
		return; /* root without that right: as it is */
}

/* Only what was made here is given away: another may have put its own file
 * there. */
static int open_lock(const char *path, const char *state)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
	int fd = open(path, flags | O_CREAT | O_EXCL, 0600);

	if (fd >= 0)
		give_to_owner(fd, state);
	else if (errno == EEXIST)
		fd = open(path, flags);
	return fd;
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
	fd = open_lock(path, state);
	if (fd < 0)
		return err_exit(err, PH_FATAL,
				errno == ENOENT ? EX_NOINPUT : EX_IOERR,
				"%s: %s%s", path, strerror(errno),
				hint(state, errno));
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*ret_fd = fd;
		return PH_OK;
	}
	n = errno;
	close(fd);
	if (n == EWOULDBLOCK)
		return err_exit(err, PH_RETRY, EX_TEMPFAIL,
				"%s: another process holds it; end the watch "
				"or command that works on this state first",
				path);
	return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s", path, strerror(n));
}
