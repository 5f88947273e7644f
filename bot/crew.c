#include "bot/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/git_helper.h"
#include "bot/store/open.h"
#include "bot/wake.h"
#include "ph/log.h"

static int migrate_run(const struct duty *duty)
{
	struct err err;
	enum status s = store_migrate(duty->config->state, &err);

	if (s)
		log_error("%s", err.text);
	return s ? err_exit_code(&err, s) : EX_OK;
}

/* The helper waits for nothing but its socket: SIGTERM just ends it. */
static int git_run(const struct duty *duty)
{
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	return githelper_run(&duty->config->git, duty->git);
}

static struct child *add(struct crew *crew, unsigned phase, duty_fn *run,
			 const struct duty *duty, const char *name)
{
	struct child *c = &crew->child[crew->n++];

	c->run = run;
	c->duty = *duty;
	c->phase = phase;
	snprintf(c->name, sizeof(c->name), "%s", name);
	if (phase > crew->last_phase)
		crew->last_phase = phase;
	return c;
}

static size_t count_workers(const struct config *config)
{
	size_t n = 0;

	for (size_t i = 0; i < config->n_mailboxes; i++)
		n += (size_t)config->mailboxes[i].connections;
	return n;
}

static void add_worker(struct crew *crew, unsigned phase, struct duty duty,
		       struct in_hand *in_hand)
{
	char name[72];

	duty.in_hand = in_hand;
	if (duty.parts == 1)
		snprintf(name, sizeof(name), "worker %s", duty.box->name);
	else
		snprintf(name, sizeof(name), "worker %s %u/%u", duty.box->name,
			 duty.part + 1, duty.parts);
	add(crew, phase, worker_run, &duty, name);
}

static void add_workers(struct crew *crew, unsigned phase, struct duty duty)
{
	struct in_hand *in_hand = crew->in_hand;

	for (size_t i = 0; i < duty.config->n_mailboxes; i++) {
		duty.box = &duty.config->mailboxes[i];
		duty.parts = (unsigned)duty.box->connections;
		for (duty.part = 0; duty.part < duty.parts; duty.part++)
			add_worker(crew, phase, duty, in_hand++);
	}
}

static void add_git(struct crew *crew, unsigned phase, struct duty duty)
{
	duty.git = crew->git[1];
	add(crew, phase, git_run, &duty, "git")->serves = true;
}

static void fill(struct crew *crew, const struct config *config,
		 enum crew_kind kind, int knock)
{
	struct duty duty = { .config = config,
			     .stop = -1,
			     .desk_bell = crew->desk_bell,
			     .courier_bell = crew->courier_bell,
			     .knock = knock,
			     .git = -1,
			     .once = kind != CREW_WATCH };
	unsigned phase = 0;

	add(crew, phase++, migrate_run, &duty, "migration");
	if (kind != CREW_DELIVER)
		add_workers(crew, phase, duty);
	if (kind == CREW_ONCE)
		phase++;
	if (config->git.path)
		add_git(crew, phase, duty);
	duty.git = crew->git[0];
	add(crew, phase, desk_run, &duty, "desk");
	duty.git = -1;
	if (kind != CREW_WATCH)
		phase++;
	add(crew, phase, courier_run, &duty, "courier");
	if (kind == CREW_WATCH && (config->status_file || config->ping_url))
		add(crew, phase, monitor_run, &duty, "monitor");
}

static enum status map_in_hand(struct crew *crew, struct err *err)
{
	size_t len = crew->n_in_hand * sizeof(*crew->in_hand);
	void *p;

	if (!len)
		return PH_OK;
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		 -1, 0);
	if (p == MAP_FAILED)
		return err_exit(err, PH_FATAL, EX_OSERR, "mmap: %s",
				strerror(errno));
	crew->in_hand = p;
	return PH_OK;
}

enum status crew_init(struct crew *crew, const struct config *config,
		      enum crew_kind kind, int knock, struct err *err)
{
	const size_t others = 5; /* migration, git, desk, courier, monitor */
	enum status s;

	*crew = (struct crew){ .desk_bell = -1,
			       .courier_bell = -1,
			       .git = { -1, -1 } };
	if (kind != CREW_DELIVER)
		crew->n_in_hand = count_workers(config);
	s = map_in_hand(crew, err);
	if (!s)
		s = wake_bell_new(&crew->desk_bell, err);
	if (!s)
		s = wake_bell_new(&crew->courier_bell, err);
	if (!s && config->git.path)
		s = githelper_pair(crew->git, err);
	if (s) {
		crew_release(crew);
		return s;
	}
	crew->child = xcalloc(crew->n_in_hand + others, sizeof(*crew->child));
	fill(crew, config, kind, knock);
	return PH_OK;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void crew_release(struct crew *crew)
{
	close_fd(crew->desk_bell);
	close_fd(crew->courier_bell);
	close_fd(crew->git[0]);
	close_fd(crew->git[1]);
	if (crew->in_hand)
		munmap(crew->in_hand, crew->n_in_hand * sizeof(*crew->in_hand));
	free(crew->child);
	*crew = (struct crew){ .desk_bell = -1,
			       .courier_bell = -1,
			       .git = { -1, -1 } };
}
