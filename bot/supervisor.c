#include "bot/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/command.h"
#include "bot/crew.h"
#include "bot/lock.h"
#include "bot/lockout.h"
#include "bot/reload.h"
#include "bot/systemd.h"
#include "bot/step.h"
#include "bot/wake.h"
#include "ph/clock.h"
#include "ph/log.h"

/* A child that ran this long was fine; its end is a new failure. */
#define HEALTHY_MS 60000

/* How long a stop may take. A worker can be cut off anywhere, a courier may
 * wait for a server's word on a notice that must not go out twice. Under the
 * TimeoutStopSec of our unit. */
#define GRACE_WORKER_MS	 10000
#define GRACE_COURIER_MS 50000

struct supervisor {
	struct config *config;
	struct config *next; /* to go on with after a reload */
	enum crew_kind kind;
	struct crew crew;
	unsigned phase;
	int signals;
	int knock; /* -1: none */
	bool stopping;
	int64_t stop_since;
	int64_t watchdog_ms, watchdog_at;
	int code; /* the first failure of a crew that ends by itself */
};

static uint32_t random_u32(void)
{
	uint32_t n = 0;

	/* Before the pool is ready 0 is as good: the shortest wait. */
	if (getrandom(&n, sizeof(n), GRND_NONBLOCK) != sizeof(n))
		return 0;
	return n;
}

/* -- starting -- */

static void start_later(struct child *c, int64_t now)
{
	c->start_at = now + child_backoff_ms(c->failures, random_u32());
	c->failures++;
}

static bool may_start(const struct supervisor *s, const struct child *c)
{
	return !s->stopping && !c->pid && !c->done && c->phase == s->phase;
}

static void start_due(struct supervisor *s, int64_t now)
{
	struct err err;

	for (size_t i = 0; i < s->crew.n; i++) {
		struct child *c = &s->crew.child[i];

		if (!may_start(s, c) || c->start_at > now)
			continue;
		step("fork");
		lockout_begin(c);
		if (child_start(c, now, &err)) {
			log_error("%s", err.text);
			start_later(c, now);
		}
	}
}

static bool any_running(const struct supervisor *s)
{
	for (size_t i = 0; i < s->crew.n; i++)
		if (s->crew.child[i].pid)
			return true;
	return false;
}

/* -- stopping -- */

static void stop_child(struct child *c)
{
	if (c->pid)
		kill(c->pid, SIGTERM);
}

static void stop_all(struct supervisor *s, int64_t now)
{
	if (s->stopping)
		return;
	s->stopping = true;
	s->stop_since = now;
	for (size_t i = 0; i < s->crew.n; i++)
		stop_child(&s->crew.child[i]);
}

static int64_t grace_ms(const struct child *c)
{
	return c->run == courier_run ? GRACE_COURIER_MS : GRACE_WORKER_MS;
}

static void kill_late(struct supervisor *s, int64_t now)
{
	for (size_t i = 0; s->stopping && i < s->crew.n; i++) {
		struct child *c = &s->crew.child[i];

		if (!c->pid || now < s->stop_since + grace_ms(c))
			continue;
		log_warn("%s does not stop, killing it", c->name);
		kill(c->pid, SIGKILL);
	}
}

/* -- phases -- */

static bool phase_over(const struct supervisor *s)
{
	for (size_t i = 0; i < s->crew.n; i++) {
		const struct child *c = &s->crew.child[i];

		if (c->phase == s->phase && !c->serves && !c->done)
			return false;
	}
	return true;
}

static void stop_servants(struct supervisor *s)
{
	for (size_t i = 0; i < s->crew.n; i++) {
		struct child *c = &s->crew.child[i];

		if (c->phase != s->phase || !c->serves)
			continue;
		c->done = true;
		stop_child(c);
	}
}

/* The state is ready: the processes that stay are started now. */
static void announce(const struct supervisor *s)
{
	systemd_tell("READY=1\nSTATUS=watching");
	log_info("watching %zu mailbox%s", s->config->n_mailboxes,
		 s->config->n_mailboxes == 1 ? "" : "es");
}

static void next_phase(struct supervisor *s, int64_t now)
{
	while (!s->stopping && phase_over(s)) {
		stop_servants(s);
		if (s->phase == s->crew.last_phase)
			stop_all(s, now);
		else
			s->phase++;
		if (s->kind == CREW_WATCH)
			announce(s);
	}
}

/* -- the end of a child -- */

