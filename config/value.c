#include "config/value.h"

#include <stdio.h>
#include <sys/stat.h>
#include "ph/addr.h"
#include "ph/clock.h"

#define BAD(err, what, s) \
	err_set((err), PH_BAD, "must be %s, not \"%.*s\"", (what), S_FMT(s))

enum status value_bool(struct slice s, bool *ret, struct err *err)
{
	if (!slice_eq(s, S("true")) && !slice_eq(s, S("false")))
		return BAD(err, "true or false", s);
	*ret = slice_eq(s, S("true"));
	return PH_OK;
}

static void skip_percent(struct slice *s)
{
	slice_skip_blanks(s);
	slice_skip(s, S("%"));
}

enum status value_count(struct slice s, int64_t min, int64_t max, int64_t *ret,
			struct err *err)
{
	struct slice rest = s;
	uint64_t n;

	if (slice_take_uint(&rest, (uint64_t)max, &n)) {
		skip_percent(&rest);
		if (!rest.len && n >= (uint64_t)min) {
			*ret = (int64_t)n;
			return PH_OK;
		}
	}
	return err_set(err, PH_BAD,
		       "must be a whole number from %lld to %lld, not \"%.*s\"",
		       (long long)min, (long long)max, S_FMT(s));
}

enum status value_number(struct slice s, double *ret, struct err *err)
{
	const uint64_t most = UINT64_C(1000000000);
	struct slice rest = s;
	uint64_t whole, part = 0;
	double scale = 1;
	size_t len;

	if (!slice_take_uint(&rest, most, &whole))
		return BAD(err, "a number such as 5 or 2.5", s);
	if (slice_skip(&rest, S("."))) {
		len = rest.len;
		if (!slice_take_uint(&rest, most, &part))
			return BAD(err, "a number such as 5 or 2.5", s);
		for (len -= rest.len; len; len--)
			scale *= 10;
	}
	skip_percent(&rest);
	if (rest.len)
		return BAD(err, "a number such as 5 or 2.5", s);
	*ret = (double)whole + (double)part / scale;
	return PH_OK;
}

enum status value_span(struct slice s, int64_t *ret, struct err *err)
{
	if (!clock_parse_span(s, ret))
		return BAD(err, "a span such as 90d, 8h, 5m or 30s", s);
	return PH_OK;
}

enum status value_time(struct slice s, int64_t *ret, struct err *err)
{
	if (!clock_parse_rfc3339(s, ret))
		return BAD(err,
			   "a date such as 2024-10-16 or "
			   "2024-10-16T15:57:00Z",
			   s);
	return PH_OK;
}

void value_join(const char *const *words, char *ret, size_t size)
{
	size_t len = 0;

	*ret = '\0';
	for (size_t i = 0; words[i] && len < size; i++) {
		const char *glue = !i ? "" : words[i + 1] ? ", " : " or ";

		len += (size_t)snprintf(ret + len, size - len, "%s%s", glue,
					words[i]);
	}
}

enum status value_word(struct slice s, const char *const *words, unsigned *ret,
		       struct err *err)
{
	char list[256];

	for (unsigned i = 0; words[i]; i++) {
		if (!slice_eq(s, slice_of(words[i])))
			continue;
		*ret = i;
		return PH_OK;
	}
	value_join(words, list, sizeof(list));
	return BAD(err, list, s);
}

static const struct slice days[7] = {
	S_INIT("mon"), S_INIT("tue"), S_INIT("wed"), S_INIT("thu"),
	S_INIT("fri"), S_INIT("sat"), S_INIT("sun"),
};

static bool take_day(struct slice *s, int *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(days); i++) {
		if (!slice_caseskip(s, days[i]))
			continue;
		*ret = (int)i;
		return true;
	}
	return false;
}

/* HH:MM, and 24:00 as an end. */
static bool take_minute(struct slice *s, int *ret)
{
	struct slice at = *s;
	uint64_t hour, minute;

	if (at.len < 5 || at.ptr[2] != ':' || !is_digit(at.ptr[3]) ||
	    !is_digit(at.ptr[4]) || !slice_take_uint(&at, 24, &hour) ||
	    !slice_skip(&at, S(":")) || !slice_take_uint(&at, 59, &minute) ||
	    s->len - at.len != 5 || (hour == 24 && minute))
		return false;
	*ret = (int)(hour * 60 + minute);
	*s = at;
	return true;
}

enum status value_digest(struct slice s, struct config_digest *ret,
			 struct err *err)
{
	struct config_digest d = { DIGEST_DAILY, 0, 0 };
	struct slice rest = s;

