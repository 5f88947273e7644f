#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include "bot/hours.h"
#include "ph/clock.h"

#define WORKDAYS 0x1f

struct hours_case {
	const char *name;
	uint8_t days;
	int from, to;
	const char *zone;
	const char *at, *want;
};

static const struct hours_case cases[] = {
	{ "inside", WORKDAYS, 480, 1080, NULL, "2026-10-01T12:00:00Z",
	  "2026-10-01T12:00:00Z" },
	{ "before", WORKDAYS, 480, 1080, NULL, "2026-10-01T07:59:30Z",
	  "2026-10-01T08:00:00Z" },
	{ "the end is outside", WORKDAYS, 480, 1080, NULL,
	  "2026-10-01T18:00:00Z", "2026-10-02T08:00:00Z" },
	{ "over the weekend", WORKDAYS, 480, 1080, NULL, "2026-10-02T20:00:00Z",
	  "2026-10-05T08:00:00Z" },
	{ "over night, late", 0x7f, 1320, 360, NULL, "2026-10-01T23:00:00Z",
	  "2026-10-01T23:00:00Z" },
	{ "over night, early", 0x7f, 1320, 360, NULL, "2026-10-01T05:59:00Z",
	  "2026-10-01T05:59:00Z" },
	{ "over night, by day", 0x7f, 1320, 360, NULL, "2026-10-01T06:00:00Z",
	  "2026-10-01T22:00:00Z" },
	{ "after midnight it is the day before", WORKDAYS, 1320, 360, NULL,
	  "2026-10-03T01:00:00Z", "2026-10-03T01:00:00Z" },
	{ "Sunday's night is no workday's", WORKDAYS, 1320, 360, NULL,
	  "2026-10-05T01:00:00Z", "2026-10-05T22:00:00Z" },
	{ "summer in Berlin", WORKDAYS, 480, 1080, "Europe/Berlin",
	  "2026-07-01T05:00:00Z", "2026-07-01T06:00:00Z" },
	{ "winter in Berlin", WORKDAYS, 480, 1080, "Europe/Berlin",
	  "2026-12-01T05:00:00Z", "2026-12-01T07:00:00Z" },
};

static void check(void **state)
{
	const struct hours_case *c = *state;
	struct config_hours h = { .set = true,
				  .days = c->days,
				  .from = c->from,
				  .to = c->to,
				  .zone = c->zone };
	char got[32];
	int64_t at;

	assert_true(clock_parse_rfc3339(slice_of(c->at), &at));
	clock_rfc3339(hours_next(&h, at), got);
	assert_string_equal(got, c->want);
}

static void the_zone_is_left_as_it_was(void **state)
{
	struct config_hours h = { .set = true,
				  .days = 0x7f,
				  .from = 0,
				  .to = 1,
				  .zone = "Europe/Berlin" };

	(void)state;
	setenv("TZ", "America/New_York", 1);
	hours_next(&h, 0);
	assert_string_equal(getenv("TZ"), "America/New_York");
	unsetenv("TZ");
	hours_next(&h, 0);
	assert_null(getenv("TZ"));
	/* without hours nothing is put off */
	h.set = false;
	assert_int_equal(hours_next(&h, 7), 7);
}

struct slot_case {
	struct config_digest digest;
	const char *at, *slot, *next;
};

static void digests_have_slots(void **state)
{
	static const struct slot_case slots[] = {
		{ { DIGEST_DAILY, 0, 480 },
		  "2026-10-01T07:59:59Z",
		  "2026-09-30T08:00:00Z",
		  "2026-10-01T08:00:00Z" },
		{ { DIGEST_DAILY, 0, 480 },
		  "2026-10-01T08:00:00Z",
		  "2026-10-01T08:00:00Z",
		  "2026-10-02T08:00:00Z" },
		{ { DIGEST_WEEKLY, 0, 480 },
		  "2026-10-01T12:00:00Z",
		  "2026-09-28T08:00:00Z",
		  "2026-10-05T08:00:00Z" },
		{ { DIGEST_WEEKLY, 6, 0 },
		  "2026-10-04T00:00:00Z",
		  "2026-10-04T00:00:00Z",
		  "2026-10-11T00:00:00Z" },
	};
	struct config_digest off = { .every = DIGEST_OFF };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(slots); i++) {
		char got[32];
		int64_t at;

		assert_true(clock_parse_rfc3339(slice_of(slots[i].at), &at));
		clock_rfc3339(hours_digest_slot(&slots[i].digest, at), got);
		assert_string_equal(got, slots[i].slot);
		clock_rfc3339(hours_digest_next(&slots[i].digest, at), got);
		assert_string_equal(got, slots[i].next);
	}
	assert_int_equal(hours_digest_slot(&off, 1790856000), 0);
	assert_int_equal(hours_digest_next(&off, 1790856000), 0);
}

#define N ARRAY_LEN(cases)

int main(void)
{
	struct CMUnitTest tests[N + 2];

	for (size_t i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){ .name = cases[i].name,
						.test_func = check,
						.initial_state =
							(void *)&cases[i] };
	tests[N] =
		(struct CMUnitTest)cmocka_unit_test(the_zone_is_left_as_it_was);
	tests[N + 1] = (struct CMUnitTest)cmocka_unit_test(digests_have_slots);
	return cmocka_run_group_tests_name("hours", tests, NULL, NULL);
}
