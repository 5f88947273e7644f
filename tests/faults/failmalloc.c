/*
 * failmalloc - preloaded, lets one allocation fail: the PH_FAIL_AT-th (from 1)
 * of the process. At exit, a count of all goes to the file PH_FAIL_COUNT.
 * Children count anew.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

/* glibc's own entrances, so that nothing has to be looked up first */
extern void *__libc_malloc(size_t len);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t len);

static unsigned long count, fail_at;

__attribute__((constructor)) static void start(void)
{
	const char *at = getenv("PH_FAIL_AT");

	count = 0;
	fail_at = at ? strtoul(at, NULL, 10) : 0;
}

__attribute__((destructor)) static void finish(void)
{
	const char *path = getenv("PH_FAIL_COUNT");
	unsigned long n = count;
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "%lu\n", n);
	fclose(f);
}

static int fails(void)
{
	if (++count != fail_at)
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
