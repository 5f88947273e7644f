/*
 * outbox - the queue of notices: facts frozen by the desk, rendered and sent
 * by the courier.
 *
 * bot/store/delivery.h has the state table. A row's key is unique, so a
 * decision taken twice queues once.
 */
#ifndef BOT_STORE_OUTBOX_H
#define BOT_STORE_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/store/delivery.h"
#include "bot/store/open.h"
#include "ph/arena.h"
#include "ph/channel.h"
#include "ph/notice.h"
#include "ph/slice.h"

struct outbox_row {
	int64_t id;
	struct slice key; /* 64 hex digits */
	enum notice_kind kind;
	struct slice channel, target;
	int64_t patch, message; /* 0: none */
	struct slice facts;	/* notice_to_json */
	enum outbox_state state;
	struct slice reason; /* of held, dead, cancelled, or the last error */
	int64_t created, due, next_try, sent_at; /* seconds UTC */
	uint32_t tries;
	bool maybe_dup;
	bool rendered; /* parcel and endpoint below are set */
	struct parcel parcel;
	struct slice endpoint; /* channel_endpoint at the first claim */
	struct slice remote_id;
};

/* -- the desk -- */

/*
 * Queues a notice; id, rendered and what follows are not looked at.
 * PH_NONE: its key is in the queue already; *ret_id is that row.
 * Wants a transaction.
 */
enum status outbox_add(struct store *s, const struct outbox_row *row,
		       int64_t *ret_id, struct err *err);

/*
 * Whether this patch has been told (or is about to be) to a target; *ret_at is
 * when that was last decided. Held notices count only when asked for.
 * PH_NONE: never.
 */
enum status outbox_told(struct store *s, int64_t patch, struct slice channel,
			struct slice target, bool held_counts, int64_t *ret_at,
			struct err *err);

/* When a patch was last told to anybody, or is about to be; 0: never. */
enum status outbox_last_told(struct store *s, int64_t patch, int64_t *ret,
			     struct err *err);

/* Rows queued for a channel since a time, but for cancelled ones. */
enum status outbox_count_since(struct store *s, struct slice channel,
			       int64_t since, int64_t *ret, struct err *err);

/* The same for an address, in any case, on any channel; and for all. */
enum status outbox_count_target(struct store *s, struct slice target,
				int64_t since, int64_t *ret, struct err *err);
enum status outbox_count_all(struct store *s, int64_t since, int64_t *ret,
			     struct err *err);

/* A notice of this patch that waits for its due time, untried. PH_NONE: there
 * is none. */
enum status outbox_waiting(struct store *s, int64_t patch, struct slice channel,
			   struct slice target, int64_t now,
			   struct arena *arena, struct outbox_row *ret,
			   struct err *err);
/* Wants a transaction. */
enum status outbox_cancel(struct store *s, int64_t id, struct slice reason,
			  struct err *err);

/* -- what waits for a digest -- */

struct later_row {
	int64_t id;
	struct slice key, channel, target;
	int64_t patch, message;
	struct slice facts; /* notice_to_json */
	int64_t at;	    /* when decided */
	bool over;	    /* put off over max_per_hour, not by schedule */
};

/* PH_NONE: its key waits, or was in a digest, already. Wants a transaction. */
enum status later_add(struct store *s, const struct later_row *row,
		      struct err *err);
/* Those that no digest has taken, by target, oldest first. over: only the
 * ones put off; else all of the channel. */
enum status later_list(struct store *s, struct slice channel, bool over,
		       struct arena *arena, struct later_row **ret,
		       size_t *ret_n, struct err *err);
/* They went into this digest; 0: they are silenced by now, and into none. Wants
 * a transaction. */
enum status later_taken(struct store *s, int64_t id, int64_t outbox,
			struct err *err);
/* When the oldest row put off over the limit was decided; 0: there is none. */
enum status later_over_since(struct store *s, struct slice channel,
			     int64_t *ret, struct err *err);

struct told_row {
	struct slice target;
	int64_t patch;
	struct slice facts;
	int64_t at;
};

/*
 * The last notice on a channel, to each target, of every patch that was closed
 * at or after since; patch is its root and at when it was closed.
 */
enum status told_closed(struct store *s, struct slice channel, int64_t since,
			struct arena *arena, struct told_row **ret,
			size_t *ret_n, struct err *err);

/* Everything decided for a channel from since until before until, at once or
 * for a digest, by target, oldest first. */
enum status told_each(struct store *s, struct slice channel, int64_t since,
		      int64_t until, struct arena *arena,
		      void (*fn)(void *arg, const struct told_row *row),
		      void *arg, struct err *err);

/* -- the courier -- */

/*
 * Takes the row that is due first and marks it `sending`. Passed over are
 * paused channels, channels of skip (a JSON array of names, or empty), and an
 * update whose patch has an older row for the same target under way.
 * PH_NONE: nothing is due.
 * Its own transaction.
 */
