/*
 * pack - the text of a mail, compressed for the store by zstd.
 *
 * A connection keeps what compresses: making it anew for each mail cost more
 * than the compressing.
 */
#ifndef BOT_STORE_PACK_H
#define BOT_STORE_PACK_H

#include "bot/store/open.h"
#include "ph/arena.h"
#include "ph/err.h"
#include "ph/slice.h"

/* Takes no lock: to be called before the transaction. */
struct slice pack_text(struct store *s, struct arena *arena, struct slice text);

/* An error says that the stored text is damaged. */
enum status unpack_text(struct slice packed, struct arena *arena,
			struct slice *ret, struct err *err);

/* Gives back what the connection kept. */
void pack_forget(struct store *s);

#endif
