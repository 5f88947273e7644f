#include "bot/store/message.h"

#include "bot/store/message_flags.h"
#include "bot/store/patch.h"
#include "bot/store/sql.h"
#include "ph/hash.h"
#include "ph/limits.h"

/* -- one column for what is only ever read back as a whole -- */

static void put_people(struct buf *b, char which, const struct person *people,
		       size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%c\t%.*s\t%.*s\n", which,
			   S_FMT(people[i].address), S_FMT(people[i].name));
}

/* The first line is In-Reply-To, which may be empty. */
static void put_references(struct buf *b, const struct message *m)
{
	buf_add_slice(b, m->in_reply_to);
	for (size_t i = 0; i < m->n_references; i++) {
		buf_add_char(b, '\n');
		buf_add_slice(b, m->references[i]);
	}
}

/* -- adding -- */

static struct slice id_of(const struct message_in *in)
{
	if (in->report && in->report->id.len)
		return in->report->id;
	return in->message ? in->message->id : (struct slice){ "", 0 };
}

/*
 * What two copies of a mail share: the Message-ID before its @, since web
 * archives mask the domain. Pasted text without an id is known by its bytes.
 */
static struct slice key_of(const struct message_in *in, char room[80])
{
	struct slice id = id_of(in), left = id, key;
	char name[65];

	if (slice_take_until(&left, '@', &key))
		return key;
	if (id.len || !in->message)
		return id;
	hash_name(&in->message->text, 1, name);
	sqlite3_snprintf(80, room, "sha256:%s", name);
	return slice_of(room);
}

/* Mail that lay there before the mailbox was first opened. One hour of slack
 * is for clocks that differ. */
#define CLOCK_SLACK 3600

static enum status is_history(struct store *s, const struct message_in *in,
			      bool *ret, struct err *err)
{
	struct sql q;
	int64_t opened, first_uidnext;
	enum status st;

	*ret = in->has_tell_since && in->arrived < in->tell_since;
	if (in->by_hand)
		*ret = false;
	if (in->by_hand || in->has_tell_since)
		return PH_OK;
	q = sql_start(s, "SELECT m.opened, f.first_uidnext FROM mailbox m"
			 " LEFT JOIN folder f ON f.mailbox = m.name"
			 " AND f.folder = ? AND f.uidvalidity = ?"
			 " WHERE m.name = ?");
	sql_text(&q, in->folder);
	sql_int(&q, in->uidvalidity);
	sql_text(&q, in->source);
	st = sql_row(&q, err);
	if (st == PH_NONE)
		return err_set(err, PH_FATAL, "mailbox %.*s was never opened",
			       S_FMT(in->source));
	if (st != PH_OK)
		return st;
	opened = sql_take_int(&q);
	first_uidnext = sql_take_int(&q);
	sql_stop(&q);
	if (first_uidnext)
		*ret = in->uid < first_uidnext ||
		       in->arrived < opened - CLOCK_SLACK;
	else
		*ret = in->arrived < opened;
	return PH_OK;
}

static enum status stored_copy(struct store *s, const struct message_in *in,
			       struct slice key, int64_t *ret, struct err *err)
{
	struct sql q = sql_start(s, "SELECT id FROM message WHERE msgkey = ?"
				    " AND msgkey != '' AND proven >= ?"
				    " ORDER BY proven DESC, id LIMIT 1");

	sql_text(&q, key);
	sql_int(&q, in->proven);
	return sql_one(&q, ret, err);
}

/* Makes room for a UID that comes again. PH_NONE: the desk has decided it. */
static enum status clear_uid(struct store *s, const struct message_in *in,
			     int64_t *ret_id, struct err *err)
{
	struct sql q = sql_start(s, "SELECT id, decided NOTNULL FROM message"
				    " WHERE source = ? AND folder = ?"
				    " AND uidvalidity = ? AND uid = ?");
	bool decided;
	enum status st;

	*ret_id = 0;
	sql_text(&q, in->source);
	sql_text(&q, in->folder);
	sql_int(&q, in->uidvalidity);
	sql_int(&q, in->uid);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	*ret_id = sql_take_int(&q);
	decided = sql_take_int(&q);
	sql_stop(&q);
	if (decided)
		return PH_NONE;
	q = sql_start(s, "DELETE FROM message WHERE id = ?");
	sql_int(&q, *ret_id);
	return sql_run(&q, err);
}

static void bind_mail(struct sql *q, const struct message *m)
{
	struct buf people, references;

	buf_init(&people);
	buf_init(&references);
	put_people(&people, 't', m->to, m->n_to);
	put_people(&people, 'c', m->cc, m->n_cc);
	put_references(&references, m);
	sql_text(q, m->from.name);
	sql_text(q, m->from.address);
	sql_text(q, m->subject);
	sql_int(q, m->date);
	sql_text(q, buf_slice(&people));
	sql_text(q, buf_slice(&references));
	sql_text(q, m->list);
	sql_int(q, (m->automatic ? FLAG_AUTOMATIC : 0) |
			   (m->bounce ? FLAG_BOUNCE : 0) |
			   (m->bare ? FLAG_BARE : 0));
	buf_release(&people);
	buf_release(&references);
}

