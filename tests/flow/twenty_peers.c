/*
 * The bad inputs, 3: what servers and services do, and what comes back to us.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include "tests/fakeimap.h"
#include "tests/guard.h"
#include "tests/inbox.h"
#include "tests/rig.h"
#include "tests/scratch.h"
#include "tests/table.h"

#define TELL_ALL   "tell_since: 2020-01-01"
#define REGRESSION "tests/demo/1-regression.eml"
#define ID	   "202611020915.4e1c09ab-oliver.sang@intel.com"

#define IMPROVEMENT    "tests/demo/3-improvement.eml"
#define IMPROVEMENT_ID "202611051402.7b93e6f0-oliver.sang@intel.com"

/* -- a server that stalls, trickles, or sends too much -- */

static struct fakeimap fake;

static const struct hostile_case {
	const char *name, *user, *says;
} hostiles[] = {
	{ "a server that stalls", "stall", "silent for 60 s" },
	{ "a server that stalls inside a mail", "stall-in-literal",
	  "silent for 60 s" },
	{ "a server that trickles", "drip",
	  "the command was not done in its time" },
	{ "an oversized literal", "literal-9m",
	  "refused what the server sent: a literal of over 9 MiB" },
	{ "a literal of 4 GiB", "literal-4g",
	  "refused what the server sent: a literal of over 9 MiB" },
};
static size_t next_hostile;

static void check_hostile(void **state)
{
	const struct hostile_case *c = &hostiles[next_hostile++];
	struct rig *r = *state, other = *r;
	char text[256];

	snprintf(other.user, sizeof(other.user), "%s", c->user);
	other.dovecot.imaps_port = fake.port;
	snprintf(other.dovecot.ca_file, sizeof(other.dovecot.ca_file), "%s",
		 fake.ca_file);
	rig_configure(&other, "since: 3650d");
	rig_mischief("PH_HASTE", "60");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_UNAVAILABLE);
	rig_behave();
	snprintf(text, sizeof(text), "worker work: localhost:%u: %s\n",
		 fake.port, c->says);
	assert_string_equal(rig_text(r, "out"), text);
	rig_assert_told(r, 0, 0);
	/* and goes on when the server behaves */
	rig_configure(r, TELL_ALL);
	rig_deliver(r, "3-improvement.eml");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 0, 1);
}

/* -- UIDVALIDITY -- */

static void in_folder(const struct rig *r, const char *name)
{
	rig_edit(r, "perfherald.yaml", "/INBOX", name);
}

static void a_changed_uidvalidity(void **state)
{
	static const char *const begin[] = { "CREATE reports", "SELECT INBOX",
					     "COPY 1 reports", NULL };
	static const char *const anew[] = { "DELETE reports", "CREATE reports",
					    "SELECT INBOX",   "COPY 2 reports",
					    "COPY 1 reports", NULL };
	const struct rig *r = *state;

	rig_configure(r, TELL_ALL);
	in_folder(r, "/reports");
	rig_deliver(r, "1-regression.eml");
	rig_deliver(r, "3-improvement.eml");
	inbox_commands(&r->dovecot, r->user, begin);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 1, 1);
	inbox_commands(&r->dovecot, r->user, anew);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_has(r, "out",
		"worker work: reports has new UIDs, reading it from "
		"the start\n");
	rig_assert_told(r, 1, 2);
}

/* -- what comes back -- */

static void told_once(const struct rig *r)
{
	rig_configure(r, TELL_ALL);
	rig_deliver(r, "1-regression.eml");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 1, 1);
}

/* What `why` says of the mail with this id once it has been read. */
static void read_and_ask_why(const struct rig *r, const char *id)
{
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	assert_int_equal(rig_run(r, "why", id, NULL), EX_OK);
}

static void an_own_notice(void **state)
{
	const struct rig *r = *state;

	told_once(r);
	rig_deliver_raw(r, slice_of(rig_mail(r, 1)));
	read_and_ask_why(r, rig_field(rig_mail(r, 1), "Message-ID"));
	rig_has(r, "out", "  is       other: our own notice 1, come back\n");
	rig_assert_told(r, 1, 1);
}

