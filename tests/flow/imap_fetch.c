/* Fetching over IMAP from a real Dovecot: which mails come, in which batches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ph/arena.h"
#include "ph/imap.h"
#include "ph/limits.h"
#include "tests/inbox.h"

static void catches_up_in_batches(void **state)
{
	struct inbox m;
	uint32_t last;

	(void)state;
	inbox_deliver_numbered("many", LIMIT_BATCH + 6);
	inbox_enter(&m, "many");
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
	inbox_deliver("old", "Subject: x\n\nx\n");
	inbox_enter(&m, "old");
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
	inbox_deliver("edge", raw);
	free(raw);
	inbox_enter(&m, "edge");
	assert_int_equal(inbox_fetch(&m, 0, 0, &last), PH_OK);
	assert_int_equal(m.n, 1);
	assert_true(m.got[0].too_big);
	assert_string_equal(m.got[0].text, "");
	/* the server adds fields of its own: now exactly to the edge */
	own = m.got[0].size - (uint32_t)LIMIT_MAIL;
	raw = mail_of(LIMIT_MAIL - own);
	inbox_deliver("edge", raw);
	free(raw);
	raw = mail_of(LIMIT_MAIL - own + 1);
	inbox_deliver("edge", raw);
	free(raw);
	inbox_deliver("edge", "Subject: after\n\nx\n");

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
		inbox_deliver("bytes", raw);
	free(raw);
	inbox_enter(&m, "bytes");
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
	inbox_deliver("find", "Message-ID: <one@x>\n\n1\n");
	inbox_deliver("find", "Message-ID: <two@x>\n\n2\n");
	inbox_enter(&m, "find");
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

static void what_is_expunged_while_fetching_is_gone(void **state)
{
	struct inbox m;
	uint32_t last;

	(void)state;
	inbox_deliver_numbered("gone", 70);
	inbox_enter(&m, "gone");
	assert_int_equal(inbox_fetch(&m, 0, 0, &last), PH_OK);
	inbox_commands(&inbox_server, "gone",
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
	inbox_deliver_numbered("gap", 2200);
	inbox_commands(&inbox_server, "gap",
		       (const char *[]){ "SELECT INBOX",
					 "UID STORE 2:2198 +FLAGS (\\Deleted)",
					 "EXPUNGE", NULL });
	inbox_enter(&m, "gap");
	assert_int_equal(m.folder.exists, 3);
	assert_int_equal(inbox_fetch(&m, 1, 0, &last), PH_OK);
	assert_int_equal(m.n, 2);
	assert_int_equal(m.got[0].uid, 2199);
	assert_int_equal(inbox_fetch(&m, 2200, 0, &last), PH_NONE);
	assert_int_equal(inbox_fetch(&m, 2200, 0, &last), PH_NONE);
	inbox_close(&m);
}

static void take_ends_the_fetch(void **state)
{
	struct inbox m;
	uint32_t last = 7;

	(void)state;
	inbox_deliver_numbered("stop", 4);
	inbox_enter(&m, "stop");
	m.stop_at = 2;
	assert_int_equal(inbox_fetch(&m, 0, 0, &last), PH_BAD);
	assert_string_equal(m.err.text, "stopped by the test");
	assert_int_equal(m.n, 2);
	assert_int_equal(last, 7);
	inbox_close(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(catches_up_in_batches),
		cmocka_unit_test(leaves_out_what_arrived_before),
		cmocka_unit_test(a_mail_over_the_ceiling_is_told_of),
		cmocka_unit_test(finds_one_by_uid_and_by_id),
		cmocka_unit_test(what_is_expunged_while_fetching_is_gone),
		cmocka_unit_test(crosses_a_gap_in_the_uids),
		cmocka_unit_test(take_ends_the_fetch),
		cmocka_unit_test(a_batch_ends_at_its_bytes),
	};

	if (!dovecot_here()) {
		puts("[  SKIPPED ] imap_fetch: no dovecot on this machine");
		return 0;
	}
	return cmocka_run_group_tests_name("imap_fetch", tests,
					   inbox_start_server,
					   inbox_stop_server);
}
