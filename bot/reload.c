#include "bot/reload.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bot/command.h"
#include "ph/log.h"

/* SIGALRM ends it as it is: there is nothing to put in order. */
_Noreturn static void judge(const struct config *before,
			    const struct config *after)
{
	sigset_t none;

	signal(SIGALRM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(RELOAD_SECONDS);
	_exit(reload_judge(before, after));
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool reload_allowed(const struct config *before, const struct config *after)
{
	pid_t pid = fork();
	int code;

	if (pid == 0)
		judge(before, after);
	code = pid < 0 ? -1 : wait_for(pid);
	if (code == 0)
		return true;
	if (code != 1)
		log_error("%s: what it would change could not be told",
			  after->file);
	log_error("perfherald backtest %s shows it; SIGUSR1 loads it all the "
		  "same",
		  after->file);
	return false;
}

/* Of a pipe there is no second reading, and who waits at one hears no signal. */
static bool can_be_read(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || S_ISREG(st.st_mode))
		return true; /* reading says what is wrong */
	log_error("%s: not a regular file, it cannot be read again", path);
	return false;
}

static bool may_follow(const struct config *running, const struct config *next,
		       bool forced)
{
	if (strcmp(next->state, running->state) != 0) {
		log_error("%s: another state needs a new start", next->file);
		return false;
	}
	return forced || reload_allowed(running, next);
}

struct config *reload_read(const struct config *running, bool forced)
{
	struct config *c = NULL;
	int code;

	log_info("reading %s again", running->file);
	if (can_be_read(running->file))
		c = command_config(running->file, CONFIG_TO_WORK, &code);
	if (c && may_follow(running, c, forced))
		return c;
	config_free(c);
	log_error("the old configuration goes on");
	return NULL;
}