/* The report itself, as a list server or a vacation program sends it on. */
static void an_automatic_copy_of_a_report(void **state)
{
	const struct rig *r = *state;

	told_once(r);
	rig_write(r, "mail",
		  "Auto-Submitted: auto-replied\n"
		  "From: kernel test robot <lkp@intel.com>\n"
		  "Message-ID: <auto@intel.com>\n"
		  "Subject: [linux-next:master] [mm]  5d41c0ffee: "
		  "will-it-scale.per_process_ops 90.3%% regression\n"
		  "\nkernel test robot noticed a 90.3%% regression "
		  "of will-it-scale.per_process_ops on:\n\n"
		  "commit: 5d41c0ffee18b7a0c3e29f61d4b75a8890e1f2a3 "
		  "(\"mm: x\")\n");
	rig_deliver_raw(r, slice_of(rig_text(r, "mail")));
	read_and_ask_why(r, "auto@intel.com");
	rig_has(r, "out", "  is       other: automatic mail\n");
	rig_assert_told(r, 1, 1);
}

static void an_auto_reply_that_says_stop(void **state)
{
	const struct rig *r = *state;

	told_once(r);
	rig_write(r, "mail",
		  "From: team@example.org\nTo: perf-bot@example.org\n"
		  "Message-ID: <away@example.org>\n"
		  "Auto-Submitted: auto-replied\n"
		  "In-Reply-To: %s\nSubject: away\n\n"
		  "#perfherald stop\n",
		  rig_field(rig_mail(r, 1), "Message-ID"));
	rig_deliver_raw(r, slice_of(rig_text(r, "mail")));
	read_and_ask_why(r, "away@example.org");
	rig_has(r, "out", "  is       reply: a reply to notice 1\n");
	rig_has(r, "out", "  command  ignored: automatic mail\n");
	rig_assert_told(r, 1, 1);
}

static void put_bounce(const struct rig *r, int n, const char *recipient,
		       const char *id)
{
	rig_write(r, "mail",
		  "From: MAILER-DAEMON@example.org\n"
		  "Message-ID: <bounce%d@example.org>\n"
		  "Auto-Submitted: auto-replied\n"
		  "Subject: Undelivered Mail\n"
		  "Content-Type: multipart/report; "
		  "report-type=delivery-status; boundary=b\n\n"
		  "--b\n\nno such user\n"
		  "--b\nContent-Type: message/delivery-status\n\n"
		  "Reporting-MTA: dns; mail.example.org\n\n"
		  "Final-Recipient: rfc822; %s\n"
		  "Action: failed\nStatus: 5.1.1\n\n"
		  "--b\nContent-Type: text/rfc822-headers\n\n"
		  "Message-ID: %s\n--b--\n",
		  n, recipient, id);
	rig_deliver_raw(r, slice_of(rig_text(r, "mail")));
}

/* Only of a notice of ours, to the one it went to. */
static void three_bounces_stop_a_recipient(void **state)
{
	const struct rig *r = *state;
	const char *id;

	told_once(r);
	id = rig_field(rig_mail(r, 1), "Message-ID");
	put_bounce(r, 0, "other@example.org", id);
	put_bounce(r, 1, "team@example.org", "<forged@example.org>");
	put_bounce(r, 2, "team@example.org", id);
	put_bounce(r, 3, "team@example.org", id);
	read_and_ask_why(r, "bounce1@example.org");
	rig_has(r, "out", "  is       other: a bounce\n");
	rig_has(r, "out",
		"  bounce   not of a notice of ours: "
		"forged@example.org\n");
	read_and_ask_why(r, "bounce3@example.org");
	rig_has(r, "out",
		"  bounce   counted against team@example.org: "
		"5.1.1\n");
	rig_deliver(r, "2-another-test.eml");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 2, 2);

	put_bounce(r, 4, "team@example.org", id);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	assert_int_equal(rig_run(r, "process", "--resend", REGRESSION, NULL),
			 EX_OK);
	rig_assert_told(r, 2, 3);
	assert_int_equal(rig_run(r, "why", ID, NULL), EX_OK);
	rig_has(r, "out",
		"  notice   team to team@example.org: not told: "
		"3 mails to it bounced\n");
}

