#include "bot/print_patch.h"

#include <stdio.h>
#include "bot/ask.h"
#include "ph/clock.h"
#include "ph/notice.h"

static void put_date(struct buf *b, int64_t t)
{
	char date[16];

	clock_date(t, date);
	buf_add_str(b, date);
}

static const char *verdict_word(enum verdict verdict)
{
	static const char *const word[] = {
		[VERDICT_NONE] = "CHANGED",
		[VERDICT_IMPROVEMENT] = "BETTER",
		[VERDICT_REGRESSION] = "WORSE",
	};

	return word[verdict];
}

/* -- patches -- */

void print_patch_heading(struct buf *b)
{
	buf_add_str(b, "PATCH         SEEN        STATE         BETTER  WORSE  "
		       "MOST            TITLE\n");
}

static void put_most(struct buf *b, const struct result_row *worst)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %.1f%%", verdict_word(worst->verdict),
		 worst->percent);
	put_column(b, slice_of(text), 14);
}

void print_patch_line(struct buf *b, const struct patch_line *line)
{
	put_column(b, line->patch.hex, 12);
	buf_add_str(b, "  ");
	put_date(b, line->patch.last_seen);
	buf_add_str(b, "  ");
	put_column(b, slice_of(patch_life_name(line->patch.life)), 12);
	buf_printf(b, "  %6lld  %5lld  ", (long long)line->better,
		   (long long)line->worse);
	put_most(b, &line->worst);
	buf_add_str(b, "  ");
	put_clean(b, line->patch.title);
	buf_add_char(b, '\n');
}

void print_net(struct buf *b, const struct patch_line *line)
{
	buf_printf(b, "%lld better, %lld worse", (long long)line->better,
		   (long long)line->worse);
	if (line->worse)
		buf_printf(b, ", worst %.1f%%", line->worst.percent);
}

void print_patch_members(struct json *j, const struct patch_row *p)
{
	json_put_str(j, "patch", p->hex);
	json_put_opt(j, "title", p->title);
	json_put_opt(j, "commit", p->commit);
	json_put_opt(j, "author", p->author);
	json_put_opt(j, "tree", p->tree);
	json_put_opt(j, "branch", p->branch);
	json_put_opt(j, "label", p->label);
	json_put_opt(j, "subsystem", p->subsystem);
	json_put_opt(j, "posted", p->posted_link);
	json_put_cstr(j, "state", patch_life_name(p->life));
	json_put_opt(j, "reason", p->life_reason);
	put_json_time(j, "first_seen", p->first_seen);
	put_json_time(j, "last_seen", p->last_seen);
}

void print_patch_line_json(struct buf *b, const struct patch_line *line)
{
	struct json j;

	json_begin(&j, b);
	json_open_object(&j, NULL);
	print_patch_members(&j, &line->patch);
	json_put_int(&j, "reports", line->reports);
	json_put_int(&j, "better", line->better);
	json_put_int(&j, "worse", line->worse);
	json_open_object(&j, "most");
	print_result_members(&j, &line->worst);
	json_close_object(&j);
	json_close_object(&j);
	buf_add_char(b, '\n');
}

/* -- results -- */

void print_result_line(struct buf *b, const struct result_row *row)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %.1f%%", verdict_word(row->verdict),
		 row->percent);
	put_column(b, slice_of(text), 14);
	buf_add_char(b, ' ');
	put_clean(b, row->metric);
	buf_add_str(b, "  ");
	put_clean(b, row->host);
	if (row->params.len) {
		buf_add_str(b, "  ");
		put_clean(b, row->params);
	}
}

void print_result_members(struct json *j, const struct result_row *row)
{
	static const char *const grade[] = { NULL, "A", "B", "C", "D" };

	json_put_opt(j, "testcase", row->testcase);
	json_put_opt(j, "metric", row->metric);
	json_put_opt(j, "host", row->host);
	json_put_opt(j, "parameters", row->params);
	if (row->verdict != VERDICT_NONE)
		json_put_cstr(j, "verdict", verdict_name(row->verdict));
	json_put_double(j, "percent", row->percent);
	if (row->has_values) {
		json_put_double(j, "base", row->base);
		json_put_double(j, "value", row->value);
	}
	if (row->has_effect)
		json_put_double(j, "effect", row->effect);
	if (grade[row->evidence])
		json_put_cstr(j, "evidence", grade[row->evidence]);
	json_put_bool(j, "news", row->news);
	json_put_opt(j, "why", row->why);
	json_put_opt(j, "commit", row->commit);
	put_json_time(j, "arrived", row->arrived);
}

