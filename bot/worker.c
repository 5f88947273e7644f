#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/child.h"
#include "bot/lockout.h"
#include "bot/sandbox.h"
#include "bot/store/message.h"
#include "bot/trouble.h"
#include "bot/worker.h"
#include "ph/archive.h"
#include "ph/log.h"

/*
 * A worker lives as long as its connection: when that breaks it ends, and the
 * supervisor's backoff is the only one there is. The next connection is a new
 * process, with secrets, certificates and name servers read anew.
 */

#define WORKER_MEMORY (128 * MIB) /* over what it has at its start */
#define DEATHS	      2		  /* of workers, before a mail is poison */

/* -- all folders -- */

static enum status read_folders(struct worker *w, const char *const *folders,
				size_t n, size_t *ret_mine, struct err *err)
{
	enum status s = PH_OK;

	*ret_mine = 0;
	for (size_t i = w->duty->part; !s && i < n; i += w->duty->parts) {
		s = worker_read_folder(w, folders[i], err);
		(*ret_mine)++;
	}
	if (s)
		return s;
	/* A suspect that is in none of them is gone. */
	w->duty->in_hand->uid = 0;
	return trouble_mailbox(w->duty, w->store, "", false, err);
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
			s = worker_catch_up(w, err);
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

static enum status log_in(struct worker *w, bool *ret_wants_person,
			  struct err *err)
{
	enum status s = imap_open(w->box, &w->imap, err);

	*ret_wants_person = s == PH_BAD || s == PH_FATAL;
	if (s == PH_BAD)
		err->exit_code = WORKER_REFUSED;
	return s ? s : trouble_login_works(w->duty, w->store, err);
}

static enum status work(struct worker *w, struct err *err)
{
	bool wants_person = false;
	enum status s = judge_suspect(w, err);
	struct err ignored;

	if (!s)
		s = open_wake(w, err);
	if (!s)
		s = log_in(w, &wants_person, err);
	if (!s)
		s = serve(w, err);
	if (s)
		trouble_mailbox(w->duty, w->store, err->text, wants_person,
				&ignored);
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
