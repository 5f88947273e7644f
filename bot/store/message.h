/*
 * message - the mails of the state, and how far each mailbox has been read.
 *
 * Workers add rows (NEW, or a reason why not) and move the cursor in the same
 * transaction; the desk takes the NEW ones in order and says what each is.
 * Every UID below a cursor has a row.
 */
#ifndef BOT_STORE_MESSAGE_H
#define BOT_STORE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/store/open.h"
#include "ph/arena.h"
#include "ph/message.h"
#include "ph/report.h"
#include "ph/slice.h"

enum message_state {
	MESSAGE_NEW,	   /* read, the desk has not decided */
	MESSAGE_REPORT,	   /* decided: belongs to a patch */
	MESSAGE_DUPLICATE, /* decided: the same mail is here already */
	MESSAGE_UNPROVEN,  /* decided: a report that nothing proves */
	MESSAGE_REPLY,	   /* decided: a person's */
	MESSAGE_OTHER,	   /* decided: none of our business */
	MESSAGE_WAITING,   /* its proof needs an answer that did not come yet;
			      to be fetched and proven again */
	MESSAGE_BAD,	   /* not readable as a mail */
	MESSAGE_OVERSIZED, /* over LIMIT_MAIL, never fetched */
	MESSAGE_POISON,	   /* killed its worker twice */
	MESSAGE_STATES,
};

const char *message_state_name(enum message_state state); /* "poison" */

/* What makes us believe it, the strongest last. */
enum proven {
	PROVEN_NOT,
	PROVEN_OPEN, /* trust.proof has `none` */
	PROVEN_AUTHRES,
	PROVEN_DKIM,
	PROVEN_VOUCHED, /* an operator's word */
};

const char *proven_name(enum proven proven); /* "dkim" */

/* A message on its way in. */
struct message_in {
	struct slice source;	   /* the mailbox's name; by hand: "file" */
	struct slice folder;	   /* IMAP folder; by hand: where it was read */
	uint32_t uidvalidity, uid; /* by hand 0, 0 */
	int64_t arrived; /* INTERNALDATE or delivery time, seconds UTC */
	int64_t now;
	bool by_hand;	     /* given to `process`: told whatever its age */
	bool has_tell_since; /* the mailbox's; without it what lay there at its
				first opening is history */
	int64_t tell_since;
	bool undone; /* the mailbox's `done` is to be done with it */

	enum message_state state; /* NEW, WAITING, BAD, OVERSIZED, POISON */
	struct slice reason;	  /* in words, where state is not NEW */
	enum proven proven;
	struct slice proof; /* in words: "dkim intel.com", or why not */

	const struct message *message; /* NULL where it could not be read */
	const struct report *report;   /* NULL likewise */
	struct slice packed;	       /* pack_text of message->text */
};

/*
 * Adds a message. A mailbox's UID that has a row already (fetched again after
 * a crash, or WAITING before) gets the new content, unless the desk has
 * decided it. By hand, a copy of a stored mail (same Message-ID, proof not
 * stronger) adds no row.
 * PH_OK: *ret_id is the row.
 * PH_NONE: a copy; *ret_id is the row of the stored one.
 * Wants a transaction.
 */
enum status message_add(struct store *s, const struct message_in *in,
			int64_t *ret_id, struct err *err);

/* A message as stored. Slices belong to the arena. */
struct message_row {
	int64_t id;
	struct slice source, folder;
	uint32_t uidvalidity, uid;
	int64_t arrived, added;
	bool by_hand, history; /* history: not told */
	enum message_state state;
	enum report_kind kind;
	struct slice reason;
	enum proven proven;
	struct slice proof;
	struct slice msgid;  /* Message-ID without brackets; may be empty */
	struct slice msgkey; /* its part before the @, else a hash */
	struct slice from, subject;
	bool partial, automatic, bounce;
	int revision;	 /* how often it was to be sent anew */
	int64_t patch;	 /* 0: none */
	int64_t decided; /* seconds UTC, 0: not yet */
};

enum status message_get(struct store *s, int64_t id, struct arena *arena,
			struct message_row *ret, struct err *err);

/* The oldest NEW message with an id above `after`. PH_NONE: there is none. */
enum status message_next_new(struct store *s, int64_t after,
			     struct arena *arena, struct message_row *ret,
			     struct err *err);

/*
 * The mail itself, as it was read, ready for report_read.
 * PH_NONE: it was not kept (BAD, OVERSIZED, POISON, or dropped by `keep`).
 */
enum status message_load(struct store *s, int64_t id, struct arena *arena,
			 struct message *ret, struct err *err);

/* By id, by Message-ID (whole or before the @), or "uid:MAILBOX/N". The
 * strongest proof first, then the oldest. PH_NONE: unknown. */
enum status message_find(struct store *s, struct slice name,
			 struct arena *arena, struct message_row *ret,
			 struct err *err);

/* The desk's word. patch 0: none. Wants a transaction. */
enum status message_decide(struct store *s, int64_t id,
			   enum message_state state, struct slice reason,
			   int64_t patch, int64_t now, struct err *err);

/* Back to NEW, to be decided anew and told whatever its age; vouched: as
 * proven by an operator; resend: told even where it was told already. Its
 * results leave their patch. PH_BAD: it was never read. Wants a transaction. */
