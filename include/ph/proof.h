/*
 * proof - whether a mail comes from the robot, and how we know.
 *
 * For the worker, after the report is recognised and before anything is
 * written: one prover a worker, made before it locks itself in (it reads the
 * key file and /etc/resolv.conf; later it needs only UDP and TCP to the name
 * servers there), then proof_check for every report. What comes back goes
 * into the message's row:
 *
 *	PROOF_PROVEN	may create and match patches, may be told
 *	PROOF_UNPROVEN	kept and shown, causes nothing; never changes by itself
 *	PROOF_LATER	keep the row waiting and the raw mail with it (or its
 *			UID), and ask again in some minutes: a key could not
 *			be looked up. It never becomes UNPROVEN by waiting.
 *
 * All rules are those of DESIGN section 9. Nothing is remembered between
 * mails but keys.
 */
#ifndef PH_PROOF_H
#define PH_PROOF_H

#include <stdint.h>
#include "ph/config.h"
#include "ph/err.h"
#include "ph/message.h"
#include "ph/slice.h"

enum proof_verdict { PROOF_PROVEN, PROOF_UNPROVEN, PROOF_LATER };

struct proof {
	enum proof_verdict verdict;
	enum config_proof how; /* with PROOF_PROVEN: by which of trust.proof */
	char why[512];	       /* one line for a person, whatever the verdict:
				  "dkim: signature of intel.com (selector
				  Intel) verifies" */
};

struct prover;

/*
 * Reads trust's key file if it names one. trust must outlive the prover.
 * PH_FATAL: the key file is missing (66) or malformed (78, with its line).
 *
 * The key file (trust.dkim_keys) pins the robot's public keys for a machine
 * without DNS, and while it is set no DNS is asked. One key a line, as the
 * TXT record has it; empty lines and lines that start with # are skipped:
 *	Intel._domainkey.intel.com: v=DKIM1; k=rsa; p=MIIBIjANBgkq...
 */
enum status prover_new(const struct config_trust *trust, struct prover **ret,
		       struct err *err);
void prover_free(struct prover *p);

/*
 * Tries trust.proof in order; the first that proves it ends the search.
 * raw is what message_read read into msg. arrived: the server's INTERNALDATE
 * in seconds; 0 for a file or standard input, where the topmost Received
 * counts instead. now: seconds. A signature's expiry is held against the
 * first of these that is known. Takes at most some 10 s, and only where a
 * name server does not answer; *ret is always filled.
 */
void proof_check(struct prover *p, struct slice raw, const struct message *msg,
		 int64_t arrived, int64_t now, struct proof *ret);

/*
 * The same for a mail of anyone: that it comes from the address in its From,
 * shown by a signature of that address's domain (or one above it) or by the
 * configured server. trust.from, trust.dkim and `none` have no say.
 */
void proof_check_sender(struct prover *p, struct slice raw,
			const struct message *msg, int64_t arrived, int64_t now,
			struct proof *ret);

const char *proof_name(enum config_proof how); /* "dkim" */

#endif
