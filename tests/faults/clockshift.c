/*
 * clockshift - preloaded, moves the wall clock of a program by as many seconds
 * as the file PH_CLOCK_SHIFT says. The file is a page shared with whoever
 * runs the test: it holds an int64_t, may change at any time, and every process
 * that descends from the first sees it. The monotonic clock goes on as it is.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

/* Mapped before the program shuts itself in. */
static const volatile int64_t *shift;

__attribute__((constructor)) static void map_shift(void)
{
	const char *path = getenv("PH_CLOCK_SHIFT");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *page;

	if (fd < 0)
		return;
	page = mmap(NULL, sizeof(*shift), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		abort();
	shift = page;
}

static time_t moved(void)
{
	return shift ? (time_t)*shift : 0;
}

/* The C library's own is not asked by name: it may call ours. */
static int real(clockid_t id, struct timespec *ts)
{
	static int (*next)(clockid_t, struct timespec *);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
	return next(id, ts);
}

VISIBLE int clock_gettime(clockid_t id, struct timespec *ts)
{
	int n = real(id, ts);

	if (n == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		ts->tv_sec += moved();
	return n;
}

VISIBLE int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	struct timespec ts;
	int n = real(CLOCK_REALTIME, &ts);

	(void)zone;
	tv->tv_sec = ts.tv_sec + moved();
	tv->tv_usec = ts.tv_nsec / 1000;
	return n;
}

VISIBLE time_t time(time_t *ret)
{
	struct timespec ts;
	time_t now;

	real(CLOCK_REALTIME, &ts);
	now = ts.tv_sec + moved();
	if (ret)
		*ret = now;
	return now;
}
