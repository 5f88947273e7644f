#include "bot/worker.h"

#include <string.h>
#include "bot/step.h"
#include "bot/trouble.h"
#include "ph/clock.h"
#include "ph/log.h"

#define UNSENT_MOST 3 /* mails of one batch, see fetch_unsent */

/* -- what the server is told -- */

/*
 * Of what is recorded and it does not know of yet: what was read now, and what a
 * worker left that died, or was refused, before. After all reading, so that a
 * server which refuses it holds up no mail.
 */
static enum status tell_server(struct worker *w, struct err *err)
{
	const struct slice name = slice_of(w->box->name);
	const struct slice folder = slice_of(w->batch.folder);
	const uint32_t uidvalidity = w->batch.uidvalidity;
	uint32_t uids[LIMIT_BATCH];
	bool told = false;
	enum status s;
	struct err why;
	size_t n;

	if (w->box->done == DONE_NOTHING)
		return PH_OK;
	for (;; told = true) {
		s = mailbox_undone(w->store, name, folder, uidvalidity, uids,
				   ARRAY_LEN(uids), &n, err);
		if (s || !n)
			break;
		s = imap_done(w->imap, uids, n, &why);
		step("server told");
		if (s == PH_BAD) /* it may be asked again with the next mail */
			return trouble_done(w->duty, w->store, why.text, err);
		if (s)
			*err = why;
		else
			s = mailbox_done(w->store, name, folder, uidvalidity,
					 uids, n, err);
		if (s)
			return s;
	}
	return s || !told ? s : trouble_done(w->duty, w->store, NULL, err);
}

/* -- fetching -- */

enum status worker_fetch_alone(struct worker *w, uint32_t uid, struct err *err)
{
	enum status s =
		imap_fetch_one(w->imap, uid, batch_take, &w->batch, err);

	if (s == PH_OK)
		s = batch_write(&w->batch, 0, err);
	return s;
}

/* -- mails that the server lists and does not send -- */

static bool is_waiting(const struct worker *w, uint32_t uid)
{
	for (size_t i = 0; i < w->n_waiting; i++)
		if (w->waiting[i] == uid)
			return true;
	return false;
}

/* It gets a row, so that the cursor can move on, and is asked for again with
 * all that wait. */
static enum status let_wait(struct worker *w, uint32_t uid, const char *why,
			    struct err *err)
{
	log_warn("%s; it waits, and mails behind it are read", why);
	if (w->n_waiting < ARRAY_LEN(w->waiting))
		w->waiting[w->n_waiting++] = uid;
	return batch_set_aside(&w->batch, uid, MESSAGE_WAITING,
			       S("the server lists it and does not send it"),
			       err);
}

/*
 * Each is asked for alone: a server may have stopped at the first that it
 * cannot read, and the others are well. More than a few at once are the
 * server's trouble, which will pass, and no mail's.
 */
static enum status fetch_unsent(struct worker *w, struct err *err)
{
	uint32_t uids[LIMIT_BATCH];
	size_t n = imap_unsent(w->imap, uids), more = 0;
	enum status s = PH_OK;
	struct err why;

	if (!n) /* something else is bad */
		return PH_RETRY;
	for (size_t i = 0; i < n && !s; i++) {
		if (is_waiting(w, uids[i]))
			continue;
		s = worker_fetch_alone(w, uids[i], &why);
		if (s == PH_NONE)
			s = PH_OK;
		else if (s == PH_BAD && more++ < UNSENT_MOST)
			s = let_wait(w, uids[i], why.text, err);
		else if (s)
			*err = why;
	}
	return s == PH_BAD ? PH_RETRY : s;
}

/* -- reading -- */

static enum status fetch_batch(struct worker *w, struct err *err)
{
	uint32_t last = w->cursor;
	enum status s;

