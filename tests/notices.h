/*
 * notices - ready notices for tests of what is said and sent.
 */
#ifndef TESTS_NOTICES_H
#define TESTS_NOTICES_H

#include "ph/arena.h"
#include "ph/notice.h"

/* A first notice with every field filled, of a real report's shape. */
void notices_full(struct arena *arena, struct notice *ret);
/* A digest of n lines. */
void notices_digest(struct arena *arena, size_t n, struct notice *ret);

/*
 * Puts hostile text into every foreign field: mentions, markup, quotes and
 * control characters of every service, bad UTF-8, emoji. The same seed gives
 * the same text; *seed moves on.
 */
void notices_hostile(struct arena *arena, uint64_t *seed, struct notice *ret);

#endif