static void log_end(const struct child *c, int wait_status)
{
	if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGPROF)
		log_error("%s used up its processor time", c->name);
	else if (WIFSIGNALED(wait_status))
		log_error("%s ended by signal %d (%s)", c->name,
			  WTERMSIG(wait_status),
			  strsignal(WTERMSIG(wait_status)));
	else if (WEXITSTATUS(wait_status))
		log_debug("%s ended with exit code %d", c->name,
			  WEXITSTATUS(wait_status));
}

/* True when the mail that the worker had in hand killed it. */
static bool note_in_hand(struct child *c, int wait_status)
{
	struct in_hand *in_hand = c->duty.in_hand;

	if (!in_hand || !in_hand->uid)
		return false;
	if (child_blames_mail(wait_status)) {
		log_error("%s died of UID %u in %s", c->name, in_hand->uid,
			  in_hand->folder);
		in_hand->died = true;
		return true;
	}
	if (WIFSIGNALED(wait_status))
		in_hand->uid = 0; /* whoever killed it, the mail did not */
	return false;
}

/* The end of a child whose work has an end. */
static void finish(struct supervisor *s, struct child *c, int wait_status,
		   int64_t now)
{
	int code =
		WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EX_SOFTWARE;

	c->done = true;
	if (code == WORKER_REFUSED)
		code = EX_UNAVAILABLE;
	if (code && !s->code)
		s->code = code;
	/* Mailboxes are independent; nothing is without a migrated state. */
	if (code && c->run != worker_run)
		stop_all(s, now);
}

static bool has_an_end(const struct supervisor *s, const struct child *c)
{
	return s->kind != CREW_WATCH || c->phase == 0;
}

static bool was_refused(const struct child *c, int wait_status)
{
	return c->run == worker_run && WIFEXITED(wait_status) &&
	       WEXITSTATUS(wait_status) == WORKER_REFUSED;
}

static void child_ended(struct supervisor *s, struct child *c, int wait_status,
			int64_t now)
{
	bool by_mail = note_in_hand(c, wait_status);

	step("reaped");
	c->pid = 0;
	log_end(c, wait_status);
	/* What it wrote last may not have been announced any more. */
	wake_ring(s->crew.desk_bell);
	wake_ring(s->crew.courier_bell);
	if (s->stopping || c->done)
		return;
	if (has_an_end(s, c) && !by_mail && !c->serves) {
		finish(s, c, wait_status, now);
		return;
	}
	if (was_refused(c, wait_status)) {
		lockout_refused(&s->crew, c, now);
		return;
	}
	if (by_mail || now - c->started > HEALTHY_MS) {
		c->failures = 0;
		lockout_over(c);
	}
	start_later(c, now);
}

static void reap(struct supervisor *s, int64_t now)
{
	int wait_status;

	for (size_t i = 0; i < s->crew.n; i++) {
		struct child *c = &s->crew.child[i];

		if (c->pid && waitpid(c->pid, &wait_status, WNOHANG) == c->pid)
			child_ended(s, c, wait_status, now);
	}
}

/* -- signals -- */

static void read_again(struct supervisor *s, bool forced, int64_t now)
{
	struct config *c;

	/* While one reload waits for the children, a newer one takes its place. */
	if (s->kind != CREW_WATCH || (s->stopping && !s->next))
		return;
	c = reload_read(s->config, forced);
	if (!c)
		return;
	systemd_tell("RELOADING=1");
	config_free(s->next);
	s->next = c;
	stop_all(s, now);
}

static void asked_to_stop(struct supervisor *s, int64_t now)
{
	log_info("stopping");
	systemd_tell("STOPPING=1");
	config_free(s->next);
	s->next = NULL;
	if (s->kind != CREW_WATCH && !s->code)
		s->code = EX_TEMPFAIL;
	stop_all(s, now);
}

static void take_signals(struct supervisor *s, int64_t now)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP || info.ssi_signo == SIGUSR1)
			read_again(s, info.ssi_signo == SIGUSR1, now);
		else if (info.ssi_signo != SIGCHLD)
			asked_to_stop(s, now);
	}
}

/* -- the loop -- */

static void sooner(int64_t *at, int64_t other)
{
	if (other < *at)
		*at = other;
}

