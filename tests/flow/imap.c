/* The IMAP connection against a real Dovecot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>
#include "mail/imap_session.h"
#include "ph/arena.h"
#include "ph/imap.h"
#include "ph/limits.h"
#include "tests/dovecot.h"
#include "tests/inbox.h"

static struct dovecot server;

static int start_server(void **state)
{
	(void)state;
	return dovecot_start(&server, DOVECOT_MAILDIR) ? 0 : -1;
}

static int stop_server(void **state)
{
	(void)state;
	dovecot_stop(&server);
	return 0;
}

/* A connection to the INBOX of user, over TLS, selected. */
static void at_inbox(struct inbox *m, const char *user)
{
	*m = inbox_on(&server, INBOX_TLS, user);
	inbox_open(m);
	inbox_select(m, "INBOX");
}

static void deliver(const char *user, const char *raw)
{
	assert_true(dovecot_deliver(&server, user, slice_of(raw)));
}

static void deliver_numbered(const char *user, unsigned n)
{
	struct slice *raw = calloc(n, sizeof(*raw));

	for (unsigned i = 0; i < n; i++) {
		char *text;

		assert_true(asprintf(&text, "Subject: %u\n\nbody %u\n", i + 1,
				     i + 1) > 0);
		raw[i] = slice_of(text);
	}
	assert_true(dovecot_deliver_all(&server, user, raw, n));
	for (unsigned i = 0; i < n; i++)
		free((char *)raw[i].ptr);
	free(raw);
}

static void logs_in_each_way(void **state)
{
	static const enum config_auth auths[] = { AUTH_LOGIN, AUTH_PLAIN,
						  AUTH_ANONYMOUS };
	static const enum inbox_way ways[] = { INBOX_TLS, INBOX_STARTTLS,
					       INBOX_PLAIN };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(auths); i++)
		for (size_t k = 0; k < ARRAY_LEN(ways); k++) {
			struct inbox m = inbox_on(&server, ways[k], "each");

			m.box.auth = auths[i];
			inbox_open(&m);
			assert_true(imap_has_idle(m.imap));
			inbox_close(&m);
		}
}

