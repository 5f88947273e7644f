/*
 * addr - mail addresses by one strict grammar.
 *
 * An addr-spec of RFC 5321 as the kernel's lists use it:
 *	local  = 1*64 of A-Z a-z 0-9 and !#$%&'*+-/=?^_`{|}~ and single dots
 *	domain = labels of letters, digits and inner hyphens, 255 in all
 * No quoted local part, comment, address literal, blank, control character,
 * angle bracket or byte over 126: libcurl hands a recipient to the server as
 * it is, so nothing else may ever reach it.
 */
#ifndef PH_ADDR_H
#define PH_ADDR_H

#include <stdbool.h>
#include "ph/err.h"
#include "ph/slice.h"

bool addr_valid(struct slice s);

/*
 * Reads "Name <a@b>", "\"Name\" <a@b>", "<a@b>" or "a@b" (one mailbox). Parts
 * point into s, quotes around the name taken off. PH_BAD otherwise.
 */
enum status addr_parse(struct slice s, struct slice *ret_name,
		       struct slice *ret_address, struct err *err);

/* Addresses compare without case. */
bool addr_eq(struct slice a, struct slice b);
/* A glob over the whole address, without case ("*@example.org"). */
bool addr_match(struct slice glob, struct slice address);

/* Whether its host carries mailing lists and, but for a few, nothing else. */
bool addr_is_list(struct slice address);

#endif