static int wait_ms(const struct supervisor *s, int64_t now)
{
	int64_t at = now + 60000;

	for (size_t i = 0; i < s->crew.n; i++) {
		const struct child *c = &s->crew.child[i];

		if (may_start(s, c))
			sooner(&at, c->start_at);
		else if (s->stopping && c->pid)
			sooner(&at, s->stop_since + grace_ms(c));
	}
	if (s->watchdog_ms)
		sooner(&at, s->watchdog_at);
	if (lockout_watches(&s->crew))
		sooner(&at, now + LOCKOUT_LOOK_MS);
	return at > now ? (int)(at - now) : 0;
}

static void feed_watchdog(struct supervisor *s, int64_t now)
{
	if (!s->watchdog_ms || now < s->watchdog_at)
		return;
	systemd_tell("WATCHDOG=1");
	s->watchdog_at = now + s->watchdog_ms;
}

static void run_crew(struct supervisor *s)
{
	struct pollfd p = { .fd = s->signals, .events = POLLIN };

	s->stopping = false;
	s->phase = 0;
	while (!s->stopping || any_running(s)) {
		int64_t now = clock_mono_ms();

		feed_watchdog(s, now);
		lockout_look(&s->crew, now);
		start_due(s, now);
		poll(&p, 1, wait_ms(s, now));
		now = clock_mono_ms();
		take_signals(s, now);
		reap(s, now);
		next_phase(s, now);
		kill_late(s, now);
	}
}

/* Runs crew after crew, as long as a reload hands over the next. */
static int run_all(struct supervisor *s)
{
	struct err err;
	enum status st;

	for (;;) {
		st = crew_init(&s->crew, s->config, s->kind, s->knock, &err);
		if (st) {
			log_error("%s", err.text);
			return err_exit_code(&err, st);
		}
		run_crew(s);
		crew_release(&s->crew);
		if (!s->next)
			return s->code;
		config_free(s->config);
		s->config = s->next;
		s->next = NULL;
		log_info("reloaded %s", s->config->file);
	}
}

/* Signals wait in a descriptor from before the first fork on, so that none
 * comes between. */
static enum status take_over_signals(int *ret_fd, sigset_t *ret_old,
				     struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, ret_old);
	*ret_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (*ret_fd >= 0)
		return PH_OK;
	sigprocmask(SIG_SETMASK, ret_old, NULL);
	return err_exit(err, PH_FATAL, EX_OSERR, "signalfd: %s",
			strerror(errno));
}

static int run_with_signals(struct supervisor *s)
{
	sigset_t old;
	struct err err;
	enum status st = take_over_signals(&s->signals, &old, &err);
	int code;

	if (st) {
		log_error("%s", err.text);
		return err_exit_code(&err, st);
	}
	s->watchdog_ms = systemd_watchdog_ms();
	code = run_all(s);
	close(s->signals);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return code;
}

/* The state's path outlives the configuration, which a reload replaces. */
static int watch_and_listen(struct supervisor *s)
{
	char *state = xstrdup(s->config->state);
	struct err err;
	enum status st = wake_listen(state, &s->knock, &err);
	int code;

	step("listening");
	if (st) {
		log_error("%s", err.text);
		code = err_exit_code(&err, st);
	} else {
		code = run_with_signals(s);
		step("stopped");
		wake_unlisten(state, s->knock);
	}
	free(state);
	return code;
}

int supervisor_watch(const char *config_path, bool once)
{
	struct supervisor s = { .kind = once ? CREW_ONCE : CREW_WATCH,
				.knock = -1 };
	struct err err;
	enum status st;
	int lock, code;

	log_set_name("supervisor");
	s.config = command_config(config_path, CONFIG_TO_WORK, &code);
	if (!s.config)
		return code;
	step("configured");
	st = lock_take(s.config->state, "lock", &lock, &err);
	if (st == PH_RETRY)
		log_error("%s: another watch has this state", s.config->state);
	else if (st)
		log_error("%s", err.text);
	if (st) {
		code = err_exit_code(&err, st);
	} else {
		/* One that ends by itself promises no command to come back to
		 * what that command queues, so it does not listen. */
		code = once ? run_with_signals(&s) : watch_and_listen(&s);
		close(lock);
	}
	config_free(s.config);
	return code;
}

int supervisor_deliver(const struct config *config)
{
	struct supervisor s = { .kind = CREW_DELIVER, .knock = -1 };

	if (wake_knock(config->state))
		return EX_OK;
	/* A crew that ends by itself is never handed another configuration, so
	 * this one is only read. */
	s.config = (struct config *)config;
	return run_with_signals(&s);
}
