#include "bot/store/query.h"

#include <assert.h>
#include <stdlib.h>
#include "bot/facts.h"
#include "bot/store/patch_sql.h"

/* -- patches -- */

#define P_GROUP PATCH_GROUP("p.id")

/* A report of it said so (its rank), or git has since; which branches are only
 * -next is identity.h's rule. */
#define IN_MAINLINE                                                           \
	"(rank = 3 OR EXISTS (SELECT 1 FROM patch_commit c"                   \
	" JOIN git_commit g ON g.commit_id = c.commit_id AND g.json != '',"   \
	" json_each(g.json, '$.merged') m"                                    \
	" WHERE c.patch IN " P_GROUP " AND '/' || m.value NOT LIKE '%/next%'" \
	" AND '/' || m.value NOT LIKE '%/linux-next%'))"
static_assert(TREE_MAINLINE == 3, "as IN_MAINLINE has it");

#define REPLIED                                         \
	"EXISTS (SELECT 1 FROM message WHERE state = 4" \
	" AND patch IN " P_GROUP ")"
static_assert(MESSAGE_REPLY == 4, "as REPLIED has it");

#define IS_WORSE                                         \
	"EXISTS (SELECT 1 FROM result WHERE verdict = 2" \
	" AND patch IN " P_GROUP ")"

/* One key is one (test case, parameters, host, metric). */
#define KEYS_OF(verdict)                                                       \
	"(SELECT count(DISTINCT testcase || char(31) || params || char(31)"    \
	" || host || char(31) || metric) FROM result WHERE verdict = " verdict \
	" AND patch IN " PATCH_GROUP("?1") ")"

static enum status counts_of(struct store *s, struct patch_line *line,
			     struct err *err)
{
	struct sql q =
		sql_start(s,
			  "SELECT (SELECT count(*) FROM message"
			  " WHERE state = 1 AND patch IN " PATCH_GROUP(
				  "?1") "), " KEYS_OF("1") ", " KEYS_OF("2"));
	enum status st;

	sql_int(&q, line->patch.id);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	line->reports = sql_take_int(&q);
	line->better = sql_take_int(&q);
	line->worse = sql_take_int(&q);
	sql_stop(&q);
	return PH_OK;
}

static enum status worst_of(struct store *s, struct arena *arena,
			    struct patch_line *line, struct err *err)
{
	struct sql q =
		sql_start(s, "SELECT" RESULT_COLUMNS "FROM result r"
			     " JOIN message m ON m.id = r.message"
			     " WHERE r.patch IN " PATCH_GROUP(
				     "?1") " ORDER BY r.verdict DESC, "
					   "r.percent DESC, r.id LIMIT 1");
	enum status st;

	sql_int(&q, line->patch.id);
	st = sql_row(&q, err);
	if (st == PH_OK) {
		result_take_row(&q, arena, &line->worst);
		sql_stop(&q);
	}
	return st == PH_NONE ? PH_OK : st;
}

enum status query_patch_line(struct store *s, const struct patch_row *patch,
			     struct arena *arena, struct patch_line *ret,
			     struct err *err)
{
	enum status st;

	*ret = (struct patch_line){ .patch = *patch };
	st = counts_of(s, ret, err);
	if (st == PH_OK)
		st = worst_of(s, arena, ret, err);
	return st;
}

#define PAGE 256

/* A pattern of LIKE, which knows ASCII's cases and copies no title. */
static struct slice pattern_of(struct slice text, struct arena *arena)
{
	struct slice ret;
	struct buf b;

	if (!text.len)
		return text;
	buf_init(&b);
	buf_add_char(&b, '%');
	for (size_t i = 0; i < text.len; i++) {
		if (strchr("%_\\", text.ptr[i]))
			buf_add_char(&b, '\\');
		buf_add_char(&b, text.ptr[i]);
	}
	buf_add_char(&b, '%');
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

/* The next page of up to max behind (last_seen, id), into rows. */
static enum status patch_page(struct store *s, const struct patch_filter *f,
			      int64_t seen, int64_t id, int64_t max,
			      struct arena *arena, struct patch_row *rows,
			      size_t *ret_n, struct err *err)
{
	struct sql q =
		sql_start(s, "SELECT" PATCH_COLUMNS "FROM patch p"
			     " WHERE merged_into ISNULL AND last_seen >= ?1"
			     " AND (last_seen, id) < (?2, ?3)"
			     " AND (?4 = 0 OR ?4 >> life & 1)"
			     " AND (?5 = '' OR title LIKE ?5 ESCAPE '\\')"
			     " AND (?6 = 0 OR EXISTS (SELECT 1 FROM result"
			     " WHERE verdict = ?6 AND patch IN " P_GROUP "))"
			     " AND (?8 = 0 OR first_seen < ?8 AND life = 0"
			     " AND " IN_MAINLINE " AND " IS_WORSE
			     " AND NOT " REPLIED ")"
			     " ORDER BY last_seen DESC, id DESC LIMIT ?7");
	enum status st;
	size_t n = 0;

	sql_int(&q, f->since);
	sql_int(&q, seen);
	sql_int(&q, id);
	sql_int(&q, f->lives);
	sql_text(&q, pattern_of(f->text, arena));
	sql_int(&q, f->verdict);
	sql_int(&q, max);
	sql_int(&q, f->forgotten);
	while ((st = sql_row(&q, err)) == PH_OK)
		patch_take_row(&q, arena, &rows[n++]);
	*ret_n = n;
	return st == PH_NONE ? PH_OK : st;
}

enum status query_standing(struct store *s, int64_t patch,
			   struct patch_standing *ret, struct err *err)
{
	struct sql q = sql_start(s, "SELECT " REPLIED ", " IN_MAINLINE
				    " FROM patch p WHERE id = ?");
	enum status st;

