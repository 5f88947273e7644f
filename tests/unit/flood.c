/* flood: each limit at its edge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include "bot/flood.h"
#include "bot/store/outbox.h"
#include "ph/limits.h"
#include "tests/scratch.h"

#define NOW  INT64_C(1800000000)
#define HOUR 3600
#define DAY  86400

static struct store *store;
static unsigned running;

static int open_store(void **state)
{
	(void)state;
	store = scratch_store("flood.db");
	return 0;
}

static int close_store(void **state)
{
	(void)state;
	store_close(store);
	return 0;
}

static struct slice next_key(void)
{
	static char key[65];

	snprintf(key, sizeof(key), "%064x", ++running);
	return slice_of(key);
}

static void add_rows(const char *channel, const char *target, int64_t created,
		     enum outbox_state row_state, int n)
{
	struct err err = { 0 };
	int64_t id;

	assert_int_equal(store_begin(store, &err), PH_OK);
	while (n--) {
		struct outbox_row row = { .key = next_key(),
					  .channel = slice_of(channel),
					  .target = slice_of(target),
					  .facts = S_INIT("{}"),
					  .state = row_state,
					  .created = created };

		assert_int_equal(outbox_add(store, &row, &id, &err), PH_OK);
	}
	assert_int_equal(store_end(store, PH_OK, &err), PH_OK);
}

/* want: NULL when one more may be queued. */
static void check(enum channel_type type, const char *target, int64_t max,
		  const char *want)
{
	const struct config_channel ch = { .name = "c",
					   .type = type,
					   .max_per_hour = max };
	struct err err = { 0 };
	const char *why;

	assert_int_equal(flood_check(store, &ch, slice_of(target), NOW, &why,
				     &err),
			 want ? PH_NONE : PH_OK);
	if (want)
		assert_string_equal(why, want);
}

static void a_channel_has_its_hour(void **state)
{
	(void)state;
	add_rows("c", "", NOW - HOUR - 1, OUTBOX_SENT, 5);
	add_rows("c", "", NOW - 1, OUTBOX_CANCELLED, 5);
	add_rows("d", "", NOW - 1, OUTBOX_SENT, 5);
	add_rows("c", "", NOW - HOUR, OUTBOX_SENT, 2);
	check(CHANNEL_SLACK, "", 3, NULL);
	add_rows("c", "", NOW, OUTBOX_PENDING, 1);
	check(CHANNEL_SLACK, "", 3, "over max_per_hour");
	check(CHANNEL_SLACK, "", 4, NULL);
}

static void an_address_has_its_day(void **state)
{
	static const char over[] =
		"over the mails that one address gets in a day";

	(void)state;
	add_rows("d", "a@example.org", NOW - DAY - 1, OUTBOX_SENT, 9);
	add_rows("d", "b@example.org", NOW - HOUR - 1, OUTBOX_SENT, 9);
	add_rows("d", "A@Example.org", NOW - DAY, OUTBOX_SENT,
		 LIMIT_MAILS_A_DAY - 1);
	check(CHANNEL_MAIL, "a@example.org", 30, NULL);
	add_rows("e", "a@example.org", NOW, OUTBOX_PENDING, 1);
	check(CHANNEL_MAIL, "a@example.org", 30, over);
	check(CHANNEL_MAIL, "b@example.org", 30, NULL);
	/* a room of this name is another matter */
	check(CHANNEL_MATRIX, "a@example.org", 30, NULL);
}

static void all_have_an_hour(void **state)
{
	(void)state;
	add_rows("d", "", NOW - HOUR, OUTBOX_SENT, LIMIT_NOTICES_AN_HOUR - 1);
	check(CHANNEL_SLACK, "", 30, NULL);
	add_rows("e", "", NOW, OUTBOX_HELD, 1);
	check(CHANNEL_SLACK, "", 30,
	      "over the notices that may go out in an hour");
}

#define STORED(fn) cmocka_unit_test_setup_teardown(fn, open_store, close_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORED(a_channel_has_its_hour),
		STORED(an_address_has_its_day),
		STORED(all_have_an_hour),
	};

	return cmocka_run_group_tests_name("flood", tests, NULL, NULL);
}