enum status message_again(struct store *s, int64_t id, bool vouched,
			  bool resend, struct err *err);

/* The decided report of this Message-ID, proof at least as given, other than
 * `but`. PH_NONE: none. */
enum status message_same(struct store *s, struct slice msgkey,
			 enum proven least, int64_t but, struct arena *arena,
			 struct message_row *ret, struct err *err);

/* Up to max UIDs of a folder whose rows are in this state, rising: WAITING are
 * to be proven again, POISON never to be touched. */
enum status message_uids(struct store *s, struct slice source,
			 struct slice folder, uint32_t uidvalidity,
			 enum message_state state, uint32_t *ret_uids,
			 size_t max, size_t *ret_n, struct err *err);

/* Why a message or patch is what it is: one line of `why`. */
struct trace {
	int64_t at, message, patch; /* 0: none */
	struct slice step;	    /* "proof", "identity", "route", ... */
	struct slice text;
};

/* Wants a transaction. */
enum status trace_add(struct store *s, const struct trace *t, struct err *err);
/* Calls fn for each line of a message (or, with message 0, of a patch). */
enum status trace_each(struct store *s, int64_t message, int64_t patch,
		       struct arena *arena,
		       void (*fn)(void *arg, const struct trace *t), void *arg,
		       struct err *err);
/* Before deciding anew. Wants a transaction. */
enum status trace_clear(struct store *s, int64_t message, struct err *err);

/* -- mailboxes -- */

/* A mail at which the connection breaks. */
struct mailbox_stuck {
	uint32_t uid;	 /* 0: none */
	uint32_t breaks; /* at it, in a row */
	uint32_t behind; /* another mail is tried so many UIDs behind it */
};

struct mailbox_place {
	uint32_t cursor; /* the next UID to fetch is the one above */
	int64_t opened;	 /* first opening of this mailbox, seconds UTC */
	bool first;	 /* this folder was never opened before */
	bool renumbered; /* UIDVALIDITY changed: cursor starts at 0 again */
	struct mailbox_stuck stuck;
};

/*
 * Where to go on reading. Remembers the first opening of the mailbox (what
 * arrived before is history), and starts over when uidvalidity is new: mails
 * seen under their old UIDs are known by Message-ID. uidnext 0: unknown.
 * Wants a transaction.
 */
enum status mailbox_open(struct store *s, struct slice name,
			 struct slice folder, uint32_t uidvalidity,
			 uint32_t uidnext, int64_t now,
			 struct mailbox_place *ret, struct err *err);

/* All UIDs up to uid have rows or do not exist. Never moves back. Wants a
 * transaction, the one that added the rows. */
enum status mailbox_advance(struct store *s, struct slice name,
			    struct slice folder, uint32_t uidvalidity,
			    uint32_t uid, struct err *err);

/*
 * Up to max UIDs of a folder, rising, with which the server has still to do
 * what the mailbox's `done` says: of this worker, or of one that died before it
 * could tell. Not those WAITING: they are to be fetched again.
 */
enum status mailbox_undone(struct store *s, struct slice name,
			   struct slice folder, uint32_t uidvalidity,
			   uint32_t *ret_uids, size_t max, size_t *ret_n,
			   struct err *err);

/* The server has done it with these. Its own transaction. */
enum status mailbox_done(struct store *s, struct slice name,
			 struct slice folder, uint32_t uidvalidity,
			 const uint32_t *uids, size_t n, struct err *err);

/*
 * Counts one more death of a worker at a UID and gives the count. Its own
 * transaction, so that the count outlives the next death.
 */
enum status mailbox_death(struct store *s, struct slice name,
			  struct slice folder, uint32_t uidvalidity,
			  uint32_t uid, uint32_t *ret_deaths, struct err *err);

/* Where the connection broke, for the next one. Its own transaction. */
enum status mailbox_stuck(struct store *s, struct slice name,
			  struct slice folder, const struct mailbox_stuck *at,
			  struct err *err);

struct mailbox_row {
	struct slice name, folder;
	uint32_t uidvalidity, cursor;
	int64_t opened, last_read, last_report; /* 0: never */
	struct slice trouble; /* the last error in words; empty: none */
	int64_t trouble_since;
	bool wants_person;    /* waiting does not mend it */
	struct slice refusal; /* of what `done` says; empty: none */
	int64_t refusal_since;
};

enum status mailbox_each(struct store *s, struct arena *arena,
			 void (*fn)(void *arg, const struct mailbox_row *row),
			 void *arg, struct err *err);

/*
 * What a worker tells `status`: connected and up to date (trouble empty), or
 * in trouble, and whether that wants a person. *ret_since: when this trouble
 * began, 0: there is none. Its own transaction, as of those below.
 */
enum status mailbox_trouble(struct store *s, struct slice name,
			    struct slice trouble, bool wants_person,
			    int64_t now, int64_t *ret_since, struct err *err);
/* Ends a trouble that wanted a person. */
enum status mailbox_login_works(struct store *s, struct slice name,
				struct err *err);
/* Why the server does not do what `done` says; empty: it does. *ret_new: until
 * now it did. */
enum status mailbox_refusal(struct store *s, struct slice name,
			    struct slice refusal, int64_t now, bool *ret_new,
			    struct err *err);

#endif
