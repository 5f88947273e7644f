#include "bot/store/jump.h"
#include "bot/store/message.h"
#include "bot/store/sql.h"

/* Folders of one pattern are opened one after the other, the first time too;
 * later ones came after the mailbox was opened and hold no history. */
#define FIRST_OPENING 600

/* One that was opened by a clock ahead of now's is opened now: else what comes
 * until then would be history. */
static enum status open_mailbox(struct store *s, struct slice name, int64_t now,
				int64_t *ret_opened, struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO mailbox(name, opened)"
				    " VALUES(?, ?) ON CONFLICT DO UPDATE"
				    " SET opened = excluded.opened"
				    " WHERE opened = 0"
				    " OR opened > excluded.opened + ?3");
	enum status st;

	sql_text(&q, name);
	sql_int(&q, now);
	sql_int(&q, JUMP_SLACK);
	st = sql_run(&q, err);
	if (st != PH_OK)
		return st;
	q = sql_start(s, "SELECT opened FROM mailbox WHERE name = ?");
	sql_text(&q, name);
	return sql_one(&q, ret_opened, err);
}

static enum status add_folder(struct store *s, struct slice name,
			      struct slice folder, uint32_t uidvalidity,
			      int64_t first_uidnext, int64_t now,
			      struct err *err)
{
	struct sql q = sql_start(s, "INSERT OR REPLACE INTO folder(mailbox,"
				    " folder, uidvalidity, cursor,"
				    " first_uidnext, opened)"
				    " VALUES(?, ?, ?, 0, ?, ?)");

	sql_text(&q, name);
	sql_text(&q, folder);
	sql_int(&q, uidvalidity);
	sql_id(&q, first_uidnext);
	sql_int(&q, now);
	return sql_run(&q, err);
}

enum status mailbox_open(struct store *s, struct slice name,
			 struct slice folder, uint32_t uidvalidity,
			 uint32_t uidnext, int64_t now,
			 struct mailbox_place *ret, struct err *err)
{
	struct mailbox_place place = { .first = true };
	enum status st = open_mailbox(s, name, now, &place.opened, err);
	struct sql q;

	if (st != PH_OK)
		return st;
	q = sql_start(s, "SELECT uidvalidity, cursor, stuck, breaks,"
			 " behind FROM folder"
			 " WHERE mailbox = ? AND folder = ?");
	sql_text(&q, name);
	sql_text(&q, folder);
	st = sql_row(&q, err);
	if (st == PH_OK) {
		place.first = false;
		place.renumbered = sql_take_int(&q) != uidvalidity;
		place.cursor = (uint32_t)sql_take_int(&q);
		place.stuck.uid = (uint32_t)sql_take_int(&q);
		place.stuck.breaks = (uint32_t)sql_take_int(&q);
		place.stuck.behind = (uint32_t)sql_take_int(&q);
		sql_stop(&q);
	} else if (st != PH_NONE) {
		return st;
	}
	if (place.renumbered) {
		place.cursor = 0;
		place.stuck = (struct mailbox_stuck){ 0 };
	}
	if (place.first || place.renumbered) {
		bool old = place.first && now - place.opened <= FIRST_OPENING;

		st = add_folder(s, name, folder, uidvalidity, old ? uidnext : 0,
				now, err);
	} else {
		st = PH_OK;
	}
	if (st == PH_OK)
		*ret = place;
	return st;
}

enum status mailbox_advance(struct store *s, struct slice name,
			    struct slice folder, uint32_t uidvalidity,
			    uint32_t uid, struct err *err)
{
	struct sql q = sql_start(s, "UPDATE folder SET cursor = max(cursor, ?)"
				    " WHERE mailbox = ? AND folder = ?"
				    " AND uidvalidity = ?");
	enum status st;

	sql_int(&q, uid);
	sql_text(&q, name);
	sql_text(&q, folder);
	sql_int(&q, uidvalidity);
	st = sql_run(&q, err);
	if (st == PH_OK && !sql_changes(s))
		return err_set(err, PH_FATAL,
			       "mailbox %.*s: folder %.*s was "
			       "never opened",
			       S_FMT(name), S_FMT(folder));
	return st;
}