static void a_wrong_password_is_refused_without_showing_it(void **state)
{
	struct inbox m = inbox_on(&server, INBOX_TLS, "test");
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

static void catches_up_in_batches(void **state)
{
	struct inbox m;
	uint32_t last;

	(void)state;
	deliver_numbered("many", LIMIT_BATCH + 6);
	at_inbox(&m, "many");
	assert_int_equal(m.folder.exists, LIMIT_BATCH + 6);
	assert_int_equal(m.folder.uidnext, LIMIT_BATCH + 7);

	assert_int_equal(inbox_fetch(&m, 0, 0, &last), PH_OK);
	assert_int_equal(m.n, LIMIT_BATCH);
	assert_int_equal(last, LIMIT_BATCH);
	assert_non_null(strstr(m.got[0].text, "\r\n\r\nbody 1\r\n"));
	assert_int_equal(m.got[0].uid, 1);
	assert_true(m.got[0].arrived > 1700000000);
	assert_int_equal(m.got[0].size, strlen(m.got[0].text));

	assert_int_equal(inbox_fetch(&m, last, 0, &last), PH_OK);
	assert_int_equal(m.n, 6);
	assert_int_equal(last, LIMIT_BATCH + 6);
	assert_int_equal(inbox_fetch(&m, last, 0, &last), PH_NONE);
	/* again from the middle: the cursor of a restart */
	assert_int_equal(inbox_fetch(&m, 65, 0, &last), PH_OK);
	assert_int_equal(m.n, 5);
	inbox_close(&m);
}

static void leaves_out_what_arrived_before(void **state)
{
	struct inbox m;
	uint32_t last = 0;

	(void)state;
	deliver("old", "Subject: x\n\nx\n");
	at_inbox(&m, "old");
	assert_int_equal(inbox_fetch(&m, 0, INT64_C(4000000000), &last), PH_OK);
	assert_int_equal(m.n, 0);
	assert_int_equal(last, 1);
	inbox_close(&m);
}

/* Sizes of RFC822.SIZE: line ends count two. */
static char *mail_of(size_t size)
{
	static const char head[] = "Subject: big\r\n\r\n";
	char *raw = xmalloc(size + 1);

	memset(raw, 'x', size);
	memcpy(raw, head, sizeof(head) - 1);
	for (size_t i = sizeof(head) + 70; i + 2 < size; i += 72)
		memcpy(raw + i, "\r\n", 2);
	memcpy(raw + size - 2, "\r\n", 3);
	return raw;
}

static void a_mail_over_the_ceiling_is_told_of(void **state)
{
	char *raw = mail_of(LIMIT_MAIL);
	struct inbox m;
	uint32_t last, own;

	(void)state;
	deliver("edge", raw);
	free(raw);
	at_inbox(&m, "edge");
	assert_int_equal(inbox_fetch(&m, 0, 0, &last), PH_OK);
	assert_int_equal(m.n, 1);
	assert_true(m.got[0].too_big);
	assert_string_equal(m.got[0].text, "");
	/* the server adds fields of its own: now exactly to the edge */
	own = m.got[0].size - (uint32_t)LIMIT_MAIL;
	raw = mail_of(LIMIT_MAIL - own);
	deliver("edge", raw);
	free(raw);
	raw = mail_of(LIMIT_MAIL - own + 1);
	deliver("edge", raw);
	free(raw);
	deliver("edge", "Subject: after\n\nx\n");

	for (uint32_t uid = 2; uid <= 4; uid++) {
		assert_int_equal(inbox_fetch(&m, uid - 1, 0, &last), PH_OK);
		assert_int_equal(m.n, 1);
		assert_int_equal(last, uid);
		assert_int_equal(m.got[0].too_big, uid == 3);
		if (uid < 4)
			assert_int_equal(m.got[0].size,
					 LIMIT_MAIL + (uid == 3));
	}
	inbox_close(&m);
}

static void a_batch_ends_at_its_bytes(void **state)
{
	char *raw = mail_of(LIMIT_BATCH_BYTES / 3);
	struct inbox m;
	uint32_t last = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		deliver("bytes", raw);
	free(raw);
	at_inbox(&m, "bytes");
	/* the fields that the server adds make the third too much */
	assert_int_equal(inbox_fetch(&m, last, 0, &last), PH_OK);
	assert_int_equal(m.n, 2);
	assert_int_equal(last, 2);
	assert_int_equal(inbox_fetch(&m, last, 0, &last), PH_OK);
	assert_int_equal(m.n, 1);
	assert_int_equal(last, 3);
	inbox_close(&m);
}

static void finds_one_by_uid_and_by_id(void **state)
{
	struct inbox m;
	uint32_t uids[4];
	struct err err;
	size_t n;

	(void)state;
	deliver("find", "Message-ID: <one@x>\n\n1\n");
	deliver("find", "Message-ID: <two@x>\n\n2\n");
	at_inbox(&m, "find");
	assert_int_equal(imap_find_id(m.imap, S("two@x"), uids, 4, &n, &err),
			 PH_OK);
	assert_int_equal(n, 1);
	assert_int_equal(uids[0], 2);
	assert_int_equal(inbox_fetch_one(&m, 2), PH_OK);
	assert_int_equal(m.n, 1);
	assert_non_null(strstr(m.got[0].text, "<two@x>"));
	assert_int_equal(inbox_fetch_one(&m, 3), PH_NONE);
	assert_int_equal(imap_find_id(m.imap, S("no@x"), uids, 4, &n, &err),
			 PH_OK);
	assert_int_equal(n, 0);
	assert_int_equal(imap_find_id(m.imap, S("a\"b"), uids, 4, &n, &err),
			 PH_BAD);
	inbox_close(&m);
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
		struct inbox m = inbox_on(&server, ways[i], "idle");
		uint32_t before;

		inbox_open(&m);
		inbox_select(&m, "INBOX");
		before = m.folder.uidnext - 1;
		/* before the command: EXISTS comes with or ahead of "+" */
		deliver("idle", "Subject: early\n\nx\n");
		assert_int_equal(imap_wait(m.imap, 0, never[0], &err), PH_OK);
		assert_int_equal(inbox_fetch(&m, before, 0, &last), PH_OK);
		assert_int_equal(m.n, 1);
		/* and while it waits */
		inbox_deliver_later(&server, "idle", "Subject: late\n\nx\n");
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
	struct inbox m = inbox_on(&server, INBOX_TLS, "wake");
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
	deliver("restart", "Subject: 1\n\nx\n");
	at_inbox(&m, "restart");
	validity = m.folder.uidvalidity;
	assert_int_equal(inbox_fetch(&m, 0, 0, &last), PH_OK);
	assert_true(dovecot_down(&server));
	assert_int_equal(imap_wait(m.imap, 0, -1, &err), PH_RETRY);
	assert_int_equal(err.exit_code, EX_UNAVAILABLE);
	inbox_close(&m);
	assert_int_equal(imap_open(&m.box, &m.imap, &err), PH_RETRY);
	assert_int_equal(err.exit_code, EX_UNAVAILABLE);
	assert_non_null(strstr(err.text, "cannot connect"));

	assert_true(dovecot_up(&server));
	deliver("restart", "Subject: 2\n\nx\n");
	inbox_open(&m);
	inbox_select(&m, "INBOX");
	assert_int_equal(m.folder.uidvalidity, validity);
	assert_int_equal(inbox_fetch(&m, last, 0, &last), PH_OK);
	assert_int_equal(m.n, 1);
	assert_non_null(strstr(m.got[0].text, "Subject: 2"));
	inbox_close(&m);
}

static void a_folder_made_anew_has_other_uids(void **state)
{
	struct inbox m = inbox_on(&server, INBOX_TLS, "anew");
	uint32_t validity;

	(void)state;
	inbox_open(&m);
	inbox_command(&server, "anew", "CREATE Reports");
	inbox_select(&m, "Reports");
	validity = m.folder.uidvalidity;
	inbox_command(&server, "anew", "DELETE Reports");
	inbox_command(&server, "anew", "CREATE Reports");
	inbox_select(&m, "INBOX");
	inbox_select(&m, "Reports");
	assert_int_not_equal(m.folder.uidvalidity, validity);
	inbox_close(&m);
}

static void a_missing_folder_is_named(void **state)
{
	struct inbox m = inbox_on(&server, INBOX_TLS, "test");
	struct imap_folder f;
	struct err err;

	(void)state;
	inbox_open(&m);
	assert_int_equal(imap_select(m.imap, "Nowhere", &f, &err), PH_RETRY);
	assert_int_equal(err.exit_code, EX_UNAVAILABLE);
	assert_non_null(strstr(err.text, "open the folder \"Nowhere\""));
	inbox_close(&m);
}

static void what_is_expunged_while_fetching_is_gone(void **state)
{
	struct inbox m;
	uint32_t last;

	(void)state;
	deliver_numbered("gone", 70);
	at_inbox(&m, "gone");
	assert_int_equal(inbox_fetch(&m, 0, 0, &last), PH_OK);
	inbox_commands(&server, "gone",
		       (const char *[]){ "SELECT INBOX",
					 "UID STORE 66:68 +FLAGS (\\Deleted)",
					 "EXPUNGE", NULL });
	/* 65 to 70 are on the list of the first call */
	assert_int_equal(inbox_fetch(&m, last, 0, &last), PH_OK);
	assert_int_equal(m.n, 3);
	assert_int_equal(m.got[1].uid, 69);
	assert_int_equal(last, 70);
	inbox_close(&m);
}

/* UIDs far apart: more than a list's window lies between them. */
static void crosses_a_gap_in_the_uids(void **state)
{
	struct inbox m;
	uint32_t last;

	(void)state;
	deliver_numbered("gap", 2200);
	inbox_commands(&server, "gap",
		       (const char *[]){ "SELECT INBOX",
					 "UID STORE 2:2198 +FLAGS (\\Deleted)",
					 "EXPUNGE", NULL });
	at_inbox(&m, "gap");
	assert_int_equal(m.folder.exists, 3);
	assert_int_equal(inbox_fetch(&m, 1, 0, &last), PH_OK);
	assert_int_equal(m.n, 2);
	assert_int_equal(m.got[0].uid, 2199);
	assert_int_equal(inbox_fetch(&m, 2200, 0, &last), PH_NONE);
	assert_int_equal(inbox_fetch(&m, 2200, 0, &last), PH_NONE);
	inbox_close(&m);
}

static void folders_by_pattern(void **state)
{
	static const char *const want[] = { "reports.2023", "reports.2024",
					    "list.2", "other.0" };
	struct inbox m = inbox_on(&server, INBOX_TLS, "pattern");
	const char *const *folders;
	struct err err;
	size_t n;

	(void)state;
	inbox_commands(&server, "pattern",
		       (const char *[]){ "CREATE list.0", "CREATE list.1",
					 "CREATE list.2", "CREATE other.0",
					 "CREATE reports.2023",
					 "CREATE reports.2024",
					 "CREATE gr&APw-n", NULL });
	m.box.folder = "*.*";
	inbox_open(&m);
	assert_int_equal(imap_folders(m.imap, &folders, &n, &err), PH_OK);
	assert_int_equal(n, ARRAY_LEN(want));
	for (size_t i = 0; i < n; i++) {
		bool found = false;

		for (size_t k = 0; k < n; k++)
			found |= !strcmp(folders[k], want[i]);
		assert_true(found);
	}
	m.box.folder = "gr\xc3\xbc*";
	assert_int_equal(imap_folders(m.imap, &folders, &n, &err), PH_OK);
	assert_int_equal(n, 1);
	assert_string_equal(folders[0], "gr\xc3\xbcn");
	inbox_select(&m, folders[0]);
	m.box.folder = "none.*";
	assert_int_equal(imap_folders(m.imap, &folders, &n, &err), PH_OK);
	assert_int_equal(n, 0);
	inbox_close(&m);
}

static void done_is_seen_or_moved(void **state)
{
	const uint32_t uids[] = { 1, 2 };
	struct inbox m = inbox_on(&server, INBOX_TLS, "done");
	char text[4096];
	struct err err;

	(void)state;
	deliver_numbered("done", 3);
	m.box.done = DONE_SEEN;
	inbox_open(&m);
	inbox_select(&m, "INBOX");
	assert_int_equal(imap_done(m.imap, uids, 2, &err), PH_OK);
	inbox_close(&m);
	inbox_ask(&server, "done", "STATUS INBOX (MESSAGES UNSEEN)", text,
		  sizeof(text));
	assert_non_null(strstr(text, "MESSAGES 3 UNSEEN 1"));

	m.box.done = DONE_MOVE;
	m.box.done_folder = "Done";
	inbox_open(&m);
	inbox_select(&m, "INBOX");
	assert_int_equal(imap_done(m.imap, uids, 2, &err), PH_OK);
	inbox_close(&m);
	inbox_ask(&server, "done", "STATUS Done (MESSAGES)", text,
		  sizeof(text));
	assert_non_null(strstr(text, "MESSAGES 2"));
	inbox_ask(&server, "done", "STATUS INBOX (MESSAGES)", text,
		  sizeof(text));
	assert_non_null(strstr(text, "MESSAGES 1"));
}

/*
 * Servers without MOVE, and without UIDPLUS: what somebody else has marked as
 * deleted stays.
 */
static void done_without_move_leaves_others_mails(void **state)
{
	static const struct {
		const char *user;
		bool uidplus;
		const char *left;
	} cases[] = { { "plus", true, "MESSAGES 2" },
		      { "bare", false, "MESSAGES 3" } };
	const uint32_t uid = 1;
	char text[4096];
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *user = cases[i].user;
		struct inbox m = inbox_on(&server, INBOX_TLS, user);

		deliver_numbered(user, 3);
		inbox_commands(&server, user,
			       (const char *[]){ "SELECT INBOX",
						 "STORE 3 +FLAGS (\\Deleted)",
						 NULL });
		m.box.done = DONE_MOVE;
		m.box.done_folder = "Done";
		inbox_open(&m);
		inbox_select(&m, "INBOX");
		m.imap->has_move = false;
		m.imap->has_uidplus = cases[i].uidplus;
		assert_int_equal(imap_done(m.imap, &uid, 1, &err), PH_OK);
		inbox_close(&m);
		inbox_ask(&server, user, "STATUS Done (MESSAGES)", text,
			  sizeof(text));
		assert_non_null(strstr(text, "MESSAGES 1"));
		inbox_ask(&server, user, "STATUS INBOX (MESSAGES)", text,
			  sizeof(text));
		assert_non_null(strstr(text, cases[i].left));
	}
}

