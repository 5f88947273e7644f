/*
 * batch: what a worker takes from a mailbox, and what is in the state after.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bot/batch.h"
#include "bot/wake.h"
#include "tests/scratch.h"
#include "tests/guard.h"

#define FOLDER "INBOX"
#define MAIL                                                      \
	"From: kernel test robot <oliver.sang@intel.com>\r\n"     \
	"To: a@example.org\r\n"                                   \
	"Message-ID: <20261102.%u@intel.com>\r\n"                 \
	"Subject: [linus:master] [mm] 0123456789: "               \
	"will-it-scale.per_process_ops 11.9%% regression\r\n\r\n" \
	"kernel test robot noticed a 11.9%% regression of "       \
	"will-it-scale.per_process_ops on:\r\n\r\n\r\n"           \
	"commit: 0123456789012345678901234567890123456789 "       \
	"(\"mm: do less\")\r\n"

static struct config config;
static struct config_mailbox box = { .name = "work" };
static struct in_hand in_hand;
static struct duty duty = { .config = &config,
			    .box = &box,
			    .in_hand = &in_hand };
static struct store *store;
static struct prover *prover;
static struct batch batch;

static void open_mailbox(void)
{
	struct mailbox_place place;
	struct err err;
	enum status s;

	assert_int_equal(store_begin(store, &err), PH_OK);
	s = mailbox_open(store, S("work"), S(FOLDER), 7, 1, 1000, &place, &err);
	assert_int_equal(store_end(store, s, &err), PH_OK);
}

static int start(void **state)
{
	static const char *from[] = { "oliver.sang@intel.com" };
	struct err err;

	(void)state;
	config.trust.proof[0] = PROOF_NONE;
	config.trust.n_proof = 1;
	config.trust.from = (struct config_list){ from, 1 };
	store = scratch_store("state.db");
	in_hand = (struct in_hand){ 0 };
	assert_int_equal(prover_new(&config.trust, &prover, &err), PH_OK);
	assert_int_equal(wake_bell_new(&duty.desk_bell, &err), PH_OK);
	open_mailbox();
	batch_init(&batch, &duty, store, prover);
	assert_int_equal(batch_folder(&batch, FOLDER, 7, &err), PH_OK);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	batch_release(&batch);
	store_close(store);
	prover_free(prover);
	close(duty.desk_bell);
	return 0;
}

static void take(uint32_t uid)
{
	char raw[1024];
	struct imap_message m = { .uid = uid, .arrived = 2000 };
	struct err err;

	m.size = (uint32_t)snprintf(raw, sizeof(raw), MAIL, uid);
	m.raw = (struct slice){ raw, m.size };
	assert_int_equal(batch_take(&batch, &m, &err), PH_OK);
}

static enum message_state state_of(uint32_t uid)
{
	struct message_row row;
	struct arena arena;
	struct err err;
	char name[32];

	arena_init(&arena);
	snprintf(name, sizeof(name), "uid:work/%u", uid);
	assert_int_equal(message_find(store, slice_of(name), &arena, &row,
				      &err),
			 PH_OK);
	arena_release(&arena);
	return row.state;
}

static bool rings(void)
{
	uint64_t n;

	return read(duty.desk_bell, &n, sizeof(n)) == sizeof(n);
}

static uint32_t cursor(void)
{
	struct mailbox_place place;
	struct err err;
	enum status s;

	assert_int_equal(store_begin(store, &err), PH_OK);
	s = mailbox_open(store, S("work"), S(FOLDER), 7, 0, 1000, &place, &err);
	assert_int_equal(store_end(store, s, &err), PH_OK);
	return place.cursor;
}

static void rows_and_cursor_are_written_together(void **state)
{
	struct err err;

	(void)state;
	if (guard_valgrind())
		skip(); /* a batch is over after 50 ms */
	take(3);
	take(5);
	assert_int_equal(cursor(), 0);
	assert_false(rings());
	assert_int_equal(batch_write(&batch, 9, &err), PH_OK);
	assert_true(rings());
	assert_int_equal(state_of(3), MESSAGE_NEW);
	assert_int_equal(state_of(5), MESSAGE_NEW);
	assert_int_equal(cursor(), 9);
	assert_int_equal(batch.n_written, 2);
}

static void a_full_batch_writes_rows_before_the_cursor(void **state)
{
	(void)state;
	if (guard_valgrind())
		skip(); /* a batch is over after 50 ms */
	for (uint32_t uid = 1; uid <= LIMIT_BATCH; uid++)
		take(uid);
	assert_int_equal(batch.n, 0);
	assert_int_equal(state_of(LIMIT_BATCH), MESSAGE_NEW);
	assert_int_equal(cursor(), 0);
}

static void nothing_taken_moves_the_cursor_only(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(batch_write(&batch, 4, &err), PH_OK);
	assert_int_equal(cursor(), 4);
	assert_false(rings());
}

static void the_mail_in_hand_is_laid_down_again(void **state)
{
	(void)state;
	take(3);
	assert_int_equal(in_hand.uid, 0);
	assert_string_equal(in_hand.folder, FOLDER);
	assert_int_equal(in_hand.uidvalidity, 7);
}

static void too_big_a_mail_leaves_a_row(void **state)
{
	const struct imap_message m = {
		.uid = 3, .arrived = 2000, .size = 9000000, .too_big = true
	};
	struct err err;

	(void)state;
	assert_int_equal(batch_take(&batch, &m, &err), PH_OK);
	assert_int_equal(batch_write(&batch, 3, &err), PH_OK);
	assert_int_equal(state_of(3), MESSAGE_OVERSIZED);
}

static void what_is_no_mail_leaves_a_row_with_the_reason(void **state)
{
	const struct imap_message m = { .uid = 3,
					.arrived = 2000,
					.raw = S_INIT("\r\n") };
	struct err err;

	(void)state;
	assert_int_equal(batch_take(&batch, &m, &err), PH_OK);
	assert_int_equal(batch.n, 1);
	assert_true(batch.mails[0].reason.len > 0);
	assert_int_equal(batch_write(&batch, 3, &err), PH_OK);
	assert_int_equal(state_of(3), MESSAGE_BAD);
}

static void poison_is_not_touched_again(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(batch_set_aside(&batch, 3, MESSAGE_POISON,
					 S("killed its worker twice"), &err),
			 PH_OK);
	assert_int_equal(batch_folder(&batch, FOLDER, 7, &err), PH_OK);
	take(2);
	take(3);
	take(4);
	assert_int_equal(batch.n, 2);
	assert_int_equal(batch_write(&batch, 4, &err), PH_OK);
	assert_int_equal(state_of(3), MESSAGE_POISON);
	assert_int_equal(state_of(4), MESSAGE_NEW);
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, start, stop)
	static const struct CMUnitTest tests[] = {
		CASE(rows_and_cursor_are_written_together),
		CASE(a_full_batch_writes_rows_before_the_cursor),
		CASE(nothing_taken_moves_the_cursor_only),
		CASE(the_mail_in_hand_is_laid_down_again),
		CASE(too_big_a_mail_leaves_a_row),
		CASE(what_is_no_mail_leaves_a_row_with_the_reason),
		CASE(poison_is_not_touched_again),
	};

	return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
