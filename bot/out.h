/*
 * out - what a command writes much to: a file, or standard output.
 *
 * A file comes to be whole or not at all: it is written under another name
 * beside it and takes its own at the end. What is there and is no regular file
 * (a pipe, a terminal) is written to as it is.
 */
#ifndef BOT_OUT_H
#define BOT_OUT_H

#include "ph/err.h"
#include "ph/slice.h"

struct out {
	const char *name; /* for messages */
	const char *path; /* NULL: standard output */
	char *temp;	  /* NULL: written in place */
	int fd;
};

/* path NULL or "-": standard output. PH_FATAL: exit 74, it cannot be made. */
enum status out_open(struct out *o, const char *path, struct err *err);

/*
 * PH_NONE: the reader has gone; nobody wants the rest.
 * PH_FATAL: exit 74, a full disk for one.
 */
enum status out_put(struct out *o, struct slice s, struct err *err);

/* Ends it; a file is given its name when st is PH_OK, else it is removed.
 * Returns st, or why the end failed. */
enum status out_close(struct out *o, enum status st, struct err *err);

#endif
