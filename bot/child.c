#include "bot/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/clock.h"
#include "ph/log.h"

#define BACKOFF_MIN_MS 100
#define BACKOFF_MS     1000
#define BACKOFF_MAX_MS PATIENCE(5 * 60 * 1000)

bool duty_stopped(const struct duty *duty)
{
	struct pollfd p = { .fd = duty->stop, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

void duty_wait(const struct duty *duty, int fd, int64_t ms)
{
	struct pollfd p[2] = { { .fd = duty->stop, .events = POLLIN },
			       { .fd = fd, .events = POLLIN } };

	poll(p, 2, ms > INT32_MAX ? INT32_MAX : (int)ms);
}

static void usual_signals(void)
{
	static const int changed[] = { SIGCHLD, SIGHUP, SIGINT, SIGTERM };
	sigset_t none;

	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		signal(changed[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A key pressed at the terminal reaches every process of the group; what it
 * means is the supervisor's to say. */
static int stop_signals(void)
{
	sigset_t stop;

	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	return signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
}

_Noreturn static void live(struct child *c, pid_t parent)
{
	usual_signals();
	c->duty.stop = stop_signals();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	log_set_name(c->name);
	/* It may have died before the line above. */
	if (c->duty.stop < 0 || getppid() != parent)
		_exit(EX_OSERR);
	/* Who sends nothing shall not know where to. */
	if (c->run != courier_run)
		config_forget_urls(c->duty.config, NULL);
	if (c->run != monitor_run)
		config_forget_ping(c->duty.config);
	exit(c->run(&c->duty));
}

enum status child_start(struct child *c, int64_t now, struct err *err)
{
	pid_t parent = getpid();

	fflush(NULL); /* or the child writes it a second time */
	c->pid = fork();
	if (c->pid == 0)
		live(c, parent);
	if (c->pid < 0) {
		c->pid = 0;
		return err_exit(err, PH_RETRY, EX_OSERR, "%s: fork: %s",
				c->name, strerror(errno));
	}
	c->started = now;
	return PH_OK;
}

bool child_blames_mail(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return WTERMSIG(wait_status) != SIGKILL &&
		       WTERMSIG(wait_status) != SIGTERM;
	switch (WEXITSTATUS(wait_status)) {
	case EX_OK:
	case EX_NOINPUT:
	case EX_UNAVAILABLE:
	case EX_IOERR:
	case EX_NOPERM:
	case EX_TEMPFAIL:
	case EX_CONFIG:
		return false;
	default: /* out of memory among them: no mail is worth that */
		return true;
	}
}

int64_t child_backoff_ms(unsigned failures, uint32_t random)
{
	int64_t most = BACKOFF_MAX_MS;

	if (failures < 9)
		most = (int64_t)BACKOFF_MS << failures;
	if (most > BACKOFF_MAX_MS)
		most = BACKOFF_MAX_MS;
	return BACKOFF_MIN_MS + (most - BACKOFF_MIN_MS) * random / UINT32_MAX;
}