/* -- "not now" -- */

static int64_t seconds(const json_t *row, const char *key)
{
	struct tm tm = { 0 };
	const char *text = json_string_value(json_object_get(row, key));

	assert_non_null(text);
	assert_non_null(strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm));
	return timegm(&tm);
}

/* The only row that waits in the outbox. */
static json_t *waiting(const struct rig *r)
{
	json_error_t err;
	json_t *row;

	assert_int_equal(rig_run(r, "outbox", "list", "--format", "json", NULL),
			 EX_OK);
	row = json_loads(rig_text(r, "out"), 0, &err);
	assert_non_null(row);
	assert_string_equal(json_string_value(json_object_get(row, "state")),
			    "pending");
	return row;
}

static void be_discord(const struct rig *r)
{
	rig_edit(r, "perfherald.yaml", "type: slack", "type: discord");
	rig_edit(r, "chat.url", "/services/T0/B0/test", "/api/webhooks/1/s");
}

/* What it takes to hand a notice in and to send it, in seconds. */
#define MOMENT 2

static const struct wait_case {
	const char *name, *answer;
	bool discord;
	int least, most; /* seconds; a date comes nearer meanwhile */
} waits[] = {
	{ "429 with Retry-After in seconds",
	  "{\"status\": 429, \"headers\": {\"Retry-After\": \"120\"}}", false,
	  120, 120 },
	{ "429 with Retry-After as a date",
	  "{\"status\": 429, \"headers\": {\"Retry-After\": \"@300\"}}", false,
	  300 - MOMENT, 301 },
	{ "429 with Retry-After as a fraction",
	  "{\"status\": 429, \"headers\": {\"Retry-After\": \"90.5\"}}", false,
	  90, 91 },
	{ "429 with a fraction in its body",
	  "{\"status\": 429, \"body\": {\"retry_after\": 64.57}}", true, 65,
	  65 },
	{ "429 with a wait of a year",
	  "{\"status\": 429, \"headers\": {\"Retry-After\": \"31536000\"}}",
	  false, 86400, 86400 },
	{ "429 with a date in the past",
	  "{\"status\": 429, \"headers\": {\"Retry-After\": \"@-300\"}}", false,
	  1, 15 },
	{ "429 with nonsense",
	  "{\"status\": 429, \"headers\": {\"Retry-After\": \"soon\"}}", false,
	  1, 15 },
};
static size_t next_wait;

/* "@300" becomes the date in 300 seconds. */
static void script(struct rig *r, const char *answer)
{
	const char *at = strchr(answer, '@');
	char text[256], date[64];
	time_t then;

	if (!at) {
		http_sink_script(&r->chat, answer);
		return;
	}
	then = time(NULL) + atoi(at + 1);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT",
		 gmtime(&then));
	snprintf(text, sizeof(text), "%.*s%s\"}}", (int)(at - answer), answer,
		 date);
	http_sink_script(&r->chat, text);
}

static void check_wait(void **state)
{
	const struct wait_case *c = &waits[next_wait++];
	const int longer = MOMENT * (guard_patience() - 1);
	struct rig *r = *state;
	int64_t wait;
	json_t *row;

	if (guard_valgrind() && c->most < 60)
		skip(); /* it is tried again before anyone can look */
	if (c->discord)
		be_discord(r);
	script(r, c->answer);
	assert_int_equal(rig_run(r, "process", IMPROVEMENT, NULL), EX_OK);
	rig_has(r, "out", "courier: notice 1 to chat: chat: 127.0.0.1:");
	rig_has(r, "out", " answered 429");
	row = waiting(r);
	wait = seconds(row, "next_try") - seconds(row, "created");
	json_decref(row);
	assert_in_range(wait, c->least - (strchr(c->answer, '@') ? longer : 0),
			c->most + MOMENT + longer);
	/* and is told in the end */
	assert_int_equal(rig_run(r, "outbox", "retry", "1", NULL), EX_OK);
	rig_assert_told(r, 0, 2);
}

