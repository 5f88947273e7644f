#include "bot/command.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/store/outbox.h"
#include "bot/store/query.h"
#include "bot/wake.h"

/*
 * status: how things stand, in one screen. What needs a person is marked with
 * "!" and makes the exit code 1.
 */

#define WAITS_TOO_LONG	3600 /* a notice behind its due time */
#define MAILBOX_TROUBLE 900  /* seconds without reading it */
#define DRIFT_WEEKS	4

struct status_job {
	struct ask ask;
	struct json j;
	bool needs; /* a person */
	size_t n;
};

/* Starts a line; bad ones need a person. */
static struct buf *line(struct status_job *s, bool bad, const char *name)
{
	struct buf *b = &s->ask.out;

	s->needs = s->needs || bad;
	buf_printf(b, "%c %-10s", bad ? '!' : ' ', name);
	return b;
}

/* -- mailboxes -- */

static const struct config_mailbox *box_of(const struct status_job *s,
					   struct slice name)
{
	for (size_t i = 0; i < s->ask.config->n_mailboxes; i++)
		if (slice_eq(slice_of(s->ask.config->mailboxes[i].name), name))
			return &s->ask.config->mailboxes[i];
	return NULL;
}

static bool is_silent(const struct status_job *s, const struct mailbox_row *m)
{
	const struct config_mailbox *box = box_of(s, m->name);
	int64_t since = m->last_report ? m->last_report : m->opened;

	return box && box->usual_gap && since &&
	       s->ask.now - since > box->usual_gap;
}

static bool in_trouble(const struct status_job *s, const struct mailbox_row *m)
{
	return box_of(s, m->name) && m->trouble.len &&
	       (m->wants_person ||
		s->ask.now - m->trouble_since > MAILBOX_TROUBLE);
}

/* The server does not do with read mails what `done` says. */
static bool is_refused(const struct status_job *s, const struct mailbox_row *m)
{
	const struct config_mailbox *box = box_of(s, m->name);

	return box && box->done != DONE_NOTHING && m->refusal.len;
}

static bool is_bad(const struct status_job *s, const struct mailbox_row *m)
{
	return in_trouble(s, m) || is_silent(s, m) || is_refused(s, m);
}

static void put_since(struct buf *b, const char *what, int64_t since,
		      struct slice why)
{
	buf_add_str(b, what);
	put_time(b, since);
	buf_add_str(b, ": ");
	put_clean(b, why);
}

static void say_mailbox(void *arg, const struct mailbox_row *m)
{
	struct status_job *s = arg;
	struct buf *b = line(s, is_bad(s, m), "mailbox");

	put_clean(b, m->name);
	if (m->folder.len) {
		buf_add_char(b, ' ');
		put_clean(b, m->folder);
		buf_printf(b, ": read up to UID %u", m->cursor);
	}
	buf_add_str(b, ", last at ");
	put_time(b, m->last_read);
	buf_add_str(b, ", last report ");
	put_time(b, m->last_report);
	if (is_silent(s, m))
		buf_add_str(b, ", longer ago than usual_gap");
	if (m->trouble.len)
		put_since(b, "\n            since ", m->trouble_since,
			  m->trouble);
	if (is_refused(s, m))
		put_since(b,
			  "\n            read mails stay as they were since ",
			  m->refusal_since, m->refusal);
	buf_add_char(b, '\n');
}

static void mailbox_json(void *arg, const struct mailbox_row *m)
{
	struct status_job *s = arg;
	struct json *j = &s->j;

	s->needs = s->needs || is_bad(s, m);
	json_open_object(j, NULL);
	json_put_str(j, "name", m->name);
	json_put_opt(j, "folder", m->folder);
	json_put_int(j, "uidvalidity", m->uidvalidity);
	json_put_int(j, "cursor", m->cursor);
	put_json_time(j, "opened", m->opened);
	put_json_time(j, "last_read", m->last_read);
	put_json_time(j, "last_report", m->last_report);
	json_put_opt(j, "trouble", m->trouble);
	put_json_time(j, "trouble_since", m->trouble_since);
	if (is_refused(s, m)) {
		json_put_str(j, "refusal", m->refusal);
		put_json_time(j, "refusal_since", m->refusal_since);
	}
	json_put_bool(j, "needs_a_person", is_bad(s, m));
	json_close_object(j);
}

/* -- channels -- */

