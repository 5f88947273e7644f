#include "mail/folder.h"
#include "ph/arena.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#define ROUND ((size_t)2048)

struct folder {
	DIR *dir;
	char *path;
	char *names[2 * ROUND]; /* sorted once a round is complete */
	size_t n, next;
	char *last; /* of the round before; NULL: the first */
};

enum status folder_open(const char *path, struct folder **ret, struct err *err)
{
	DIR *dir = opendir(path);
	struct folder *f;

	if (!dir)
		return err_exit(err, PH_FATAL, EX_NOINPUT, "%s: %s", path,
				strerror(errno));
	f = xcalloc(1, sizeof(*f));
	f->dir = dir;
	f->path = xstrdup(path);
	*ret = f;
	return PH_OK;
}

static void drop_from(struct folder *f, size_t first)
{
	for (size_t i = first; i < f->n; i++)
		free(f->names[i]);
	f->n = first < f->n ? first : f->n;
}

void folder_close(struct folder *f)
{
	if (!f)
		return;
	drop_from(f, 0);
	closedir(f->dir);
	free(f->path);
	free(f->last);
	free(f);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void keep_smallest(struct folder *f)
{
	qsort(f->names, f->n, sizeof(*f->names), by_name);
	drop_from(f, ROUND);
}

static void start_round(struct folder *f)
{
	if (f->n) {
		free(f->last);
		f->last = xstrdup(f->names[f->n - 1]);
	}
	drop_from(f, 0);
	f->next = 0;
	rewinddir(f->dir);
}

static enum status read_round(struct folder *f, struct err *err)
{
	struct dirent *d;

	start_round(f);
	while ((errno = 0, d = readdir(f->dir))) {
		if (d->d_name[0] == '.' ||
		    (f->last && strcmp(d->d_name, f->last) <= 0))
			continue;
		f->names[f->n++] = xstrdup(d->d_name);
		if (f->n == ARRAY_LEN(f->names))
			keep_smallest(f);
	}
	if (errno)
		return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s", f->path,
				strerror(errno));
	keep_smallest(f);
	return PH_OK;
}

enum status folder_next(struct folder *f, const char **ret_name,
			struct err *err)
{
	enum status st;

	if (f->next == f->n) {
		st = read_round(f, err);
		if (st != PH_OK)
			return st;
	}
	if (f->next == f->n)
		return PH_NONE;
	*ret_name = f->names[f->next++];
	return PH_OK;
}
