#include "bot/hand.h"

#include <pwd.h>
#include <stdio.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/intake.h"
#include "bot/store/patch.h"
#include "ph/archive.h"
#include "ph/clock.h"
#include "ph/utf8.h"

#define FLUSH_MS 50

void hand_init(struct hand *h, const struct config *config, struct store *store,
	       struct prover *prover)
{
	*h = (struct hand){ .config = config,
			    .store = store,
			    .prover = prover };
	arena_init(&h->arena);
	/* On the same terminal what is said of each mail is progress enough. */
	progress_begin(&h->progress, 0);
	h->progress.on &= !isatty(STDOUT_FILENO);
}

void hand_release(struct hand *h)
{
	progress_clear(&h->progress);
	arena_release(&h->arena);
}

/* Files may be named like commands to a terminal. */
static const char *shown(struct hand *h, struct slice s)
{
	char *text = arena_str(&h->arena, s);

	utf8_flatten(text, s.len);
	return text;
}

static void fail(struct hand *h, int code, struct slice where,
		 struct slice what)
{
	progress_clear(&h->progress);
	fprintf(stderr, "perfherald: %s%s%s\n", shown(h, where),
		where.len ? ": " : "", shown(h, what));
	if (!h->code)
		h->code = code;
}

void hand_fail(struct hand *h, enum status s, const struct err *err)
{
	fail(h, err_exit_code(err, s), S(""), slice_of(err->text));
}

static struct slice user_name(void)
{
	const struct passwd *pw = getpwuid(getuid());

	return pw ? slice_of(pw->pw_name) : S("unknown");
}

static enum status audit(struct hand *h, struct slice id, struct err *err)
{
	if (!h->vouch)
		return PH_OK;
	return audit_add(h->store, clock_wall(), user_name(), S("vouch"), 0, id,
			 err);
}

/* -- writing -- */

static enum status take_up(struct hand *h, int64_t id, struct slice name,
			   struct err *err)
{
	enum status s = message_again(h->store, id, h->vouch, h->resend, err);

	return s ? s : audit(h, name, err);
}

/*
 * A mail that is here already. One that was read as history has never been
 * told, and handing it in is the word that it shall be.
 */
static enum status add_copy(struct hand *h, const struct message_in *in,
			    int64_t id, struct err *err)
{
	struct message_row row;
	enum status s = message_get(h->store, id, &h->arena, &row, err);

	if (s)
		return s;
	if (row.history || h->again || h->resend || h->vouch)
		return take_up(h, id, row.msgid, err);
	printf("%s: known already (--again decides anew)\n",
	       shown(h, in->folder));
	return PH_OK;
}

static enum status add(struct hand *h, const struct message_in *in,
		       struct err *err)
{
	int64_t id;
	enum status s = message_add(h->store, in, &id, err);

	if (s == PH_NONE)
		return add_copy(h, in, id, err);
	if (!s && in->message)
		s = audit(h, in->message->id, err);
	return s;
}

static enum status add_all(struct hand *h, struct err *err)
{
	enum status s = PH_OK;

	for (size_t i = 0; i < h->n && !s; i++)
		s = add(h, &h->mails[i], err);
	return s;
}

enum status hand_flush(struct hand *h, struct err *err)
{
	enum status s;

	if (!h->n)
		return PH_OK;
	s = store_begin(h->store, err);
	if (!s)
		s = store_end(h->store, add_all(h, err), err);
	h->n = 0;
	arena_reset(&h->arena);
	if (!s)
		h->changed = true;
	return s;
}

/* -- reading -- */

static void vouch(struct message_in *in)
{
	in->state = MESSAGE_NEW;
	in->reason = S("");
	in->proven = PROVEN_VOUCHED;
	in->proof = S("vouched for by an operator");
}

/* Says what it is. False: there is nothing to keep. */
static bool say(struct hand *h, struct message_in *in)
{
	if (in->state == MESSAGE_BAD) {
		fail(h, EX_DATAERR, in->folder, in->reason);
		return true;
	}
	if (h->vouch)
		vouch(in);
	if (in->state == MESSAGE_WAITING) {
		/* It is whoever brings it that keeps it and comes again. */
		fail(h, EX_TEMPFAIL, in->folder, in->reason);
		return false;
	}
	if (in->report->kind != REPORT_PERFORMANCE)
		printf("%s: no performance report (%s)\n", shown(h, in->folder),
		       report_kind_name(in->report->kind));
	else
		printf("%s: performance report, %s (%s)\n",
		       shown(h, in->folder),
		       in->proven == PROVEN_NOT ? "unproven" : "believed",
		       shown(h, in->proof));
	return true;
}

enum status hand_take(struct hand *h, struct slice raw, const char *source,
		      const char *where, int64_t arrived, struct err *err)
{
	struct message_in *in = &h->mails[h->n];
	struct message_in origin = { .source = slice_of(source),
				     .arrived = arrived,
				     .now = clock_wall(),
				     .by_hand = true };
	enum status s;

	if (!arrived)
		origin.arrived = origin.now;
	s = archive_put(h->config->archive, raw, origin.arrived, err);
	if (s)
		return s;
	if (!h->n)
		h->since_ms = clock_mono_ms();
	origin.folder = arena_copy(&h->arena, slice_of(where));
	intake_read(h->store, h->prover, raw, &origin, &h->arena, in);
	if (say(h, in))
		h->n++;
	progress_add(&h->progress, 1);
	if (h->n < ARRAY_LEN(h->mails) && h->arena.used < LIMIT_BATCH_BYTES &&
	    clock_mono_ms() - h->since_ms < FLUSH_MS)
		return PH_OK;
	return hand_flush(h, err);
}

enum status hand_take_known(struct hand *h, struct slice id, struct err *err)
{
	struct message_row row;
	enum status s = message_find(h->store, id, &h->arena, &row, err);

	if (s)
		return s;
	if (!row.history && !h->again && !h->resend && !h->vouch) {
		printf("%s: known already (--again decides anew)\n",
		       shown(h, id));
		return PH_OK;
	}
	s = store_begin(h->store, err);
	if (!s)
		s = store_end(h->store, take_up(h, row.id, row.msgid, err),
			      err);
	if (!s)
		h->changed = true;
	return s;
}
