#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/batch.h"
#include "bot/child.h"
#include "bot/progress.h"
#include "bot/sandbox.h"
#include "bot/step.h"
#include "bot/store/message.h"
#include "ph/archive.h"
#include "ph/clock.h"
#include "ph/imap.h"
#include "ph/limits.h"
#include "ph/log.h"

/*
 * A worker lives as long as its connection: when that breaks it ends, and the
 * supervisor's backoff is the only one there is. The next connection is a new
 * process, with secrets, certificates and name servers read anew.
 */

#define WORKER_MEMORY (128 * MIB) /* over what it has at its start */
#define DEATHS	      2		  /* of workers, before a mail is poison */

struct worker {
	const struct duty *duty;
	const struct config_mailbox *box;
	struct store *store;
	struct prover *prover;
	struct imap *imap;
	struct batch batch;
	uint32_t cursor;
	int64_t since;		  /* what arrived before is not read */
	bool waited;		  /* it has caught up once */
	struct progress progress; /* until then */
	int timer;		  /* when to look at all folders again */
	int wake;		  /* epoll: the timer or the order to stop */
};

/* -- one folder -- */

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
	enum status s;
	size_t n;

	if (w->box->done == DONE_NOTHING)
		return PH_OK;
	for (;;) {
		s = mailbox_undone(w->store, name, folder, uidvalidity, uids,
				   ARRAY_LEN(uids), &n, err);
		if (s || !n)
			return s;
		s = imap_done(w->imap, uids, n, err);
		step("server told");
		if (!s)
			s = mailbox_done(w->store, name, folder, uidvalidity,
					 uids, n, err);
		if (s)
			return s;
	}
}

/* Keeps what was taken before a fetch broke off; why it did is the news. */
static enum status keep_rest(struct worker *w, enum status s)
{
	struct err ignored;

	batch_write(&w->batch, 0, &ignored);
	return s;
}

static enum status fetch_batch(struct worker *w, struct err *err)
{
	uint32_t last = w->cursor;
	enum status s = imap_fetch(w->imap, w->cursor, w->since, batch_take,
				   &w->batch, &last, err);

	if (s == PH_NONE)
		return s;
	if (s)
		return keep_rest(w, s);
	s = batch_write(&w->batch, last, err);
	if (s)
		return s;
	w->cursor = last;
	progress_add(&w->progress, (int64_t)w->batch.n_written);
	w->batch.n_written = 0;
	return PH_OK;
}

static enum status catch_up(struct worker *w, struct err *err)
{
	enum status s = PH_OK;

	while (!s && !duty_stopped(w->duty))
		s = fetch_batch(w, err);
	return s && s != PH_NONE ? s : tell_server(w, err);
}

static enum status fetch_alone(struct worker *w, uint32_t uid, struct err *err)
{
	enum status s =
		imap_fetch_one(w->imap, uid, batch_take, &w->batch, err);

	if (s == PH_OK)
		s = batch_write(&w->batch, 0, err);
	return s;
}

/* The mail that the last worker died of comes first, and alone. */
static enum status retry_suspect(struct worker *w, struct err *err)
{
	struct in_hand *h = w->duty->in_hand;
	enum status s;

	if (!h->uid || strcmp(h->folder, w->batch.folder) ||
	    h->uidvalidity != w->batch.uidvalidity)
		return PH_OK;
	s = fetch_alone(w, h->uid, err);
	if (s && s != PH_NONE)
		return s;
	h->uid = 0;
	return PH_OK;
}

/* Mails whose proof could not be had: the name server may answer now. */
static enum status retry_waiting(struct worker *w, struct err *err)
{
	uint32_t uids[LIMIT_BATCH];
	size_t n;
	enum status s =
		message_uids(w->store, slice_of(w->box->name),
			     slice_of(w->batch.folder), w->batch.uidvalidity,
			     MESSAGE_WAITING, uids, ARRAY_LEN(uids), &n, err);

