/* Messages in the state, and how far each mailbox has been read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/store/message.h"
#include "bot/store/pack.h"
#include "tests/fresh.h"

#define NOW FRESH_NOW

static struct message mail(const char *id, const char *text)
{
	static struct person to[] = { { S_INIT("An Author"),
					S_INIT("author@example.org") } };

	return (struct message){ .id = slice_of(id),
				 .from = { S("kernel test robot"),
					   S("oliver.sang@intel.com") },
				 .n_from = 1,
				 .to = to,
				 .n_to = 1,
				 .date = NOW - 60,
				 .subject = S("[linus:master] [mm] ..."),
				 .in_reply_to = S("first@example.org"),
				 .text = slice_of(text) };
}

static struct message_in incoming(const struct message *m, uint32_t uid)
{
	static struct report report = { .kind = REPORT_PERFORMANCE };

	return (struct message_in){
		.source = S("work"),
		.folder = S("INBOX"),
		.uidvalidity = 1,
		.uid = uid,
		.arrived = NOW,
		.now = NOW,
		.state = MESSAGE_NEW,
		.proven = PROVEN_DKIM,
		.message = m,
		.report = &report,
		.packed = pack_text(fresh.store, &fresh.arena, m->text)
	};
}

static void open_box(uint32_t uidvalidity, uint32_t uidnext,
		     struct mailbox_place *ret)
{
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(store_end(fresh.store,
			   mailbox_open(fresh.store, S("work"), S("INBOX"),
					uidvalidity, uidnext, NOW - 10, ret,
					&fresh.err),
			   &fresh.err));
}

static enum status add(const struct message_in *in, int64_t *ret)
{
	enum status st;

	fresh_ok(store_begin(fresh.store, &fresh.err));
	st = store_end(fresh.store,
		       message_add(fresh.store, in, ret, &fresh.err),
		       &fresh.err);
	return st;
}

static void a_mail_comes_back_as_it_was(void **state)
{
	struct message m =
		mail("202405171353.b56b845-o@intel.com", "body\n±\n");
	struct message_in in = incoming(&m, 7);
	struct mailbox_place place;
	struct message_row row;
	struct message got;
	int64_t id;

	(void)state;
	open_box(1, 5, &place);
	fresh_ok(add(&in, &id));
	fresh_ok(message_get(fresh.store, id, &fresh.arena, &row, &fresh.err));
	assert_true(slice_eq(row.msgkey, S("202405171353.b56b845-o")));
	assert_true(slice_eq(row.from,
			     S("kernel test robot <oliver.sang@intel.com>")));
	assert_int_equal(row.state, MESSAGE_NEW);
	assert_false(row.history);
	fresh_ok(message_load(fresh.store, id, &fresh.arena, &got, &fresh.err));
	assert_true(slice_eq(got.text, S("body\n±\n")));
	assert_int_equal(got.n_to, 1);
	assert_true(slice_eq(got.to[0].address, S("author@example.org")));
	assert_true(slice_eq(got.to[0].name, S("An Author")));
	assert_true(slice_eq(got.in_reply_to, S("first@example.org")));
	fresh_ok(message_find(fresh.store,
			      S("<202405171353.b56b845-o@xxxxxxxxx>"),
			      &fresh.arena, &row, &fresh.err));
	assert_int_equal(row.id, id);
	fresh_ok(message_find(fresh.store, S("uid:work/7"), &fresh.arena, &row,
			      &fresh.err));
	assert_int_equal(row.id, id);
	assert_int_equal(message_find(fresh.store, S("uid:work/8"),
				      &fresh.arena, &row, &fresh.err),
			 PH_NONE);
}

static void the_same_uid_replaces_what_is_undecided(void **state)
{
	struct message m = mail("a@x", "one");
	struct message_in in = incoming(&m, 7);
	struct mailbox_place place;
	struct message_row row;
	struct message got;
	int64_t first, second;

	(void)state;
	open_box(1, 0, &place);
	in.state = MESSAGE_WAITING;
	fresh_ok(add(&in, &first));
	m.text = S("two");
	in.packed = pack_text(fresh.store, &fresh.arena, m.text);
	in.state = MESSAGE_NEW;
	fresh_ok(add(&in, &second));
	assert_int_equal(first, second);
	fresh_ok(message_load(fresh.store, first, &fresh.arena, &got,
			      &fresh.err));
	assert_true(slice_eq(got.text, S("two")));
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(store_end(fresh.store,
			   message_decide(fresh.store, first, MESSAGE_OTHER,
					  S("no"), 0, NOW, &fresh.err),
			   &fresh.err));
	m.text = S("three");
	in.packed = pack_text(fresh.store, &fresh.arena, m.text);
	fresh_ok(add(&in, &second));
	assert_int_equal(first, second);
	fresh_ok(message_get(fresh.store, first, &fresh.arena, &row,
			     &fresh.err));
	assert_int_equal(row.state, MESSAGE_OTHER);
	fresh_ok(message_load(fresh.store, first, &fresh.arena, &got,
			      &fresh.err));
	assert_true(slice_eq(got.text, S("two")));
}

static void expect_undone(const uint32_t *want, size_t n_want)
{
	uint32_t uids[2];
	size_t n;

	fresh_ok(mailbox_undone(fresh.store, S("work"), S("INBOX"), 1, uids,
				ARRAY_LEN(uids), &n, &fresh.err));
	assert_int_equal(n, n_want);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(uids[i], want[i]);
}

static void take_undone(uint32_t uid, enum message_state state)
{
	struct message m = mail("", "x");
	struct message_in in = incoming(&m, uid);
	int64_t id;

	in.state = state;
	in.undone = true;
	fresh_ok(add(&in, &id));
}

static void what_the_server_has_not_done_is_kept_until_it_has(void **state)
{
	const uint32_t front[] = { 7, 9 }, rest[] = { 8, 11 };
	struct mailbox_place place;
	struct message m = mail("", "x");
	struct message_in in = incoming(&m, 10);
	int64_t id;

	(void)state;
	open_box(1, 0, &place);
	take_undone(11, MESSAGE_OVERSIZED);
	take_undone(8, MESSAGE_WAITING);
	take_undone(7, MESSAGE_NEW);
	take_undone(9, MESSAGE_BAD);
	fresh_ok(add(&in, &id)); /* in a mailbox without `done` */
	expect_undone(front, 2);
	fresh_ok(mailbox_done(fresh.store, S("work"), S("INBOX"), 1, front, 2,
			      &fresh.err));
	expect_undone(&rest[1], 1);
	/* its proof has come */
	take_undone(8, MESSAGE_NEW);
	expect_undone(rest, 2);
	/* the same UIDs of another generation are other mails */
	fresh_ok(mailbox_done(fresh.store, S("work"), S("INBOX"), 2, rest, 2,
			      &fresh.err));
	expect_undone(rest, 2);
	fresh_ok(mailbox_done(fresh.store, S("work"), S("INBOX"), 1, rest, 2,
			      &fresh.err));
	expect_undone(NULL, 0);
}

