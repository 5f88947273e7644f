/* Folders of a real Dovecot, and what is done to a mail there once it is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include "mail/imap_session.h"
#include "ph/imap.h"
#include "tests/inbox.h"

static void a_folder_made_anew_has_other_uids(void **state)
{
	struct inbox m = inbox_on(&inbox_server, INBOX_TLS, "anew");
	uint32_t validity;

	(void)state;
	inbox_open(&m);
	inbox_command(&inbox_server, "anew", "CREATE Reports");
	inbox_select(&m, "Reports");
	validity = m.folder.uidvalidity;
	inbox_command(&inbox_server, "anew", "DELETE Reports");
	inbox_command(&inbox_server, "anew", "CREATE Reports");
	inbox_select(&m, "INBOX");
	inbox_select(&m, "Reports");
	assert_int_not_equal(m.folder.uidvalidity, validity);
	inbox_close(&m);
}

static void a_missing_folder_is_named(void **state)
{
	struct inbox m = inbox_on(&inbox_server, INBOX_TLS, "test");
	struct imap_folder f;
	struct err err;

	(void)state;
	inbox_open(&m);
	assert_int_equal(imap_select(m.imap, "Nowhere", &f, &err), PH_RETRY);
	assert_int_equal(err.exit_code, EX_UNAVAILABLE);
	assert_non_null(strstr(err.text, "open the folder \"Nowhere\""));
	inbox_close(&m);
}

static void folders_by_pattern(void **state)
{
	static const char *const want[] = { "reports.2023", "reports.2024",
					    "list.2", "other.0" };
	struct inbox m = inbox_on(&inbox_server, INBOX_TLS, "pattern");
	const char *const *folders;
	struct err err;
	size_t n;

	(void)state;
	inbox_commands(&inbox_server, "pattern",
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
	struct inbox m = inbox_on(&inbox_server, INBOX_TLS, "done");
	char text[4096];
	struct err err;

	(void)state;
	inbox_deliver_numbered("done", 3);
	m.box.done = DONE_SEEN;
	inbox_open(&m);
	inbox_select(&m, "INBOX");
	assert_int_equal(imap_done(m.imap, uids, 2, &err), PH_OK);
	inbox_close(&m);
	inbox_ask(&inbox_server, "done", "STATUS INBOX (MESSAGES UNSEEN)", text,
		  sizeof(text));
	assert_non_null(strstr(text, "MESSAGES 3 UNSEEN 1"));

	m.box.done = DONE_MOVE;
	m.box.done_folder = "Done";
	inbox_open(&m);
	inbox_select(&m, "INBOX");
	assert_int_equal(imap_done(m.imap, uids, 2, &err), PH_OK);
	inbox_close(&m);
	inbox_ask(&inbox_server, "done", "STATUS Done (MESSAGES)", text,
		  sizeof(text));
	assert_non_null(strstr(text, "MESSAGES 2"));
	inbox_ask(&inbox_server, "done", "STATUS INBOX (MESSAGES)", text,
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
		struct inbox m = inbox_on(&inbox_server, INBOX_TLS, user);

		inbox_deliver_numbered(user, 3);
		inbox_commands(&inbox_server, user,
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
		inbox_ask(&inbox_server, user, "STATUS Done (MESSAGES)", text,
			  sizeof(text));
		assert_non_null(strstr(text, "MESSAGES 1"));
		inbox_ask(&inbox_server, user, "STATUS INBOX (MESSAGES)", text,
			  sizeof(text));
		assert_non_null(strstr(text, cases[i].left));
	}
}

static void a_refused_move_keeps_the_connection(void **state)
{
	const uint32_t uid = 1;
	struct inbox m = inbox_on(&inbox_server, INBOX_TLS, "refuse");
	uint32_t last;
	struct err err;

	(void)state;
	inbox_deliver("refuse", "Subject: x\n\nx\n");
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_made_anew_has_other_uids),
		cmocka_unit_test(a_missing_folder_is_named),
		cmocka_unit_test(folders_by_pattern),
		cmocka_unit_test(done_is_seen_or_moved),
		cmocka_unit_test(done_without_move_leaves_others_mails),
		cmocka_unit_test(a_refused_move_keeps_the_connection),
	};

	if (!dovecot_here()) {
		puts("[  SKIPPED ] imap_folders: no dovecot on this machine");
		return 0;
	}
	return cmocka_run_group_tests_name("imap_folders", tests,
					   inbox_start_server,
					   inbox_stop_server);
}