static void a_refused_move_keeps_the_connection(void **state)
{
	const uint32_t uid = 1;
	struct inbox m = inbox_on(&server, INBOX_TLS, "refuse");
	uint32_t last;
	struct err err;

	(void)state;
	deliver("refuse", "Subject: x\n\nx\n");
	m.box.done = DONE_MOVE;
	m.box.done_folder = "no//such";
	inbox_open(&m);
	inbox_select(&m, "INBOX");
	assert_int_equal(imap_done(m.imap, &uid, 1, &err), PH_BAD);
	assert_int_equal(err.exit_code, EX_UNAVAILABLE);
	assert_int_equal(inbox_fetch(&m, 0, 0, &last), PH_OK);
	assert_int_equal(m.n, 1);
	inbox_close(&m);
}

static void take_ends_the_fetch(void **state)
{
	struct inbox m;
	uint32_t last = 7;

	(void)state;
	deliver_numbered("stop", 4);
	at_inbox(&m, "stop");
	m.stop_at = 2;
	assert_int_equal(inbox_fetch(&m, 0, 0, &last), PH_BAD);
	assert_string_equal(m.err.text, "stopped by the test");
	assert_int_equal(m.n, 2);
	assert_int_equal(last, 7);
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
	struct inbox m = inbox_on(&server, INBOX_TLS, "test");
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

#define FIXED 20

int main(void)
{
	struct CMUnitTest tests[FIXED + ARRAY_LEN(refusals)] = {
		cmocka_unit_test(logs_in_each_way),
		cmocka_unit_test(
			a_wrong_password_is_refused_without_showing_it),
		cmocka_unit_test(catches_up_in_batches),
		cmocka_unit_test(leaves_out_what_arrived_before),
		cmocka_unit_test(a_mail_over_the_ceiling_is_told_of),
		cmocka_unit_test(finds_one_by_uid_and_by_id),
		cmocka_unit_test(wakes_from_idle),
		cmocka_unit_test(wakes_by_descriptor_and_by_time),
		cmocka_unit_test(comes_back_after_a_restart),
		cmocka_unit_test(a_folder_made_anew_has_other_uids),
		cmocka_unit_test(a_missing_folder_is_named),
		cmocka_unit_test(what_is_expunged_while_fetching_is_gone),
		cmocka_unit_test(crosses_a_gap_in_the_uids),
		cmocka_unit_test(folders_by_pattern),
		cmocka_unit_test(done_is_seen_or_moved),
		cmocka_unit_test(take_ends_the_fetch),
		cmocka_unit_test(a_batch_ends_at_its_bytes),
		cmocka_unit_test(done_without_move_leaves_others_mails),
		cmocka_unit_test(a_refused_move_keeps_the_connection),
		cmocka_unit_test(an_unreadable_authority_is_a_mistake),
	};
	size_t n = FIXED;

	if (!dovecot_here()) {
		puts("[  SKIPPED ] imap: no dovecot on this machine");
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
		tests[n++] = (struct CMUnitTest){
			.name = refusals[i].name,
			.test_func = refuses_certificate,
			.initial_state = &refusals[i],
		};
	return _cmocka_run_group_tests("imap", tests, n, start_server,
				       stop_server);
}
