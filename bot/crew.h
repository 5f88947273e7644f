/*
 * crew - which children a configuration asks for.
 *
 * A child starts when all of the phases before its own have ended. A watch
 * runs in one phase; one that ends by itself takes mail in, decides and
 * delivers in three.
 */
#ifndef BOT_CREW_H
#define BOT_CREW_H

#include "bot/child.h"

enum crew_kind {
	CREW_WATCH,   /* until told to stop */
	CREW_ONCE,    /* catch up, decide, deliver */
	CREW_DELIVER, /* decide, deliver */
};

struct crew {
	struct child *child;
	size_t n;
	unsigned last_phase;
	struct in_hand *in_hand; /* shared pages, one a worker */
	size_t n_in_hand;
	int desk_bell, courier_bell;
	int git[2]; /* the desk's end and the helper's; -1: no tree */
};

/*
 * config is borrowed until crew_release. knock: the socket of wake.h, or -1.
 * PH_FATAL: out of descriptors or memory (exit 71).
 */
enum status crew_init(struct crew *crew, const struct config *config,
		      enum crew_kind kind, int knock, struct err *err);
/* No child may be running. */
void crew_release(struct crew *crew);

#endif
