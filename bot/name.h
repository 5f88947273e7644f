/*
 * name - what a person types or pastes to name a message or a patch.
 */
#ifndef BOT_NAME_H
#define BOT_NAME_H

#include "ph/arena.h"
#include "ph/slice.h"

/*
 * The name inside: of an archive's link (https://lore.kernel.org/LIST/ID/,
 * .../r/ID) the Message-ID, of a commit's link the hash; without "<>", "id:"
 * or "mid:" around it; hex digits in lower case. Anything else stays as it is.
 * In the arena, with a NUL behind.
 */
struct slice name_plain(const char *typed, struct arena *arena);

#endif