static void keep_row(void *arg, const struct mailbox_row *row)
{
	*(struct mailbox_row *)arg = *row;
}

static struct mailbox_row the_mailbox(void)
{
	struct mailbox_row row = { 0 };

	fresh_ok(mailbox_each(fresh.store, &fresh.arena, keep_row, &row,
			      &fresh.err));
	return row;
}

static void a_mailbox_keeps_its_trouble_until_it_is_over(void **state)
{
	struct mailbox_place place;
	int64_t since;

	(void)state;
	open_box(1, 0, &place);
	fresh_ok(mailbox_trouble(fresh.store, S("work"), S("no route"), false,
				 100, &since, &fresh.err));
	assert_int_equal(since, 100);
	assert_false(the_mailbox().wants_person);
	/* it cannot be told to have ended by a login that was never refused */
	fresh_ok(mailbox_login_works(fresh.store, S("work"), &fresh.err));
	assert_int_equal(the_mailbox().trouble.len, 8);
	fresh_ok(mailbox_trouble(fresh.store, S("work"), S("refused"), true,
				 200, &since, &fresh.err));
	assert_int_equal(since, 100);
	assert_true(the_mailbox().wants_person);
	fresh_ok(mailbox_login_works(fresh.store, S("work"), &fresh.err));
	assert_int_equal(the_mailbox().trouble.len, 0);
	assert_false(the_mailbox().wants_person);
	fresh_ok(mailbox_trouble(fresh.store, S("work"), S("refused"), true,
				 300, &since, &fresh.err));
	assert_int_equal(since, 300);
	fresh_ok(mailbox_trouble(fresh.store, S("work"), S(""), false, 400,
				 &since, &fresh.err));
	assert_int_equal(since, 0);
	assert_int_equal(the_mailbox().last_read, 400);
	assert_false(the_mailbox().wants_person);
}

static bool refuse(struct slice why, int64_t now)
{
	bool is_new;

	fresh_ok(mailbox_refusal(fresh.store, S("work"), why, now, &is_new,
				 &fresh.err));
	return is_new;
}

