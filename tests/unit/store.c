#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "bot/store/pack.h"
#include "bot/store/patch.h"
#include "bot/store/sql.h"
#include "tests/scratch.h"

#define NOW 1700000000

static struct store *s;
static struct arena arena;
static struct err err;

static int set_up(void **state)
{
	(void)state;
	s = scratch_store("state.db");
	arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	store_close(s);
	unlink(scratch_path("state.db-wal"));
	unlink(scratch_path("state.db-shm"));
	return 0;
}

static void ok(enum status st)
{
	if (st != PH_OK)
		fail_msg("status %d: %s", st, err.text);
}

static bool is(struct slice a, const char *b)
{
	return slice_eq(a, slice_of(b));
}

/* -- the file -- */

static void the_file_is_for_its_owner_alone(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat(scratch_path("state.db"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(scratch_path("state.db-wal"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	chmod(scratch_path("state.db"), 0640);
	assert_int_equal(store_migrate(scratch_path("state.db"), &err),
			 PH_FATAL);
	assert_int_equal(err_exit_code(&err, PH_FATAL), EX_CONFIG);
	assert_non_null(strstr(err.text, "chmod 600"));
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(scratch_path(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	chmod(scratch_path(name), 0600);
}

static void what_is_no_state_is_refused(void **state)
{
	struct store *other = NULL;
	char text[4096];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	write_file("junk.db", text);
	assert_int_equal(store_migrate(scratch_path("junk.db"), &err),
			 PH_FATAL);
	assert_int_equal(err_exit_code(&err, PH_FATAL), EX_IOERR);
	assert_non_null(strstr(err.text, "damaged, or no perfherald state"));
	assert_int_equal(store_open(scratch_path("none.db"), &other, &err),
			 PH_FATAL);
	assert_int_equal(err_exit_code(&err, PH_FATAL), EX_NOINPUT);
	assert_int_equal(store_migrate(scratch_path("no/such.db"), &err),
			 PH_FATAL);
	assert_int_equal(err_exit_code(&err, PH_FATAL), EX_NOINPUT);
}

static void a_transaction_that_fails_leaves_nothing(void **state)
{
	int64_t value;

	(void)state;
	ok(store_begin(s, &err));
	ok(store_meta_set(s, "a", 1, &err));
	assert_int_equal(store_end(s, PH_BAD, &err), PH_BAD);
	assert_int_equal(store_meta_get(s, "a", &value, &err), PH_NONE);
	ok(store_begin(s, &err));
	ok(store_meta_set(s, "a", 2, &err));
	assert_int_equal(store_end(s, PH_NONE, &err), PH_NONE);
	ok(store_meta_get(s, "a", &value, &err));
	assert_int_equal(value, 2);
}

static void a_statement_that_was_never_right_says_so_later(void **state)
{
	struct sql q = sql_start(s, "SELECT nothing FROM nowhere");

	(void)state;
	ok(store_begin(s, &err));
	assert_int_equal(store_end(s, sql_run(&q, &err), &err), PH_FATAL);
	assert_non_null(strstr(err.text, "SQL logic error"));
}

static void a_copy_is_whole(void **state)
{
	struct store *copy;
	int64_t value;

	(void)state;
	ok(store_begin(s, &err));
	ok(store_end(s, store_meta_set(s, "a", 7, &err), &err));
	ok(store_backup(s, scratch_path("copy.db"), &err));
	assert_int_equal(store_backup(s, scratch_path("copy.db"), &err),
			 PH_FATAL);
	ok(store_open(scratch_path("copy.db"), &copy, &err));
	ok(store_meta_get(copy, "a", &value, &err));
	assert_int_equal(value, 7);
	ok(store_check(copy, &err));
	store_close(copy);
	unlink(scratch_path("copy.db"));
}

/* -- messages -- */

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

	return (struct message_in){ .source = S("work"),
				    .folder = S("INBOX"),
				    .uidvalidity = 1,
				    .uid = uid,
				    .arrived = NOW,
				    .now = NOW,
				    .state = MESSAGE_NEW,
				    .proven = PROVEN_DKIM,
				    .message = m,
				    .report = &report,
				    .packed = pack_text(s, &arena, m->text) };
}

static void open_box(uint32_t uidvalidity, uint32_t uidnext,
		     struct mailbox_place *ret)
{
	ok(store_begin(s, &err));
	ok(store_end(s,
		     mailbox_open(s, S("work"), S("INBOX"), uidvalidity,
				  uidnext, NOW - 10, ret, &err),
		     &err));
}

static enum status add(const struct message_in *in, int64_t *ret)
{
	enum status st;

	ok(store_begin(s, &err));
	st = store_end(s, message_add(s, in, ret, &err), &err);
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
	ok(add(&in, &id));
	ok(message_get(s, id, &arena, &row, &err));
	assert_true(is(row.msgkey, "202405171353.b56b845-o"));
	assert_true(is(row.from, "kernel test robot <oliver.sang@intel.com>"));
	assert_int_equal(row.state, MESSAGE_NEW);
	assert_false(row.history);
	ok(message_load(s, id, &arena, &got, &err));
	assert_true(is(got.text, "body\n±\n"));
	assert_int_equal(got.n_to, 1);
	assert_true(is(got.to[0].address, "author@example.org"));
	assert_true(is(got.to[0].name, "An Author"));
	assert_true(is(got.in_reply_to, "first@example.org"));
	ok(message_find(s, S("<202405171353.b56b845-o@xxxxxxxxx>"), &arena,
			&row, &err));
	assert_int_equal(row.id, id);
	ok(message_find(s, S("uid:work/7"), &arena, &row, &err));
	assert_int_equal(row.id, id);
	assert_int_equal(message_find(s, S("uid:work/8"), &arena, &row, &err),
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
	ok(add(&in, &first));
	m.text = S("two");
	in.packed = pack_text(s, &arena, m.text);
	in.state = MESSAGE_NEW;
	ok(add(&in, &second));
	assert_int_equal(first, second);
	ok(message_load(s, first, &arena, &got, &err));
	assert_true(is(got.text, "two"));
	ok(store_begin(s, &err));
	ok(store_end(s,
		     message_decide(s, first, MESSAGE_OTHER, S("no"), 0, NOW,
				    &err),
		     &err));
	m.text = S("three");
	in.packed = pack_text(s, &arena, m.text);
	ok(add(&in, &second));
	assert_int_equal(first, second);
	ok(message_get(s, first, &arena, &row, &err));
	assert_int_equal(row.state, MESSAGE_OTHER);
	ok(message_load(s, first, &arena, &got, &err));
	assert_true(is(got.text, "two"));
}

static void expect_undone(const uint32_t *want, size_t n_want)
{
	uint32_t uids[2];
	size_t n;

	ok(mailbox_undone(s, S("work"), S("INBOX"), 1, uids, ARRAY_LEN(uids),
			  &n, &err));
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
	ok(add(&in, &id));
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
	ok(add(&in, &id)); /* in a mailbox without `done` */
	expect_undone(front, 2);
	ok(mailbox_done(s, S("work"), S("INBOX"), 1, front, 2, &err));
	expect_undone(&rest[1], 1);
	/* its proof has come */
	take_undone(8, MESSAGE_NEW);
	expect_undone(rest, 2);
	/* the same UIDs of another generation are other mails */
	ok(mailbox_done(s, S("work"), S("INBOX"), 2, rest, 2, &err));
	expect_undone(rest, 2);
	ok(mailbox_done(s, S("work"), S("INBOX"), 1, rest, 2, &err));
	expect_undone(NULL, 0);
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
	ok(add(&in, &first));
	assert_int_equal(add(&in, &second), PH_NONE);
	assert_int_equal(first, second);
	/* a better copy is another one */
	in.proven = PROVEN_DKIM;
	ok(add(&in, &second));
	assert_int_not_equal(first, second);
}

static bool history_of(uint32_t uid, int64_t arrived, const char *id)
{
	struct message m = mail(id, "x");
	struct message_in in = incoming(&m, uid);
	struct message_row row;
	int64_t got;

	in.arrived = arrived;
	ok(add(&in, &got));
	ok(message_get(s, got, &arena, &row, &err));
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
	ok(store_begin(s, &err));
	ok(mailbox_advance(s, S("work"), S("INBOX"), 1, 9, &err));
	ok(mailbox_advance(s, S("work"), S("INBOX"), 1, 7, &err));
	ok(store_commit(s, &err));
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
	ok(mailbox_death(s, S("work"), S("INBOX"), 1, 7, &n, &err));
	assert_int_equal(n, 1);
	ok(mailbox_death(s, S("work"), S("INBOX"), 1, 7, &n, &err));
	assert_int_equal(n, 2);
	ok(mailbox_death(s, S("work"), S("INBOX"), 1, 8, &n, &err));
	assert_int_equal(n, 1);
}

/* A file that may not grow gives what a full disk gives. */
static void a_full_disk_is_said_and_survived(void **state)
{
	struct rlimit was, none = { 0 };
	struct message m = mail("full@x", "text");
	struct message_in in = incoming(&m, 7);
	struct mailbox_place place;
	enum status st;
	int64_t id;

	(void)state;
	open_box(1, 5, &place);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	none.rlim_max = was.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	st = store_begin(s, &err);
	if (st == PH_OK)
		st = store_end(s, message_add(s, &in, &id, &err), &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(st, PH_FATAL);
	assert_int_equal(err_exit_code(&err, st), EX_IOERR);
	/* it goes on once there is room */
	ok(add(&in, &id));
	ok(store_check(s, &err));
}

/* -- patches -- */

static int64_t new_patch(const char *commit, const char *norm, int64_t seen)
{
	struct patch_row row = { .title = slice_of(norm),
				 .norm = slice_of(norm),
				 .commit = slice_of(commit),
				 .author = S("a@example.org"),
				 .first_seen = seen,
				 .last_seen = seen };
	int64_t id;

	ok(store_begin(s, &err));
	ok(patch_add(s, &row, &id, &err));
	ok(patch_commit_add(s, id, row.commit, S(""), seen, &err));
	ok(store_commit(s, &err));
	return id;
}

static void a_hash_is_known_by_its_first_digits(void **state)
{
	int64_t id = new_patch("0123456789ab", "mm: do", NOW), got;

	(void)state;
	ok(patch_of_commit(s, S("0123456789"), &got, &err));
	assert_int_equal(got, id);
	ok(patch_of_commit(s, S("0123456789abcdef0123456789abcdef01234567"),
			   &got, &err));
	assert_int_equal(got, id);
	assert_int_equal(patch_of_commit(s, S("0123456789cd"), &got, &err),
			 PH_NONE);
}

static void two_become_one_and_two_again(void **state)
{
	int64_t old = new_patch("aaaaaaaaaaaa", "mm: one", NOW - 10);
	int64_t young = new_patch("bbbbbbbbbbbb", "mm: two", NOW), got;
	struct patch_row row;

	(void)state;
	ok(store_begin(s, &err));
	ok(patch_merge(s, young, old, &got, &err));
	ok(store_commit(s, &err));
	assert_int_equal(got, old);
	ok(patch_find(s, S("bbbbbbbb"), &arena, &row, &err));
	assert_int_equal(row.id, old);
	ok(store_begin(s, &err));
	ok(patch_split(s, old, S("bbbbbbbb"), NOW, &got, &err));
	ok(store_commit(s, &err));
	assert_int_equal(got, young);
	ok(patch_find(s, S("bbbbbbbb"), &arena, &row, &err));
	assert_int_equal(row.id, young);
	ok(store_begin(s, &err));
	assert_int_equal(patch_split(s, old, S("aaaaaaaa"), NOW, &got, &err),
			 PH_BAD);
	store_rollback(s);
}

static void a_name_that_fits_two_is_refused(void **state)
{
	struct patch_row row;

	(void)state;
	new_patch("abcdef000001", "mm: one", NOW);
	new_patch("abcdef000002", "mm: two", NOW);
	assert_int_equal(patch_find(s, S("abcdef"), &arena, &row, &err),
			 PH_BAD);
	assert_non_null(strstr(err.text, "fits several"));
	ok(patch_find(s, S("mm: two"), &arena, &row, &err));
	assert_true(is(row.commit, "abcdef000002"));
	assert_int_equal(patch_find(s, S("mm: three"), &arena, &row, &err),
			 PH_NONE);
}

static void titles_match_one_patch_or_none(void **state)
{
	int64_t id = new_patch("aaaaaaaaaaaa", "mm: one", NOW), got;
	int n;

	(void)state;
	ok(patch_of_title(s, S("mm: one"), S("A@example.org"), &got, &n, &err));
	assert_int_equal(got, id);
	assert_int_equal(patch_of_title(s, S("mm: one"), S("b@example.org"),
					&got, &n, &err),
			 PH_NONE);
	new_patch("bbbbbbbbbbbb", "mm: one", NOW);
	assert_int_equal(patch_of_title(s, S("mm: one"), S("a@example.org"),
					&got, &n, &err),
			 PH_NONE);
	assert_int_equal(n, 2);
}

/* -- the outbox -- */

static int64_t queue(const char *key, int64_t patch, const char *channel,
		     int64_t due)
{
	struct outbox_row row = { .key = slice_of(key),
				  .kind = NOTICE_FIRST,
				  .channel = slice_of(channel),
				  .target = S("a@example.org"),
				  .patch = patch,
				  .facts = S("{}"),
				  .state = OUTBOX_PENDING,
				  .created = NOW,
				  .due = due };
	int64_t id;

	ok(store_begin(s, &err));
	ok(outbox_add(s, &row, &id, &err));
	ok(store_commit(s, &err));
	return id;
}

static struct delivery_result result(enum delivery what)
{
	struct delivery_result r = { .what = what };

	snprintf(r.text, sizeof(r.text), "why");
	return r;
}

static void attempt(int64_t id, enum delivery what, bool *paused)
{
	struct delivery_result r = result(what);
	struct outbox_row row;

	ok(outbox_get(s, id, &arena, &row, &err));
	ok(outbox_attempt(s, &row, &r, NOW, 0, paused, &err));
}

static void a_key_is_queued_once(void **state)
{
	struct outbox_row row = { .key = S("k"), .state = OUTBOX_HELD };
	int64_t first = queue("k", 0, "chat", NOW), second;

	(void)state;
	ok(store_begin(s, &err));
	assert_int_equal(outbox_add(s, &row, &second, &err), PH_NONE);
	store_rollback(s);
	assert_int_equal(first, second);
}

static void claims_go_by_due_time(void **state)
{
	int64_t late = queue("a", 0, "chat", NOW + 5);
	int64_t early = queue("b", 0, "chat", NOW), due;
	struct outbox_row row;

	(void)state;
	ok(outbox_claim(s, NOW, S(""), &arena, &row, &err));
	assert_int_equal(row.id, early);
	assert_int_equal(row.state, OUTBOX_SENDING);
	assert_int_equal(outbox_claim(s, NOW, S(""), &arena, &row, &err),
			 PH_NONE);
	ok(outbox_next_due(s, S(""), &due, &err));
	assert_int_equal(due, NOW + 5);
	assert_int_equal(outbox_claim(s, NOW + 5, S("[\"chat\"]"), &arena, &row,
				      &err),
			 PH_NONE);
	ok(outbox_claim(s, NOW + 5, S(""), &arena, &row, &err));
	assert_int_equal(row.id, late);
}

static void an_update_waits_for_its_thread(void **state)
{
	int64_t patch = new_patch("aaaaaaaaaaaa", "mm: one", NOW);
	int64_t first = queue("a", patch, "chat", NOW);
	int64_t second = queue("b", patch, "chat", NOW);
	struct delivery_result sent = result(DELIVERY_SENT);
	struct parcel parcel = { S_INIT("body"), S_INIT("id@us"),
				 S_INIT("a@example.org"), S_INIT("") };
	struct slice id, remote;
	struct outbox_row row;

	(void)state;
	ok(outbox_claim(s, NOW, S(""), &arena, &row, &err));
	assert_int_equal(row.id, first);
	assert_false(row.rendered);
	assert_int_equal(outbox_claim(s, NOW, S(""), &arena, &row, &err),
			 PH_NONE);
	ok(outbox_rendered(s, first, &parcel, S("0123"), &err));
	ok(outbox_get(s, first, &arena, &row, &err));
	assert_true(row.rendered);
	assert_true(is(row.parcel.body, "body"));
	snprintf(sent.remote_id, sizeof(sent.remote_id), "r1");
	ok(outbox_attempt(s, &row, &sent, NOW, 0, NULL, &err));
	ok(outbox_claim(s, NOW, S(""), &arena, &row, &err));
	assert_int_equal(row.id, second);
	ok(outbox_thread(s, &row, &arena, &id, &remote, &err));
	assert_true(is(id, "id@us"));
	assert_true(is(remote, "r1"));
}

static void a_refused_channel_pauses_and_comes_back(void **state)
{
	int64_t id = queue("a", 0, "chat", NOW);
	struct outbox_row row;
	bool paused;

	(void)state;
	ok(outbox_claim(s, NOW, S(""), &arena, &row, &err));
	attempt(id, DELIVERY_CHANNEL, &paused);
	assert_true(paused);
	queue("b", 0, "chat", NOW);
	assert_int_equal(outbox_claim(s, NOW + 10, S(""), &arena, &row, &err),
			 PH_NONE);
	/* each hour one try */
	ok(outbox_claim(s, NOW + 3600, S(""), &arena, &row, &err));
	attempt(row.id, DELIVERY_CHANNEL, &paused);
	assert_false(paused);
	/* a new URL ends the pause */
	ok(channel_row_points(s, S("chat"), S("feed"), NOW + 11, &err));
	ok(outbox_claim(s, NOW + 11, S(""), &arena, &row, &err));
}

static void a_channel_that_is_gone_is_not_tried(void **state)
{
	int64_t id = queue("a", 0, "chat", NOW);
	struct outbox_row row;
	bool paused;

	(void)state;
	ok(outbox_claim(s, NOW, S(""), &arena, &row, &err));
	attempt(id, DELIVERY_GONE, &paused);
	assert_true(paused);
	assert_int_equal(outbox_claim(s, NOW + 86400, S(""), &arena, &row,
				      &err),
			 PH_NONE);
	ok(store_begin(s, &err));
	ok(store_end(s, outbox_retry(s, id, NOW + 5, &err), &err));
	ok(outbox_claim(s, NOW + 5, S(""), &arena, &row, &err));
}

static void a_crash_while_sending_may_have_sent(void **state)
{
	struct parcel parcel = { S_INIT("body"), S_INIT("id"),
				 S_INIT("a@x.org"), S_INIT("") };
	int64_t id = queue("a", 0, "chat", NOW);
	int64_t unrendered = queue("b", 0, "chat", NOW), n;
	struct outbox_row row;

	(void)state;
	ok(outbox_claim(s, NOW, S(""), &arena, &row, &err));
	ok(outbox_rendered(s, id, &parcel, S(""), &err));
	ok(outbox_claim(s, NOW, S(""), &arena, &row, &err));
	ok(outbox_revive(s, NOW, &n, &err));
	assert_int_equal(n, 2);
	ok(outbox_get(s, id, &arena, &row, &err));
	assert_int_equal(row.state, OUTBOX_PENDING);
	assert_true(row.maybe_dup);
	ok(outbox_get(s, unrendered, &arena, &row, &err));
	assert_false(row.maybe_dup);
}

static void five_days_are_enough(void **state)
{
	int64_t id = queue("a", 0, "chat", NOW), n;
	struct outbox_row row;

	(void)state;
	ok(outbox_expire(s, NOW + DELIVERY_EXPIRE, &n, &err));
	assert_int_equal(n, 0);
	ok(outbox_expire(s, NOW + DELIVERY_EXPIRE + 1, &n, &err));
	assert_int_equal(n, 1);
	ok(outbox_get(s, id, &arena, &row, &err));
	assert_int_equal(row.state, OUTBOX_DEAD);
	ok(store_begin(s, &err));
	ok(store_end(s, outbox_retry(s, id, NOW + 500000, &err), &err));
	ok(outbox_get(s, id, &arena, &row, &err));
	assert_int_equal(row.state, OUTBOX_PENDING);
	assert_int_equal(row.due, NOW + 500000);
}

static void three_bounces_stop_an_address(void **state)
{
	struct slice why;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(optout_get(s, S("a@x.org"), &arena, &why,
					    &err),
				 PH_NONE);
		ok(store_begin(s, &err));
		ok(bounce_add(s, S("A@x.org"), S("550"), NOW, &err));
		ok(store_commit(s, &err));
	}
	ok(optout_get(s, S("a@x.org"), &arena, &why, &err));
	assert_true(is(why, "3 mails to it bounced"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_file_is_for_its_owner_alone),
		TEST(what_is_no_state_is_refused),
		TEST(a_transaction_that_fails_leaves_nothing),
		TEST(a_statement_that_was_never_right_says_so_later),
		TEST(a_copy_is_whole),
		TEST(a_mail_comes_back_as_it_was),
		TEST(the_same_uid_replaces_what_is_undecided),
		TEST(what_the_server_has_not_done_is_kept_until_it_has),
		TEST(a_file_given_twice_is_one_message),
		TEST(what_lay_there_before_is_history),
		TEST(the_cursor_never_moves_back),
		TEST(deaths_are_counted),
		TEST(a_full_disk_is_said_and_survived),
		TEST(a_hash_is_known_by_its_first_digits),
		TEST(two_become_one_and_two_again),
		TEST(a_name_that_fits_two_is_refused),
		TEST(titles_match_one_patch_or_none),
		TEST(a_key_is_queued_once),
		TEST(claims_go_by_due_time),
		TEST(an_update_waits_for_its_thread),
		TEST(a_refused_channel_pauses_and_comes_back),
		TEST(a_channel_that_is_gone_is_not_tried),
		TEST(a_crash_while_sending_may_have_sent),
		TEST(five_days_are_enough),
		TEST(three_bounces_stop_an_address),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
