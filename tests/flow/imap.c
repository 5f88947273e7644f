/* The IMAP connection against a real Dovecot: logging in, waiting, coming back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <sysexits.h>
#include <unistd.h>
#include "mail/imap_session.h"
#include "ph/imap.h"
#include "tests/dovecot.h"
#include "tests/inbox.h"
#include "tests/table.h"

static void logs_in_each_way(void **state)
{
	static const enum config_auth auths[] = { AUTH_LOGIN, AUTH_PLAIN,
						  AUTH_ANONYMOUS };
	static const enum inbox_way ways[] = { INBOX_TLS, INBOX_STARTTLS,
					       INBOX_PLAIN };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(auths); i++)
		for (size_t k = 0; k < ARRAY_LEN(ways); k++) {
			struct inbox m =
				inbox_on(&inbox_server, ways[k], "each");

			m.box.auth = auths[i];
			inbox_open(&m);
			assert_true(imap_has_idle(m.imap));
			inbox_close(&m);
		}
}

static void a_wrong_password_is_refused_without_showing_it(void **state)
{
	struct inbox m = inbox_on(&inbox_server, INBOX_TLS, "test");
	struct err err;

	(void)state;
	m.box.password_file = NULL;
	m.box.password_command = "echo hunter2";
	assert_int_equal(imap_open(&m.box, &m.imap, &err), PH_BAD);
	assert_int_equal(err.exit_code, EX_UNAVAILABLE);
	assert_non_null(strstr(err.text, "login of test refused"));
	assert_non_null(strstr(err.text, "look at what password_command of "
					 "mailboxes."));
	assert_null(strstr(err.text, "hunter2"));
}

static void wakes_from_idle(void **state)
{
	static const enum inbox_way ways[] = { INBOX_TLS, INBOX_PLAIN };
	int never[2];
	struct err err;
	uint32_t last;

	(void)state;
	assert_int_equal(pipe(never), 0);
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct inbox m = inbox_on(&inbox_server, ways[i], "idle");
		uint32_t before;

		inbox_open(&m);
		inbox_select(&m, "INBOX");
		before = m.folder.uidnext - 1;
		/* before the command: EXISTS comes with or ahead of "+" */
		inbox_deliver("idle", "Subject: early\n\nx\n");
		assert_int_equal(imap_wait(m.imap, 0, never[0], &err), PH_OK);
		assert_int_equal(inbox_fetch(&m, before, 0, &last), PH_OK);
		assert_int_equal(m.n, 1);
		/* and while it waits */
		inbox_deliver_later(&inbox_server, "idle",
				    "Subject: late\n\nx\n");
		assert_int_equal(imap_wait(m.imap, 0, never[0], &err), PH_OK);
		assert_int_equal(inbox_fetch(&m, last, 0, &last), PH_OK);
		assert_int_equal(m.n, 1);
		assert_non_null(strstr(m.got[0].text, "late"));
		inbox_close(&m);
	}
	close(never[0]);
	close(never[1]);
}

static void wakes_by_descriptor_and_by_time(void **state)
{
	struct inbox m = inbox_on(&inbox_server, INBOX_TLS, "wake");
	int fds[2];
	struct err err;

	(void)state;
	m.times.idle_ms = 50;
	inbox_open(&m);
	inbox_select(&m, "INBOX");
	assert_int_equal(imap_wait(m.imap, 0, -1, &err), PH_OK);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(imap_wait(m.imap, 0, fds[0], &err), PH_NONE);
	/* the connection is still good */
	inbox_select(&m, "INBOX");
	close(fds[0]);
	close(fds[1]);
	inbox_close(&m);
}

