/*
 * channel - renders a notice for one target of a channel, and sends it once.
 *
 * Rendering happens at the first claim of an outbox row; the rendered parcel
 * is stored with the row, and every retry sends the same bytes with the same
 * key. Sending never retries by itself: the courier owns the state table of
 * DESIGN section 8.
 */
#ifndef PH_CHANNEL_H
#define PH_CHANNEL_H

#include <stdint.h>
#include "ph/arena.h"
#include "ph/config.h"
#include "ph/err.h"
#include "ph/notice.h"
#include "ph/slice.h"

/* What is stored and sent; slices belong to the arena. No secret in here. */
struct parcel {
	struct slice body;	 /* the whole mail, or the request's body */
	struct slice message_id; /* mail: without brackets; else the key */
	struct slice recipient;	 /* mail: the address; else target as given */
	struct slice extra;	 /* JSON the service's file keeps for itself
				    (thread id, method); may be empty */
};

enum delivery {
	DELIVERY_SENT,
	DELIVERY_LATER,	  /* try again: no connection, 408, 425, 429, 5xx */
	DELIVERY_MAYBE,	  /* the reply was lost after the last byte */
	DELIVERY_REFUSED, /* this payload or recipient, for good */
	DELIVERY_CHANNEL, /* the channel itself: login, 404, TLS */
	DELIVERY_GONE,	  /* as CHANNEL, and never use this URL again */
};

struct delivery_result {
	enum delivery what;
	int code;		/* HTTP or SMTP, 0: none */
	int64_t retry_after_ms; /* the peer's word; 0: none */
	char remote_id[256];	/* the service's id, for threads */
	char text[512];		/* for a person; never holds a secret */
};

/* Connections and handles kept between sends; one a courier. */
struct sender;

struct sender *sender_new(const struct config *config);
void sender_free(struct sender *s);

/*
 * Renders notice n for target ("a@b", a room, or "" where the URL is all).
 * PH_BAD: cannot be said on this channel (address refused by the grammar).
 * PH_FATAL: a template is broken (78).
 */
enum status channel_render(const struct config *config,
			   const struct config_channel *ch, struct slice target,
			   const struct notice *n, struct arena *arena,
			   struct parcel *ret, struct err *err);

/* Sends a parcel once. Always fills *ret. now: wall time in seconds. */
void channel_send(struct sender *s, const struct config_channel *ch,
		  const struct parcel *parcel, int64_t now,
		  struct delivery_result *ret);

/*
 * The place that a channel sends to, as a fingerprint (16 hex digits over URL
 * and target): it changes when its URL changes, and tells nothing about it.
 */
enum status channel_endpoint(const struct config *config,
			     const struct config_channel *ch, char ret[17],
			     struct err *err);

/* Whether the service can thread or edit with a stored id. */
bool channel_has_threads(const struct config_channel *ch);

/* The least milliseconds between two posts, by the service's documented rate. */
int64_t channel_pace_ms(const struct config_channel *ch);

/*
 * What the file's reader cannot know: whether the channel's templates name
 * known fields only. PH_BAD (78): err names the channel, key, line and field.
 * Wants no network and no secret; for `check` and for every start.
 */
enum status channel_check(const struct config_channel *ch, struct err *err);

/*
 * Tries the channel without telling anyone anything: TLS and login for smtp,
 * TLS for the rest. For `check --connect`.
 */
enum status channel_probe(struct sender *s, const struct config_channel *ch,
			  struct err *err);

/*
 * Fetches a URL that tells somebody else that all goes well; it may be a secret
 * and stands in no message. PH_RETRY: no answer, or not one of success.
 */
struct pinger;

struct pinger *pinger_new(void);
void pinger_free(struct pinger *p); /* NULL is fine */
enum status pinger_fetch(struct pinger *p, const char *url, struct err *err);

#endif
