/*
 * imap_list - which messages the server has, before any is fetched.
 */
#ifndef MAIL_IMAP_LIST_H
#define MAIL_IMAP_LIST_H

#include "mail/imap_session.h"

/* UIDs asked for at once; a line of the answer has some 95 bytes. */
#define IMAP_LIST_WINDOW 2048

/*
 * Fills imap->list with UID, size and arrival of messages over `after`: those
 * of the first window that has any.
 * PH_NONE: there is none.
 */
enum status imap_list_after(struct imap *imap, uint32_t after, struct err *err);

/*
 * The same for a given range alone; the list may come out empty.
 */
enum status imap_list_range(struct imap *imap, uint32_t first, uint32_t last,
			    struct err *err);

/*
 * Which of these UIDs (rising, LIMIT_BATCH at most) still exist, into
 * imap->unsent. PH_NONE: all are gone.
 */
enum status imap_list_unsent(struct imap *imap, const uint32_t *uids, size_t n,
			     struct err *err);

/*
 * Runs FETCH, or UID FETCH with by_uid, and gives each answer to handler.
 * Frees set and type. PH_BAD: the server said no, perhaps after some answers.
 */
enum status imap_run_fetch(struct imap *imap, bool by_uid,
			   struct mailimap_set *set,
			   struct mailimap_fetch_type *type,
			   mailimap_msg_att_handler *handler, void *arg,
			   struct err *err);

#endif
