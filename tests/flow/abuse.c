/*
 * Who is mailed, and who never: what was said between the decision and the
 * sending counts, and what a person types is no more trusted than a mail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "tests/rig.h"

#define REGRESSION "tests/demo/1-regression.eml"
#define PATCH	   "5d41c0ffee18"
#define TRUST \
	"{proof: [authres], authserv_id: mx.example.org, dkim: [intel.com]}"

/* A mail of that domain by the word of our own server, as DIR/mail. */
static void write_mail(const struct rig *r, const char *domain,
		       const char *mail)
{
	rig_write(r, "mail",
		  "Authentication-Results: mx.example.org; dkim=pass "
		  "header.d=%s\n%s",
		  domain, mail);
}

static int process(const struct rig *r)
{
	return rig_run(r, "process", rig_path(r->dir, "mail"), NULL);
}

/* The report is decided, its mail to the author waits for a second try. */
static void put_in_queue(const struct rig *r, const char *author)
{
	rig_edit(r, "perfherald.yaml", "{proof: [none]}", TRUST);
	rig_edit(r, "perfherald.yaml", "team@example.org", "\"@author\"");
	write_mail(r, "intel.com", rig_file(REGRESSION));
	rig_edit(r, "mail", "mira@author.example", author);
	assert_int_equal(process(r), EX_OK);
	rig_has(r, "out", "courier: notice 1 to team: smtp 127.0.0.1:");
	rig_has(r, "out", " 451 4.3.0 try later (after RCPT)\n");
	rig_assert_told(r, 0, 1);
}

/* A second try comes to this end, without a mail. */
static void assert_cancelled(const struct rig *r, const char *why)
{
	char text[256];

	assert_int_equal(rig_run(r, "outbox", "retry", "1", NULL), EX_OK);
	snprintf(text, sizeof(text),
		 "courier: notice 1 to team is cancelled: %s\n", why);
	rig_has(r, "out", text);
	rig_assert_told(r, 0, 1);
}

/* -- between decision and sending -- */

/* The Message-ID of the first notice in the outbox. */
static void notice_id(const struct rig *r, char ret[128])
{
	const char *at;

	assert_int_equal(rig_run(r, "outbox", "list", "--format", "json", NULL),
			 EX_OK);
	at = strstr(rig_text(r, "out"), "\"message_id\":\"");
	assert_non_null(at);
	at += strlen("\"message_id\":\"");
	snprintf(ret, 128, "%.*s", (int)strcspn(at, "\""), at);
}

static int reply(const struct rig *r, const char *from, const char *domain)
{
	char id[128], mail[512];

	notice_id(r, id);
	snprintf(mail, sizeof(mail),
		 "From: %s\nTo: perf-bot@example.org\n"
		 "Message-ID: <reply@example.org>\nIn-Reply-To: <%s>\n"
		 "Subject: Re: perf\n\n#perfherald stop\n",
		 from, id);
	write_mail(r, domain, mail);
	return process(r);
}

static void a_stop_holds_for_what_is_queued(void **state)
{
	const struct rig *r = *state;

	put_in_queue(r, "later@example.org");
	assert_int_equal(reply(r, "later@example.org", "example.org"), EX_OK);
	assert_cancelled(r, "it said stop");
}

static void a_stop_wants_proof(void **state)
{
	const struct rig *r = *state;

	put_in_queue(r, "later@example.org");
	assert_int_equal(reply(r, "later@example.org", "evil.example"), EX_OK);
	assert_int_equal(rig_run(r, "why", "reply@example.org", NULL), EX_OK);
	rig_has(r, "out", "  command  ignored: nothing proves its sender: ");
	assert_int_equal(rig_run(r, "outbox", "retry", "1", NULL), EX_OK);
	rig_has(r, "out", "try later");
}

static void a_stop_of_another_is_none(void **state)
{
	const struct rig *r = *state;

	put_in_queue(r, "later@example.org");
	assert_int_equal(reply(r, "eve@evil.example", "evil.example"), EX_OK);
	assert_int_equal(rig_run(r, "why", "reply@example.org", NULL), EX_OK);
	rig_has(r, "out",
		"  command  ignored: the notice was not to its "
		"sender\n");
	assert_int_equal(rig_run(r, "outbox", "retry", "1", NULL), EX_OK);
	rig_has(r, "out", "try later");
}

static void an_allow_list_holds_for_what_is_queued(void **state)
{
	const struct rig *r = *state;

	put_in_queue(r, "later@example.org");
	rig_edit(r, "perfherald.yaml", "to: \"@author\"",
		 "to: \"@author\", allow: [\"*@example.net\"]");
	assert_cancelled(r, "the channel's allow list does not have it");
}

static void consent_holds_for_what_is_queued(void **state)
{
	const struct rig *r = *state;

	rig_edit(r, "perfherald.yaml", "to: team@example.org",
		 "to: team@example.org, list_consent: true");
	put_in_queue(r, "later@lists.linux.dev");
	rig_edit(r, "perfherald.yaml", ", list_consent: true", "");
	assert_cancelled(r, "it is a mailing list, and list_consent is not "
			    "true");
}

static void a_channel_that_is_gone(void **state)
{
	const struct rig *r = *state;

	put_in_queue(r, "later@example.org");
	rig_edit(r, "perfherald.yaml",
		 "  team: {type: mail, to: \"@author\"}\n", "");
	rig_edit(r, "perfherald.yaml", "to: [team, chat]", "to: [chat]");
	assert_cancelled(r, "its channel is no longer configured");
}

/* -- send: false -- */

