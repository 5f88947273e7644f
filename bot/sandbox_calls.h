/*
 * sandbox_calls - which system calls are left to this process, for good
 * (seccomp, mode filter).
 *
 * A process has the calls that we and our libraries make, and every other one
 * is as if the kernel did not have it (ENOSYS): a C library that is younger
 * than this list then goes the way it goes on an older kernel. One that runs a
 * command of the operator's has all calls but those that break out of a process
 * or into one. Sockets of other families are refused with EACCES; other
 * processes, namespaces and typing into a terminal with EPERM.
 */
#ifndef BOT_SANDBOX_CALLS_H
#define BOT_SANDBOX_CALLS_H

#include <stdbool.h>

struct sandbox_calls {
	bool trace;   /* ptrace stays allowed */
	bool execute; /* execve stays allowed */
	bool network; /* else sockets of this machine only */
};

/*
 * Wants PR_SET_NO_NEW_PRIVS set. 0, or -1 with errno as seccomp(2) has it;
 * ENOSYS also on a kind of machine whose calls are not known here.
 */
int sandbox_limit_calls(const struct sandbox_calls *c);

#endif
