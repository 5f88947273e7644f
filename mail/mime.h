/*
 * mime - the text of a mail's body (GMime below).
 *
 * GMime finds the parts and undoes transfer encodings; charsets and header
 * text are our own. Nothing goes in here that screen.h has not passed.
 */
#ifndef MAIL_MIME_H
#define MAIL_MIME_H

#include <stdbool.h>
#include "ph/arena.h"
#include "ph/err.h"
#include "ph/slice.h"

/* The fields that say how a body is to be read; empty where absent. */
struct mime_fields {
	struct slice type, encoding, disposition; /* raw values */
};

struct mime_container {
	bool is_message;       /* message/rfc822 and the like */
	bool is_digest;	       /* multipart/digest */
	bool is_bounce;	       /* multipart/report about a delivery */
	struct slice boundary; /* of a multipart, in the arena */
};

/*
 * What a Content-Type says about parts inside.
 * PH_NONE: none; the body is a leaf.
 * PH_BAD: the field is over its ceiling.
 */
enum status mime_container(struct slice type, struct arena *arena,
			   struct mime_container *ret, struct err *err);

/*
 * Adds the text of a body that is one part: plain text, that of HTML, or an
 * attached plain text. Nothing is added for anything else.
 */
void mime_leaf(const struct mime_fields *f, struct slice body,
	       struct buf *text);

/*
 * Adds the text of a mail with parts: text/plain in order, the first readable
 * one of alternatives, that of forwarded mails too. Only a mail that has none
 * is read by its HTML, and one that has neither by the plain texts attached.
 * PH_BAD: over a ceiling.
 */
enum status mime_parts(struct slice raw, struct buf *text, struct err *err);

/* Adds the bytes with a transfer encoding undone ("base64"). An unknown one
 * is none. */
void mime_decode(struct slice encoding, struct slice bytes, struct buf *ret);

#endif
