/*
 * config - the whole configuration, read, checked and ready to use.
 *
 * Strings are NUL-terminated and owned by the config; an absent text is NULL,
 * an absent time or number has its documented default already in place. mail/
 * and notify/ get pointers to the parts that concern them.
 */
#ifndef PH_CONFIG_H
#define PH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/err.h"
#include "ph/slice.h"

/* Read unless -c names another file. */
#define CONFIG_USUAL SYSCONFDIR "/perfherald/perfherald.yaml"

/* Where a value stands in the file, for messages about it later. */
struct config_mark {
	unsigned line, column; /* from 1 */
};

struct config_list {
	const char **item;
	size_t n;
};

/* A URL taken apart; no userinfo is left in host. */
struct config_url {
	const char *text; /* as written; for a webhook a secret */
	const char *scheme, *user, *host, *path; /* path without the first / */
	uint16_t port; /* the scheme's usual one when not written */
};

enum config_auth { AUTH_LOGIN, AUTH_PLAIN, AUTH_XOAUTH2, AUTH_ANONYMOUS };
enum config_done { DONE_NOTHING, DONE_SEEN, DONE_MOVE };

struct config_mailbox {
	const char *name;
	struct config_mark mark;
	struct config_url url; /* imaps, or imap with STARTTLS */
	const char *folder;    /* url.path decoded; may be a glob */
	enum config_auth auth;
	const char *password_file, *password_command, *token_command;
	const char *ca_file;
	bool insecure; /* plain imap without STARTTLS allowed */
	int64_t since; /* span in seconds: read this far back */
	bool has_tell_since;
	int64_t tell_since; /* time; without it the first opening */
	int64_t poll;	    /* seconds, where IDLE fails */
	int64_t connections;
	enum config_done done;
	const char *done_folder; /* with DONE_MOVE */
	int64_t usual_gap;	 /* seconds without a report before status
				    complains; 0: never */
};

enum config_proof { PROOF_DKIM, PROOF_AUTHRES, PROOF_NONE };

struct config_trust {
	enum config_proof proof[4];
	size_t n_proof;
	struct config_list dkim; /* domains */
	const char *dkim_keys;	 /* file; NULL: DNS */
	struct config_list from; /* the robot's addresses */
	const char *authserv_id;
};

struct config_git {
	const char *path; /* NULL: no tree */
	struct config_list merged;
	bool maintainers;
	const char *trees;
};

struct config_smtp {
	struct config_mark mark;
	struct config_url url; /* smtp (STARTTLS) or smtps */
	const char *from;      /* as written */
	const char *from_name, *from_address;
	const char *envelope_from; /* from_address when not set */
	const char *user, *password_file, *ca_file;
	bool insecure;
};

enum channel_type {
	CHANNEL_MAIL,
	CHANNEL_SLACK,
	CHANNEL_MATTERMOST,
	CHANNEL_DISCORD,
	CHANNEL_MATRIX,
	CHANNEL_ZULIP,
	CHANNEL_GOOGLECHAT,
	CHANNEL_TEAMS,
	CHANNEL_TELEGRAM,
	CHANNEL_ROCKETCHAT,
	CHANNEL_NTFY,
	CHANNEL_WEBHOOK,
	CHANNEL_ALERTMANAGER,
	CHANNEL_FILE,
	CHANNEL_STDOUT,
	CHANNEL_TYPES,
};

const char *channel_type_name(enum channel_type type); /* "slack" */

/* Days as bits, Monday 1; minutes of the day in zone. */
struct config_hours {
	bool set;
	uint8_t days;
	int from, to;	  /* minutes; to may be under from (over night) */
	const char *zone; /* IANA name; NULL: UTC */
};

enum digest_every { DIGEST_OFF, DIGEST_DAILY, DIGEST_WEEKLY };

struct config_digest {
	enum digest_every every;
	int weekday; /* 0 Monday */
	int minute;  /* of the day, UTC */
};

struct config_channel {
	const char *name;
	struct config_mark mark;
	enum channel_type type;
	struct config_list to; /* addresses, @author, rooms */
	const char *url, *url_file;
	const char *token_file, *secret_file, *path;
	struct config_list allow; /* address globs; none: all */
	bool list_consent;
	bool only_if_new;
	struct config_digest digest;
	int64_t max_per_hour;
	struct config_hours hours;
	int64_t embargo, group_wait; /* seconds */
	const char *ca_file;
	bool insecure;
	const char *subject, *body; /* templates; NULL: the usual */
};

/* Those before MATCH_TESTCASE are of the patch, those before MATCH_ALL of one
 * result. */
enum match_key {
	MATCH_TREE,
	MATCH_BRANCH,
	MATCH_LABEL,
	MATCH_SUBSYSTEM,
	MATCH_FILES,
	MATCH_AUTHOR,
	MATCH_LIST,
	MATCH_TESTCASE,
	MATCH_METRIC,
	MATCH_HOST,
	MATCH_VERDICT,
	MATCH_MIN_PERCENT,
	MATCH_MIN_EFFECT,
	MATCH_EVIDENCE,
	MATCH_TOO_GOOD,
	MATCH_ALL,
	MATCH_ANY,
	MATCH_NOT,
	MATCH_KEYS,
};