static void a_refusal_is_news_once(void **state)
{
	struct mailbox_place place;

	(void)state;
	open_box(1, 0, &place);
	assert_false(refuse(S(""), 50));
	assert_true(refuse(S("no (0.001 secs)"), 100));
	/* a server's words may hold what differs each time */
	assert_false(refuse(S("no (0.002 secs)"), 200));
	assert_int_equal(the_mailbox().refusal_since, 100);
	assert_false(refuse(S(""), 300));
	assert_int_equal(the_mailbox().refusal.len, 0);
	assert_int_equal(the_mailbox().refusal_since, 0);
	assert_true(refuse(S("no"), 400));
}

static void a_file_given_twice_is_one_message(void **state)
{
	struct message m = mail("a@x", "one");
	struct message_in in = incoming(&m, 0);
	int64_t first, second;

	(void)state;
	in.by_hand = true;
	in.source = S("file");
	in.proven = PROVEN_NOT;
	fresh_ok(add(&in, &first));
	assert_int_equal(add(&in, &second), PH_NONE);
	assert_int_equal(first, second);
	/* a better copy is another one */
	in.proven = PROVEN_DKIM;
	fresh_ok(add(&in, &second));
	assert_int_not_equal(first, second);
}

static bool history_of(uint32_t uid, int64_t arrived, const char *id)
{
	struct message m = mail(id, "x");
	struct message_in in = incoming(&m, uid);
	struct message_row row;
	int64_t got;

	in.arrived = arrived;
	fresh_ok(add(&in, &got));
	fresh_ok(message_get(fresh.store, got, &fresh.arena, &row, &fresh.err));
	return row.history;
}

static void what_lay_there_before_is_history(void **state)
{
	struct mailbox_place place;

	(void)state;
	open_box(1, 5, &place);
	assert_true(place.first);
	/* the UID decides, not the server's clock */
	assert_true(history_of(4, NOW + 100, "a@x"));
	assert_false(history_of(5, NOW - 100, "b@x"));
	/* an old mail that is moved here later */
	assert_true(history_of(6, NOW - 90000, "c@x"));
}

static void the_cursor_never_moves_back(void **state)
{
	struct mailbox_place place;

	(void)state;
	open_box(1, 5, &place);
	assert_int_equal(place.cursor, 0);
	fresh_ok(store_begin(fresh.store, &fresh.err));
	fresh_ok(mailbox_advance(fresh.store, S("work"), S("INBOX"), 1, 9,
				 &fresh.err));
	fresh_ok(mailbox_advance(fresh.store, S("work"), S("INBOX"), 1, 7,
				 &fresh.err));
	fresh_ok(store_commit(fresh.store, &fresh.err));
	open_box(1, 10, &place);
	assert_int_equal(place.cursor, 9);
	assert_false(place.first);
	open_box(2, 3, &place);
	assert_true(place.renumbered);
	assert_int_equal(place.cursor, 0);
}

static void deaths_are_counted(void **state)
{
	uint32_t n;

	(void)state;
	fresh_ok(mailbox_death(fresh.store, S("work"), S("INBOX"), 1, 7, &n,
			       &fresh.err));
	assert_int_equal(n, 1);
	fresh_ok(mailbox_death(fresh.store, S("work"), S("INBOX"), 1, 7, &n,
			       &fresh.err));
	assert_int_equal(n, 2);
	fresh_ok(mailbox_death(fresh.store, S("work"), S("INBOX"), 1, 8, &n,
			       &fresh.err));
	assert_int_equal(n, 1);
}

static void where_it_broke_is_kept_until_uids_change(void **state)
{
	const struct mailbox_stuck at = { .uid = 7, .breaks = 3, .behind = 1 };
	struct mailbox_place place;

	(void)state;
	open_box(1, 10, &place);
	assert_int_equal(place.stuck.uid, 0);
	fresh_ok(mailbox_stuck(fresh.store, S("work"), S("INBOX"), &at,
			       &fresh.err));
	open_box(1, 10, &place);
	assert_memory_equal(&place.stuck, &at, sizeof(at));
	open_box(2, 10, &place);
	assert_int_equal(place.stuck.uid, 0);
	open_box(2, 10, &place);
	assert_int_equal(place.stuck.uid, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_begin, fresh_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_mail_comes_back_as_it_was),
		TEST(the_same_uid_replaces_what_is_undecided),
		TEST(what_the_server_has_not_done_is_kept_until_it_has),
		TEST(a_mailbox_keeps_its_trouble_until_it_is_over),
		TEST(a_refusal_is_news_once),
		TEST(a_file_given_twice_is_one_message),
		TEST(what_lay_there_before_is_history),
		TEST(the_cursor_never_moves_back),
		TEST(deaths_are_counted),
		TEST(where_it_broke_is_kept_until_uids_change),
	};

	return cmocka_run_group_tests_name("store_message", tests, NULL, NULL);
}
