/*
 * tell - queues notices that no single report leads to: digests, words to the
 * operator, what a person sends by hand.
 */
#ifndef BOT_TELL_H
#define BOT_TELL_H

#include <stdint.h>
#include "bot/desk.h"
#include "ph/notice.h"

/*
 * Queues n for one target of a channel, held while send is false. key names
 * the occasion ("2024-10-14 08:00"): the same occasion queues once. n->key is
 * filled. PH_NONE: queued before. Wants a transaction.
 */
enum status tell_target(struct desk *d, const struct config_channel *ch,
			struct slice target, struct slice key, int64_t patch,
			struct notice *n, int64_t now, int64_t *ret_id,
			struct err *err);

/* A subject and lines for each target of the operator's channel. PH_NONE: no
 * operator, or told before. Wants a transaction. */
enum status tell_operator(struct desk *d, struct slice key,
			  struct slice subject, struct slice text, int64_t now,
			  struct err *err);

/* As stored; memory of the arena. */
struct slice tell_json(const struct notice *n, struct arena *arena);

#endif