static void bind_report(struct sql *q, const struct report *r)
{
	sql_int(q, r->partial);
	sql_text(q, r->commit.id);
	sql_text(q, r->commit.tree);
	sql_text(q, r->commit.branch);
}

/* A file's own time says when it was copied; a mail handed in says itself
 * when it came. */
static int64_t arrival_of(const struct message_in *in)
{
	int64_t said = 0;

	if (in->by_hand && in->message)
		said = in->message->received ? in->message->received
					     : in->message->date;
	return said > 0 && said <= in->now ? said : in->arrived;
}

static enum status insert(struct store *s, const struct message_in *in,
			  int64_t old_id, struct slice key, bool history,
			  int64_t *ret_id, struct err *err)
{
	static const struct message no_mail;
	static const struct report no_report;
	struct sql q = sql_start(
		s, "INSERT INTO message(id, source, folder, uidvalidity, uid,"
		   " arrived, added, by_hand, history, state, kind, reason,"
		   " proven, proof, msgid, msgkey, from_name, from_address,"
		   " subject, date, people, refs, list, flags, partial,"
		   " commit_id, tree, branch, undone) VALUES(?,?,?,?,?,"
		   " ?,?,?,?,?,?,?, ?,?,?,?,?,?, ?,?,?,?,?,?,?, ?,?,?,?)");
	enum status st;

	sql_id(&q, old_id);
	sql_text(&q, in->source);
	sql_text(&q, in->folder);
	sql_id(&q, in->by_hand ? 0 : in->uidvalidity);
	sql_id(&q, in->by_hand ? 0 : in->uid);
	sql_int(&q, arrival_of(in));
	sql_int(&q, in->now);
	sql_int(&q, in->by_hand);
	sql_int(&q, history);
	sql_int(&q, in->state);
	sql_int(&q, in->report ? in->report->kind : REPORT_OTHER);
	sql_text(&q, in->reason);
	sql_int(&q, in->proven);
	sql_text(&q, in->proof);
	sql_text(&q, id_of(in));
	sql_text(&q, key);
	bind_mail(&q, in->message ? in->message : &no_mail);
	bind_report(&q, in->report ? in->report : &no_report);
	sql_int(&q, in->undone);
	st = sql_run(&q, err);
	if (st == PH_OK)
		*ret_id = sql_new_id(s);
	return st;
}

static enum status insert_text(struct store *s, int64_t id, struct slice packed,
			       struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO message_text VALUES(?, ?)");

	sql_int(&q, id);
	sql_blob(&q, packed);
	return sql_run(&q, err);
}

static enum status insert_results(struct store *s, int64_t id,
				  const struct report *r, struct err *err)
{
	enum status st = PH_OK;
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < r->n_results && st == PH_OK; i++) {
		struct result_row row;

		result_from_report(r, i, &arena, &row);
		row.message = id;
		st = result_add(s, &row, err);
	}
	arena_release(&arena);
	return st;
}

static enum status note_report(struct store *s, const struct message_in *in,
			       struct err *err)
{
	struct sql q = sql_start(s, "UPDATE mailbox SET last_report ="
				    " max(?, ifnull(last_report, 0))"
				    " WHERE name = ?");

	sql_int(&q, in->arrived);
	sql_text(&q, in->source);
	return sql_run(&q, err);
}

enum status message_add(struct store *s, const struct message_in *in,
			int64_t *ret_id, struct err *err)
{
	char room[80];
	struct slice key = key_of(in, room);
	int64_t old_id = 0, id = 0;
	bool history = false;
	enum status st;

	if (in->by_hand) {
		st = stored_copy(s, in, key, ret_id, err);
		if (st != PH_NONE)
			return st == PH_OK ? PH_NONE : st;
	} else {
		st = clear_uid(s, in, &old_id, err);
		if (st == PH_NONE) {
			*ret_id = old_id;
			return PH_OK;
		}
		if (st != PH_OK)
			return st;
	}
	st = is_history(s, in, &history, err);
	if (st == PH_OK)
		st = insert(s, in, old_id, key, history, &id, err);
	if (st == PH_OK && in->packed.len)
		st = insert_text(s, id, in->packed, err);
	if (st == PH_OK && in->report)
		st = insert_results(s, id, in->report, err);
	if (st == PH_OK && in->report && in->report->n_results)
		st = note_report(s, in, err);
	if (st == PH_OK)
		*ret_id = id;
	return st;
}