	for (size_t i = 0; !s && i < n && !duty_stopped(w->duty); i++) {
		s = fetch_alone(w, uids[i], err);
		if (s == PH_NONE)
			s = batch_set_aside(&w->batch, uids[i], MESSAGE_BAD,
					    S("gone from the mailbox before "
					      "its proof could be had"),
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

static enum status read_folder(struct worker *w, const char *folder,
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
	if (s)
		return s;
	begin_progress(w, &f);
	s = catch_up(w, err);
	progress_clear(&w->progress);
	return s;
}

/* -- all folders -- */

static enum status read_folders(struct worker *w, const char *const *folders,
				size_t n, size_t *ret_mine, struct err *err)
{
	enum status s = PH_OK;

	*ret_mine = 0;
	for (size_t i = w->duty->part; !s && i < n; i += w->duty->parts) {
		s = read_folder(w, folders[i], err);
		(*ret_mine)++;
	}
	if (s)
		return s;
	/* A suspect that is in none of them is gone. */
	w->duty->in_hand->uid = 0;
	return mailbox_trouble(w->store, slice_of(w->box->name), S(""),
			       clock_wall(), err);
}

static void start_timer(struct worker *w)
{
	const struct itimerspec t = { .it_value.tv_sec = w->box->poll };

	timerfd_settime(w->timer, 0, &t, NULL);
}

/* Waits on the selected folder until it is time to look at all again. */
static enum status watch_folder(struct worker *w, struct err *err)
{
	enum status s;

	for (;;) {
		s = imap_wait(w->imap, w->box->poll * 1000, w->wake, err);
		if (s == PH_NONE)
			return PH_OK;
		if (!s)
			s = catch_up(w, err);
		if (s)
			return s;
	}
}

static void say_waiting(struct worker *w, size_t folders)
{
	w->progress.on = false;
	if (w->waited)
		return;
	w->waited = true;
	if (folders != 1)
		log_info("up to date, waiting for mail in %zu folders",
			 folders);
	else
		log_info("up to date, waiting for mail%s",
			 imap_has_idle(w->imap) ? "" : " without IDLE");
}

static enum status serve(struct worker *w, struct err *err)
{
	const char *const *folders;
	size_t n, mine;
	enum status s;

	for (;;) {
		start_timer(w);
		s = imap_folders(w->imap, &folders, &n, err);
		if (!s)
			s = read_folders(w, folders, n, &mine, err);
		if (s || w->duty->once || duty_stopped(w->duty))
			return s;
		say_waiting(w, mine);
		if (mine == 1)
			s = watch_folder(w, err);
		else
			duty_wait(w->duty, w->timer, -1);
		if (s || duty_stopped(w->duty))
			return s;
	}
}

/* -- its life -- */

/*
 * Counts a death before anything is tried again, so that the count outlives
 * the next one.
 */
static enum status judge_suspect(struct worker *w, struct err *err)
{
	struct in_hand *h = w->duty->in_hand;
	uint32_t deaths;
	enum status s;

	if (!h->died)
		return PH_OK;
	s = mailbox_death(w->store, slice_of(w->box->name), slice_of(h->folder),
			  h->uidvalidity, h->uid, &deaths, err);
	if (s)
		return s;
	h->died = false;
	if (deaths < DEATHS)
		return PH_OK;
	log_error("UID %u in %s killed its worker %u times and is set aside",
		  h->uid, h->folder, deaths);
	s = batch_folder(&w->batch, h->folder, h->uidvalidity, err);
	if (!s)
		s = batch_set_aside(&w->batch, h->uid, MESSAGE_POISON,
				    S("killed its worker twice"), err);
	if (!s)
		h->uid = 0;
	return s;
}

static enum status add_wake(int epoll, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) ? PH_FATAL : PH_OK;
}

static enum status open_wake(struct worker *w, struct err *err)
{
	w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	w->wake = epoll_create1(EPOLL_CLOEXEC);
	if (w->timer < 0 || w->wake < 0 || add_wake(w->wake, w->timer) ||
	    add_wake(w->wake, w->duty->stop))
		return err_exit(err, PH_FATAL, EX_OSERR, "epoll: %s",
				strerror(errno));
	return PH_OK;
}

static enum status shut_in(const struct duty *duty, struct err *err)
{
	const struct config_mailbox *box = duty->box;
	const struct config *config = duty->config;
	struct arena arena;
	enum status s;

	arena_init(&arena);
	const struct sandbox_path paths[] = {
		{ sandbox_folder_of(&arena, config->state), true },
		{ config->archive, true },
		{ secret_file(box->password_file, &arena), false },
		{ box->ca_file, false },
		{ config->trust.dkim_keys, false },
	};
	const struct sandbox sandbox = {
		.memory = WORKER_MEMORY,
		.paths = paths,
		.n_paths = ARRAY_LEN(paths),
		.runs_commands = box->password_command || box->token_command,
		.network = true,
	};

	s = sandbox_enter(&sandbox, err);
	arena_release(&arena);
	return s;
}

static enum status connected(struct worker *w, struct err *err)
{
	enum status s = imap_open(w->box, &w->imap, err);

	if (!s)
		s = serve(w, err);
	return s;
}

static enum status work(struct worker *w, struct err *err)
{
	enum status s = judge_suspect(w, err);
	struct err ignored;

	if (!s)
		s = open_wake(w, err);
	if (!s)
		s = connected(w, err);
	if (s)
		mailbox_trouble(w->store, slice_of(w->box->name),
				slice_of(err->text), clock_wall(), &ignored);
	return s;
}

/* What is made before the door shuts, and must be there for all of it. */
static enum status prepare(struct worker *w, struct err *err)
{
	const struct config *config = w->duty->config;
	enum status s = archive_make(config->archive, err);

	if (!s)
		s = prover_new(&config->trust, &w->prover, err);
	if (!s)
		s = shut_in(w->duty, err);
	if (!s)
		s = store_open(config->state, &w->store, err);
	return s;
}

int worker_run(const struct duty *duty)
{
	struct worker w = {
		.duty = duty, .box = duty->box, .timer = -1, .wake = -1
	};
	struct err err;
	enum status s = prepare(&w, &err);

	if (!s) {
		batch_init(&w.batch, duty, w.store, w.prover);
		s = work(&w, &err);
		batch_release(&w.batch);
	}
	if (s)
		log_error("%s", err.text);
	imap_close(w.imap);
	store_close(w.store);
	prover_free(w.prover);
	return s ? err_exit_code(&err, s) : EX_OK;
}
