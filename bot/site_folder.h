/*
 * site_folder - the folder that a site is written to.
 *
 * Nothing in it is touched but what we wrote: a manifest (.perfherald-site)
 * lists that, and has a file's name before the file comes to be, so that a run
 * that was broken off is known too. A file is written under another name and
 * takes its own at the end; one that has the same bytes already is left alone,
 * so that web servers and mirrors see only what changed. What a run did not
 * write again is removed at its end.
 *
 * Names are "style.css" or "patch/0123456789ab.html": one folder at most, small
 * letters, digits, dots and hyphens.
 */
#ifndef BOT_SITE_FOLDER_H
#define BOT_SITE_FOLDER_H

#include <stddef.h>
#include <stdint.h>
#include "ph/err.h"
#include "ph/slice.h"

struct site_folder;

/*
 * Makes it where it is missing.
 * PH_OK: *ret is to be closed with site_folder_close.
 * PH_BAD: it holds what we did not write and would overwrite (exit 73).
 * PH_RETRY: another run is at work in it.
 * PH_FATAL: exit 74, it cannot be made or opened.
 */
enum status site_folder_open(const char *path, struct site_folder **ret,
			     struct err *err);

/* Each file once. PH_BAD: a file of somebody else has this name. */
enum status site_folder_put(struct site_folder *f, struct slice name,
			    struct slice bytes, struct err *err);

struct site_counts {
	int64_t files, changed, removed;
};

/*
 * st PH_OK: removes what was not written again and finishes the manifest. Else
 * all that was written stays, and is known to the next run. Returns st, or why
 * the end failed. PH_BAD: the manifest is none that a site leaves (exit 65).
 */
enum status site_folder_close(struct site_folder *f, enum status st,
			      struct site_counts *ret, struct err *err);

#endif
