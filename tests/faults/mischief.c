/*
 * mischief - preloaded, stands for what a flow test cannot wait for or order:
 *
 *	PH_CRASH=1	a Content-Type with x-test=crash aborts the parser, one
 *			with x-test=spin keeps it busy for ever
 *	PH_DNS=down	no name server answers
 *	PH_SYNC=fail	nothing can be synced to the disk
 *	PH_HASTE=N	the monotonic clock and limits of processor time run N
 *			times as fast
 *
 * The program under test is the one that ships.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <resolv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))
#define SECOND	1000000000L

static bool crash, dns_down, sync_fails;
static long haste = 1;

__attribute__((constructor)) static void start(void)
{
	const char *n = getenv("PH_HASTE"), *dns = getenv("PH_DNS");
	const char *sync = getenv("PH_SYNC");

	crash = getenv("PH_CRASH") != NULL;
	dns_down = dns && !strcmp(dns, "down");
	sync_fails = sync && !strcmp(sync, "fail");
	if (n && atol(n) > 0)
		haste = atol(n);
}

VISIBLE void *g_mime_content_type_parse(void *options, const char *text)
{
	static void *(*real)(void *, const char *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "g_mime_content_type_parse");
	if (crash && strstr(text, "x-test=crash"))
		abort();
	while (crash && strstr(text, "x-test=spin"))
		;
	return real(options, text);
}

VISIBLE int res_nquery(res_state state, const char *name, int class, int type,
		       unsigned char *answer, int size)
{
	static int (*real)(res_state, const char *, int, int, unsigned char *,
			   int);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "res_nquery");
	if (!dns_down)
		return real(state, name, class, type, answer, size);
	state->res_h_errno = TRY_AGAIN;
	return -1;
}

static int sync_by(long call, int fd)
{
	if (!sync_fails)
		return (int)syscall(call, fd);
	errno = EIO;
	return -1;
}

VISIBLE int fsync(int fd)
{
	return sync_by(SYS_fsync, fd);
}

VISIBLE int fdatasync(int fd)
{
	return sync_by(SYS_fdatasync, fd);
}

/* -- haste -- */

VISIBLE int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int code = (int)syscall(SYS_clock_gettime, clock, ret);

	if (code == 0 && clock == CLOCK_MONOTONIC && haste > 1) {
		long nanos = ret->tv_nsec * haste;

		ret->tv_sec = ret->tv_sec * haste + nanos / SECOND;
		ret->tv_nsec = nanos % SECOND;
	}
	return code;
}

VISIBLE int poll(struct pollfd *p, nfds_t n, int ms)
{
	const struct timespec wait = { .tv_sec = ms / haste / 1000,
				       .tv_nsec = ms / haste % 1000 * 1000000 };

	return ppoll(p, n, ms < 0 ? NULL : &wait, NULL);
}

VISIBLE int setitimer(__itimer_which_t which, const struct itimerval *value,
		      struct itimerval *old)
{
	struct itimerval sooner = *value;

	sooner.it_value.tv_usec =
		(sooner.it_value.tv_sec % haste) * (1000000 / haste);
	sooner.it_value.tv_sec /= haste;
	return (int)syscall(SYS_setitimer, which, &sooner, old);
}
