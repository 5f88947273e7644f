/*
 * carrier: a process a channel, here with channels that are files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bot/carrier.h"
#include "tests/scratch.h"

static struct config config;
static struct config_channel channels[2];
static struct carrier carrier[2];

static int start(void **state)
{
	struct err err;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		channels[i] = (struct config_channel){
			.name = i ? "second" : "first",
			.type = CHANNEL_FILE,
			.path = strdup(scratch_path(i ? "two" : "one")),
		};
		unlink(channels[i].path);
		assert_int_equal(carrier_start(carrier, i, &config,
					       &channels[i], &err),
				 PH_OK);
	}
	return 0;
}

static int stop(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		carrier_stop(&carrier[i]);
		free((char *)channels[i].path);
	}
	return 0;
}

static struct parcel parcel(const char *body)
{
	return (struct parcel){ .body = slice_of(body),
				.message_id = S("k1"),
				.recipient = S(""),
				.extra = S("") };
}

static const char *content(const char *path)
{
	static char text[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	return text;
}

static void each_sends_to_its_channel(void **state)
{
	const struct parcel a = parcel("to the first"),
			    b = parcel("to the second");
	struct delivery_result r;
	struct err err;

	(void)state;
	assert_int_equal(carrier_give(&carrier[0], &a, 0, &err), PH_OK);
	assert_int_equal(carrier_give(&carrier[1], &b, 0, &err), PH_OK);
	assert_true(carrier[0].busy);
	assert_int_equal(carrier_take(&carrier[0], &r, &err), PH_OK);
	assert_int_equal(r.what, DELIVERY_SENT);
	assert_false(carrier[0].busy);
	assert_int_equal(carrier_take(&carrier[1], &r, &err), PH_OK);
	assert_int_equal(r.what, DELIVERY_SENT);
	assert_non_null(strstr(content(channels[0].path), "to the first"));
	assert_non_null(strstr(content(channels[1].path), "to the second"));
}

static void one_serves_many_parcels(void **state)
{
	const struct parcel p = parcel("again");
	struct delivery_result r;
	struct err err;

	(void)state;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(carrier_give(&carrier[0], &p, 0, &err), PH_OK);
		assert_int_equal(carrier_take(&carrier[0], &r, &err), PH_OK);
		assert_int_equal(r.what, DELIVERY_SENT);
	}
}

static void a_death_is_noticed(void **state)
{
	const struct parcel p = parcel("lost");
	struct delivery_result r = { .what = DELIVERY_SENT };
	siginfo_t info;
	struct err err;

	(void)state;
	assert_int_equal(kill(carrier[0].pid, SIGKILL), 0);
	/* as a zombie, so that the pair is closed for certain */
	assert_int_equal(waitid(P_PID, (id_t)carrier[0].pid, &info,
				WEXITED | WNOWAIT),
			 0);
	if (carrier_give(&carrier[0], &p, 0, &err) == PH_OK)
		assert_int_equal(carrier_take(&carrier[0], &r, &err), PH_RETRY);
	assert_string_equal(err.text,
			    "channel first: its sending process died");
}

static void a_signal_to_all_lets_it_finish(void **state)
{
	const struct parcel p = parcel("still sent");
	struct delivery_result r;
	struct err err;

	(void)state;
	/* one exchange first: before, it may not ignore the signal yet */
	assert_int_equal(carrier_give(&carrier[0], &p, 0, &err), PH_OK);
	assert_int_equal(carrier_take(&carrier[0], &r, &err), PH_OK);
	assert_int_equal(kill(carrier[0].pid, SIGTERM), 0);
	assert_int_equal(carrier_give(&carrier[0], &p, 0, &err), PH_OK);
	assert_int_equal(carrier_take(&carrier[0], &r, &err), PH_OK);
	assert_int_equal(r.what, DELIVERY_SENT);
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, start, stop)
	static const struct CMUnitTest tests[] = {
		CASE(each_sends_to_its_channel),
		CASE(one_serves_many_parcels),
		CASE(a_death_is_noticed),
		CASE(a_signal_to_all_lets_it_finish),
	};

	scratch_dir();
	return cmocka_run_group_tests_name("carrier", tests, NULL, NULL);
}
