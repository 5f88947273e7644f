#include "ph/clock.h"

#include <stdio.h>
#include <time.h>

#define DAY ((int64_t)86400)

int64_t clock_wall(void)
{
	return clock_wall_ms() / 1000;
}

static int64_t read_ms(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t clock_wall_ms(void)
{
	return read_ms(CLOCK_REALTIME);
}

int64_t clock_mono_ms(void)
{
	return read_ms(CLOCK_MONOTONIC);
}

/*
 * Years are counted from March, so that a leap day ends its year; 400 years
 * ("era") have 146,097 days.
 */
int64_t clock_days(int year, int month, int day)
{
	int64_t y = (int64_t)year - (month <= 2);
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;

	return era * 146097 + year_of_era * 365 + year_of_era / 4 -
	       year_of_era / 100 + day_of_year - 719468;
}

static void split(int64_t t, struct tm *tm)
{
	time_t when = (time_t)t;

	/* years of more than four digits are nobody's mail */
	if (t < 0 || t > INT64_C(253402300799) || !gmtime_r(&when, tm))
		*tm = (struct tm){ .tm_year = 70, .tm_mday = 1 };
}

void clock_rfc3339(int64_t t, char ret[32])
{
	struct tm tm;

	split(t, &tm);
	strftime(ret, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void clock_date(int64_t t, char ret[16])
{
	char full[32];

	clock_rfc3339(t, full);
	snprintf(ret, 16, "%.10s", full);
}

static const struct slice months[12] = {
	S_INIT("Jan"), S_INIT("Feb"), S_INIT("Mar"), S_INIT("Apr"),
	S_INIT("May"), S_INIT("Jun"), S_INIT("Jul"), S_INIT("Aug"),
	S_INIT("Sep"), S_INIT("Oct"), S_INIT("Nov"), S_INIT("Dec"),
};

void clock_rfc5322(int64_t t, char ret[40])
{
	static const char days[7][4] = { "Sun", "Mon", "Tue", "Wed",
					 "Thu", "Fri", "Sat" };
	struct tm tm;
	char rest[24];

	split(t, &tm);
	strftime(rest, sizeof(rest), "%Y %H:%M:%S", &tm);
	snprintf(ret, 40, "%s, %d %s %s +0000", days[tm.tm_wday],
		 tm.tm_mday % 100, months[tm.tm_mon].ptr, rest);
}

static bool take_number(struct slice *s, size_t least, size_t most, int *ret)
{
	size_t n = 0;
	int value = 0;

	while (n < s->len && n < most && is_digit(s->ptr[n]))
		value = value * 10 + (s->ptr[n++] - '0');
	if (n < least)
		return false;
	*ret = value;
	*s = slice_from(*s, n);
	return true;
}

static bool month_length_ok(int year, int month, int day)
{
	static const int length[12] = { 31, 29, 31, 30, 31, 30,
					31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	if (month < 1 || month > 12 || day < 1 || day > length[month - 1])
		return false;
	return month != 2 || day < 29 || leap;
}

struct parts {
	int year, month, day, hour, minute, second,
		offset; /* offset: minutes */
};

static bool join(const struct parts *p, int64_t *ret)
{
	if (p->year < 1970 || p->year > 9999 ||
	    !month_length_ok(p->year, p->month, p->day) || p->hour > 23 ||
	    p->minute > 59 || p->second > 60)
		return false;
	*ret = clock_days(p->year, p->month, p->day) * DAY + p->hour * 3600 +
	       p->minute * 60 + p->second - p->offset * 60;
	return *ret >= 0;
}

static bool take_month(struct slice *s, int *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(months); i++) {
		if (!slice_caseskip(s, months[i]))
			continue;
		*ret = (int)i + 1;
		return true;
	}
	return false;
}

/* zone = ("+" / "-") 4DIGIT, or a name; names we do not know count as UTC,
 * as RFC 5322 section 4.3 asks. */
static void take_zone(struct slice *s, int *ret_offset)
{
	static const struct {
		struct slice name;
		int hours;
	} names[] = {
		{ S_INIT("EDT"), -4 }, { S_INIT("EST"), -5 },
		{ S_INIT("CDT"), -5 }, { S_INIT("CST"), -6 },
		{ S_INIT("MDT"), -6 }, { S_INIT("MST"), -7 },
		{ S_INIT("PDT"), -7 }, { S_INIT("PST"), -8 },
	};
	int hhmm, sign;

	*ret_offset = 0;
	slice_skip_blanks(s);
	if (s->len && (*s->ptr == '+' || *s->ptr == '-')) {
		sign = *s->ptr == '-' ? -1 : 1;
		*s = slice_from(*s, 1);
		if (take_number(s, 4, 4, &hhmm))
			*ret_offset = sign * (hhmm / 100 * 60 + hhmm % 100);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (slice_caseskip(s, names[i].name))
			*ret_offset = names[i].hours * 60;
}

/* [ day-name "," ] day month year hour ":" minute [ ":" second ] zone */
bool clock_parse_rfc5322(struct slice s, int64_t *ret)
{
	struct parts p = { 0 };
	struct slice name;
	size_t digits;

	s = slice_trim(s);
	slice_take_until(&s, ',', &name);
	slice_skip_blanks(&s);
	if (!take_number(&s, 1, 2, &p.day))
		return false;
	slice_skip_blanks(&s);
	if (!take_month(&s, &p.month))
		return false;
	slice_skip_blanks(&s);
	digits = s.len;
	if (!take_number(&s, 2, 4, &p.year))
		return false;
	digits -= s.len;
	if (digits == 2)
		p.year += p.year < 50 ? 2000 : 1900;
	else if (digits == 3)
		p.year += 1900;
	slice_skip_blanks(&s);
	if (!take_number(&s, 1, 2, &p.hour) || !slice_skip(&s, S(":")) ||
	    !take_number(&s, 2, 2, &p.minute))
		return false;
	if (slice_skip(&s, S(":")) && !take_number(&s, 2, 2, &p.second))
		return false;
	take_zone(&s, &p.offset);
	return join(&p, ret);
}

bool clock_parse_rfc3339(struct slice s, int64_t *ret)
{
	struct parts p = { 0 };
	int hours = 0, minutes = 0, sign;

	s = slice_trim(s);
	if (!take_number(&s, 4, 4, &p.year) || !slice_skip(&s, S("-")) ||
	    !take_number(&s, 2, 2, &p.month) || !slice_skip(&s, S("-")) ||
	    !take_number(&s, 2, 2, &p.day))
		return false;
	if (!s.len)
		return join(&p, ret);
	if (!slice_skip(&s, S("T")) && !slice_skip(&s, S(" ")))
		return false;
	if (!take_number(&s, 2, 2, &p.hour) || !slice_skip(&s, S(":")) ||
	    !take_number(&s, 2, 2, &p.minute) || !slice_skip(&s, S(":")) ||
	    !take_number(&s, 2, 2, &p.second))
		return false;
	if (slice_skip(&s, S("."))) /* a fraction of a second says nothing */
		while (s.len && is_digit(*s.ptr))
			s = slice_from(s, 1);
	if (s.len == 1 && (*s.ptr == 'Z' || *s.ptr == 'z'))
		return join(&p, ret);
	if (s.len != 6 || (*s.ptr != '+' && *s.ptr != '-'))
		return false;
	sign = *s.ptr == '-' ? -1 : 1;
	s = slice_from(s, 1);
	if (!take_number(&s, 2, 2, &hours) || !slice_skip(&s, S(":")) ||
	    !take_number(&s, 2, 2, &minutes))
		return false;
	p.offset = sign * (hours * 60 + minutes);
	return join(&p, ret);
}

bool clock_parse_span(struct slice s, int64_t *ret)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = { { 's', 1 },
		      { 'm', 60 },
		      { 'h', 3600 },
		      { 'd', 86400 },
		      { 'w', 604800 } };
	const uint64_t most = UINT64_C(3155760000); /* 100 years */
	uint64_t n;

	if (!slice_take_uint(&s, most, &n))
		return false;
	if (!s.len && !n) {
		*ret = 0;
		return true;
	}
	for (size_t i = 0; s.len == 1 && i < ARRAY_LEN(units); i++) {
		if (*s.ptr != units[i].unit)
			continue;
		if (n > most / (uint64_t)units[i].seconds)
			return false;
		*ret = (int64_t)n * units[i].seconds;
		return true;
	}
	return false;
}
