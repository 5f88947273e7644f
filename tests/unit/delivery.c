#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/store/delivery.h"

#define NOW 1700000000

struct delivery_case {
	const char *name;
	enum delivery what;
	int64_t retry_after_ms;
	uint32_t tries, jitter;
	enum outbox_state state;
	int64_t wait; /* next_try after NOW, where pending */
	bool maybe_dup, pause, gone;
};

static const struct delivery_case cases[] = {
	{ "sent", DELIVERY_SENT, 0, 1, 0, OUTBOX_SENT, 0, 0, 0, 0 },
	{ "refused", DELIVERY_REFUSED, 0, 1, 0, OUTBOX_DEAD, 0, 0, 0, 0 },
	{ "later, the least jitter", DELIVERY_LATER, 0, 1, 0, OUTBOX_PENDING, 1,
	  0, 0, 0 },
	{ "later, the most jitter", DELIVERY_LATER, 0, 1, UINT32_MAX,
	  OUTBOX_PENDING, 15, 0, 0, 0 },
	{ "later, the third try", DELIVERY_LATER, 0, 3, UINT32_MAX,
	  OUTBOX_PENDING, 60, 0, 0, 0 },
	{ "later, half the jitter", DELIVERY_LATER, 0, 3, UINT32_MAX / 2 + 1,
	  OUTBOX_PENDING, 31, 0, 0, 0 },
	{ "later, at most an hour", DELIVERY_LATER, 0, 9, UINT32_MAX,
	  OUTBOX_PENDING, 3600, 0, 0, 0 },
	{ "later, after very many tries", DELIVERY_LATER, 0, UINT32_MAX,
	  UINT32_MAX, OUTBOX_PENDING, 3600, 0, 0, 0 },
	{ "the peer asks for longer", DELIVERY_LATER, 90500, 1, 0,
	  OUTBOX_PENDING, 91, 0, 0, 0 },
	{ "the peer asks for less", DELIVERY_LATER, 1, 4, UINT32_MAX,
	  OUTBOX_PENDING, 120, 0, 0, 0 },
	{ "the peer asks for a week", DELIVERY_LATER, 604800000, 1, 0,
	  OUTBOX_PENDING, 86400, 0, 0, 0 },
	{ "reply lost", DELIVERY_MAYBE, 0, 1, UINT32_MAX, OUTBOX_PENDING, 15, 1,
	  0, 0 },
	{ "channel refused", DELIVERY_CHANNEL, 0, 1, 0, OUTBOX_PENDING, 3600, 0,
	  1, 0 },
	{ "channel gone", DELIVERY_GONE, 0, 1, 0, OUTBOX_PENDING, 3600, 0, 1,
	  1 },
};

static void check(void **state)
{
	const struct delivery_case *c = *state;
	struct delivery_result result = { .what = c->what,
					  .retry_after_ms = c->retry_after_ms };
	struct delivery_next next =
		delivery_next(&result, c->tries, NOW, c->jitter);

	assert_int_equal(next.state, c->state);
	if (c->state == OUTBOX_PENDING)
		assert_int_equal(next.next_try - NOW, c->wait);
	assert_int_equal(next.maybe_dup, c->maybe_dup);
	assert_int_equal(next.pause, c->pause);
	assert_int_equal(next.gone, c->gone);
}

/* Row: from; column: to; in the order of enum outbox_state. */
static void moves(void **state)
{
	static const char *const may[OUTBOX_STATES] = {
		[OUTBOX_HELD] = ".p..dc",    [OUTBOX_PENDING] = "h.s.dc",
		[OUTBOX_SENDING] = "hp.Sdc", [OUTBOX_SENT] = "......",
		[OUTBOX_DEAD] = ".p...c",    [OUTBOX_CANCELLED] = ".p....",
	};

	(void)state;
	for (int from = 0; from < OUTBOX_STATES; from++)
		for (int to = 0; to < OUTBOX_STATES; to++)
			assert_int_equal(delivery_allowed(from, to),
					 may[from][to] != '.');
}

int main(void)
{
	struct CMUnitTest tests[sizeof(cases) / sizeof(cases[0]) + 1];
	size_t n = sizeof(cases) / sizeof(cases[0]);

	for (size_t i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){ .name = cases[i].name,
						.test_func = check,
						.initial_state =
							(void *)&cases[i] };
	tests[n] = (struct CMUnitTest)cmocka_unit_test(moves);
	return cmocka_run_group_tests_name("delivery", tests, NULL, NULL);
}
