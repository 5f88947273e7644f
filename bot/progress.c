#include "bot/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "ph/clock.h"

#define FIRST_MS 1000
#define EVERY_MS 200

void progress_begin(struct progress *p, int64_t total)
{
	*p = (struct progress){ .on = isatty(STDERR_FILENO), .total = total };
	if (p->on)
		p->since = p->shown_at = clock_mono_ms();
}

void progress_line(int64_t done, int64_t total, int64_t ms, char ret[80])
{
	int64_t rate = ms > 0 ? done * 1000 / ms : 0;

	if (total > done && rate)
		snprintf(ret, 80,
			 "%" PRId64 " of %" PRId64 " messages, %" PRId64
			 "/s, %" PRId64 " s left",
			 done, total, rate, (total - done + rate - 1) / rate);
	else
		snprintf(ret, 80, "%" PRId64 " messages, %" PRId64 "/s", done,
			 rate);
}

void progress_add(struct progress *p, int64_t n)
{
	int64_t now;
	char line[80];

	p->done += n;
	if (!p->on)
		return;
	now = clock_mono_ms();
	if (now - p->since < FIRST_MS || now - p->shown_at < EVERY_MS)
		return;
	p->shown_at = now;
	p->shown = true;
	progress_line(p->done, p->total, now - p->since, line);
	/* to the line's start, and the rest of an older one away */
	fprintf(stderr, "\r%s\033[K", line);
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
