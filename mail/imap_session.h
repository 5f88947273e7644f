/*
 * imap_session - what the files of one IMAP connection share.
 */
#ifndef MAIL_IMAP_SESSION_H
#define MAIL_IMAP_SESSION_H

#include <libetpan/libetpan.h>
#include "mail/imap_stream.h"
#include "ph/arena.h"
#include "ph/imap.h"
#include "ph/limits.h"

/* One message that the server has and we have not looked at. */
struct imap_listed {
	uint32_t uid, size;
	int64_t arrived;
	bool given; /* its body came */
};

struct imap {
	const struct config_mailbox *box;
	struct imap_stream stream;
	mailimap *session;
	bool has_idle, has_move, has_uidplus;

	struct arena names; /* of imap_folders */
	char *folder;	    /* the selected one, for messages */

	/* what imap_fetch knows of the UIDs above list_after, rising */
	struct imap_listed *list;
	size_t n_list, at_list, cap_list;
	uint32_t list_after;
	uint32_t looked_past; /* how many there were when none was newer */
	struct buf body;      /* of the message that is arriving */

	uint32_t unsent[LIMIT_BATCH]; /* by the last fetch */
	size_t n_unsent;
	uint32_t broke_at; /* where the last fetch did; 0: nowhere */
};

/* imap_open_timed over a connected socket, for tests. */
enum status imap_open_socket(const struct config_mailbox *box, int fd,
			     const struct imap_times *times, struct imap **ret,
			     struct err *err);

/* Starts a command's time and ceilings. */
static inline void imap_begin(struct imap *imap, uint64_t body_bytes)
{
	imap_stream_command(&imap->stream, body_bytes);
}

/*
 * What a libetpan call's result means. doing: for "cannot DOING".
 * PH_BAD: the server said no; the connection goes on.
 * PH_RETRY: the stream broke, or the answer made no sense.
 */
enum status imap_result(struct imap *imap, int result, const char *doing,
			struct err *err);

/* The words of the last refusal, or "". */
const char *imap_said(const struct imap *imap);

/* Fails the connection for an answer that no server should give. */
enum status imap_nonsense(struct imap *imap, struct err *err, const char *fmt,
			  ...) __attribute__((format(printf, 3, 4)));

/* Sends one line, without its end. False: the stream broke. */
bool imap_send(struct imap *imap, struct slice line);
/* Takes the next line into the session's buffer; empty: the stream broke. */
struct slice imap_line(struct imap *imap);

/*
 * Reads the rest of an answer whose first line is in the session's buffer;
 * libetpan's result.
 */
int imap_finish(struct imap *imap);

/*
 * Logs in with the secret of the mailbox.
 * PH_BAD: refused (69). PH_FATAL: the secret cannot be read (78), or there is
 * no way to log in that both sides know (69).
 */
enum status imap_log_in(struct imap *imap, struct err *err);

/* Asks what the server can do, and keeps it in the session. */
enum status imap_capabilities(struct imap *imap, struct err *err);

/*
 * Folder names on the wire are in modified UTF-7 (RFC 3501, 5.1.3); ours are
 * UTF-8. What cannot be read comes back as it is.
 */
char *imap_name_to_wire(struct arena *arena, struct slice name);
char *imap_name_from_wire(struct arena *arena, struct slice name);

/* How many messages the selected folder has, by what was heard last. */
uint32_t imap_exists(const struct imap *imap);

/* UIDs as a set with ranges; to be freed with mailimap_set_free. */
struct mailimap_set *imap_uid_set(const uint32_t *uids, size_t n);

#endif
