#include "ph/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ph/utf8.h"

static enum log_level lowest = LOG_INFO_;
static char name[64] = "perfherald";

/* sd-daemon(3) prefixes: debug 7, info 6, warning 4, error 3. */
static const char priority[] = { '7', '6', '4', '3' };

void log_set_level(enum log_level level)
{
	lowest = level;
}

void log_set_name(const char *new_name)
{
	snprintf(name, sizeof(name), "%s", new_name);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char line[2048];
	size_t len = 0;
	va_list ap;
	int n;

	if (level < lowest)
		return;
	if (getenv("JOURNAL_STREAM"))
		n = snprintf(line, sizeof(line), "<%c>%s: ", priority[level],
			     name);
	else
		n = snprintf(line, sizeof(line), "%s: ", name);
	if (n > 0)
		len = (size_t)n;
	va_start(ap, fmt);
	n = vsnprintf(line + len, sizeof(line) - 1 - len, fmt, ap);
	va_end(ap);
	if (n > 0)
		len += (size_t)n;
	if (len > sizeof(line) - 2)
		len = sizeof(line) - 2;
	utf8_flatten(line, len);
	line[len++] = '\n';
	/* Standard error gone is no reason to stop working. */
	if (write(STDERR_FILENO, line, len) < 0)
		return;
}