/* -- the reply was lost -- */

static void assert_maybe_dup(const struct rig *r)
{
	json_t *row = waiting(r);

	assert_true(json_is_true(json_object_get(row, "maybe_dup")));
	json_decref(row);
}

/* A header field of the n-th post of this test. */
static const char *post_field(const struct rig *r, int n, const char *name)
{
	struct slice head = http_sink_head(&r->chat, r->posts0 + n);
	char text[4096];

	snprintf(text, sizeof(text), "%.*s", S_FMT(head));
	return rig_field(text, name);
}

static void a_reply_lost_after_a_post(void **state)
{
	struct rig *r = *state;

	rig_edit(r, "perfherald.yaml", "type: slack", "type: webhook");
	http_sink_script(&r->chat, "{\"drop\": \"after\"}");
	assert_int_equal(rig_run(r, "process", IMPROVEMENT, NULL), EX_OK);
	rig_has(r, "out", "courier: notice 1 to chat: chat: 127.0.0.1:");
	rig_has(r, "out", "; the post was out, its receipt is unknown\n");
	assert_maybe_dup(r);
	assert_int_equal(rig_run(r, "outbox", "retry", "1", NULL), EX_OK);
	rig_assert_told(r, 0, 2);
	assert_string_equal(post_field(r, 1, "webhook-id"),
			    post_field(r, 2, "webhook-id"));
	assert_int_equal(strlen(post_field(r, 1, "webhook-id")), 64);
	assert_string_equal(rig_post(r, 1), rig_post(r, 2));
	assert_int_equal(rig_run(r, "why", IMPROVEMENT_ID, NULL), EX_OK);
	rig_has(r, "out", " (may have come twice)\n");
}

static void a_reply_lost_after_data(void **state)
{
	const struct rig *r = *state;

	rig_edit(r, "perfherald.yaml", "team@example.org", "drop@example.org");
	assert_int_equal(rig_run(r, "process", REGRESSION, NULL), EX_OK);
	rig_has(r, "out", "courier: notice 1 to team: smtp 127.0.0.1:");
	rig_has(r, "out",
		" (after DATA); the mail was out, its receipt is "
		"unknown\n");
	assert_maybe_dup(r);
	assert_int_equal(rig_run(r, "outbox", "retry", "1", NULL), EX_OK);
	rig_assert_told(r, 2, 1);
	assert_string_equal(rig_mail(r, 1), rig_mail(r, 2));
}

/* -- */

static int start(void **state)
{
	return fakeimap_start(&fake, scratch_dir()) ? rig_start(state) : -1;
}

static int stop(void **state)
{
	fakeimap_stop(&fake);
	return rig_stop(state);
}

int main(void)
{
	struct CMUnitTest tests[32] = {
		RIG_TEST(a_changed_uidvalidity),
		RIG_TEST(an_own_notice),
		RIG_TEST(an_automatic_copy_of_a_report),
		RIG_TEST(an_auto_reply_that_says_stop),
		RIG_TEST(three_bounces_stop_a_recipient),
		RIG_TEST(a_reply_lost_after_a_post),
		RIG_TEST(a_reply_lost_after_data),
	};
	size_t n = TABLE_LISTED(tests);

	for (size_t i = 0; i < ARRAY_LEN(hostiles); i++)
		tests[n++] = rig_test(hostiles[i].name, check_hostile);
	for (size_t i = 0; i < ARRAY_LEN(waits); i++)
		tests[n++] = rig_test(waits[i].name, check_wait);
	return _cmocka_run_group_tests("twenty_peers", tests, n, start, stop);
}
