#include "bot/store/message.h"

#include <sysexits.h>
#include "bot/store/message_flags.h"
#include "bot/store/pack.h"
#include "bot/store/patch.h"
#include "bot/store/sql.h"
#include "ph/limits.h"

/* What is asked of the messages, and what the desk says about them. */

const char *message_state_name(enum message_state state)
{
	static const char *const name[MESSAGE_STATES] = {
		"new",	 "report",  "duplicate", "unproven",  "reply",
		"other", "waiting", "bad",	 "oversized", "poison",
	};

	return name[state];
}

const char *proven_name(enum proven proven)
{
	static const char *const name[] = {
		"not proven", "none asked for", "authres", "dkim", "vouched",
	};

	return name[proven];
}

/* -- the mail itself -- */

static void take_people(struct slice text, struct arena *arena,
			struct message *ret)
{
	size_t cap_to = 0, cap_cc = 0;
	struct slice line, which, address;

	while (slice_take_line(&text, &line)) {
		if (!slice_take_until(&line, '\t', &which) ||
		    !slice_take_until(&line, '\t', &address))
			continue;
		if (slice_eq(which, S("t"))) {
			ret->to = arena_grow(arena, ret->to, &cap_to, ret->n_to,
					     sizeof(*ret->to));
			ret->to[ret->n_to++] = (struct person){ line, address };
		} else {
			ret->cc = arena_grow(arena, ret->cc, &cap_cc, ret->n_cc,
					     sizeof(*ret->cc));
			ret->cc[ret->n_cc++] = (struct person){ line, address };
		}
	}
}

static void take_references(struct slice text, struct arena *arena,
			    struct message *ret)
{
	size_t cap = 0;
	struct slice line;

	if (!slice_take_line(&text, &ret->in_reply_to))
		return;
	while (slice_take_line(&text, &line)) {
		ret->references =
			arena_grow(arena, ret->references, &cap,
				   ret->n_references, sizeof(*ret->references));
		ret->references[ret->n_references++] = line;
	}
}

/* -- reading -- */

#define ROW_COLUMNS                                                           \
	" id, source, folder, uidvalidity, uid, arrived, added, by_hand,"     \
	" history, state, kind, reason, proven, proof, msgid, msgkey,"        \
	" from_name, from_address, subject, partial, flags, revision, patch," \
	" decided "

static struct slice join_from(struct slice name, struct slice address,
			      struct arena *arena)
{
	if (!name.len)
		return address;
	return slice_of(arena_printf(arena, "%.*s <%.*s>", S_FMT(name),
				     S_FMT(address)));
}

/* Takes ROW_COLUMNS. */
static void take_row(struct sql *q, struct arena *arena,
		     struct message_row *ret)
{
	struct slice name, address;
	int64_t flags;

	ret->id = sql_take_int(q);
	ret->source = sql_take_text(q, arena);
	ret->folder = sql_take_text(q, arena);
	ret->uidvalidity = (uint32_t)sql_take_int(q);
	ret->uid = (uint32_t)sql_take_int(q);
	ret->arrived = sql_take_int(q);
	ret->added = sql_take_int(q);
	ret->by_hand = sql_take_int(q);
	ret->history = sql_take_int(q);
	ret->state = (enum message_state)sql_take_int(q);
	ret->kind = (enum report_kind)sql_take_int(q);
	ret->reason = sql_take_text(q, arena);
	ret->proven = (enum proven)sql_take_int(q);
	ret->proof = sql_take_text(q, arena);
	ret->msgid = sql_take_text(q, arena);
	ret->msgkey = sql_take_text(q, arena);
	name = sql_take_text(q, arena);
	address = sql_take_text(q, arena);
	ret->from = join_from(name, address, arena);
	ret->subject = sql_take_text(q, arena);
	ret->partial = sql_take_int(q);
	flags = sql_take_int(q);
	ret->automatic = flags & FLAG_AUTOMATIC;
	ret->bounce = flags & FLAG_BOUNCE;
	ret->revision = (int)sql_take_int(q);
	ret->patch = sql_take_int(q);
	ret->decided = sql_take_int(q);
}

static enum status one_row(struct sql *q, struct arena *arena,
			   struct message_row *ret, struct err *err)
{
	enum status st = sql_row(q, err);

	if (st != PH_OK)
		return st;
	take_row(q, arena, ret);
	sql_stop(q);
	return PH_OK;
}

enum status message_get(struct store *s, int64_t id, struct arena *arena,
			struct message_row *ret, struct err *err)
{
	struct sql q =
		sql_start(s, "SELECT" ROW_COLUMNS "FROM message WHERE id = ?");

	sql_int(&q, id);
	return one_row(&q, arena, ret, err);
}

enum status message_next_new(struct store *s, int64_t after,
			     struct arena *arena, struct message_row *ret,
			     struct err *err)
{
	struct sql q =
		sql_start(s, "SELECT" ROW_COLUMNS "FROM message WHERE state = 0"
			     " AND id > ? ORDER BY id LIMIT 1");

	sql_int(&q, after);
	return one_row(&q, arena, ret, err);
}

enum status message_load(struct store *s, int64_t id, struct arena *arena,
			 struct message *ret, struct err *err)
{
	struct sql q = sql_start(
		s, "SELECT msgid, from_name, from_address, subject, date,"
		   " people, refs, list, flags, arrived, zstd"
		   " FROM message JOIN message_text ON message = id"
		   " WHERE id = ?");
	struct message m = { .n_from = 1 };
	enum status st;
	int64_t flags;

