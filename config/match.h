/*
 * match - matchers held against each other, without any patch.
 */
#ifndef CONFIG_MATCH_H
#define CONFIG_MATCH_H

#include "ph/node.h"

/* Warns of each route that no patch can ever reach. */
void match_warn(const struct config *config, struct notes *notes);

#endif
