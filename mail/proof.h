/*
 * proof - what the ways of proving a sender share (include/ph/proof.h).
 *
 * Each gives one of the verdicts and fills why with a line without the name
 * of the way in front.
 */
#ifndef MAIL_PROOF_H
#define MAIL_PROOF_H

#include "mail/keys.h"
#include "ph/proof.h"

struct proof_mail {
	const struct config_trust *trust;
	struct slice header, body; /* raw, of header_split */
	int64_t at;  /* when it arrived: expiry is held against this */
	int64_t now; /* for the key cache */
};

/* Whether list holds text, without case. */
bool proof_lists(const struct config_list *list, struct slice text);

/* One libopendkim for all mails of a prover. Borrows keys. */
struct proof_dkim;

struct proof_dkim *proof_dkim_new(struct keys *keys);
void proof_dkim_free(struct proof_dkim *d);
enum proof_verdict proof_dkim(struct proof_dkim *d, const struct proof_mail *m,
			      struct err *why);

/* The receiving server's word (RFC 8601). */
enum proof_verdict proof_authres(const struct proof_mail *m, struct err *why);

/* A prover that asks this name server, for tests. Takes over dns. */
struct prover *prover_new_at(const struct config_trust *trust, struct dns *dns);

#endif
