#include "bot/health.h"

#include "bot/ask.h"
#include "bot/store/query.h"

#define WAITS_TOO_LONG	3600 /* a notice behind its due time */
#define MAILBOX_TROUBLE 900  /* seconds without reading it */

static const struct config_mailbox *box_of(const struct health *h,
					   struct slice name)
{
	for (size_t i = 0; i < h->config->n_mailboxes; i++)
		if (slice_eq(slice_of(h->config->mailboxes[i].name), name))
			return &h->config->mailboxes[i];
	return NULL;
}

bool health_is_silent(const struct health *h, const struct mailbox_row *m)
{
	const struct config_mailbox *box = box_of(h, m->name);
	int64_t since = m->last_report ? m->last_report : m->opened;

	return box && box->usual_gap && since &&
	       h->now - since > box->usual_gap;
}

static bool in_trouble(const struct health *h, const struct mailbox_row *m)
{
	return box_of(h, m->name) && m->trouble.len &&
	       (m->wants_person || h->now - m->trouble_since > MAILBOX_TROUBLE);
}

bool health_is_refused(const struct health *h, const struct mailbox_row *m)
{
	const struct config_mailbox *box = box_of(h, m->name);

	return box && box->done != DONE_NOTHING && m->refusal.len;
}

bool health_is_bad(const struct health *h, const struct mailbox_row *m)
{
	return in_trouble(h, m) || health_is_silent(h, m) ||
	       health_is_refused(h, m);
}

bool health_is_late(const struct health *h, const struct store_counts *c)
{
	return h->config->send && c->oldest_pending &&
	       h->now - c->oldest_pending > WAITS_TOO_LONG;
}

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

enum status health_shares(const struct health *h, struct field_row **ret,
			  struct err *err)
{
	int64_t day = h->now / 86400;

	*ret = arena_array(h->arena, struct field_row, FIELDS_MAX);
	return field_each(h->store, day - HEALTH_WEEKS * 7, h->arena, add_share,
			  *ret, err);
}

/* -- as JSON -- */

static void mailbox_json(void *arg, const struct mailbox_row *m)
{
	struct health *h = arg;
	struct json *j = &h->j;

	h->needs = h->needs || health_is_bad(h, m);
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
	if (health_is_refused(h, m)) {
		json_put_str(j, "refusal", m->refusal);
		put_json_time(j, "refusal_since", m->refusal_since);
	}
	json_put_bool(j, "needs_a_person", health_is_bad(h, m));
	json_close_object(j);
}

static void channel_json(void *arg, const struct channel_row *c)
{
	struct health *h = arg;

	if (!c->paused_since)
		return;
	h->needs = true;
	json_open_object(&h->j, NULL);
	json_put_str(&h->j, "name", c->name);
	put_json_time(&h->j, "paused_since", c->paused_since);
	json_put_opt(&h->j, "reason", c->reason);
	json_put_bool(&h->j, "gone", c->gone);
	json_close_object(&h->j);
}

static void counts_json(struct health *h, const struct store_counts *c)
{
	struct json *j = &h->j;

	h->needs = h->needs || c->outbox[OUTBOX_DEAD] || health_is_late(h, c);
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
	json_put_bool(j, "send", h->config->send);
}

static void shares_json(struct health *h, const struct field_row *sum)
{
	json_open_array(&h->j, "fields");
	for (size_t i = 0; sum[i].total; i++) {
		json_open_object(&h->j, NULL);
		json_put_cstr(&h->j, "kind", report_kind_name(sum[i].kind));
		json_put_str(&h->j, "field", sum[i].field);
		json_put_int(&h->j, "read", sum[i].hits);
		json_put_int(&h->j, "of", sum[i].total);
		json_close_object(&h->j);
	}
	json_close_array(&h->j);
}

enum status health_json(struct health *h, bool watching, struct buf *ret,
			struct err *err)
{
	struct store_counts counts;
	struct field_row *shares;
	enum status st = query_counts(h->store, &counts, err);

	if (st == PH_OK)
		st = health_shares(h, &shares, err);
	if (st != PH_OK)
		return st;
	json_begin(&h->j, ret);
	json_open_object(&h->j, NULL);
	put_json_time(&h->j, "at", h->now);
	json_put_bool(&h->j, "watch", watching);
	json_open_array(&h->j, "mailboxes");
	st = mailbox_each(h->store, h->arena, mailbox_json, h, err);
	json_close_array(&h->j);
	counts_json(h, &counts);
	json_open_array(&h->j, "paused");
	if (st == PH_OK)
		st = channel_row_each(h->store, h->arena, channel_json, h, err);
	json_close_array(&h->j);
	shares_json(h, shares);
	json_put_bool(&h->j, "needs_a_person", h->needs);
	json_close_object(&h->j);
	buf_add_char(ret, '\n');
	return st;
}
