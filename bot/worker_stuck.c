#include "bot/worker.h"

#include <inttypes.h>
#include "ph/log.h"

/*
 * Some mails break the connection each time: their size was told wrong, or the
 * server dies of reading them. That it is the mail and not the server shows
 * when another comes over the same connection just before.
 */

#define BREAKS_TOGETHER 3  /* before a mail is asked for alone */
#define BREAKS_MOST	5  /* before it is set aside, where another comes */
#define BREAKS_LAST	10 /* the same where there is no other behind it */
#define BEHIND_MOST	16 /* how far behind others are tried */

static enum status save(struct worker *w, struct err *err)
{
	return mailbox_stuck(w->store, slice_of(w->box->name),
			     slice_of(w->batch.folder), &w->stuck, err);
}

/* All of the batch below the UID where it broke has come, so the cursor moves:
 * with a server that breaks at random each connection gets on. */
enum status worker_broke_off(struct worker *w, enum status s)
{
	uint32_t uid = s == PH_RETRY ? imap_broke_at(w->imap) : 0;
	struct err ignored;

	if (batch_write(&w->batch, uid ? uid - 1 : 0, &ignored) || !uid)
		return s;
	if (w->stuck.uid != uid)
		w->stuck = (struct mailbox_stuck){ .uid = uid };
	w->stuck.breaks++;
	save(w, &ignored);
	return s;
}

static enum status set_aside(struct worker *w, struct err *err)
{
	uint32_t uid = w->stuck.uid;
	enum status s;

	log_error("UID %" PRIu32 " in \"%s\" broke the connection %" PRIu32
		  " times in a row and is set aside; perfherald process"
		  " uid:%s/%" PRIu32 " asks for it once more",
		  uid, w->batch.folder, w->stuck.breaks, w->box->name, uid);
	s = batch_set_aside(&w->batch, uid, MESSAGE_BAD,
			    S("the connection breaks each time it is fetched"),
			    err);
	return s ? s : batch_write(&w->batch, uid, err);
}

/* Whether another mail comes. PH_NONE: there is none, or it is not sent. */
static enum status try_other(struct worker *w, struct err *err)
{
	uint32_t behind = w->stuck.behind, uid;
	struct err ignored;
	enum status s = PH_NONE;

	if (w->stuck.uid <= UINT32_MAX - behind)
		s = imap_next(w->imap, w->stuck.uid + behind, &uid, err);
	if (!s)
		s = worker_fetch_alone(w, uid, err);
	if (!s || (s == PH_NONE && !behind))
		return s;
	/* that one may be as bad, or the last; nobody is blamed for it */
	w->stuck.behind = s == PH_NONE ? 0 : (behind + 1) % BEHIND_MOST;
	save(w, &ignored);
	return s == PH_BAD ? PH_NONE : s;
}

static enum status try_alone(struct worker *w, bool others_come,
			     struct err *err)
{
	uint32_t most = others_come ? BREAKS_MOST : BREAKS_LAST;
	enum status s = worker_fetch_alone(w, w->stuck.uid, err);
	struct err failed;

	if (s == PH_OK || s == PH_NONE) {
		w->cursor = w->stuck.uid;
		return batch_write(&w->batch, w->cursor, err);
	}
	if (s == PH_BAD) /* the usual way knows what to do */
		return PH_OK;
	if (s != PH_RETRY || imap_broke_at(w->imap) != w->stuck.uid)
		return s;
	worker_broke_off(w, s);
	if (w->stuck.breaks < most || !set_aside(w, &failed))
		return s;
	*err = failed;
	return PH_FATAL;
}

enum status worker_pass_stuck(struct worker *w, struct err *err)
{
	enum status s;

	if (w->stuck.breaks < BREAKS_TOGETHER || w->stuck.uid != w->cursor + 1)
		return PH_OK;
	s = try_other(w, err);
	if (s && s != PH_NONE)
		return s;
	return try_alone(w, s == PH_OK, err);
}