enum status mailbox_undone(struct store *s, struct slice name,
			   struct slice folder, uint32_t uidvalidity,
			   uint32_t *ret_uids, size_t max, size_t *ret_n,
			   struct err *err)
{
	struct sql q = sql_start(s, "SELECT uid FROM message"
				    " INDEXED BY message_undone"
				    " WHERE undone AND source = ?"
				    " AND folder = ? AND uidvalidity = ?"
				    " AND state != ? ORDER BY uid LIMIT ?");
	enum status st;
	size_t n = 0;

	sql_text(&q, name);
	sql_text(&q, folder);
	sql_int(&q, uidvalidity);
	sql_int(&q, MESSAGE_WAITING);
	sql_int(&q, (int64_t)max);
	while ((st = sql_row(&q, err)) == PH_OK)
		ret_uids[n++] = (uint32_t)sql_take_int(&q);
	if (st != PH_NONE)
		return st;
	*ret_n = n;
	return PH_OK;
}

static enum status clear_undone(struct store *s, struct slice name,
				struct slice folder, uint32_t uidvalidity,
				uint32_t uid, struct err *err)
{
	struct sql q = sql_start(s, "UPDATE message SET undone = 0"
				    " WHERE source = ? AND folder = ?"
				    " AND uidvalidity = ? AND uid = ?");

	sql_text(&q, name);
	sql_text(&q, folder);
	sql_int(&q, uidvalidity);
	sql_int(&q, uid);
	return sql_run(&q, err);
}

enum status mailbox_done(struct store *s, struct slice name,
			 struct slice folder, uint32_t uidvalidity,
			 const uint32_t *uids, size_t n, struct err *err)
{
	enum status st = store_begin(s, err);

	if (st != PH_OK)
		return st;
	for (size_t i = 0; i < n && st == PH_OK; i++)
		st = clear_undone(s, name, folder, uidvalidity, uids[i], err);
	return store_end(s, st, err);
}

static enum status count_death(struct store *s, struct slice name,
			       struct slice folder, uint32_t uidvalidity,
			       uint32_t uid, uint32_t *ret_deaths,
			       struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO death VALUES(?, ?, ?, ?, 1)"
				    " ON CONFLICT DO UPDATE SET"
				    " deaths = deaths + 1 RETURNING deaths");
	int64_t deaths = 0;
	enum status st;

	sql_text(&q, name);
	sql_text(&q, folder);
	sql_int(&q, uidvalidity);
	sql_int(&q, uid);
	st = sql_one(&q, &deaths, err);
	if (st == PH_OK)
		*ret_deaths = (uint32_t)deaths;
	return st;
}

enum status mailbox_death(struct store *s, struct slice name,
			  struct slice folder, uint32_t uidvalidity,
			  uint32_t uid, uint32_t *ret_deaths, struct err *err)
{
	enum status st = store_begin(s, err);

	if (st != PH_OK)
		return st;
	return store_end(s,
			 count_death(s, name, folder, uidvalidity, uid,
				     ret_deaths, err),
			 err);
}

static enum status set_stuck(struct store *s, struct slice name,
			     struct slice folder,
			     const struct mailbox_stuck *at, struct err *err)
{
	struct sql q = sql_start(s, "UPDATE folder SET stuck = ?, breaks = ?,"
				    " behind = ? WHERE mailbox = ?"
				    " AND folder = ?");

	sql_int(&q, at->uid);
	sql_int(&q, at->breaks);
	sql_int(&q, at->behind);
	sql_text(&q, name);
	sql_text(&q, folder);
	return sql_run(&q, err);
}

enum status mailbox_stuck(struct store *s, struct slice name,
			  struct slice folder, const struct mailbox_stuck *at,
			  struct err *err)
{
	enum status st = store_begin(s, err);

	if (st != PH_OK)
		return st;
	return store_end(s, set_stuck(s, name, folder, at, err), err);
}