const char *match_key_name(enum match_key key); /* "min_percent" */

/*
 * A matcher: all set keys must hold; a list means one of. Children are other
 * matchers of the same struct.
 */
struct config_match {
	struct config_mark mark;
	struct config_mark where[MATCH_KEYS]; /* line 0: not set */
	struct config_list tree, branch, label, subsystem, files, testcase,
		metric, host, verdict, evidence, author, list;
	bool has_min_percent, has_min_effect, has_too_good;
	double min_percent, min_effect;
	bool too_good;
	struct config_match **all, **any; /* n_all, n_any of them */
	size_t n_all, n_any;
	struct config_match *not_; /* NULL: none */
};

/* The list behind a key; NULL for a key that holds none. */
const struct config_list *config_match_list(const struct config_match *m,
					    enum match_key key);
/* Whether a key is set. */
bool config_match_has(const struct config_match *m, enum match_key key);

struct config_route {
	struct config_mark mark;
	struct config_match match;
	const struct config_channel **to;
	size_t n_to;
	bool go_on; /* continue: true */
};

enum config_regzbot { REGZBOT_OFF, REGZBOT_PRINT, REGZBOT_SEND };

struct config {
	struct arena arena; /* owns all below */
	const char *file;
	const char *state;
	bool send;
	const struct config_channel *operator_; /* NULL: none */
	const char *archive;
	int64_t keep; /* seconds; 0: forever */
	enum config_regzbot regzbot;
	int64_t reload_limit; /* per cent */
	const char *status_file, *ping_url;

	struct config_mailbox *mailboxes;
	size_t n_mailboxes;
	struct config_trust trust;
	struct config_git git;
	bool has_smtp;
	struct config_smtp smtp;
	struct config_channel *channels;
	size_t n_channels;
	struct config_route *routes;
	size_t n_routes;
};

struct config_error {
	struct config_mark mark;
	const char *text; /* "file:line:column: text", ready to print */
};

/* Mistakes or warnings, in the order of the file. */
struct config_errors {
	struct arena arena;
	struct config_error *line;
	size_t n, cap;
	size_t more; /* over LIMIT_CONFIG_ERRORS, not kept */
};

void config_errors_init(struct config_errors *e);
void config_errors_release(struct config_errors *e);

/* Whether the files that a configuration names (secrets, certificates, keys)
 * are looked at as well. */
enum config_use {
	CONFIG_TO_ASK,	/* no: the state is all that is wanted */
	CONFIG_TO_WORK, /* yes: they must be there, ours, and hold something */
};

/*
 * Reads and checks a configuration file.
 * PH_OK: *ret is to be released with config_free.
 * PH_FATAL: exit 78 (mistakes, all listed in errors) or 66 (missing or
 *           unreadable file); err holds a one-line summary.
 * Warnings (a route that can never match) are listed in warnings when that is
 * not NULL.
 */
enum status config_read(const char *path, enum config_use use,
			struct config **ret, struct config_errors *errors,
			struct config_errors *warnings, struct err *err);
/*
 * The same from bytes, CONFIG_TO_WORK; name stands for the file in messages.
 * private_file: only its owner can read it, so the URL of a webhook may stand
 * inside.
 */
enum status config_parse(const char *name, struct slice yaml, bool private_file,
			 struct config **ret, struct config_errors *errors,
			 struct config_errors *warnings, struct err *err);
void config_free(struct config *config);

/*
 * Wipes the URLs of all channels but keep (NULL: all) from this process, which
 * shall not send there. What else config holds is no secret.
 */
void config_forget_urls(const struct config *config,
			const struct config_channel *keep);
/* The same for ping_url. */
void config_forget_ping(const struct config *config);

const struct config_channel *config_channel(const struct config *config,
					    const char *name);
const struct config_mailbox *config_mailbox(const struct config *config,
					    const char *name);

/* The keys of a configuration as JSON Schema (2020-12), for editors. */
void config_schema(struct buf *ret);

/*
 * The first line of a secret file, without its line end. The file must be a
 * regular one that only its owner can read. "credential:NAME" is the file NAME
 * in systemd's $CREDENTIALS_DIRECTORY.
 * PH_FATAL: exit 78 with the reason; the content is in no message.
 * *ret is to be released with secret_free, which wipes it.
 */
enum status secret_read(const char *path, char **ret, struct err *err);
/*
 * The same from the first line that a command prints (run by /bin/sh, 30 s at
 * most, in our own environment, which holds no secret).
 * PH_RETRY: it took too long or ended with another exit code than 0.
 */
enum status secret_run(const char *command, char **ret, struct err *err);
/* The file that a secret's path stands for, for a sandbox; NULL: path is NULL
 * or names a credential that this process does not have. */
const char *secret_file(const char *path, struct arena *arena);
/* A text that came by another way, as a secret for secret_free. */
char *secret_copy(const char *text);
void secret_free(char *secret);

/* Whether a match can hold for some patch at all; false gives the reason. */
bool config_match_possible(const struct config_match *m, struct err *why);

#endif