	sql_int(&q, patch);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	ret->replied = sql_take_int(&q);
	ret->mainline = sql_take_int(&q);
	sql_stop(&q);
	return PH_OK;
}

static enum status show_page(struct store *s, const struct patch_row *rows,
			     size_t n, struct arena *arena,
			     void (*fn)(void *arg,
					const struct patch_line *line),
			     void *arg, struct err *err)
{
	enum status st = PH_OK;

	for (size_t i = 0; i < n && st == PH_OK; i++) {
		struct patch_line line;

		st = query_patch_line(s, &rows[i], arena, &line, err);
		if (st == PH_OK)
			fn(arg, &line);
	}
	return st;
}

enum status query_patches(struct store *s, const struct patch_filter *f,
			  struct arena *arena,
			  void (*fn)(void *arg, const struct patch_line *line),
			  void *arg, struct err *err)
{
	struct patch_row *rows = xcalloc(PAGE, sizeof(*rows));
	int64_t seen = INT64_MAX, id = INT64_MAX, left = f->limit, max = PAGE;
	enum status st;
	size_t n;

	do {
		/* a page's memory goes before the next: any number of patches
		 * can be walked */
		arena_reset(arena);
		if (f->limit && left < max)
			max = left;
		st = patch_page(s, f, seen, id, max, arena, rows, &n, err);
		if (st != PH_OK || !n)
			break;
		seen = rows[n - 1].last_seen;
		id = rows[n - 1].id;
		left -= (int64_t)n;
		st = show_page(s, rows, n, arena, fn, arg, err);
	} while (st == PH_OK && (int64_t)n == max && (!f->limit || left > 0));
	free(rows);
	return st;
}

/* -- messages -- */

/* An index knows the rows of one state. */
static bool one_state(unsigned states, unsigned *ret)
{
	for (unsigned i = 0; i < MESSAGE_STATES; i++) {
		if (states != 1u << i)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

enum status query_messages(struct store *s, unsigned states, bool partial,
			   int64_t patch, int64_t limit, struct arena *arena,
			   void (*fn)(void *arg, const struct message_row *row),
			   void *arg, struct err *err)
{
	unsigned state = states;
	struct sql q;
	int64_t id;
	enum status st;

	if (partial)
		q = sql_start(s, "SELECT id FROM message WHERE partial"
				 " AND ?1 >> state & 1 AND ?2 = 0"
				 " ORDER BY id DESC LIMIT ?3");
	else if (patch)
		q = sql_start(s, "SELECT id FROM message WHERE"
				 " ?1 >> state & 1 AND patch IN " PATCH_GROUP(
					 "?2") " ORDER BY arrived DESC,"
					       " id DESC LIMIT ?3");
	else if (one_state(states, &state))
		q = sql_start(s, "SELECT id FROM message WHERE"
				 " state + 0 = ?1 AND ?2 = 0"
				 " ORDER BY id DESC LIMIT ?3");
	else
		q = sql_start(s, "SELECT id FROM message WHERE"
				 " ?1 >> state & 1 AND ?2 = 0"
				 " ORDER BY id DESC LIMIT ?3");
	sql_int(&q, state);
	sql_int(&q, patch);
	sql_int(&q, limit ? limit : -1);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct message_row row;

		id = sql_take_int(&q);
		arena_reset(arena);
		st = message_get(s, id, arena, &row, err);
		if (st != PH_OK)
			break;
		fn(arg, &row);
	}
	sql_stop(&q);
	return st == PH_NONE ? PH_OK : st;
}

enum status query_next_report(struct store *s, int64_t since,
			      int64_t *ret_arrived, int64_t *id,
			      struct err *err)
{
	struct sql q = sql_start(s, "SELECT id, arrived FROM message"
				    " WHERE id > ? AND state = 1"
				    " AND arrived >= ? ORDER BY id LIMIT 1");
	enum status st;

	sql_int(&q, *id);
	sql_int(&q, since);
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	*id = sql_take_int(&q);
	*ret_arrived = sql_take_int(&q);
	sql_stop(&q);
	return PH_OK;
}

/* -- counts -- */

static enum status count_by(struct store *s, const char *text, int64_t *ret,
			    int64_t n, struct err *err)
{
	struct sql q = sql_start(s, text);
	enum status st;

	while ((st = sql_row(&q, err)) == PH_OK) {
		int64_t at = sql_take_int(&q);

		if (at >= 0 && at < n)
			ret[at] = sql_take_int(&q);
	}
	return st == PH_NONE ? PH_OK : st;
}

enum status query_counts(struct store *s, struct store_counts *ret,
			 struct err *err)
{
	struct store_counts c = { 0 };
	struct sql q;
	enum status st;

	st = count_by(s, "SELECT state + 0, count(*) FROM message GROUP BY 1",
		      c.messages, MESSAGE_STATES, err);
	if (st == PH_OK)
		st = count_by(s,
			      "SELECT state, count(*) FROM outbox"
			      " GROUP BY state",
			      c.outbox, OUTBOX_STATES, err);
	if (st != PH_OK)
		return st;
	q = sql_start(s, "SELECT (SELECT count(*) FROM patch) -"
			 " (SELECT count(*) FROM patch"
			 " WHERE merged_into NOTNULL),"
			 " (SELECT count(*) FROM message WHERE partial),"
			 " (SELECT max(last_seen) FROM patch"
			 " WHERE merged_into ISNULL),"
			 " (SELECT min(due) FROM outbox WHERE state = 1),"
			 " (SELECT count(*) FROM later WHERE outbox ISNULL)");
	st = sql_row(&q, err);
	if (st != PH_OK)
		return st;
	c.patches = sql_take_int(&q);
	c.partial = sql_take_int(&q);
	c.last_report = sql_take_int(&q);
	c.oldest_pending = sql_take_int(&q);
	c.later = sql_take_int(&q);
	sql_stop(&q);
	*ret = c;
	return PH_OK;
}

/* -- silences -- */

enum status silence_add(struct store *s, const struct silence_row *row,
			int64_t *ret_id, struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO silence(match, author, reason,"
				    " from_, until) VALUES(?, ?, ?, ?, ?)");
	enum status st;

	sql_text(&q, row->match);
	sql_text(&q, row->author);
	sql_text(&q, row->reason);
	sql_int(&q, row->from);
	sql_int(&q, row->until);
	st = sql_run(&q, err);
	if (st == PH_OK)
		*ret_id = sql_new_id(s);
	return st;
}

enum status silence_end(struct store *s, int64_t id, int64_t now,
			struct err *err)
{
	struct sql q = sql_start(s, "UPDATE silence SET until = ?1"
				    " WHERE id = ?2 AND until > ?1");
	enum status st;

	sql_int(&q, now);
	sql_int(&q, id);
	st = sql_run(&q, err);
	if (st == PH_OK && !sql_changes(s))
		return PH_NONE;
	return st;
}

enum status silence_each(struct store *s, int64_t at, struct arena *arena,
			 void (*fn)(void *arg, const struct silence_row *row),
			 void *arg, struct err *err)
{
	struct sql q = sql_start(s, "SELECT id, match, author, reason, from_,"
				    " until FROM silence WHERE ?1 = 0"
				    " OR from_ <= ?1 AND until > ?1"
				    " ORDER BY id");
	enum status st;

	sql_int(&q, at);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct silence_row row;

		row.id = sql_take_int(&q);
		row.match = sql_take_text(&q, arena);
		row.author = sql_take_text(&q, arena);
		row.reason = sql_take_text(&q, arena);
		row.from = sql_take_int(&q);
		row.until = sql_take_int(&q);
		fn(arg, &row);
	}
	return st == PH_NONE ? PH_OK : st;
}

/* -- drift -- */

enum status field_hit(struct store *s, int64_t week, enum report_kind kind,
		      struct slice field, bool hit, struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO field_hit"
				    " VALUES(?1, ?2, ?3, ?4, 1)"
				    " ON CONFLICT DO UPDATE SET"
				    " hits = hits + ?4, total = total + 1");

	sql_int(&q, week);
	sql_int(&q, kind);
	sql_text(&q, field);
	sql_int(&q, hit);
	return sql_run(&q, err);
}

enum status field_each(struct store *s, int64_t since_week, struct arena *arena,
		       void (*fn)(void *arg, const struct field_row *row),
		       void *arg, struct err *err)
{
	struct sql q = sql_start(s, "SELECT week, kind, field, hits, total"
				    " FROM field_hit WHERE week >= ?"
				    " ORDER BY week, kind, field");
	enum status st;

	sql_int(&q, since_week);
	while ((st = sql_row(&q, err)) == PH_OK) {
		struct field_row row;

		row.week = sql_take_int(&q);
		row.kind = (enum report_kind)sql_take_int(&q);
		row.field = sql_take_text(&q, arena);
		row.hits = sql_take_int(&q);
		row.total = sql_take_int(&q);
		fn(arg, &row);
	}
	return st == PH_NONE ? PH_OK : st;
}
