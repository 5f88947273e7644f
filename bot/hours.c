#include "bot/hours.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ph/arena.h"

#define DAY  86400
#define WEEK (7 * DAY)

static void use_zone(const char *zone)
{
	if (zone)
		setenv("TZ", zone, 1);
	else
		unsetenv("TZ");
	tzset();
}

static bool is_inside(const struct config_hours *h, int64_t t)
{
	time_t at = t;
	struct tm tm;
	int day, minute;

	if (!localtime_r(&at, &tm))
		return true;
	day = (tm.tm_wday + 6) % 7;
	minute = tm.tm_hour * 60 + tm.tm_min;
	if (h->from < h->to)
		return h->days >> day & 1 && minute >= h->from &&
		       minute < h->to;
	/* over night: the part after midnight belongs to the day before */
	if (minute >= h->from)
		return h->days >> day & 1;
	return minute < h->to && h->days >> (day + 6) % 7 & 1;
}

int64_t hours_next(const struct config_hours *h, int64_t t)
{
	const char *was = getenv("TZ");
	char *kept = was ? xstrdup(was) : NULL;
	int64_t at = t;

	if (h->set) {
		/* zones change their offset by minutes at most */
		use_zone(h->zone ? h->zone : "UTC");
		while (!is_inside(h, at) && at < t + WEEK + DAY)
			at += 60 - at % 60;
		use_zone(kept);
	}
	free(kept);
	return at;
}

int64_t hours_digest_slot(const struct config_digest *d, int64_t t)
{
	int64_t period = d->every == DIGEST_DAILY ? DAY : WEEK;
	int64_t first = (int64_t)d->minute * 60;

	if (d->every == DIGEST_OFF)
		return 0;
	/* 1970-01-05 was the first Monday */
	if (d->every == DIGEST_WEEKLY)
		first += (int64_t)(4 + d->weekday) * DAY;
	if (t < first)
		return 0;
	return t - (t - first) % period;
}

int64_t hours_digest_next(const struct config_digest *d, int64_t t)
{
	int64_t slot = hours_digest_slot(d, t);

	if (!slot)
		return 0;
	return slot + (d->every == DIGEST_DAILY ? DAY : WEEK);
}
