#include "bot/step.h"

#ifdef PH_STEPS

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opened by the supervisor's first step, so that the others inherit it: in a
 * sandbox the file is out of reach. */
static int log_fd = -1;

static unsigned count_lines(struct slice log, struct slice name)
{
	struct slice line;
	unsigned n = 0;

	while (slice_take_line(&log, &line))
		n += slice_eq(line, name);
	return n;
}

/* How often the name stands in the log. */
static unsigned times_logged(const char *name)
{
	static char text[1 << 20];
	ssize_t len = pread(log_fd, text, sizeof(text), 0);

	if (len < 0)
		abort();
	return count_lines((struct slice){ text, (size_t)len }, slice_of(name));
}

static bool is_the_one(const char *name)
{
	struct slice want = slice_of(getenv("PH_STEP_KILL")), want_name;
	uint64_t n;

	if (!slice_take_until(&want, ':', &want_name) ||
	    !slice_eq(want_name, slice_of(name)) ||
	    !slice_take_uint(&want, UINT32_MAX, &n))
		return false;
	return times_logged(name) == n;
}

void step(const char *name)
{
	const char *path = getenv("PH_STEP_LOG");
	char line[128];
	int len;

	if (!path)
		return;
	if (log_fd < 0)
		log_fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC,
			      0600);
	if (log_fd < 0)
		abort();
	len = snprintf(line, sizeof(line), "%s\n", name);
	/* One write at the end of a file is atomic. */
	if (write(log_fd, line, (size_t)len) != len)
		abort();
	if (is_the_one(name))
		kill(getpid(), SIGKILL);
}

void step_poison(struct slice raw)
{
	const char *text = getenv("PH_STEP_POISON");

	if (text && slice_find(raw, slice_of(text)))
		raise(SIGSEGV);
}

#endif