	sql_int(&q, id);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	m.id = sql_take_text(&q, arena);
	m.from.name = sql_take_text(&q, arena);
	m.from.address = sql_take_text(&q, arena);
	m.subject = sql_take_text(&q, arena);
	m.date = sql_take_int(&q);
	take_people(sql_take_text(&q, arena), arena, &m);
	take_references(sql_take_text(&q, arena), arena, &m);
	m.list = sql_take_text(&q, arena);
	flags = sql_take_int(&q);
	m.automatic = flags & FLAG_AUTOMATIC;
	m.bounce = flags & FLAG_BOUNCE;
	m.bare = flags & FLAG_BARE;
	m.received = sql_take_int(&q);
	st = unpack_text(sql_take_blob(&q), arena, &m.text, err);
	sql_stop(&q);
	if (st == PH_OK)
		*ret = m;
	return st;
}

static enum status find_uid(struct store *s, struct slice name,
			    struct arena *arena, struct message_row *ret,
			    struct err *err)
{
	const char *slash = slice_rchr(name, '/');
	struct slice number, box;
	uint64_t uid;
	struct sql q;

	if (!slash)
		return PH_NONE;
	box = slice_between(name.ptr, slash);
	number = slice_between(slash + 1, name.ptr + name.len);
	if (!slice_take_uint(&number, UINT32_MAX, &uid) || number.len)
		return PH_NONE;
	/* the newest UIDVALIDITY: its rows were added last */
	q = sql_start(s, "SELECT" ROW_COLUMNS
			 "FROM message WHERE source = ? AND uid = ?"
			 " ORDER BY id DESC LIMIT 1");
	sql_text(&q, box);
	sql_int(&q, (int64_t)uid);
	return one_row(&q, arena, ret, err);
}

enum status message_find(struct store *s, struct slice name,
			 struct arena *arena, struct message_row *ret,
			 struct err *err)
{
	struct slice key, left;
	struct sql q;

	name = slice_trim(name);
	if (slice_skip(&name, S("uid:")))
		return find_uid(s, name, arena, ret, err);
	if (slice_skip(&name, S("<")) && slice_ends(name, S(">")))
		name.len--;
	left = key = name;
	slice_take_until(&left, '@', &key);
	if (!key.len)
		return PH_NONE;
	q = sql_start(s, "SELECT" ROW_COLUMNS "FROM message WHERE msgkey = ?"
			 " ORDER BY proven DESC, id LIMIT 1");
	sql_text(&q, key);
	return one_row(&q, arena, ret, err);
}

enum status message_same(struct store *s, struct slice msgkey,
			 enum proven least, int64_t but, struct arena *arena,
			 struct message_row *ret, struct err *err)
{
	struct sql q = sql_start(s, "SELECT" ROW_COLUMNS
				    "FROM message WHERE msgkey = ?"
				    " AND msgkey != '' AND state = 1"
				    " AND proven >= ? AND id != ?"
				    " ORDER BY proven DESC, id LIMIT 1");

	sql_text(&q, msgkey);
	sql_int(&q, least);
	sql_int(&q, but);
	return one_row(&q, arena, ret, err);
}

enum status message_uids(struct store *s, struct slice source,
			 struct slice folder, uint32_t uidvalidity,
			 enum message_state state, uint32_t *ret_uids,
			 size_t max, size_t *ret_n, struct err *err)
{
	struct sql q = sql_start(s, "SELECT uid FROM message"
				    " INDEXED BY message_state"
				    " WHERE state + 0 = ? AND source = ?"
				    " AND folder = ? AND uidvalidity = ?"
				    " ORDER BY uid LIMIT ?");
	enum status st;
	size_t n = 0;

	sql_int(&q, state);
	sql_text(&q, source);
	sql_text(&q, folder);
	sql_int(&q, uidvalidity);
	sql_int(&q, (int64_t)max);
	while ((st = sql_row(&q, err)) == PH_OK)
		ret_uids[n++] = (uint32_t)sql_take_int(&q);
	if (st != PH_NONE)
		return st;
	*ret_n = n;
	return PH_OK;
}

/* -- deciding -- */

enum status message_decide(struct store *s, int64_t id,
			   enum message_state state, struct slice reason,
			   int64_t patch, int64_t now, struct err *err)
{
	struct sql q = sql_start(s, "UPDATE message SET state = ?, reason = ?,"
				    " patch = ?, decided = ? WHERE id = ?");

	sql_int(&q, state);
	sql_text(&q, reason);
	sql_id(&q, patch);
	sql_int(&q, now);
	sql_int(&q, id);
	return sql_run(&q, err);
}

enum status message_again(struct store *s, int64_t id, bool vouched,
			  bool resend, struct err *err)
{
	struct sql q = sql_start(
		s, "UPDATE message SET state = 0, patch = NULL, decided = NULL,"
		   " by_hand = 1, history = 0, reason = '',"
		   " revision = revision + ?4,"
		   " proven = CASE ?1 WHEN 1 THEN ?2 ELSE proven END,"
		   " proof = CASE ?1 WHEN 1 THEN 'vouched for by an operator'"
		   " ELSE proof END"
		   " WHERE id = ?3 AND state NOT IN (7, 8, 9)");
	enum status st;

	sql_int(&q, vouched);
	sql_int(&q, PROVEN_VOUCHED);
	sql_int(&q, id);
	sql_int(&q, resend);
	st = sql_run(&q, err);
	if (st == PH_OK && !sql_changes(s))
		return err_exit(err, PH_BAD, EX_DATAERR,
				"this message was never read, so there is "
				"nothing to decide");
	if (st == PH_OK)
		st = result_forget(s, id, err);
	if (st == PH_OK)
		st = trace_clear(s, id, err);
	return st;
}