static void comes_back_after_a_restart(void **state)
{
	struct inbox m;
	uint32_t last, validity;
	struct err err;

	(void)state;
	inbox_deliver("restart", "Subject: 1\n\nx\n");
	inbox_enter(&m, "restart");
	validity = m.folder.uidvalidity;
	assert_int_equal(inbox_fetch(&m, 0, 0, &last), PH_OK);
	assert_true(dovecot_down(&inbox_server));
	assert_int_equal(imap_wait(m.imap, 0, -1, &err), PH_RETRY);
	assert_int_equal(err.exit_code, EX_UNAVAILABLE);
	inbox_close(&m);
	assert_int_equal(imap_open(&m.box, &m.imap, &err), PH_RETRY);
	assert_int_equal(err.exit_code, EX_UNAVAILABLE);
	assert_non_null(strstr(err.text, "cannot connect"));

	assert_true(dovecot_up(&inbox_server));
	inbox_deliver("restart", "Subject: 2\n\nx\n");
	inbox_open(&m);
	inbox_select(&m, "INBOX");
	assert_int_equal(m.folder.uidvalidity, validity);
	assert_int_equal(inbox_fetch(&m, last, 0, &last), PH_OK);
	assert_int_equal(m.n, 1);
	assert_non_null(strstr(m.got[0].text, "Subject: 2"));
	inbox_close(&m);
}

static struct refusal {
	const char *name;
	unsigned flags;
	const char *reason, *advice;
} refusals[] = {
	{ "wrong host name", DOVECOT_WRONG_NAME,
	  "wrong name: the certificate is for other.test, not for localhost",
	  "in url" },
	{ "untrusted issuer", DOVECOT_UNTRUSTED,
	  "untrusted issuer: the certificate is from \"some other authority\"",
	  "ca_file" },
	{ "expired certificate", DOVECOT_EXPIRED,
	  "the certificate expired on 2020-02-01", "needs a new one" },
	{ "self-signed certificate", DOVECOT_SELF_SIGNED,
	  "the certificate is self-signed", "ca_file" },
};

static void refuses_certificate(void **state)
{
	static const enum inbox_way ways[] = { INBOX_TLS, INBOX_STARTTLS };
	const struct refusal *c = *state;
	struct dovecot bad;
	struct err err;
	char where[32];

	assert_true(dovecot_start(&bad, c->flags));
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct inbox m = inbox_on(&bad, ways[i], "test");

		snprintf(where, sizeof(where), "localhost:%u",
			 (unsigned)m.box.url.port);
		m.box.url.host = "localhost";
		assert_int_equal(imap_open(&m.box, &m.imap, &err), PH_FATAL);
		assert_int_equal(err.exit_code, EX_UNAVAILABLE);
		assert_non_null(strstr(err.text, where));
		assert_non_null(strstr(err.text, c->reason));
		assert_non_null(strstr(err.text, c->advice));
	}
	dovecot_stop(&bad);
}

static void an_unreadable_authority_is_a_mistake(void **state)
{
	struct inbox m = inbox_on(&inbox_server, INBOX_TLS, "test");
	struct err err;

	(void)state;
	m.box.ca_file = "/nonexistent/ca.crt";
	assert_int_equal(imap_open(&m.box, &m.imap, &err), PH_FATAL);
	assert_int_equal(err.exit_code, EX_CONFIG);
	assert_non_null(strstr(err.text, "/nonexistent/ca.crt"));
	m.box.ca_file = NULL; /* the system's do not know our authority */
	assert_int_equal(imap_open(&m.box, &m.imap, &err), PH_FATAL);
	assert_non_null(strstr(err.text, "untrusted issuer"));
}

int main(void)
{
	static const struct CMUnitTest plain[] = {
		cmocka_unit_test(logs_in_each_way),
		cmocka_unit_test(
			a_wrong_password_is_refused_without_showing_it),
		cmocka_unit_test(wakes_from_idle),
		cmocka_unit_test(wakes_by_descriptor_and_by_time),
		cmocka_unit_test(comes_back_after_a_restart),
		cmocka_unit_test(an_unreadable_authority_is_a_mistake),
	};
	struct CMUnitTest tests[ARRAY_LEN(plain) + ARRAY_LEN(refusals)];
	size_t n = 0;

	if (!dovecot_here()) {
		puts("[  SKIPPED ] imap: no dovecot on this machine");
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tests[n++] = plain[i];
	TABLE_ADD(tests, n, refusals, name, refuses_certificate);
	return cmocka_run_group_tests_name("imap", tests, inbox_start_server,
					   inbox_stop_server);
}
