/*
 * peers - a channel of every service against one scripted server on loopback,
 * with its secrets in files, as an operator has it.
 */
#ifndef TESTS_PEERS_H
#define TESTS_PEERS_H

#include "ph/arena.h"
#include "ph/channel.h"
#include "tests/http_sink.h"

#define PEERS_NOW INT64_C(1715940000) /* 2024-05-17, 10:00 UTC */

struct service_case {
	enum channel_type type;
	const char *path, *token, *to;
};

struct peer {
	struct config_channel ch;
	char url_file[80], token_file[80], secret_file[80];
	const char *item[1];
};

extern struct http_sink peers_sink;
extern struct arena peers_arena; /* for what lives as long as a test */
extern const struct config peers_config;

/* Before and after everything; and the server, for a test or a group. */
void peers_begin(void);
void peers_end(void);
int peers_start(void **state);
int peers_stop(void **state);

/* The i-th service, NULL at the end; and one by its type, with or without a
 * token. Every secret has "s3cr3t" in it. */
const struct service_case *peers_all(size_t i);
const struct service_case *peers_service(enum channel_type type, bool token);

/* Writes the secrets' files; those of another peer are overwritten. */
void peer_init(struct peer *p, const struct service_case *s);
void peer_write(char path[80], const char *name, const char *text);

/* Renders a full notice (an update in a thread, when thread is not NULL, which
 * says that state unless it is "") and sends it once. Fails the test when the result's text shows a secret. */
struct delivery_result peer_send(struct peer *p, const char *thread,
				 const char *state);

/* Fails the test with both texts when part is not in s. */
void must_hold(struct slice s, const char *part);

#endif
