/*
 * signer - signs mails as a domain, with a key made for this run.
 *
 * For measuring only: it is libopendkim, which our proof stands on too. Tests
 * of the proof take tests/signers, which share no code with it.
 */
#ifndef TESTS_SIGNER_H
#define TESTS_SIGNER_H

#include "ph/arena.h"
#include "ph/slice.h"

struct signer {
	const char *domain;
	char *key; /* PEM */
};

/* Makes a key of 2048 bits and writes its public half to a file for
 * trust.dkim_keys. */
void signer_init(struct signer *s, const char *domain, const char *keys_file);
void signer_release(struct signer *s);

/* Adds the mail, whose lines end in LF, to out: signed, with CR LF. */
void signer_sign(const struct signer *s, struct slice mail, struct buf *out);

#endif