static enum status set_trouble(struct store *s, struct slice name,
			       struct slice trouble, bool wants_person,
			       int64_t now, int64_t *ret_since, struct err *err)
{
	struct sql q = sql_start(
		s, "INSERT INTO mailbox(name, opened, trouble, trouble_since,"
		   " last_read, wants_person) VALUES(?1, 0, ?2, nullif(?4, 0),"
		   " CASE ?2 WHEN '' THEN ?3 END, ?5)"
		   " ON CONFLICT DO UPDATE SET trouble_since ="
		   " CASE WHEN ?2 = '' THEN NULL"
		   " ELSE ifnull(trouble_since, ?3) END,"
		   " last_read = CASE ?2 WHEN '' THEN ?3 ELSE last_read END,"
		   " trouble = ?2, wants_person = ?5"
		   " RETURNING trouble_since");

	sql_text(&q, name);
	sql_text(&q, trouble);
	sql_int(&q, now);
	sql_int(&q, trouble.len ? now : 0);
	sql_int(&q, wants_person);
	return sql_one(&q, ret_since, err);
}

enum status mailbox_trouble(struct store *s, struct slice name,
			    struct slice trouble, bool wants_person,
			    int64_t now, int64_t *ret_since, struct err *err)
{
	enum status st = store_begin(s, err);

	if (st != PH_OK)
		return st;
	return store_end(s,
			 set_trouble(s, name, trouble, wants_person, now,
				     ret_since, err),
			 err);
}

static enum status end_trouble(struct store *s, struct slice name,
			       struct err *err)
{
	struct sql q = sql_start(s, "UPDATE mailbox SET trouble = '',"
				    " trouble_since = NULL, wants_person = 0"
				    " WHERE name = ? AND wants_person");

	sql_text(&q, name);
	return sql_run(&q, err);
}

enum status mailbox_login_works(struct store *s, struct slice name,
				struct err *err)
{
	enum status st = store_begin(s, err);

	if (st != PH_OK)
		return st;
	return store_end(s, end_trouble(s, name, err), err);
}

static enum status set_refusal(struct store *s, struct slice name,
			       struct slice refusal, int64_t now, bool *ret_new,
			       struct err *err)
{
	struct sql q = sql_start(
		s, "UPDATE mailbox SET refusal_since ="
		   " CASE ?2 WHEN '' THEN NULL ELSE ifnull(refusal_since, ?3)"
		   " END, refusal = ?2 WHERE name = ?1"
		   " AND (refusal = '') != (?2 = '')");
	enum status st;

	sql_text(&q, name);
	sql_text(&q, refusal);
	sql_int(&q, now);
	st = sql_run(&q, err);
	if (st == PH_OK)
		*ret_new = sql_changes(s) && refusal.len;
	return st;
}

enum status mailbox_refusal(struct store *s, struct slice name,
			    struct slice refusal, int64_t now, bool *ret_new,
			    struct err *err)
{
	enum status st = store_begin(s, err);

	if (st != PH_OK)
		return st;
	return store_end(s, set_refusal(s, name, refusal, now, ret_new, err),
			 err);
}

enum status mailbox_each(struct store *s, struct arena *arena,
			 void (*fn)(void *arg, const struct mailbox_row *row),
			 void *arg, struct err *err)
{
	struct sql q = sql_start(
		s, "SELECT m.name, f.folder, f.uidvalidity, f.cursor, m.opened,"
		   " m.last_read, m.last_report, m.trouble, m.trouble_since,"
		   " m.wants_person, m.refusal, m.refusal_since"
		   " FROM mailbox m LEFT JOIN folder f ON f.mailbox = m.name"
		   " ORDER BY m.name, f.folder");
	enum status st;

	while ((st = sql_row(&q, err)) == PH_OK) {
		struct mailbox_row row;

		row.name = sql_take_text(&q, arena);
		row.folder = sql_take_text(&q, arena);
		row.uidvalidity = (uint32_t)sql_take_int(&q);
		row.cursor = (uint32_t)sql_take_int(&q);
		row.opened = sql_take_int(&q);
		row.last_read = sql_take_int(&q);
		row.last_report = sql_take_int(&q);
		row.trouble = sql_take_text(&q, arena);
		row.trouble_since = sql_take_int(&q);
		row.wants_person = sql_take_int(&q);
		row.refusal = sql_take_text(&q, arena);
		row.refusal_since = sql_take_int(&q);
		fn(arg, &row);
	}
	return st == PH_NONE ? PH_OK : st;
}
