/*
 * failmalloc - preloaded, lets one allocation fail: the PH_FAIL_AT-th (from 1)
 * of the process at PH_FAIL_PLACE (place.h; the first without). At its exit, a
 * count of all goes to the file PH_FAIL_COUNT.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "tests/faults/place.h"

/* glibc's own entrances, so that nothing has to be looked up first */
extern void *__libc_malloc(size_t len);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t len);

static unsigned long count, fail_at;
static const char *fail_place = "";
static int count_fd = -1;

/* The file is opened now: a process may shut itself in later. */
__attribute__((constructor)) static void start(void)
{
	const char *at = getenv("PH_FAIL_AT"), *path = getenv("PH_FAIL_COUNT");

	if (getenv("PH_FAIL_PLACE"))
		fail_place = getenv("PH_FAIL_PLACE");
	if (path)
		count_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				0600);
	count = 0;
	fail_at = at ? strtoul(at, NULL, 10) : 0;
}

__attribute__((destructor)) static void finish(void)
{
	unsigned long n = count;

	if (!strcmp(place, fail_place) && dprintf(count_fd, "%lu\n", n) < 0)
		abort();
}

VISIBLE pid_t fork(void)
{
	char child[PLACE_LEN];
	pid_t pid = place_fork(child);

	if (pid == 0)
		count = 0;
	return pid;
}

static int fails(void)
{
	if (++count != fail_at || strcmp(place, fail_place) != 0)
		return 0;
	errno = ENOMEM;
	return 1;
}

VISIBLE void *malloc(size_t len)
{
	return fails() ? NULL : __libc_malloc(len);
}

VISIBLE void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

VISIBLE void *realloc(void *p, size_t len)
{
	return fails() ? NULL : __libc_realloc(p, len);
}
