/*
 * maintainers - whom the kernel's MAINTAINERS names for some files.
 *
 * The rules are those of scripts/get_maintainer.pl (Linux 6.1) with
 * --nogit --nogit-fallback:
 *  - A line "LETTER:" at the start of a line belongs to a section; any other
 *    line that is neither blank nor a comment (#) ends one.
 *  - F: and X: are globs over a path ("*" and "?" cross slashes) that need fit
 *    its start only; without "/" at their end path and pattern must have as
 *    many slashes. A pattern that names a directory above the file counts as
 *    if "/" stood at its end (the script asks the tree for all directories;
 *    here only the file at hand can tell).
 *  - A section is out for a file that one of its X: fits. Else its depth is
 *    that of the last of its lines that fits: of an F: the slashes, one more
 *    without "/" at the end, -1 where it starts with "*"; of an N: (a Perl
 *    expression over the path) 0. Sections with the larger depth come first.
 *  - K: is a Perl expression over the lines of the patch: over every line
 *    before the first file header, then over added and removed lines only.
 *    Those sections come last.
 *  - A person is named once, by name or address, whichever was there before.
 *    Linus Torvalds is left out: he reads what others send him.
 */
#ifndef BOT_MAINTAINERS_H
#define BOT_MAINTAINERS_H

#include "bot/mailmap.h"
#include "ph/arena.h"
#include "ph/err.h"
#include "ph/message.h"
#include "ph/slice.h"

struct maintainers;

enum maintainer_role {
	ROLE_MAINTAINER, /* M: */
	ROLE_REVIEWER,	 /* R: */
	ROLE_LIST,	 /* L:, but for subscribers-only */
};

struct maintainer {
	enum maintainer_role role;
	struct person person; /* of a list, the address alone */
	struct slice section; /* "MEMORY MANAGEMENT" */
};

struct maintainer_list {
	struct maintainer *item; /* people, then lists */
	size_t n, cap;
};

/*
 * Copies what it needs of text.
 * PH_OK: *ret is to be released with maintainers_free.
 * PH_BAD: no section in it, or over LIMIT_MAINTAINERS.
 */
enum status maintainers_new(struct slice text, struct maintainers **ret,
			    struct err *err);
void maintainers_free(struct maintainers *m);

/* N: and K: lines that are no expressions and fit nothing. */
size_t maintainers_bad(const struct maintainers *m);

/*
 * files: paths in any order; those over LIMIT_MAINTAINED_FILES are not looked
 * at. patch: message and diff, as `git format-patch` writes it, for K:; empty
 * where there is none. map may be NULL. The result points into m, map and the
 * arena.
 */
void maintainers_find(const struct maintainers *m, const struct slice *files,
		      size_t n_files, struct slice patch,
		      const struct mailmap *map, struct arena *arena,
		      struct maintainer_list *ret);

#endif
