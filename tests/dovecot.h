/*
 * dovecot - a private, throwaway Dovecot for a test (tests/dovecot.sh below):
 * loopback, free ports, own certificate authority, any user name. It ends and
 * its folder goes away with the test program, however that ends.
 */
#ifndef TESTS_DOVECOT_H
#define TESTS_DOVECOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "ph/slice.h"

enum dovecot_flags {
	DOVECOT_MAILDIR = 0,
	DOVECOT_MDBOX = 1,
	/* the server's certificate; else a good one */
	DOVECOT_WRONG_NAME = 2,
	DOVECOT_UNTRUSTED = 4,
	DOVECOT_EXPIRED = 8,
	DOVECOT_SELF_SIGNED = 16,
};

struct dovecot {
	uint16_t imap_port; /* plain and STARTTLS */
	uint16_t imaps_port, lmtp_port;
	char ca_file[128];
	char password_file[128]; /* of any user; mode 0600 */
	char dir[96];
	const char *password;
	pid_t pid;
	int control; /* the server ends when this is closed */
	FILE *answer;
};

/* Whether this machine has Dovecot; without it a test is skipped. */
bool dovecot_here(void);
/* False when it would not start; the reason is on standard error then. */
bool dovecot_start(struct dovecot *d, unsigned flags);
/* Ends it and waits until all is gone. */
void dovecot_stop(struct dovecot *d);

/* Takes the server down and up again: same ports, same mails. */
bool dovecot_down(struct dovecot *d);
bool dovecot_up(struct dovecot *d);

/* Delivers one message to user's INBOX over LMTP; line ends become CR LF. */
bool dovecot_deliver(const struct dovecot *d, const char *user,
		     struct slice raw);
/* The same for many, over one connection. */
bool dovecot_deliver_all(const struct dovecot *d, const char *user,
			 const struct slice *raw, size_t n);

#endif
