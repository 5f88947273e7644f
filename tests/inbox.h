/*
 * inbox - a mailbox of a test server, as the product sees it; and a second
 * client that changes it meanwhile.
 */
#ifndef TESTS_INBOX_H
#define TESTS_INBOX_H

#include "ph/config.h"
#include "ph/err.h"
#include "ph/imap.h"
#include "tests/dovecot.h"

enum inbox_way { INBOX_TLS, INBOX_STARTTLS, INBOX_PLAIN };

#define INBOX_GOT 128

struct inbox {
	struct config_mailbox box;
	struct imap_times times;
	struct imap *imap;
	struct imap_folder folder;
	struct err err; /* of the last fetch */
	/* what the last fetch gave */
	struct {
		uint32_t uid, size;
		int64_t arrived;
		bool too_big;
		char text[1024]; /* the front, NUL-terminated */
	} got[INBOX_GOT];
	size_t n;
	size_t stop_at; /* take fails at this message; 0: never */
};

struct inbox inbox_on(const struct dovecot *d, enum inbox_way way,
		      const char *user);
/* The same for any server on loopback. ca_file, password_file may be NULL. */
struct inbox inbox_at(uint16_t port, enum inbox_way way, const char *user,
		      const char *ca_file, const char *password_file);

/* For cmocka_run_group_tests: one Dovecot for all tests of a program. */
extern struct dovecot inbox_server;
int inbox_start_server(void **state);
int inbox_stop_server(void **state);

/* These fail the test when they fail. */
void inbox_open(struct inbox *m);
void inbox_select(struct inbox *m, const char *folder);
void inbox_close(struct inbox *m);
/* A connection to the INBOX of user on inbox_server, over TLS, selected. */
void inbox_enter(struct inbox *m, const char *user);
/* Delivers to user on inbox_server: one mail, or n with "body 1" and so on. */
void inbox_deliver(const char *user, const char *raw);
void inbox_deliver_numbered(const char *user, unsigned n);

enum status inbox_fetch(struct inbox *m, uint32_t after, int64_t since,
			uint32_t *ret_last);
enum status inbox_fetch_one(struct inbox *m, uint32_t uid);

/* Commands of another client of user; they must end in OK. */
void inbox_command(const struct dovecot *d, const char *user,
		   const char *command);
void inbox_commands(const struct dovecot *d, const char *user,
		    const char *const *commands);
/* The same for one, and what the server said to it. */
void inbox_ask(const struct dovecot *d, const char *user, const char *command,
	       char *ret, size_t size);

/* Delivers from another process, a moment later. */
void inbox_deliver_later(const struct dovecot *d, const char *user,
			 const char *raw);

#endif
