/*
 * letter - a notice as one mail (RFC 5322, RFC 2045, RFC 2047).
 *
 * Plain text, 7bit where it is short ASCII, else quoted-printable; CR LF line
 * ends, no line over 998 octets, header all ASCII. Nothing from outside
 * reaches a header field unencoded or unchecked, so no field can be forged.
 * The bytes depend on the notice and the configuration only: the same row
 * gives the same mail, with the same Message-ID.
 */
#ifndef NOTIFY_LETTER_H
#define NOTIFY_LETTER_H

#include "ph/arena.h"
#include "ph/channel.h"
#include "ph/config.h"
#include "ph/err.h"
#include "ph/notice.h"
#include "ph/slice.h"

/*
 * Renders n for the address `to`. subject and body take the place of the usual
 * words when they are not empty (a channel's templates); the "[perfherald] "
 * before the usual subject is part of it.
 * PH_OK: ret->body is the mail, ret->message_id its id without brackets,
 *        ret->recipient a copy of `to`; ret->extra is empty.
 * PH_BAD: `to` is no address of addr.h's grammar.
 */
enum status letter_render(const struct config_smtp *smtp, struct slice to,
			  const struct notice *n, struct slice subject,
			  struct slice body, struct arena *arena,
			  struct parcel *ret, struct err *err);

#endif
