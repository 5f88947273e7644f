/*
 * header - the fields of a mail's header as raw bytes (RFC 5322).
 *
 * Everybody who looks at a header uses this reader, so that what a signature
 * proves is what the report is read from.
 */
#ifndef MAIL_HEADER_H
#define MAIL_HEADER_H

#include <stdbool.h>
#include "ph/arena.h"
#include "ph/slice.h"

struct header_field {
	struct slice name;  /* without blanks before the colon */
	struct slice value; /* as it stands, folds inside; ends trimmed */
	struct slice raw;   /* name, colon, value, without the last line end */
};

/*
 * Parts a mail in its header block and its body. A "From " line of an mbox in
 * front belongs to neither. Where a line that is no field ends the header
 * instead of an empty one, the body starts with that line.
 */
void header_split(struct slice raw, struct slice *ret_header,
		  struct slice *ret_body);

/* Takes the next field with its folded lines off *in. False: no field here. */
bool header_take(struct slice *in, struct header_field *ret);

/* Names compare without case. */
bool header_is(const struct header_field *f, struct slice name);

/*
 * Takes past the next "<...>" of *in and gives what is inside: a Message-ID,
 * or empty where it holds blanks or other bytes than ASCII. False: no more.
 */
bool header_take_id(struct slice *in, struct slice *ret);
/* A value that is one word with an '@', as pages of archives show an id. */
bool header_take_bare_id(struct slice value, struct slice *ret);

/*
 * The value for people: unfolded, encoded words (RFC 2047) decoded, clean
 * UTF-8 on one line, blanks squeezed, in the arena.
 */
struct slice header_text(struct slice value, struct arena *arena);

#endif
