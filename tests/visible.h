/*
 * visible - reads a payload back as its service would show it.
 *
 * Written from the services' rules, not from our writers. Markup that is not
 * ours, a mention, or anything a service would not take fails the test.
 */
#ifndef TESTS_VISIBLE_H
#define TESTS_VISIBLE_H

#include <jansson.h>
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/slice.h"

/*
 * Adds the text that a reader sees. token: the channel has one (a bot's post
 * instead of a webhook's). False: the service shows no text of its own.
 */
bool visible_text(enum channel_type type, bool token, struct slice body,
		  struct buf *out);

/* A JSON document without repeated keys or NUL. */
json_t *visible_json(struct slice body);
/* A member's text, which must be there. */
const char *visible_str(const json_t *j, const char *key);

#endif
