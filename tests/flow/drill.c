/*
 * drill: a marked test over every channel, by the way of real notices, to
 * nobody who did not ask for it.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "tests/rig.h"

/* The rig's channels (team by mail, chat), and those that no drill may reach. */
static void configure(const struct rig *r, const char *operator_)
{
	char channels[512];

	rig_configure(r, NULL);
	snprintf(channels, sizeof(channels),
		 "%s"
		 "channels:\n"
		 "  people: {type: mail, to: [\"@author\", \"@maintainers\"]}\n"
		 "  list: {type: mail, to: perf-list@example.org,"
		 " list_consent: true}\n"
		 "  kernel: {type: mail, to: linux-mm@kvack.org,"
		 " list_consent: true}\n"
		 "  ops: {type: mail, to: [root@example.org,"
		 " deputy@example.org]}\n",
		 operator_);
	rig_edit(r, "perfherald.yaml", "channels:\n", channels);
	/* people and lists want a real proof */
	rig_edit(r, "perfherald.yaml", "proof: [none]", "proof: [dkim]");
}

static bool is_to(const struct rig *r, int n, const char *address)
{
	return strstr(rig_field(rig_mail(r, n), "To"), address) != NULL;
}

static void every_channel_is_tried_and_nobody_bothered(void **state)
{
	struct rig *r = *state;

	configure(r, "operator: ops\n");
	assert_int_equal(rig_run(r, "drill", NULL), EX_OK);
	rig_has(r, "out", "channel team to team@example.org: sent\n");
	rig_has(r, "out", "channel chat: sent\n");
	rig_has(r, "out", "channel ops to root@example.org: sent\n");
	rig_has(r, "out",
		"channel people to root@example.org in place of @author: "
		"sent\n");
	rig_has(r, "out",
		"channel list to root@example.org in place of "
		"perf-list@example.org: sent\n");
	rig_has(r, "out",
		"channel kernel to root@example.org in place of "
		"linux-mm@kvack.org: sent\n");
	rig_assert_told(r, 5, 1);
	for (int i = 1; i <= 5; i++) {
		assert_true(is_to(r, i, "root@example.org") ||
			    is_to(r, i, "team@example.org"));
		assert_non_null(
			strstr(rig_field(rig_mail(r, i), "Subject"), "DRILL "));
		assert_non_null(strstr(rig_mail(r, i),
				       "\nDRILL: a test of this "
				       "channel; none of this "
				       "happened."));
		assert_null(strstr(rig_mail(r, i), "#perfherald stop"));
	}
	assert_non_null(strstr(rig_post(r, 1), "DRILL"));
	assert_int_equal(rig_run(r, "outbox", NULL), EX_OK);
	rig_has(r, "out", "nothing waits");
}

static void without_an_operator_they_are_skipped_by_name(void **state)
{
	struct rig *r = *state;

	configure(r, "");
	assert_int_equal(rig_run(r, "drill", NULL), EX_OK);
	rig_has(r, "out", "channel people in place of @author: skipped: ");
	rig_has(r, "out", "name an operator with a mail address");
	rig_assert_told(r, 2, 1);
	/* who asks for it by name is to know */
	assert_int_equal(rig_run(r, "drill", "list", "chat", NULL), EX_CONFIG);
	rig_assert_told(r, 2, 2);
	/* an operator in a chat room is no address */
	rig_edit(r, "perfherald.yaml", "channels:\n",
		 "operator: chat\nchannels:\n");
	assert_int_equal(rig_run(r, "drill", "people", NULL), EX_CONFIG);
	rig_assert_told(r, 2, 2);
	assert_int_equal(rig_run(r, "drill", "caht", NULL), EX_CONFIG);
	rig_has(r, "out", "caht: no channel of this name in ");
	rig_has(r, "out", "; did you mean \"chat\"?");
	assert_int_equal(rig_run(r, "digest", "tema", NULL), EX_CONFIG);
	rig_has(r, "out", "; did you mean \"team\"?");
	rig_assert_told(r, 2, 2);
}

