/*
 * utf8 - Unicode text as bytes (RFC 3629).
 */
#ifndef PH_UTF8_H
#define PH_UTF8_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/slice.h"

#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * Takes one code point off *s. False at the end. A byte that starts no valid
 * sequence (overlong forms, surrogates and values over U+10FFFF included) is
 * taken alone and gives U+FFFD, with *ret_bad set when ret_bad is not NULL.
 */
bool utf8_take(struct slice *s, uint32_t *ret, bool *ret_bad);

bool utf8_valid(struct slice s);
/* Code points, and UTF-16 units, in valid text. */
size_t utf8_count(struct slice s);
size_t utf8_count16(struct slice s);

/* The longest front of s within max bytes / code points / UTF-16 units that
 * ends on a code point border. */
struct slice utf8_cut(struct slice s, size_t max_bytes);
struct slice utf8_cut_points(struct slice s, size_t max_points);
struct slice utf8_cut16(struct slice s, size_t max_units);

void utf8_put(struct buf *b, uint32_t point);

/*
 * Adds text fit to be shown on one line: bad bytes as U+FFFD; control
 * characters (C0, DEL, C1), line and paragraph separators, and the
 * bidirectional overrides U+202A-202E, U+2066-2069 as a blank.
 */
void utf8_put_clean(struct buf *b, struct slice s);
/* The same in place: each byte of what would not be shown becomes '?'. */
void utf8_flatten(char *text, size_t len);

#endif
