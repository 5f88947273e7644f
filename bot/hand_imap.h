/*
 * hand_imap - messages that are handed in by what a mailbox calls them.
 *
 * Each call connects, reads and closes again.
 */
#ifndef BOT_HAND_IMAP_H
#define BOT_HAND_IMAP_H

#include "bot/hand.h"

/*
 * "uid:MAILBOX/N": the message with this UID, in the first folder of the
 * mailbox that has it.
 * PH_NONE: no folder has (exit 66). PH_BAD: not of this form, or no such
 * mailbox (exit 64). Others: the mailbox could not be asked.
 */
enum status hand_imap_uid(struct hand *h, const char *name, struct err *err);

/*
 * By Message-ID, in all mailboxes in their order. PH_NONE: none has it. A
 * mailbox that cannot be asked is said on standard error and passed over.
 */
enum status hand_imap_id(struct hand *h, struct slice id, struct err *err);

#endif