enum status outbox_claim(struct store *s, int64_t now, struct slice skip,
			 struct arena *arena, struct outbox_row *ret,
			 struct err *err);

/* When the next row falls due, channel pauses included; 0: the queue is
 * empty. */
enum status outbox_next_due(struct store *s, struct slice skip, int64_t *ret,
			    struct err *err);

/* What a row of this patch and target is to be threaded under: Message-ID and
 * remote id of the first notice that was sent. PH_NONE: it is the first. */
enum status outbox_thread(struct store *s, const struct outbox_row *row,
			  struct arena *arena, struct slice *ret_message_id,
			  struct slice *ret_remote_id, struct err *err);

/* Keeps what was rendered, before it is sent. Its own transaction. */
enum status outbox_rendered(struct store *s, int64_t id,
			    const struct parcel *parcel, struct slice endpoint,
			    struct err *err);

/*
 * Records an attempt and moves the row on by the state table; pauses the
 * channel where the table says so. jitter is random over the whole range.
 * *ret_paused (may be NULL): this attempt paused a channel that was not, so
 * the operator is to be told. Its own transaction.
 */
enum status outbox_attempt(struct store *s, const struct outbox_row *row,
			   const struct delivery_result *result, int64_t now,
			   uint32_t jitter, bool *ret_paused, struct err *err);

/* Takes a claimed or waiting row out of the queue, or puts it back as pending:
 * then now is when to try it again. Its own transaction. */
enum status outbox_set(struct store *s, int64_t id, enum outbox_state state,
		       struct slice reason, int64_t now, struct err *err);

/* At the courier's start: rows that a crash left in `sending` go back to
 * pending with maybe_dup. Its own transaction. */
enum status outbox_revive(struct store *s, int64_t now, int64_t *ret_n,
			  struct err *err);

/* Rows 5 days past their due time die. Its own transaction. */
enum status outbox_expire(struct store *s, int64_t now, int64_t *ret_n,
			  struct err *err);

/* Why a notice is held. It outlives the setting, so it speaks of the past. */
#define HELD_REASON S("send was false when it was made")

/* -- by hand -- */

enum status outbox_get(struct store *s, int64_t id, struct arena *arena,
		       struct outbox_row *ret, struct err *err);

/* The mail of this Message-ID (without brackets). PH_NONE: none is ours. */
enum status outbox_by_message_id(struct store *s, struct slice id,
				 struct arena *arena, struct outbox_row *ret,
				 struct err *err);

/* held to pending, made at or after since; counts only when dry. Wants a
 * transaction. */
enum status outbox_release(struct store *s, int64_t since, int64_t now,
			   bool dry, int64_t *ret_n, struct err *err);

/* Adds "  12 for perf-chat, 1 target" lines: how many are held, by channel. */
enum status outbox_held_counts(struct store *s, int64_t since,
			       struct arena *arena, struct buf *ret,
			       struct err *err);

/* Back to pending, due now, tries forgotten; its channel's pause ends.
 * PH_BAD: it is sent, or under way. Wants a transaction. */
enum status outbox_retry(struct store *s, int64_t id, int64_t now,
			 struct err *err);

/* Calls fn for rows of the given states (bits 1 << state), oldest first. */
enum status outbox_each(struct store *s, unsigned states, int64_t patch,
			int64_t message, struct arena *arena,
			void (*fn)(void *arg, const struct outbox_row *row),
			void *arg, struct err *err);

struct attempt_row {
	int64_t outbox, at;
	struct slice what; /* "sent", "later", ... */
	int code;
	struct slice text;
};

enum status attempt_each(struct store *s, int64_t outbox, struct arena *arena,
			 void (*fn)(void *arg, const struct attempt_row *row),
			 void *arg, struct err *err);

/* -- channels -- */

struct channel_row {
	struct slice name;
	int64_t paused_since; /* 0: not paused */
	struct slice reason;
	struct slice endpoint; /* where it pointed then */
	bool gone;	       /* stays paused until the endpoint changes */
	int64_t next_try;
};

enum status channel_row_each(struct store *s, struct arena *arena,
			     void (*fn)(void *arg,
					const struct channel_row *row),
			     void *arg, struct err *err);

/* The channel points to endpoint now: a pause of another endpoint ends. Its
 * own transaction. */
enum status channel_row_points(struct store *s, struct slice name,
			       struct slice endpoint, int64_t now,
			       struct err *err);

/* -- people -- */

/* Whether an address wants no more mail from us, or bounced for good three
 * times; *ret_why is a sentence. PH_NONE: it may be mailed. */
enum status optout_get(struct store *s, struct slice address,
		       struct arena *arena, struct slice *ret_why,
		       struct err *err);
/* Want a transaction. */
enum status optout_add(struct store *s, struct slice address,
		       struct slice reason, int64_t now, struct err *err);
enum status bounce_add(struct store *s, struct slice address, struct slice text,
		       int64_t now, struct err *err);

#endif
