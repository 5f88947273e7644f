/*
 * git_people - whom the tree's MAINTAINERS names for a commit. For the git
 * helper: the file is large, its expressions are Perl's, and none of that is
 * for the desk.
 */
#ifndef BOT_GIT_PEOPLE_H
#define BOT_GIT_PEOPLE_H

#include "bot/git.h"

/* MAINTAINERS as last read; a new one is read when the tree's has changed. */
struct gitpeople {
	struct maintainers *maintainers; /* NULL: none, or not read yet */
	uint8_t digest[32];		 /* of its text */
};

void gitpeople_release(struct gitpeople *p);

/*
 * Fills facts->maintainers, and brings the people in its trailers up to date
 * through .mailmap. Without the files, or with config_git.maintainers false,
 * nothing changes.
 */
void gitpeople_fill(struct gitpeople *p, struct gittree *tree,
		    struct arena *arena, struct commit_facts *facts);

#endif
