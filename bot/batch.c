#include "bot/batch.h"

#include <stdio.h>
#include <string.h>
#include "bot/intake.h"
#include "bot/sandbox.h"
#include "bot/step.h"
#include "bot/wake.h"
#include "ph/archive.h"
#include "ph/clock.h"

#define BATCH_MS 50

void batch_init(struct batch *b, const struct duty *duty, struct store *store,
		struct prover *prover)
{
	*b = (struct batch){ .duty = duty, .store = store, .prover = prover };
	arena_init(&b->arena);
}

void batch_release(struct batch *b)
{
	arena_release(&b->arena);
}

static void empty(struct batch *b)
{
	b->n = 0;
	arena_reset(&b->arena);
}

enum status batch_folder(struct batch *b, const char *folder,
			 uint32_t uidvalidity, struct err *err)
{
	sandbox_allow_seconds(BATCH_REST_SECONDS);
	empty(b);
	b->folder = folder;
	b->uidvalidity = uidvalidity;
	return message_uids(b->store, slice_of(b->duty->box->name),
			    slice_of(folder), uidvalidity, MESSAGE_POISON,
			    b->skip, ARRAY_LEN(b->skip), &b->n_skip, err);
}

static struct message_in origin_of(const struct batch *b, uint32_t uid)
{
	const struct config_mailbox *box = b->duty->box;

	return (struct message_in){
		.source = slice_of(box->name),
		.folder = slice_of(b->folder),
		.uidvalidity = b->uidvalidity,
		.uid = uid,
		.now = clock_wall(),
		.has_tell_since = box->has_tell_since,
		.tell_since = box->tell_since,
		.undone = box->done != DONE_NOTHING,
	};
}

static void take_in_hand(struct batch *b, uint32_t uid)
{
	struct in_hand *h = b->duty->in_hand;

	snprintf(h->folder, sizeof(h->folder), "%s", b->folder);
	h->uidvalidity = b->uidvalidity;
	h->uid = uid;
	sandbox_allow_seconds(BATCH_MAIL_SECONDS);
}

static void lay_down(struct batch *b)
{
	sandbox_allow_seconds(BATCH_REST_SECONDS);
	b->duty->in_hand->uid = 0;
}

static enum status read_mail(struct batch *b, const struct imap_message *m,
			     struct err *err)
{
	struct message_in origin = origin_of(b, m->uid);
	struct message_in *in = &b->mails[b->n];
	enum status s;

	origin.arrived = m->arrived;
	if (m->too_big) {
		intake_set_aside(
			&origin, MESSAGE_OVERSIZED,
			slice_of(arena_printf(&b->arena,
					      "%u bytes, at most %zu are read",
					      m->size, LIMIT_MAIL)),
			in);
	} else {
		s = archive_put(b->duty->config->archive, m->raw, m->arrived,
				err);
		if (s)
			return s;
		intake_read(b->store, b->prover, m->raw, &origin, &b->arena,
			    in);
	}
	b->n++;
	return PH_OK;
}

static bool to_be_skipped(const struct batch *b, uint32_t uid)
{
	for (size_t i = 0; i < b->n_skip; i++)
		if (b->skip[i] == uid)
			return true;
	return false;
}

static bool full(const struct batch *b)
{
	return b->n == ARRAY_LEN(b->mails) ||
	       b->arena.used > LIMIT_BATCH_BYTES ||
	       clock_mono_ms() - b->since_ms > BATCH_MS;
}

enum status batch_take(void *arg, const struct imap_message *m, struct err *err)
{
	struct batch *b = arg;
	enum status s;

	if (to_be_skipped(b, m->uid))
		return PH_OK;
	if (!b->n)
		b->since_ms = clock_mono_ms();
	take_in_hand(b, m->uid);
	step("in hand");
	step_poison(m->raw);
	s = read_mail(b, m, err);
	lay_down(b);
	step("read");
	if (!s && full(b))
		s = batch_write(b, 0, err);
	return s;
}

static enum status write_rows(struct batch *b, uint32_t cursor, struct err *err)
{
	enum status s = PH_OK;
	int64_t id;

	for (size_t i = 0; i < b->n && !s; i++) {
		s = message_add(b->store, &b->mails[i], &id, err);
		if (s == PH_NONE)
			s = PH_OK;
	}
	if (!s && cursor)
		s = mailbox_advance(b->store, slice_of(b->duty->box->name),
				    slice_of(b->folder), b->uidvalidity, cursor,
				    err);
	return s;
}

enum status batch_write(struct batch *b, uint32_t cursor, struct err *err)
{
	enum status s;

	if (!b->n && !cursor)
		return PH_OK;
	s = store_begin(b->store, err);
	if (!s)
		s = store_end(b->store, write_rows(b, cursor, err), err);
	if (s)
		return s;
	if (b->n)
		wake_ring(b->duty->desk_bell);
	step("desk woken");
	b->n_written += b->n;
	empty(b);
	return PH_OK;
}

enum status batch_set_aside(struct batch *b, uint32_t uid,
			    enum message_state state, struct slice reason,
			    struct err *err)
{
	struct message_in origin = origin_of(b, uid);

	/* nobody has read it: it stays as it is for a person to see */
	origin.undone = false;
	intake_set_aside(&origin, state, reason, &b->mails[b->n++]);
	return batch_write(b, 0, err);
}
