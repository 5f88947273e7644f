/*
 * service - one row a way out: what the rest needs to know of a service.
 *
 * How to add a service. Write notify/NAME.c with a render function (a parcel's
 * body from the facts in struct saying), a request function (method, address
 * and headers around that body) and, where the service says more than its HTTP
 * status, a judge function. Give it a constant `struct service`, declare that
 * below and add it to the table in service.c. For the configuration add its
 * type to enum channel_type (ph/config.h), its word and the keys it takes to
 * config/channel.c. Nothing else knows services by name: pauses, retries,
 * pacing, secrets, TLS, threads and the text of errors come from the row, by
 * channel_send.c and answer.c. For its tests add a row to the targets of
 * tests/unit/service.c with its reader in tests/visible.c (payload, hostile
 * text), a peer in tests/peers.c, and its answers and threads in
 * tests/flow/answers.c and channel.c (post, thread, limit, error, lost parent).
 *
 * The rules of a row's functions: render sees no secret and runs once for an
 * outbox row; request adds the secrets each time; foreign text goes through
 * the dialect, never by hand; a limit is counted after escaping.
 */
#ifndef NOTIFY_SERVICE_H
#define NOTIFY_SERVICE_H

#include <jansson.h>
#include "notify/chat.h"
#include "notify/http.h"
#include "ph/channel.h"

/* What is to be said. */
struct saying {
	const struct config *config;
	const struct config_channel *ch;
	const struct service *service;
	struct slice target;
	const struct notice *n;
	const struct chat *chat;
	struct slice subject, body; /* of the channel's templates; or empty */
	struct json *extra; /* an open object: members that request will want
			       (the parcel's extra; "thread" is in it) */
	struct arena *arena;
};

/* One try to send a parcel. */
struct order {
	const struct config_channel *ch;
	const struct service *service;
	const struct parcel *parcel;
	const char *url;     /* without a trailing slash; a secret */
	const char *token;   /* NULL: none */
	const char *secret;  /* NULL: none */
	json_t *extra;	     /* what render kept; NULL: nothing */
	struct slice thread; /* id of the first post; empty: a new post */
	int64_t now;
	struct arena *arena;
};

/* What the service made of it; result->what is set from the HTTP status. */
struct answer {
	const struct order *order;
	const struct http_reply *reply;
	json_t *json; /* the answer's object; NULL: it is none */
	struct delivery_result *result;
	char said[256]; /* set by judge: the service's own error, if any */
	bool orphan;	/* set by judge: the thread's first post is gone */
};

/* Known errors: where `said` starts with `says`, what it is and what to do. */
struct service_error {
	const char *says;
	enum delivery what;
	const char *advice;
};

/* A type may have two rows: the one that needs a token is for channels with a
 * token_file, the other for those without. */
enum service_token { TOKEN_UNUSED, TOKEN_OPTIONAL, TOKEN_NEEDED };

struct service {
	const char *title; /* for messages: "Slack webhook" */
	enum channel_type type;
	enum service_token token;

	const char *home;	  /* the address where no url is given */
	const char *const *paths; /* globs for its URL's path; NULL: any */
	const char *path_hint;	  /* how such a URL looks, for messages */
	bool needs_to;		  /* a room is named by `to` */

	size_t limit;	     /* of one post's text ... */
	enum chat_unit unit; /* ... in this unit */
	int64_t pace_ms;     /* least time between two posts */
	bool threads;	     /* updates use the first post's stored id */
	bool idempotent;     /* its key makes a second post of a parcel the
				same post: a lost reply is no risk */

	/* Any 2xx is a success unless judge says no; 408, 425, 429 and 5xx
	 * are tried again; these and 410 mean never again. 0-ended. */
	const short *gone;
	const struct service_error *errors; /* ends with says NULL */

	/* ret: body is to be set; the rest is there. */
	enum status (*render)(const struct saying *say, struct parcel *ret,
			      struct err *err);
	/* HTTP services. url and insecure are set already; PH_BAD: the
	 * secret or the parcel is no good for this service. */
	enum status (*request)(const struct order *o, struct http_request *ret,
			       struct err *err);
	void (*judge)(struct answer *a); /* NULL: the status says it all */
	/* The others: sends by itself and fills *ret. */
	void (*send)(struct sender *s, const struct order *o,
		     struct delivery_result *ret);
};

/* The row of a channel, never NULL. */
const struct service *service_of(const struct config_channel *ch);

/* All rows, for tests and `check`. */
const struct service *const *service_all(size_t *ret_n);

extern const struct service service_slack, service_slack_bot;
extern const struct service service_mattermost, service_mattermost_bot;
extern const struct service service_mail, service_webhook, service_file,
	service_stdout;

extern const struct service service_discord, service_matrix, service_zulip;
extern const struct service service_googlechat, service_teams;
extern const struct service service_telegram, service_ntfy;
extern const struct service service_rocketchat, service_rocketchat_user;
extern const struct service service_alertmanager;

/* Adds a header line to the request: "name: value". */
void service_header(const struct order *o, struct http_request *q,
		    const char *name, const char *value);
/* "Authorization: Bearer TOKEN". */
void service_bearer(const struct order *o, struct http_request *q);
/* POST of the parcel's body as JSON to the URL itself. */
void service_post_json(const struct order *o, struct http_request *q);
/* The same to another address, made of url and a path. */
void service_post_to(const struct order *o, struct http_request *q,
		     const char *path);
/* The parcel's JSON object with ready members ("\"a\":1") put in front. */
struct slice service_with(const struct order *o, const char *members);
/* The order's thread, where it has one, as that member of the body. */
void service_thread(const struct order *o, struct http_request *q,
		    const char *member);

/* Whether the notice says that the patch is done with: fixed, invalid, stale. */
bool service_is_over(const struct notice *n);

/* The chat's lines in a dialect, within the service's limit. */
void service_write(const struct saying *say, const struct chat_dialect *d,
		   struct buf *ret);

/* Sets result->text, cut to its room on a code point border. */
void service_tell(struct delivery_result *ret, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A foreign field as one clean line (utf8.h). */
struct slice service_clean(const struct saying *say, struct slice s);
/* The facts as notice_to_json writes them, on one line and with a blank for
 * each control character. */
void service_put_facts(struct buf *b, const struct notice *n);

/* s as a JSON string, quotes included. */
void service_put_json(struct buf *b, struct slice s);

/* A member's text, or an empty slice. */
struct slice service_str(const json_t *object, const char *key);
/* Copies text into said, one clean line. */
void service_said(struct answer *a, struct slice text);
/* The text of a body that is not JSON, its first line. */
void service_said_plain(struct answer *a);
/* Keeps a post's id for threads. Longer than the room for it: kept as none. */
void service_keep_id(struct answer *a, struct slice id);
/* Waits of `seconds` (fractions allowed), if longer than what is known. */
void service_wait(struct answer *a, double seconds);

#endif
