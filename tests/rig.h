/*
 * rig - a whole installation for a flow test: a private Dovecot, a mail sink,
 * a chat sink, a folder with configuration and state, and the program.
 *
 * Dovecot and the sinks serve all tests of a program; each test has its own
 * mailbox user and state. What does not come to be within RIG_SECONDS fails
 * the test.
 */
#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <sys/types.h>
#include "tests/dovecot.h"
#include "tests/http_sink.h"

#define RIG_SECONDS 30

struct rig {
	struct dovecot dovecot;
	struct http_sink chat;
	char smtp_dir[128];
	int smtp_port;
	pid_t smtp_pid;
	int smtp_stop;

	char dir[128];	    /* of this test: perfherald.yaml, state.db, log */
	char user[32];	    /* its mailbox */
	int mails0, posts0; /* what the sinks had before this test */
	pid_t watch;	    /* 0: not running */
};

/* For cmocka_run_group_tests: the rig is the state of every test. */
int rig_start(void **state);
int rig_stop(void **state);
/* Around each test. */
int rig_setup(void **state);
int rig_teardown(void **state);
/* A test with these around it. */
struct CMUnitTest rig_test(const char *name, CMUnitTestFunction fn);
#define RIG_TEST(fn) rig_test(#fn, fn)

/* printf into a file of the test's folder, mode 0600. */
void rig_write(const struct rig *r, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A path in the test's folder; static memory of a few calls. */
const char *rig_path(const char *dir, const char *name);
/* The usual configuration; extra is put at the mailbox ("since: 1d", as one
 * flow-mapping entry), or NULL. */
void rig_configure(const struct rig *r, const char *extra);

/* Puts text in place of what stands in DIR/name once; fails without it. */
void rig_edit(const struct rig *r, const char *name, const char *old,
	      const char *text);

/* Starts `perfherald watch`; its standard error goes to DIR/log. */
void rig_watch(struct rig *r);
/* The same, and waits until it has read what was there. */
void rig_watch_idle(struct rig *r);
/* Ends it by a signal; gives its exit code, or -1 when it did not exit. */
int rig_end_watch(struct rig *r, int signal);
/* Runs a command to its end; output and errors go to DIR/out. Arguments end
 * with NULL. Gives its exit code. */
int rig_run(const struct rig *r, ...);
/* What DIR/name holds, or any file; alive until the test program ends. */
const char *rig_file(const char *path);
const char *rig_text(const struct rig *r, const char *name);

/* Fails, and shows all of it, unless DIR/name has the text, or has it not. */
void rig_has(const struct rig *r, const char *name, const char *text);
void rig_has_not(const struct rig *r, const char *name, const char *text);

/* What tests/faults/mischief.c does to programs started until rig_behave (or
 * the end of the test): one of its variables. */
void rig_mischief(const char *name, const char *value);
void rig_behave(void);

/* Waits until DIR/log has the text, or has it so many times. */
void rig_wait_log(const struct rig *r, const char *text);
void rig_wait_log_times(const struct rig *r, const char *text, int n);
/* Waits until DIR/name has the text. */
void rig_wait_text(const struct rig *r, const char *name, const char *text);
/* Waits until so many mails and posts have come in this test. */
void rig_wait_told(const struct rig *r, int mails, int posts);
/* Fails unless exactly so many have. */
void rig_assert_told(const struct rig *r, int mails, int posts);

/* Delivers tests/demo/NAME to the test's mailbox, or any bytes. */
void rig_deliver(const struct rig *r, const char *name);
void rig_deliver_raw(const struct rig *r, struct slice raw);
/* Takes the mailbox away under the server; the next delivery makes it anew. */
void rig_remove_mailbox(const struct rig *r);
/* The n-th mail of this test, from 1, and the n-th post's body. */
const char *rig_mail(const struct rig *r, int n);
const char *rig_post(const struct rig *r, int n);
/* A header field's value in a mail, without the rest; "" when absent. */
const char *rig_field(const char *mail, const char *name);

#endif
