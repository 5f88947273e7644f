/*
 * folder - the files of a folder in the order of their names.
 *
 * Names are read in rounds of the smallest ones behind the last round's, so
 * memory does not grow with the folder, and a file that comes or goes while
 * we read disturbs no other.
 */
#ifndef MAIL_FOLDER_H
#define MAIL_FOLDER_H

#include "ph/err.h"

struct folder;

/* Hidden names are left out. PH_FATAL: missing or unreadable (66). */
enum status folder_open(const char *path, struct folder **ret, struct err *err);
void folder_close(struct folder *f);

/* PH_OK: *ret_name is valid until the next call. PH_NONE: no more. */
enum status folder_next(struct folder *f, const char **ret_name,
			struct err *err);

#endif
