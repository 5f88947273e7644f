/*
 * child - the processes of a watch, and what each is given.
 *
 * The supervisor forks them; none ever returns to its code. A child that ends
 * with an exit code has said why on standard error; the code tells the
 * supervisor only whether mail in hand is to blame (child_blames_mail).
 */
#ifndef BOT_CHILD_H
#define BOT_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "ph/config.h"
#include "ph/err.h"

/*
 * The mail that a worker works on, in memory shared with the supervisor, so
 * that it is known after the worker's death.
 */
struct in_hand {
	char folder[512];
	uint32_t uidvalidity;
	uint32_t uid; /* 0: none */
	bool died;    /* by the supervisor: the last worker died of it, and
			 nobody has counted that yet */
};

/* What a child is to do, and with what. Read only but for in_hand. */
struct duty {
	const struct config *config;
	const struct config_mailbox *box; /* a worker's */
	unsigned part, parts; /* of the mailbox's folders: each parts-th one */
	struct in_hand *in_hand;
	int stop;	  /* readable: finish the step in hand, then return */
	int desk_bell;	  /* wakes the desk */
	int courier_bell; /* wakes the courier */
	int knock;	  /* the socket of other commands; -1: none */
	int git;	  /* one end of the git helper's pair; -1: none */
	bool once;	  /* do what is there, then return */
};

/* Returns the exit code. */
typedef int duty_fn(const struct duty *duty);

duty_fn worker_run, desk_run, courier_run, monitor_run;

bool duty_stopped(const struct duty *duty);
/* Sleeps until stop, fd (-1: none) becomes readable, or ms (-1: never) pass. */
void duty_wait(const struct duty *duty, int fd, int64_t ms);

/* Which content a secret's file had; all 0: there is none. */
struct secret_mark {
	ino_t inode;
	struct timespec changed;
};

struct child {
	char name[72]; /* in log lines: "worker lore" */
	duty_fn *run;
	struct duty duty;
	unsigned phase; /* those of a lower one end before it starts */

	pid_t pid;	   /* 0: not running */
	bool serves;	   /* others use it: ends when they have ended */
	bool done;	   /* ended, and is not to be started again */
	unsigned failures; /* in a row */
	int64_t started;   /* monotonic milliseconds */
	int64_t start_at;  /* not earlier than */

	/* lockout.h */
	bool locked_out;	   /* start_at is long, for the server's sake */
	unsigned refusals;	   /* of its login, in a row */
	struct secret_mark secret; /* at its last start */
};

/*
 * Forks c and runs its duty. In the child signals are as in a new process,
 * but SIGTERM comes through duty.stop and SIGINT is left to the supervisor;
 * when the supervisor dies the child is told to stop.
 */
enum status child_start(struct child *c, int64_t now, struct err *err);

/* Whether this end of a child (a wait status) is the fault of what it worked
 * on: a crash, too much memory or processor time; not a kill from outside. */
bool child_blames_mail(int wait_status);

/* Milliseconds until the next start after so many failures in a row: random
 * over 1 s * 2^failures, at most 5 minutes, at least 0.1 s. */
int64_t child_backoff_ms(unsigned failures, uint32_t random);

#endif
