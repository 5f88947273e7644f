/*
 * message - one mail after MIME: the fields we use, decoded, and its text.
 *
 * All slices are UTF-8 without control characters in header fields, point into
 * the arena or the raw bytes, and live as long as both. A field that was
 * absent or unreadable is an empty slice.
 */
#ifndef PH_MESSAGE_H
#define PH_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/err.h"
#include "ph/slice.h"

struct person {
	struct slice name;
	struct slice address;
};

struct message {
	struct slice id; /* Message-ID without angle brackets */
	struct person from;
	size_t n_from; /* mailboxes over all From fields */
	struct person *to, *cc;
	size_t n_to, n_cc;
	int64_t date;		  /* Date:, seconds UTC; 0: none */
	struct slice subject;	  /* unfolded, blanks squeezed */
	struct slice in_reply_to; /* first id, without brackets */
	struct slice *references; /* ids without brackets, oldest first */
	size_t n_references;
	struct slice list; /* List-Id, the part inside <> */
	int64_t received;  /* topmost Received:'s time; 0: none */
	bool automatic;	   /* Auto-Submitted other than no, an empty
				     Return-Path, or our own X-Perfherald */
	bool bounce;	   /* multipart/report; delivery-status */
	bool bare;	   /* report text without a mail header */
	struct slice text; /* the body: text parts in order, UTF-8, LF
				     line ends, no NUL or CR */
};

/*
 * Screens, decodes and reads one raw message (RFC 5322, MIME) or bare report
 * text ("[tree:branch] ... N% regression" without header fields, as pasted).
 * PH_OK: *ret is filled.
 * PH_BAD: not a mail, empty, or over a ceiling of limits.h, which is named.
 */
enum status message_read(struct slice raw, struct arena *arena,
			 struct message *ret, struct err *err);

#endif
