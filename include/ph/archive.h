/*
 * archive - raw mails kept in a Maildir, for people and for `process`.
 *
 * A file's name is made of the Message-ID and of the bytes, so the same mail
 * twice is one file, two mails of one id (a list's copy) are two, and a mail
 * is found again by its id. Other programs may read the Maildir and move
 * files from new/ to cur/.
 */
#ifndef PH_ARCHIVE_H
#define PH_ARCHIVE_H

#include <stdint.h>
#include "ph/arena.h"
#include "ph/err.h"
#include "ph/slice.h"

#define ARCHIVE_COPIES 16 /* the most that archive_find tells of one id */

/* In all calls path may be NULL: no archive is kept. */

/* Makes the Maildir and its folders where they are missing.
 * PH_RETRY: no room, no right (exit 74), as below. */
enum status archive_make(const char *path, struct err *err);

/*
 * Keeps a mail; returns once it is on the disk. arrived (seconds) becomes the
 * file's time.
 */
enum status archive_put(const char *path, struct slice raw, int64_t arrived,
			struct err *err);

/*
 * The files of mails with this Message-ID, for source_open; in the arena.
 * PH_NONE: there are none.
 */
enum status archive_find(const char *path, struct slice id, struct arena *arena,
			 const char **ret, size_t *ret_n, struct err *err);

#endif
