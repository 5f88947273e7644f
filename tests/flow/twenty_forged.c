/*
 * The bad inputs, 1: mails that are not the robot's, or no longer what it
 * signed. Each is read, kept, shown as unproven, and told to nobody.
 *
 * Signed by tests/signers/make.py, which shares no code with libopendkim.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "tests/rig.h"
#include "tests/scratch.h"
#include "tests/table.h"

#define ID	"202406051200.1a2b3c4d-lkp@example.com"
#define BY_DKIM "{proof: [dkim], dkim: [example.com], from: [lkp@example.com]"

/* What the signers left in the scratch folder; until the next call. */
static const char *signed_mail(const char *name)
{
	static char text[8192];
	FILE *f = fopen(scratch_path(name), "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void trust(const struct rig *r, const char *fmt, const char *more)
{
	char text[512];

	snprintf(text, sizeof(text), fmt, more);
	rig_edit(r, "perfherald.yaml", "{proof: [none]}", text);
}

static void trust_keys(const struct rig *r)
{
	trust(r, BY_DKIM ", dkim_keys: %s/keys}", scratch_dir());
}

static void the_robots_own_mail_is_told(void **state)
{
	struct rig *r = *state;

	trust_keys(r);
	rig_write(r, "mail", "%s", signed_mail("rsa"));
	assert_int_equal(rig_run(r, "process", rig_path(r->dir, "mail"), NULL),
			 EX_OK);
	rig_has(r, "out",
		": performance report, believed (dkim: signature of "
		"example.com (selector Intel) verifies)\n");
	rig_assert_told(r, 1, 1);
}

/* old, text: an edit of the mail, once. */
static const struct forged_case {
	const char *name, *mail, *old, *text, *why;
} cases[] = {
	{ "forged From without signature", "unsigned", NULL, NULL,
	  "dkim: no signature of a domain in trust.dkim" },
	{ "signed by another domain", "other-domain", NULL, NULL,
	  "dkim: no signature of a domain in trust.dkim" },
	{ "altered body", "rsa", "noticed a -12.3%", "noticed a -92.3%",
	  "dkim: body was changed (its hash differs)" },
	{ "altered Subject", "rsa", "Subject: [made:up]", "Subject: [made:on]",
	  "dkim: signature does not fit the header" },
	{ "altered author", "rsa", "ann@example.org", "eve@example.org",
	  "dkim: signature does not fit the header" },
	{ "two From fields", "rsa", "From: kernel",
	  "From: kernel test robot <lkp@example.com>\r\nFrom: kernel",
	  "dkim: 2 From fields" },
	{ "two authors in one From", "rsa",
	  "From: kernel test robot <lkp@example.com>",
	  "From: kernel test robot <lkp@example.com>, eve@example.org",
	  "dkim: 2 addresses in From" },
	{ "two Subject fields", "rsa", "Subject: [made:up]",
	  "Subject: [made:up] [mm]  0123456789: vm-scalability.throughput "
	  "-99.9% regression\r\nSubject: [made:up]",
	  "dkim: 2 Subject fields" },
	{ "two Content-Type fields", "rsa", "Content-Type:",
	  "Content-Type: text/plain; charset=utf-8\r\nContent-Type:",
	  "dkim: 2 Content-Type fields" },
	{ "a robot that is not listed", "rsa", "lkp@example.com>\r\nTo",
	  "lkp@example.net>\r\nTo",
	  "dkim: From lkp@example.net is not in trust.from" },
	{ "part of the body signed", "length", NULL, NULL,
	  "dkim: signs only a part of the body (l=)" },
	{ "rsa-sha1", "sha1", NULL, NULL,
	  "dkim: neither rsa-sha256 nor ed25519-sha256" },
	{ "expired when it arrived", "expired", NULL, NULL,
	  "dkim: signature had expired when the mail arrived" },
};

static void put_mail(const struct rig *r, const char *mail, const char *old,
		     const char *text)
{
	rig_write(r, "mail", "%s", signed_mail(mail));
	if (old)
		rig_edit(r, "mail", old, text);
}

/* Handed in and looked at: unproven for this reason, told to nobody. */
static void assert_unproven(const struct rig *r, const char *why)
{
	char text[512];

	assert_int_equal(rig_run(r, "process", rig_path(r->dir, "mail"), NULL),
			 EX_OK);
	snprintf(text, sizeof(text), "%s: performance report, unproven (%s)\n",
		 rig_path(r->dir, "mail"), why);
	rig_has(r, "out", text);
	rig_assert_told(r, 0, 0);
	assert_int_equal(rig_run(r, "why", ID, NULL), EX_OK);
	snprintf(text, sizeof(text),
		 "  is       unproven: nothing proves that the robot sent it: "
		 "%s\n",
		 why);
	rig_has(r, "out", text);
	assert_int_equal(rig_run(r, "outbox", "list", "--all", NULL), EX_OK);
	rig_has(r, "out", "the outbox is empty\n");
}

static size_t next_case;

static void check_forged(void **state)
{
	const struct forged_case *c = &cases[next_case++];
	const struct rig *r = *state;

	trust_keys(r);
	put_mail(r, c->mail, c->old, c->text);
	assert_unproven(r, c->why);
}

/* -- Authentication-Results -- */

#define OURS  "Authentication-Results: mx.example.org; "
#define OTHER "Authentication-Results: mx.evil.example; "
#define PASS  "dkim=pass header.d=example.com\r\n"

static const struct authres_case {
	const char *name, *fields, *why;
} authres[] = {
	{ "forged Authentication-Results of another server", OTHER PASS,
	  "authres: no Authentication-Results of mx.example.org" },
	{ "forged Authentication-Results below the server's own",
	  OURS "dkim=none\r\n" OURS PASS,
	  "authres: mx.example.org found no valid signature of a domain in "
	  "trust.dkim" },
	{ "Authentication-Results for another domain",
	  OURS "dkim=pass header.d=evil.example\r\n",
	  "authres: mx.example.org found no valid signature of a domain in "
	  "trust.dkim" },
	{ "Authentication-Results with an open comment",
	  OURS "dkim=pass (header.d=example.com\r\n",
	  "authres: Authentication-Results of mx.example.org cannot be read" },
};

static size_t next_authres;

static void put_authres(const struct rig *r, const char *fields)
{
	char text[512];

	trust(r,
	      "{proof: [authres], authserv_id: %s, dkim: [example.com], "
	      "from: [lkp@example.com]}",
	      "mx.example.org");
	snprintf(text, sizeof(text), "%sReceived:", fields);
	put_mail(r, "unsigned", "Received:", text);
}

static void check_authres(void **state)
{
	const struct authres_case *c = &authres[next_authres++];
	const struct rig *r = *state;

	put_authres(r, c->fields);
	assert_unproven(r, c->why);
}

static void the_servers_own_word_is_believed(void **state)
{
	const struct rig *r = *state;

	put_authres(r, OURS PASS);
	assert_int_equal(rig_run(r, "process", rig_path(r->dir, "mail"), NULL),
			 EX_OK);
	rig_has(r, "out",
		"believed (authres: mx.example.org found a valid "
		"signature of example.com)\n");
	rig_assert_told(r, 1, 1);
}

/* -- no name server -- */

static void dns_down_waits_and_is_proven_later(void **state)
{
	const struct rig *r = *state;

	rig_configure(r, "tell_since: 2020-01-01");
	trust(r, BY_DKIM "%s}", "");
	rig_write(r, "mail", "%s", signed_mail("rsa"));
	rig_deliver_raw(r, slice_of(rig_text(r, "mail")));
	rig_mischief("PH_DNS", "down");
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_behave();
	rig_assert_told(r, 0, 0);
	assert_int_equal(rig_run(r, "why", ID, NULL), EX_OK);
	rig_has(r, "out",
		"  is       waiting: dkim: no answer from DNS for "
		"Intel._domainkey.example.com\n");

	/* the operator pins the key */
	rig_configure(r, "tell_since: 2020-01-01");
	trust_keys(r);
	assert_int_equal(rig_run(r, "watch", "--once", NULL), EX_OK);
	rig_assert_told(r, 1, 1);
}

static void dns_down_is_told_to_whoever_hands_a_mail_in(void **state)
{
	const struct rig *r = *state;

	trust(r, BY_DKIM "%s}", "");
	rig_write(r, "mail", "%s", signed_mail("rsa"));
	rig_mischief("PH_DNS", "down");
	assert_int_equal(rig_run(r, "process", rig_path(r->dir, "mail"), NULL),
			 EX_TEMPFAIL);
	rig_has(r, "out",
		"/mail: dkim: no answer from DNS for "
		"Intel._domainkey.example.com\n");
	rig_assert_told(r, 0, 0);
	assert_int_equal(rig_run(r, "why", ID, NULL), EX_DATAERR);
}

/* -- */

static int start(void **state)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "/usr/bin/python3 tests/signers/make.py %s", scratch_dir());
	return system(command) ? -1 : rig_start(state);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(cases) + ARRAY_LEN(authres) + 4] = {
		RIG_TEST(the_robots_own_mail_is_told),
		RIG_TEST(the_servers_own_word_is_believed),
		RIG_TEST(dns_down_waits_and_is_proven_later),
		RIG_TEST(dns_down_is_told_to_whoever_hands_a_mail_in),
	};
	size_t n = TABLE_LISTED(tests);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		tests[n++] = rig_test(cases[i].name, check_forged);
	for (size_t i = 0; i < ARRAY_LEN(authres); i++)
		tests[n++] = rig_test(authres[i].name, check_authres);
	return cmocka_run_group_tests_name("twenty_forged", tests, start,
					   rig_stop);
}
