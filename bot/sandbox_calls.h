/*
 * sandbox_calls - which system calls the kernel refuses to this process, for
 * good (seccomp, mode filter).
 *
 * Calls that none of us needs, and that break out of or into a process, are
 * refused with EPERM; sockets of families that are not needed with EACCES.
 * Refused by name, rather than all others: the libraries change theirs with
 * each release, and a mailbox that stops being read is a loss too.
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
