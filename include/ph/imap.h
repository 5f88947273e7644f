/*
 * imap - one connection to one mailbox (RFC 3501, 2177, 4315; libetpan below,
 * over our own TLS stream).
 *
 * Every call is bounded by a deadline and by the guard's ceilings. After any
 * status but PH_OK, PH_NONE and PH_BAD the connection is dead: close it and
 * open another.
 */
#ifndef PH_IMAP_H
#define PH_IMAP_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/config.h"
#include "ph/err.h"
#include "ph/slice.h"

struct imap;

/* How long a server may take, in milliseconds. */
struct imap_times {
	int64_t connect_ms; /* to a connection */
	int64_t silence_ms; /* between two bytes that are due */
	int64_t command_ms; /* a whole command; mail gets more by its size */
	int64_t idle_ms;    /* IDLE until it is asked anew; under 29 minutes */
};

/* 30 s, 60 s, 2 min, 9 min. */
extern const struct imap_times imap_usual_times;

/*
 * Connects, makes TLS (implicit or STARTTLS), checks chain and host name, and
 * logs in. The secret is read from the mailbox's configured file or command
 * now and forgotten again. box must outlive the connection.
 * Looking up the host's name takes what the resolver takes, on top.
 * PH_RETRY: no connection, time-out, server says later (exit 69).
 * PH_BAD: the login was refused (exit 69). Whoever asks again soon may be
 *         taken for one who guesses, and locked out.
 * PH_FATAL: certificate refused, no such way to log in (exit 69), secret
 *           unreadable (78).
 */
enum status imap_open(const struct config_mailbox *box, struct imap **ret,
		      struct err *err);
/* The same with other times. */
enum status imap_open_timed(const struct config_mailbox *box,
			    const struct imap_times *times, struct imap **ret,
			    struct err *err);
void imap_close(struct imap *imap); /* never blocks for long; NULL is fine */

/*
 * The folders of this mailbox: the one in the URL, or for a pattern ("list.*")
 * the newest slice of every public-inbox list that fits (NAME.0, NAME.1, ...)
 * and each other folder that fits. The array and its strings belong to the
 * connection until the next call.
 */
enum status imap_folders(struct imap *imap, const char *const **ret,
			 size_t *ret_n, struct err *err);

struct imap_folder {
	uint32_t uidvalidity;
	uint32_t uidnext; /* 0: the server does not say (Courier) */
	uint32_t exists;
};

/*
 * EXAMINE, or SELECT where box->done changes flags.
 * PH_RETRY: also when there is no such folder (exit 69).
 */
enum status imap_select(struct imap *imap, const char *folder,
			struct imap_folder *ret, struct err *err);

struct imap_message {
	uint32_t uid;
	int64_t arrived;  /* INTERNALDATE, seconds UTC */
	uint32_t size;	  /* RFC822.SIZE */
	struct slice raw; /* empty with too_big */
	bool too_big;	  /* over LIMIT_MAIL: not fetched */
};

/*
 * Called once a message, UIDs rising with every server we know, raw valid
 * until it returns. Anything but PH_OK ends the fetch with that status, and
 * the connection with it.
 */
typedef enum status imap_take_fn(void *arg, const struct imap_message *m,
				 struct err *err);

/*
 * Fetches messages with UID over `after`, at most LIMIT_BATCH of them and
 * LIMIT_BATCH_BYTES by RFC822.SIZE (at least one), with BODY.PEEK[], streamed.
 * since: INTERNALDATE bound in seconds UTC (messages that arrived earlier are
 * left out), 0 for none. *ret_last is the highest UID that the server says is
 * covered now: every UID up to it was given to take, arrived before since, or
 * is gone.
 * PH_NONE: nothing over `after`.
 * PH_BAD: as PH_OK, but the server left out some that still exist;
 *         imap_unsent names them, and the connection goes on.
 */
enum status imap_fetch(struct imap *imap, uint32_t after, int64_t since,
		       imap_take_fn *take, void *arg, uint32_t *ret_last,
		       struct err *err);
/* The same for one UID alone (a retry after a death, uid:MAILBOX/N).
 * PH_NONE: it is gone. PH_BAD: it is there, and the server does not send it;
 * the connection goes on. */
enum status imap_fetch_one(struct imap *imap, uint32_t uid, imap_take_fn *take,
			   void *arg, struct err *err);
/* The UIDs that the last fetch did not get, although they exist, rising; until
 * the next call. Fills ret (LIMIT_BATCH of them at most) and gives their
 * number. */
size_t imap_unsent(const struct imap *imap, uint32_t *ret);
/* After a fetch that killed the connection: the lowest UID of those asked for
 * whose mail had not come; 0: it broke elsewhere, or by our own fault. */
uint32_t imap_broke_at(const struct imap *imap);
/* The lowest UID over `after`. PH_NONE: there is none. */
enum status imap_next(struct imap *imap, uint32_t after, uint32_t *ret,
		      struct err *err);
/* UIDs of messages whose Message-ID is id; at most max. */
enum status imap_find_id(struct imap *imap, struct slice id, uint32_t *ret,
			 size_t max, size_t *ret_n, struct err *err);

/*
 * Waits for news in the selected folder: IDLE where the server has it (and
 * re-issued under 29 minutes), else until poll_ms passes, then NOOP.
 * PH_OK: look again (something came, or poll time is up).
 * PH_NONE: wake_fd became readable (nothing was read from it); -1: no wake_fd.
 */
enum status imap_wait(struct imap *imap, int64_t poll_ms, int wake_fd,
		      struct err *err);
/* Whether imap_wait rests on IDLE. */
bool imap_has_idle(const struct imap *imap);

/*
 * Tells the server that these UIDs are done, as box->done says.
 * PH_BAD: it will not (exit 69); the connection goes on.
 */
enum status imap_done(struct imap *imap, const uint32_t *uids, size_t n,
		      struct err *err);

#endif