	if (slice_eq(s, S("off"))) {
		*ret = (struct config_digest){ DIGEST_OFF, 0, 0 };
		return PH_OK;
	}
	if (slice_skip(&rest, S("weekly "))) {
		d.every = DIGEST_WEEKLY;
		slice_skip_blanks(&rest);
		if (!take_day(&rest, &d.weekday) || !slice_skip(&rest, S(" ")))
			goto bad;
	} else if (!slice_skip(&rest, S("daily "))) {
		goto bad;
	}
	slice_skip_blanks(&rest);
	if (!take_minute(&rest, &d.minute) || rest.len || d.minute == 24 * 60)
		goto bad;
	*ret = d;
	return PH_OK;
bad:
	return BAD(err, "off, \"daily 08:00\" or \"weekly mon 08:00\" (UTC)",
		   s);
}

/* days = day [ "-" day ] *( "," day [ "-" day ] ) */
static bool take_days(struct slice *s, uint8_t *ret)
{
	struct slice at = *s;
	uint8_t set = 0;
	int from, to;

	do {
		if (!take_day(&at, &from))
			return false;
		to = from;
		if (slice_skip(&at, S("-")) && !take_day(&at, &to))
			return false;
		for (int d = from;; d = (d + 1) % 7) {
			set |= (uint8_t)(1 << d);
			if (d == to)
				break;
		}
	} while (slice_skip(&at, S(",")));
	*s = at;
	*ret = set;
	return true;
}

static bool zone_exists(struct slice zone)
{
	char path[256];
	struct stat st;

	for (size_t i = 0; i < zone.len; i++) {
		char c = zone.ptr[i];

		if (!is_alpha(c) && !is_digit(c) && c != '_' && c != '-' &&
		    c != '+' && (c != '/' || !i))
			return false;
	}
	if (slice_eq(zone, S("UTC")))
		return true;
	if (snprintf(path, sizeof(path), "/usr/share/zoneinfo/%.*s",
		     S_FMT(zone)) >= (int)sizeof(path))
		return false;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

enum status value_hours(struct slice s, struct arena *arena,
			struct config_hours *ret, struct err *err)
{
	static const char form[] =
		"hours such as \"mon-fri 08:00-18:00 Europe/Berlin\"";
	struct config_hours h = { .set = true, .days = 0x7f };
	struct slice rest = s;

	if (take_days(&rest, &h.days) && !slice_skip(&rest, S(" ")))
		return BAD(err, form, s);
	slice_skip_blanks(&rest);
	if (!take_minute(&rest, &h.from) || !slice_skip(&rest, S("-")) ||
	    !take_minute(&rest, &h.to) || h.from == h.to)
		return BAD(err, form, s);
	if (rest.len && !is_blank(*rest.ptr))
		return BAD(err, form, s);
	rest = slice_trim(rest);
	if (rest.len && !zone_exists(rest))
		return err_set(err, PH_BAD,
			       "names the time zone \"%.*s\", which is not in "
			       "/usr/share/zoneinfo",
			       S_FMT(rest));
	h.zone = rest.len ? arena_str(arena, rest) : NULL;
	*ret = h;
	return PH_OK;
}

enum status value_done(struct slice s, struct arena *arena,
		       enum config_done *ret, const char **ret_folder,
		       struct err *err)
{
	struct slice folder = s;

	if (slice_eq(s, S("nothing"))) {
		*ret = DONE_NOTHING;
	} else if (slice_eq(s, S("seen"))) {
		*ret = DONE_SEEN;
	} else if (slice_skip(&folder, S("move:")) && folder.len) {
		*ret = DONE_MOVE;
		*ret_folder = arena_str(arena, folder);
	} else {
		return BAD(err, "nothing, seen or move:FOLDER", s);
	}
	return PH_OK;
}

enum status value_path(struct slice s, struct err *err)
{
	if (!s.len || *s.ptr != '/')
		return err_set(err, PH_BAD, "must be an absolute path (/...)");
	return PH_OK;
}

enum status value_address(struct slice s, struct err *err)
{
	return addr_valid(s) ? PH_OK : BAD(err, "a mail address", s);
}

enum status value_address_glob(struct slice s, struct err *err)
{
	bool at = false;

	for (size_t i = 0; i < s.len; i++) {
		at |= s.ptr[i] == '@';
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~' || s.ptr[i] == '<' ||
		    s.ptr[i] == '>')
			return BAD(err, "an address or a glob over one", s);
	}
	if (!at && !slice_eq(s, S("*")))
		return BAD(err,
			   "an address or a glob such as "
			   "\"*@example.org\"",
			   s);
	return PH_OK;
}

enum status value_domain(struct slice s, struct err *err)
{
	char probe[300];

	if (s.len < 256 && slice_chr(s, '.')) {
		snprintf(probe, sizeof(probe), "a@%.*s", S_FMT(s));
		if (addr_valid(slice_of(probe)))
			return PH_OK;
	}
	return BAD(err, "a domain", s);
}
