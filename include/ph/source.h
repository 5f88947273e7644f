/*
 * source - raw messages from files.
 *
 * A source is a file with one message (.eml or bare report text), an mbox, a
 * Maildir, a plain folder of such files, or "-" for standard input (one
 * message or an mbox). Memory is bounded by one message, not by the source.
 */
#ifndef PH_SOURCE_H
#define PH_SOURCE_H

#include <stdint.h>
#include "ph/arena.h"
#include "ph/err.h"
#include "ph/slice.h"

struct source;

struct source_item {
	struct slice raw;   /* until the next source_next or source_close */
	struct slice where; /* for messages: "path", "path:3" in an mbox,
			       "path/cur/1234" in a folder */
	int64_t index;	    /* position in an mbox or folder; -1: alone */
	int64_t arrived;    /* Maildir delivery or file time, seconds UTC */
};

/*
 * PH_OK: *ret is to be closed with source_close.
 * PH_BAD: empty file, a folder without mails (exit 65).
 * PH_FATAL: missing or unreadable (exit 66), I/O error (74).
 */
enum status source_open(const char *path, struct source **ret, struct err *err);

/*
 * PH_OK: *ret holds the next message.
 * PH_NONE: no more.
 * PH_BAD: this one is unusable (over LIMIT_MAIL, empty, unreadable: exit 66);
 *         call again for the next. ret->where and ret->index are set, and err
 *         names the place already.
 * PH_FATAL: the source cannot be read any further.
 */
enum status source_next(struct source *src, struct source_item *ret,
			struct err *err);

void source_close(struct source *src);

#endif
