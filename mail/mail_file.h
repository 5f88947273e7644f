/*
 * mail_file - the messages of one open file: a single one, or an mbox.
 *
 * An mbox starts with "From " and a date (RFC 4155, mboxrd quoting). Memory
 * holds one message; of one over LIMIT_MAIL nothing is kept.
 */
#ifndef MAIL_MAIL_FILE_H
#define MAIL_MAIL_FILE_H

#include <stdbool.h>
#include "ph/err.h"
#include "ph/slice.h"

struct mail_file;

/* Takes over fd, whatever comes out; path is for messages.
 * PH_FATAL: I/O error (74). */
enum status mail_file_open(int fd, const char *path, struct mail_file **ret,
			   struct err *err);
void mail_file_close(struct mail_file *f);

bool mail_file_is_mbox(const struct mail_file *f);
/* Before the first mail_file_next: there is not a byte in it. */
bool mail_file_is_empty(const struct mail_file *f);

/*
 * PH_OK: *ret_raw holds the next message until the next call.
 * PH_NONE: no more. PH_BAD: this one is too big or empty. PH_FATAL: I/O error.
 */
enum status mail_file_next(struct mail_file *f, struct slice *ret_raw,
			   struct err *err);

#endif
