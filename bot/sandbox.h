/*
 * sandbox - what a child of the watch may still do.
 *
 * A worker reads mail that strangers wrote, a courier talks to servers of
 * others: each keeps only what its own work needs. Every rule is for good, for
 * this process and what it starts. Where the kernel has no Landlock or
 * seccomp the rest still holds.
 */
#ifndef BOT_SANDBOX_H
#define BOT_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include "ph/arena.h"
#include "ph/err.h"

/* A file, or a folder with all below it. One that is absent is skipped. */
struct sandbox_path {
	const char *path; /* NULL: none */
	bool write;	  /* ... create and remove included; else read only */
};

struct sandbox {
	size_t memory; /* bytes it may grow from here; 0: no limit */
	const struct sandbox_path *paths; /* besides the system's own */
	size_t n_paths;
	bool runs_commands; /* a *_command of the operator's: any program and
			       any file it needs, so no Landlock */
	bool network;
};

/*
 * Shuts the door. PH_FATAL: the kernel has a rule but would not take it; the
 * process must not go on (exit 71).
 */
enum status sandbox_enter(const struct sandbox *s, struct err *err);

/* The folder that a file stands in: "." for a bare name. */
const char *sandbox_folder_of(struct arena *arena, const char *path);

/*
 * From here on, that many seconds of processor time end the process (SIGPROF).
 * Called before each message, so that one that spins the parser cannot hold up
 * the rest. 0: no limit.
 */
void sandbox_allow_seconds(unsigned seconds);

#endif
