/*
 * charset - bytes of a mail to UTF-8.
 *
 * The robot's mails and their readers use these; every other label is read as
 * one of them, so that no name from a mail ever reaches iconv.
 */
#ifndef MAIL_CHARSET_H
#define MAIL_CHARSET_H

#include "ph/arena.h"
#include "ph/slice.h"

enum charset {
	CHARSET_GUESS, /* ASCII, Latin-1, cp1252, unknown or no label: UTF-8
			   where all of it is valid, else cp1252 */
	CHARSET_UTF8,
	CHARSET_LATIN9, /* the same guess, else ISO 8859-15 */
};

/* By the label of a Content-Type or an encoded word, quotes taken off. */
enum charset charset_of(struct slice label);

/*
 * Adds the bytes as valid UTF-8 with LF line ends. What has no meaning in the
 * charset, and NUL, becomes U+FFFD.
 */
void charset_put(struct buf *b, enum charset charset, struct slice bytes);

#endif
