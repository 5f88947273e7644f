#include "bot/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/arena.h"

static enum status failed(const struct out *o, struct err *err)
{
	return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s", o->name,
			strerror(errno));
}

static enum status open_in_place(struct out *o, struct err *err)
{
	o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
	return o->fd < 0 ? failed(o, err) : PH_OK;
}

/* mkostemp gives the owner alone a file; the umask says who else may. */
static void share(int fd)
{
	mode_t mask = umask(077);

	umask(mask);
	if (fchmod(fd, 0666 & ~mask) != 0)
		return; /* it stays the owner's alone */
}

static enum status open_beside(struct out *o, struct err *err)
{
	size_t len = strlen(o->path) + sizeof(".XXXXXX");

	o->temp = xmalloc(len);
	snprintf(o->temp, len, "%s.XXXXXX", o->path);
	o->fd = mkostemp(o->temp, O_CLOEXEC);
	if (o->fd < 0) {
		enum status st = failed(o, err);

		free(o->temp);
		o->temp = NULL;
		return st;
	}
	share(o->fd);
	return PH_OK;
}

enum status out_open(struct out *o, const char *path, struct err *err)
{
	struct stat there;

	*o = (struct out){ .name = "standard output", .fd = STDOUT_FILENO };
	if (!path || !strcmp(path, "-"))
		return PH_OK;
	o->name = o->path = path;
	if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
		return open_in_place(o, err);
	return open_beside(o, err);
}

enum status out_put(struct out *o, struct slice s, struct err *err)
{
	if (slice_write(o->fd, s))
		return PH_OK;
	return errno == EPIPE ? PH_NONE : failed(o, err);
}

static enum status name_it(struct out *o, struct err *err)
{
	if (fsync(o->fd) != 0 || rename(o->temp, o->path) != 0)
		return failed(o, err);
	return PH_OK;
}

enum status out_close(struct out *o, enum status st, struct err *err)
{
	if (o->temp && st == PH_OK)
		st = name_it(o, err);
	if (o->temp && st != PH_OK)
		unlink(o->temp);
	if (o->path && close(o->fd) != 0 && st == PH_OK)
		st = failed(o, err);
	free(o->temp);
	o->temp = NULL;
	return st;
}