/* -- messages -- */

void print_message_heading(struct buf *b)
{
	buf_add_str(b, "ARRIVED           STATE      WHERE                    "
		       "SUBJECT\n");
}

static void put_where(struct buf *b, const struct message_row *row)
{
	struct slice tail = row->folder;
	bool cut = tail.len > 24;
	char text[128];

	/* of a path, the end tells files apart */
	if (cut)
		tail = slice_from(tail, tail.len - 21);
	if (row->uid)
		snprintf(text, sizeof(text), "uid:%.*s/%u", S_FMT(row->source),
			 row->uid);
	else
		snprintf(text, sizeof(text), "%s%.*s", cut ? "..." : "",
			 S_FMT(tail));
	put_column(b, slice_of(text), 24);
}

void print_message_line(struct buf *b, const struct message_row *row)
{
	put_time(b, row->arrived);
	buf_add_str(b, "  ");
	put_column(b, slice_of(message_state_name(row->state)), 10);
	buf_add_char(b, ' ');
	put_where(b, row);
	buf_add_char(b, ' ');
	put_clean(b, row->subject.len ? row->subject : row->reason);
	buf_add_char(b, '\n');
}

void print_message_members(struct json *j, const struct message_row *row)
{
	json_put_int(j, "message", row->id);
	json_put_opt(j, "id", row->msgid);
	json_put_str(j, "source", row->source);
	json_put_opt(j, "folder", row->folder);
	if (row->uid) {
		json_put_int(j, "uidvalidity", row->uidvalidity);
		json_put_int(j, "uid", row->uid);
	}
	put_json_time(j, "arrived", row->arrived);
	json_put_cstr(j, "state", message_state_name(row->state));
	json_put_cstr(j, "kind", report_kind_name(row->kind));
	json_put_opt(j, "reason", row->reason);
	json_put_cstr(j, "proven", proven_name(row->proven));
	json_put_opt(j, "proof", row->proof);
	json_put_opt(j, "from", row->from);
	json_put_opt(j, "subject", row->subject);
	json_put_bool(j, "partial", row->partial);
	json_put_bool(j, "history", row->history);
}

void print_message_line_json(struct buf *b, const struct message_row *row)
{
	struct json j;

	json_begin(&j, b);
	json_open_object(&j, NULL);
	print_message_members(&j, row);
	json_close_object(&j);
	buf_add_char(b, '\n');
}

/* -- notices -- */

void print_notice_subject(struct buf *b, const struct outbox_row *row,
			  struct arena *arena)
{
	struct notice n = { 0 };
	struct err err;

	if (notice_from_json(row->facts, arena, &n, &err) == PH_OK)
		notice_subject(&n, b);
	else
		buf_printf(b, "(%s)", err.text);
}

static const char *kind_word(enum notice_kind kind)
{
	static const char *const word[] = {
		[NOTICE_FIRST] = "first",	[NOTICE_UPDATE] = "update",
		[NOTICE_FORWARD] = "forward",	[NOTICE_DIGEST] = "digest",
		[NOTICE_OPERATOR] = "operator", [NOTICE_DRILL] = "drill",
		[NOTICE_ANSWER] = "answer",
	};

	return word[kind];
}

void print_outbox_members(struct json *j, const struct outbox_row *row,
			  struct arena *arena)
{
	struct buf subject;

	buf_init(&subject);
	print_notice_subject(&subject, row, arena);
	json_put_int(j, "notice", row->id);
	json_put_str(j, "key", row->key);
	json_put_cstr(j, "kind", kind_word(row->kind));
	json_put_str(j, "channel", row->channel);
	json_put_opt(j, "target", row->target);
	json_put_cstr(j, "state", outbox_state_name(row->state));
	json_put_opt(j, "reason", row->reason);
	put_json_time(j, "created", row->created);
	put_json_time(j, "due", row->due);
	if (row->state == OUTBOX_PENDING)
		put_json_time(j, "next_try", row->next_try);
	put_json_time(j, "sent", row->sent_at);
	json_put_int(j, "tries", row->tries);
	json_put_bool(j, "maybe_dup", row->maybe_dup);
	json_put_opt(j, "message_id", row->parcel.message_id);
	json_put_opt(j, "remote_id", row->remote_id);
	json_put_opt(j, "subject", buf_slice(&subject));
	buf_release(&subject);
}