static void say_channel(void *arg, const struct channel_row *c)
{
	struct status_job *s = arg;
	struct buf *b;

	if (!c->paused_since)
		return;
	b = line(s, true, "channel");
	put_clean(b, c->name);
	buf_add_str(b, " is paused since ");
	put_time(b, c->paused_since);
	buf_add_str(b, ": ");
	put_clean(b, c->reason);
	if (c->gone) {
		buf_add_str(b, "; until its URL changes or outbox retry");
	} else {
		buf_add_str(b, "; tried again at ");
		put_time(b, c->next_try);
	}
	buf_add_char(b, '\n');
}

static void channel_json(void *arg, const struct channel_row *c)
{
	struct status_job *s = arg;

	if (!c->paused_since)
		return;
	s->needs = true;
	json_open_object(&s->j, NULL);
	json_put_str(&s->j, "name", c->name);
	put_json_time(&s->j, "paused_since", c->paused_since);
	json_put_opt(&s->j, "reason", c->reason);
	json_put_bool(&s->j, "gone", c->gone);
	json_close_object(&s->j);
}

/* -- counts -- */

static bool is_late(const struct status_job *s, const struct store_counts *c)
{
	return s->ask.config->send && c->oldest_pending &&
	       s->ask.now - c->oldest_pending > WAITS_TOO_LONG;
}

static void say_messages(struct status_job *s, const struct store_counts *c)
{
	struct buf *b = line(s, false, "messages");
	bool odd = c->messages[MESSAGE_POISON] || c->messages[MESSAGE_BAD] ||
		   c->messages[MESSAGE_OVERSIZED];
	size_t n = 0;

	for (int i = 0; i < MESSAGE_STATES; i++)
		if (c->messages[i])
			buf_printf(b, "%s%lld %s", n++ ? ", " : "",
				   (long long)c->messages[i],
				   message_state_name(i));
	buf_add_str(b, n ? "\n" : "none\n");
	if (odd)
		buf_add_str(b, "            perfherald list --messages "
			       "poison|bad|oversized names those set aside\n");
	b = line(s, false, "patches");
	buf_printf(b, "%lld; %lld reports were read in part\n",
		   (long long)c->patches, (long long)c->partial);
}

static void say_outbox(struct status_job *s, const struct store_counts *c)
{
	struct buf *b =
		line(s, c->outbox[OUTBOX_DEAD] || is_late(s, c), "outbox");
	size_t n = 0;

	for (int i = 0; i < OUTBOX_STATES; i++)
		if (c->outbox[i])
			buf_printf(b, "%s%lld %s", n++ ? ", " : "",
				   (long long)c->outbox[i],
				   outbox_state_name(i));
	if (c->later)
		buf_printf(b, "%s%lld for the next digest", n++ ? ", " : "",
			   (long long)c->later);
	buf_add_str(b, n ? "" : "empty");
	if (is_late(s, c)) {
		buf_add_str(b, "; the oldest is due since ");
		put_time(b, c->oldest_pending);
	}
	buf_add_char(b, '\n');
	if (c->outbox[OUTBOX_DEAD])
		buf_add_str(b, "            perfherald outbox names the dead, "
			       "outbox retry ID or drop ID settles them\n");
	if (!s->ask.config->send)
		buf_add_str(b, "            send is false: a dry run, notices "
			       "are held\n");
	else if (c->outbox[OUTBOX_HELD])
		buf_add_str(b, "            the held ones wait for perfherald "
			       "outbox release, five days at most\n");
}

static void counts_json(struct status_job *s, const struct store_counts *c)
{
	struct json *j = &s->j;

	s->needs = s->needs || c->outbox[OUTBOX_DEAD] || is_late(s, c);
	json_open_object(j, "messages");
	for (int i = 0; i < MESSAGE_STATES; i++)
		json_put_int(j, message_state_name(i), c->messages[i]);
	json_close_object(j);
	json_open_object(j, "outbox");
	for (int i = 0; i < OUTBOX_STATES; i++)
		json_put_int(j, outbox_state_name(i), c->outbox[i]);
	json_put_int(j, "for_digests", c->later);
	json_close_object(j);
	json_put_int(j, "patches", c->patches);
	json_put_int(j, "partial", c->partial);
	put_json_time(j, "last_report", c->last_report);
	put_json_time(j, "oldest_due", c->oldest_pending);
	json_put_bool(j, "send", s->ask.config->send);
}

/* -- drift -- */

