/*
 * batch - mails of one folder on their way into one transaction.
 *
 * Each is read in full while the batch is open, and written when it ends: at
 * LIMIT_BATCH mails, at LIMIT_BATCH_BYTES or after 50 ms. Rows may be written
 * before the cursor moves over them, never the other way round.
 */
#ifndef BOT_BATCH_H
#define BOT_BATCH_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/child.h"
#include "bot/store/message.h"
#include "ph/arena.h"
#include "ph/imap.h"
#include "ph/limits.h"
#include "ph/proof.h"

/* Processor time for one mail; the largest real one takes some 10 ms. */
#define BATCH_MAIL_SECONDS 10
/* And for all else between two mails: an answer that sends a library round in
 * circles ends the worker too, and blames no mail. */
#define BATCH_REST_SECONDS 60

struct batch {
	const struct duty *duty;
	struct store *store;
	struct prover *prover;
	const char *folder;
	uint32_t uidvalidity;

	struct arena arena; /* what `mails` point into */
	struct message_in mails[LIMIT_BATCH];
	size_t n;
	int64_t since_ms; /* monotonic; when the first came */

	uint32_t skip[LIMIT_BATCH]; /* UIDs that killed a worker twice */
	size_t n_skip;
	size_t n_written; /* mails, since the caller set it to 0 */
};

/* All three are borrowed. */
void batch_init(struct batch *b, const struct duty *duty, struct store *store,
		struct prover *prover);
void batch_release(struct batch *b);

/* From here on mails are of this folder. What was open is dropped. */
enum status batch_folder(struct batch *b, const char *folder,
			 uint32_t uidvalidity, struct err *err);

/* An imap_take_fn; arg is the batch. Says in duty->in_hand what it works on. */
enum status batch_take(void *arg, const struct imap_message *m,
		       struct err *err);

/*
 * Writes what is open and wakes the desk. cursor: every UID up to it was
 * taken or does not exist; 0: not said.
 */
enum status batch_write(struct batch *b, uint32_t cursor, struct err *err);

/* Sets aside a UID whose mail is not at hand. Writes at once. */
enum status batch_set_aside(struct batch *b, uint32_t uid,
			    enum message_state state, struct slice reason,
			    struct err *err);

#endif
