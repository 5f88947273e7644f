/*
 * people - the mailboxes of an address field (RFC 5322 section 3.4).
 */
#ifndef MAIL_PEOPLE_H
#define MAIL_PEOPLE_H

#include "ph/arena.h"
#include "ph/message.h"

/*
 * Takes the next mailbox off *in (a raw field value); names are decoded into
 * the arena. Groups are looked through. What is no address by addr.h's grammar
 * comes with an empty one, so that it still counts. False at the end.
 */
bool person_take(struct slice *in, struct arena *arena, struct person *ret);

#endif