static void add_share(void *arg, const struct field_row *row)
{
	struct field_row *sum = arg;
	size_t i;

	for (i = 0; sum[i].total; i++)
		if (sum[i].kind == row->kind &&
		    slice_eq(sum[i].field, row->field))
			break;
	sum[i].kind = row->kind;
	sum[i].field = row->field;
	sum[i].hits += row->hits;
	sum[i].total += row->total;
}

/* One more than ever used stays empty and ends the list. */
#define FIELDS_MAX 256

static enum status read_shares(struct status_job *s, struct field_row **ret,
			       struct err *err)
{
	int64_t day = s->ask.now / 86400;

	*ret = arena_array(&s->ask.arena, struct field_row, FIELDS_MAX);
	return field_each(s->ask.store, day - DRIFT_WEEKS * 7, &s->ask.arena,
			  add_share, *ret, err);
}

static void say_shares(struct status_job *s, const struct field_row *sum)
{
	struct buf *b = &s->ask.out;
	size_t n = 0;

	for (size_t i = 0; sum[i].total; i++) {
		if (sum[i].hits == sum[i].total)
			continue;
		if (!n++)
			b = line(s, false, "fields");
		buf_printf(b, "%s%.*s %lld%%", n > 1 ? ", " : "",
			   S_FMT(sum[i].field),
			   (long long)(100 * sum[i].hits / sum[i].total));
	}
	if (n)
		buf_printf(b, " of reports in %d weeks\n", DRIFT_WEEKS);
}

static void shares_json(struct status_job *s, const struct field_row *sum)
{
	json_open_array(&s->j, "fields");
	for (size_t i = 0; sum[i].total; i++) {
		json_open_object(&s->j, NULL);
		json_put_cstr(&s->j, "kind", report_kind_name(sum[i].kind));
		json_put_str(&s->j, "field", sum[i].field);
		json_put_int(&s->j, "read", sum[i].hits);
		json_put_int(&s->j, "of", sum[i].total);
		json_close_object(&s->j);
	}
	json_close_array(&s->j);
}

/* -- all of it -- */

static enum status status_text(struct status_job *s,
			       const struct store_counts *c,
			       const struct field_row *shares, struct err *err)
{
	struct ask *a = &s->ask;
	struct buf *b = line(s, false, "watch");
	enum status st;

	buf_add_str(b, wake_knock(a->config->state) ? "running\n"
						    : "not running\n");
	st = mailbox_each(a->store, &a->arena, say_mailbox, s, err);
	say_messages(s, c);
	say_outbox(s, c);
	if (st == PH_OK)
		st = channel_row_each(a->store, &a->arena, say_channel, s, err);
	say_shares(s, shares);
	return st;
}

static enum status status_json(struct status_job *s,
			       const struct store_counts *c,
			       const struct field_row *shares, struct err *err)
{
	struct ask *a = &s->ask;
	enum status st;

	json_begin(&s->j, &a->out);
	json_open_object(&s->j, NULL);
	json_put_bool(&s->j, "watch", wake_knock(a->config->state));
	json_open_array(&s->j, "mailboxes");
	st = mailbox_each(a->store, &a->arena, mailbox_json, s, err);
	json_close_array(&s->j);
	counts_json(s, c);
	json_open_array(&s->j, "paused");
	if (st == PH_OK)
		st = channel_row_each(a->store, &a->arena, channel_json, s,
				      err);
	json_close_array(&s->j);
	shares_json(s, shares);
	json_put_bool(&s->j, "needs_a_person", s->needs);
	json_close_object(&s->j);
	buf_add_char(&a->out, '\n');
	return st;
}

static enum status tell(struct status_job *s, struct err *err)
{
	struct store_counts counts;
	struct field_row *shares;
	enum status st = query_counts(s->ask.store, &counts, err);

	if (st == PH_OK)
		st = read_shares(s, &shares, err);
	if (st != PH_OK)
		return st;
	return s->ask.json ? status_json(s, &counts, shares, err)
			   : status_text(s, &counts, shares, err);
}

int cmd_status(int argc, char **argv, const char *config_path)
{
	struct status_job s = { 0 };
	struct args args = args_of(argc, argv);
	struct err err = { 0 };
	int code = 0;

	while (args_more(&args) && !code)
		if (!ask_format(&s.ask, &args, &code))
			return args_fail(&args);
	if (code || args.missing)
		return code ? code : args_fail(&args);
	code = ask_open(&s.ask, config_path);
	if (code)
		return code;
	code = ask_close(&s.ask, tell(&s, &err), &err);
	return code ? code : s.needs;
}
