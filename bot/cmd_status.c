#include "bot/command.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "bot/ask.h"
#include "bot/health.h"
#include "bot/wake.h"

/*
 * status: how things stand, in one screen. What needs a person is marked with
 * "!" and makes the exit code 1.
 */

struct status_job {
	struct ask ask;
	struct health health;
};

/* Starts a line; bad ones need a person. */
static struct buf *line(struct status_job *s, bool bad, const char *name)
{
	struct buf *b = &s->ask.out;

	s->health.needs |= bad;
	buf_printf(b, "%c %-10s", bad ? '!' : ' ', name);
	return b;
}

/* -- mailboxes -- */

static void put_since(struct buf *b, const char *what, int64_t since,
		      struct slice why)
{
	buf_add_str(b, what);
	put_time(b, since);
	buf_add_str(b, ": ");
	put_clean(b, why);
}

static void put_last(struct buf *b, const struct mailbox_row *m)
{
	if (!m->last_read) {
		buf_add_str(b, m->folder.len ? ", not read yet"
					     : ": not read yet");
		return;
	}
	buf_add_str(b, ", last at ");
	put_time(b, m->last_read);
	if (!m->last_report) {
		buf_add_str(b, ", no report so far");
		return;
	}
	buf_add_str(b, ", last report ");
	put_time(b, m->last_report);
}

static void say_mailbox(void *arg, const struct mailbox_row *m)
{
	struct status_job *s = arg;
	struct buf *b = line(s, health_is_bad(&s->health, m), "mailbox");

	put_clean(b, m->name);
	if (m->folder.len) {
		buf_add_char(b, ' ');
		put_clean(b, m->folder);
		buf_printf(b, ": read up to UID %u", m->cursor);
	}
	put_last(b, m);
	if (health_is_silent(&s->health, m))
		buf_add_str(b, m->last_report ? ", longer ago than usual_gap"
					      : ", for longer than usual_gap");
	if (m->trouble.len)
		put_since(b, "\n            since ", m->trouble_since,
			  m->trouble);
	if (health_is_refused(&s->health, m))
		put_since(b,
			  "\n            read mails stay as they were since ",
			  m->refusal_since, m->refusal);
	buf_add_char(b, '\n');
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

/* -- counts -- */

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
		line(s, c->outbox[OUTBOX_DEAD] || health_is_late(&s->health, c),
		     "outbox");
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
	if (health_is_late(&s->health, c)) {
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

/* -- drift -- */

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
		buf_printf(b, " of reports in %d weeks\n", HEALTH_WEEKS);
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

static enum status tell(struct status_job *s, struct err *err)
{
	struct ask *a = &s->ask;
	struct store_counts counts;
	struct field_row *shares;
	enum status st;

	s->health = (struct health){ .config = a->config,
				     .store = a->store,
				     .arena = &a->arena,
				     .now = a->now };
	if (a->json)
		return health_json(&s->health, wake_knock(a->config->state),
				   &a->out, err);
	st = query_counts(a->store, &counts, err);
	if (st == PH_OK)
		st = health_shares(&s->health, &shares, err);
	return st == PH_OK ? status_text(s, &counts, shares, err) : st;
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
	return code ? code : s.health.needs;
}
