/*
 * live_imap - an IMAP server of one mailbox, in the test's own process, whose
 * mails come at the moment the test says so. Plain, any password, one client.
 */
#ifndef TESTS_LIVE_IMAP_H
#define TESTS_LIVE_IMAP_H

#include <stdbool.h>
#include "ph/arena.h"
#include "ph/slice.h"

struct live_imap {
	int listener, port;
	int client; /* -1: none */
	bool idles; /* the client waits in IDLE */
	size_t exists;
	const struct slice *mails; /* UID 1 is the first; borrowed */
	char tag[32];
	struct buf in;
};

void live_imap_start(struct live_imap *s, const struct slice *mails);
void live_imap_stop(struct live_imap *s);

/* Both are to be called when the descriptor is readable. */
void live_imap_accept(struct live_imap *s);
void live_imap_read(struct live_imap *s);

/* The next mail is there, and the waiting client is told. */
void live_imap_arrive(struct live_imap *s);

#endif
