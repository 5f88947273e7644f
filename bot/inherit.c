#include "bot/inherit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include "ph/slice.h"

/* Where one of the three is closed, the next file or socket would get its
 * number, and with it what we print. In a mode that still makes its use fail. */
static bool keep_numbers(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", mode) != fd)
			return false;
	}
	return true;
}

static void usual_signals(void)
{
	static const int usual[] = { SIGCHLD, SIGPROF, SIGXCPU };
	sigset_t none;

	/* with SIGCHLD ignored nobody hears how a child ended */
	for (size_t i = 0; i < ARRAY_LEN(usual); i++)
		signal(usual[i], SIG_DFL);
	/* a write that cannot be says so, and where */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

bool inherit_mend(void)
{
	usual_signals();
	return keep_numbers();
}