	w->batch.n_written = 0;
	s = imap_fetch(w->imap, w->cursor, w->since, batch_take, &w->batch,
		       &last, err);
	if (s == PH_NONE)
		return s;
	if (s && s != PH_BAD)
		return worker_broke_off(w, s);
	if (s == PH_BAD) {
		s = fetch_unsent(w, err);
		if (s)
			return worker_broke_off(w, s);
	}
	s = batch_write(&w->batch, last, err);
	if (s)
		return s;
	w->cursor = last;
	progress_add(&w->progress, (int64_t)w->batch.n_written);
	return PH_OK;
}

enum status worker_catch_up(struct worker *w, struct err *err)
{
	enum status s = PH_OK;

	while (!s && !duty_stopped(w->duty))
		s = fetch_batch(w, err);
	return s && s != PH_NONE ? s : tell_server(w, err);
}

/* The mail that the last worker died of comes first, and alone. */
static enum status retry_suspect(struct worker *w, struct err *err)
{
	struct in_hand *h = w->duty->in_hand;
	enum status s;

	if (!h->uid || strcmp(h->folder, w->batch.folder) != 0 ||
	    h->uidvalidity != w->batch.uidvalidity)
		return PH_OK;
	s = worker_fetch_alone(w, h->uid, err);
	if (s && s != PH_NONE && s != PH_BAD)
		return s;
	h->uid = 0;
	return PH_OK;
}

/* Mails whose proof could not be had, or that the server did not send: the name
 * server may answer now, or the mail server. */
static enum status retry_waiting(struct worker *w, struct err *err)
{
	enum status s =
		message_uids(w->store, slice_of(w->box->name),
			     slice_of(w->batch.folder), w->batch.uidvalidity,
			     MESSAGE_WAITING, w->waiting, ARRAY_LEN(w->waiting),
			     &w->n_waiting, err);

	for (size_t i = 0; !s && i < w->n_waiting && !duty_stopped(w->duty);
	     i++) {
		s = worker_fetch_alone(w, w->waiting[i], err);
		if (s == PH_BAD)
			s = PH_OK;
		else if (s == PH_NONE)
			s = batch_set_aside(&w->batch, w->waiting[i],
					    MESSAGE_BAD,
					    S("gone from the mailbox before it "
					      "was sent or proven"),
					    err);
	}
	return s;
}

static enum status find_place(struct worker *w, const char *folder,
			      const struct imap_folder *f, struct err *err)
{
	struct mailbox_place place;
	enum status s = store_begin(w->store, err);

	if (s)
		return s;
	s = mailbox_open(w->store, slice_of(w->box->name), slice_of(folder),
			 f->uidvalidity, f->uidnext, clock_wall(), &place, err);
	s = store_end(w->store, s, err);
	if (s)
		return s;
	if (place.renumbered)
		log_warn("%s has new UIDs, reading it from the start", folder);
	w->cursor = place.cursor;
	w->since = place.opened - w->box->since;
	w->stuck = place.stuck;
	return PH_OK;
}

/* One line has room for one mailbox. */
static void begin_progress(struct worker *w, const struct imap_folder *f)
{
	int64_t left = f->exists;

	if (w->waited || w->duty->config->n_mailboxes != 1)
		return;
	if (w->cursor && f->uidnext > w->cursor)
		left = f->uidnext - 1 - w->cursor;
	progress_begin(&w->progress, left);
}

enum status worker_read_folder(struct worker *w, const char *folder,
			       struct err *err)
{
	struct imap_folder f;
	enum status s = imap_select(w->imap, folder, &f, err);

	if (!s)
		s = find_place(w, folder, &f, err);
	if (!s)
		s = batch_folder(&w->batch, folder, f.uidvalidity, err);
	if (!s)
		s = retry_suspect(w, err);
	if (!s)
		s = retry_waiting(w, err);
	if (!s)
		s = worker_pass_stuck(w, err);
	if (s)
		return s;
	begin_progress(w, &f);
	s = worker_catch_up(w, err);
	progress_clear(&w->progress);
	return s;
}