static void dry_run(const struct rig *r, int code, const char *says, ...)
{
	const char *argv[8] = { NULL };
	va_list ap;

	va_start(ap, says);
	for (size_t i = 0; i < 7 && (argv[i] = va_arg(ap, const char *)); i++)
		;
	va_end(ap);
	assert_int_equal(rig_run(r, argv[0], argv[1], argv[2], argv[3], argv[4],
				 argv[5], argv[6], NULL),
			 code);
	rig_has(r, "out", says);
	rig_assert_told(r, 0, 0);
}

static void send_false_holds_everything(void **state)
{
	const struct rig *r = *state;

	rig_configure(r, "tell_since: 2020-01-01");
	rig_edit(r, "perfherald.yaml", "send: true", "send: false");
	rig_deliver(r, "3-improvement.eml");
	dry_run(r, EX_OK, "", "watch", "--once", NULL);
	dry_run(r, EX_OK, "", "process", REGRESSION, NULL);
	dry_run(r, EX_OK, "", "process", "--resend", REGRESSION, NULL);
	dry_run(r, EX_OK, "notice", "forward", PATCH, "--channel", "chat",
		NULL);
	dry_run(r, EX_OK, "notice", "forward", PATCH, "--to",
		"maintainer@example.org", NULL);
	dry_run(r, EX_OK, "held", "digest", "chat", "--send", NULL);
	dry_run(r, EX_OK, "", "outbox", "retry", "1", NULL);
	dry_run(r, EX_CONFIG,
		"says send: false, so nothing can be released; "
		"set send: true first",
		"outbox", "release", NULL);
	dry_run(r, EX_OK, "", "watch", "--once", NULL);
	assert_int_equal(rig_run(r, "outbox", "list", "--format", "json", NULL),
			 EX_OK);
	rig_has_not(r, "out", "\"state\":\"pending\"");
	rig_has(r, "out", "\"kind\":\"forward\"");
	rig_has(r, "out", "\"kind\":\"digest\"");
}

/* -- what a person types -- */

static void a_forward_goes_to_one_address(void **state)
{
	static const struct {
		const char *to, *why;
	} bad[] = {
		{ "a@example.org\r\nRCPT TO:<eve@evil.example>", NULL },
		{ "a@example.org,eve@evil.example", NULL },
		{ "a@example.org eve@evil.example", NULL },
		{ "<a@example.org>", NULL },
		{ "linux-mm@kvack.org",
		  "linux-mm@kvack.org cannot be mailed: it is a mailing list, "
		  "and list_consent is not true\n" },
	};
	const struct rig *r = *state;

	assert_int_equal(rig_run(r, "process", REGRESSION, NULL), EX_OK);
	rig_assert_told(r, 1, 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(rig_run(r, "forward", PATCH, "--to", bad[i].to,
					 NULL),
				 EX_CONFIG);
		rig_has(r, "out",
			bad[i].why ? bad[i].why
				   : " cannot be mailed: it is not a "
				     "mail address we would use\n");
	}
	rig_assert_told(r, 1, 1);
}

static void a_note_is_text(void **state)
{
	const struct rig *r = *state;
	const char *mail;

	assert_int_equal(rig_run(r, "process", REGRESSION, NULL), EX_OK);
	assert_int_equal(rig_run(r, "forward", PATCH, "--to", "b@example.org",
				 "--note",
				 "look\r\n.\r\nMAIL FROM:<eve@evil.example>\r\n"
				 "Bcc: eve@evil.example\n.\n\x1b[31m",
				 NULL),
			 EX_OK);
	rig_assert_told(r, 2, 1);
	mail = rig_mail(r, 2);
	assert_string_equal(rig_field(mail, "To"), "b@example.org");
	assert_non_null(strstr(mail, "\r\nnote   look  .  MAIL "
				     "FROM:<eve@evil.example>  Bcc: "
				     "eve@evil.example .  [31m\r\n"));
	assert_string_equal(rig_field(mail, "Bcc"), "");
	assert_null(strchr(mail, '\x1b'));
}

static void a_template_makes_no_fields(void **state)
{
	const struct rig *r = *state;
	const char *mail;

	rig_edit(r, "perfherald.yaml", "to: team@example.org",
		 "to: team@example.org, body: \"{{title}}\\n.\\n"
		 "Bcc: eve@evil.example\\n\"");
	assert_int_equal(rig_run(r, "process", REGRESSION, NULL), EX_OK);
	rig_assert_told(r, 1, 1);
	mail = rig_mail(r, 1);
	assert_string_equal(rig_field(mail, "Bcc"), "");
	assert_non_null(strstr(mail, "\r\n\r\nmm: walk the per-node folio list "
				     "under one lock\r\n"));
	rig_edit(r, "perfherald.yaml", "body:",
		 "subject: \"{{title}}\\r\\nBcc: eve@evil.example\", body:");
	assert_int_equal(rig_run(r, "check", NULL), EX_CONFIG);
	rig_has(r, "out", "subject holds a control character\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_stop_holds_for_what_is_queued),
		RIG_TEST(a_stop_wants_proof),
		RIG_TEST(a_stop_of_another_is_none),
		RIG_TEST(an_allow_list_holds_for_what_is_queued),
		RIG_TEST(consent_holds_for_what_is_queued),
		RIG_TEST(a_channel_that_is_gone),
		RIG_TEST(send_false_holds_everything),
		RIG_TEST(a_forward_goes_to_one_address),
		RIG_TEST(a_note_is_text),
		RIG_TEST(a_template_makes_no_fields),
	};

	return cmocka_run_group_tests_name("abuse", tests, rig_start, rig_stop);
}