static void send_false_shows_and_keeps_nothing(void **state)
{
	struct rig *r = *state;

	configure(r, "operator: ops\n");
	assert_int_equal(rig_run(r, "drill", "--show", NULL), EX_OK);
	rig_edit(r, "perfherald.yaml", "send: true", "send: false");
	assert_int_equal(rig_run(r, "drill", NULL), EX_OK);
	rig_has(r, "out", "channel team to team@example.org: would send\n");
	rig_has(r, "out", "    To: root@example.org\n");
	rig_has(r, "out", "says send: false, so nothing was sent");
	rig_has_not(r, "out", "To: perf-list@example.org");
	assert_int_equal(rig_run(r, "drill", "--format", "json", NULL), EX_OK);
	rig_has(r, "out", "\"result\":\"shown\"");
	rig_assert_told(r, 0, 0);
	assert_int_equal(rig_run(r, "outbox", "list", "--all", NULL), EX_OK);
	rig_has(r, "out", "the outbox is empty");
}

static void a_running_watch_sends_it(void **state)
{
	struct rig *r = *state;

	rig_watch(r);
	rig_wait_log(r, "up to date, waiting for mail");
	assert_int_equal(rig_run(r, "drill", "--format=json", NULL), EX_OK);
	rig_has(r, "out",
		"{\"channel\":\"team\",\"target\":\"team@example.org\","
		"\"result\":\"sent\"");
	rig_assert_told(r, 1, 1);
	rig_wait_log(r, "courier: notice 1 to team is sent");
}

static void a_channel_named_twice_is_tried_once(void **state)
{
	struct rig *r = *state;

	assert_int_equal(rig_run(r, "drill", "team", "chat", "team", "chat",
				 NULL),
			 EX_OK);
	rig_has(r, "out", "channel team to team@example.org: sent");
	rig_has(r, "out", "channel chat: sent");
	rig_assert_told(r, 1, 1);
}

/* It fails once, is not sent later, and works when that is mended. */
static void a_failure_is_told_and_not_tried_again(void **state)
{
	struct rig *r = *state;

	http_sink_script(&r->chat, "{\"status\": 403, \"body\": "
				   "\"invalid_token\"}");
	assert_int_equal(rig_run(r, "drill", "chat", NULL), EX_UNAVAILABLE);
	rig_has(r, "out", "channel chat: failed: ");
	rig_has(r, "out", "403");
	assert_int_equal(rig_run(r, "outbox", NULL), EX_OK);
	rig_has(r, "out", "nothing waits");
	assert_int_equal(rig_run(r, "status", NULL), 1);
	rig_has(r, "out", "! channel   chat is paused");
	assert_int_equal(rig_run(r, "drill", "chat", NULL), EX_OK);
	rig_has(r, "out", "channel chat: sent");
	assert_int_equal(rig_run(r, "status", NULL), 0);
	rig_has_not(r, "out", "paused");
}

static void a_url_that_is_gone_stays_so(void **state)
{
	struct rig *r = *state;
	int posts = http_sink_count(&r->chat);

	http_sink_script(&r->chat, "{\"status\": 410, \"body\": \"gone\"}");
	assert_int_equal(rig_run(r, "drill", "chat", NULL), EX_UNAVAILABLE);
	assert_int_equal(rig_run(r, "drill", NULL), EX_UNAVAILABLE);
	rig_has(r, "out",
		"channel chat: skipped: its service said that the "
		"URL is gone for good");
	rig_has(r, "out", "channel team to team@example.org: sent");
	assert_int_equal(http_sink_count(&r->chat), posts + 1);
}

static void what_the_channel_forbids_is_said(void **state)
{
	struct rig *r = *state;

	configure(r, "operator: ops\n");
	rig_edit(r, "perfherald.yaml", "to: [\"@author\", \"@maintainers\"]",
		 "to: \"@author\", allow: \"*@kernel.org\"");
	assert_int_equal(rig_run(r, "drill", "people", NULL), EX_CONFIG);
	rig_has(r, "out",
		"channel people to root@example.org in place of @author: not "
		"sent: the channel's allow list does not have it");
	rig_assert_told(r, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(every_channel_is_tried_and_nobody_bothered),
		RIG_TEST(without_an_operator_they_are_skipped_by_name),
		RIG_TEST(send_false_shows_and_keeps_nothing),
		RIG_TEST(a_running_watch_sends_it),
		RIG_TEST(a_channel_named_twice_is_tried_once),
		RIG_TEST(a_failure_is_told_and_not_tried_again),
		RIG_TEST(a_url_that_is_gone_stays_so),
		RIG_TEST(what_the_channel_forbids_is_said),
	};

	return cmocka_run_group_tests_name("drill", tests, rig_start, rig_stop);
}
