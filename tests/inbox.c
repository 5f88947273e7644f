#include "tests/inbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct inbox inbox_at(uint16_t port, enum inbox_way way, const char *user,
		      const char *ca_file, const char *password_file)
{
	struct inbox m = { .times = imap_usual_times };

	m.box = (struct config_mailbox){
		.name = "test",
		.url = { .scheme = way == INBOX_TLS ? "imaps" : "imap",
			 .user = user,
			 .host = "127.0.0.1",
			 .port = port },
		.folder = "INBOX",
		.insecure = way == INBOX_PLAIN,
		.ca_file = ca_file,
		.password_file = password_file,
	};
	return m;
}

struct inbox inbox_on(const struct dovecot *d, enum inbox_way way,
		      const char *user)
{
	return inbox_at(way == INBOX_TLS ? d->imaps_port : d->imap_port, way,
			user, d->ca_file, d->password_file);
}

static void must(enum status s, const struct err *err)
{
	if (s != PH_OK)
		print_error("%s\n", err->text);
	assert_int_equal(s, PH_OK);
}

void inbox_open(struct inbox *m)
{
	must(imap_open_timed(&m->box, &m->times, &m->imap, &m->err), &m->err);
}

void inbox_select(struct inbox *m, const char *folder)
{
	must(imap_select(m->imap, folder, &m->folder, &m->err), &m->err);
}

void inbox_close(struct inbox *m)
{
	imap_close(m->imap);
	m->imap = NULL;
}

static enum status take(void *arg, const struct imap_message *message,
			struct err *err)
{
	struct inbox *m = arg;

	assert_true(m->n < INBOX_GOT);
	m->got[m->n].uid = message->uid;
	m->got[m->n].size = message->size;
	m->got[m->n].arrived = message->arrived;
	m->got[m->n].too_big = message->too_big;
	snprintf(m->got[m->n].text, sizeof(m->got[0].text), "%.*s",
		 S_FMT(message->raw));
	if (++m->n == m->stop_at)
		return err_set(err, PH_BAD, "stopped by the test");
	return PH_OK;
}

enum status inbox_fetch(struct inbox *m, uint32_t after, int64_t since,
			uint32_t *ret_last)
{
	m->n = 0;
	return imap_fetch(m->imap, after, since, take, m, ret_last, &m->err);
}

enum status inbox_fetch_one(struct inbox *m, uint32_t uid)
{
	m->n = 0;
	return imap_fetch_one(m->imap, uid, take, m, &m->err);
}

static FILE *dial(const struct dovecot *d)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
				   .sin_port = htons(d->imap_port),
				   .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	FILE *f;

	assert_int_equal(connect(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	f = fdopen(fd, "r+");
	assert_non_null(f);
	return f;
}

/* Sends a command and reads up to its tagged answer; ret may be NULL. */
static void talk(FILE *f, const char *command, char *ret, size_t size)
{
	char line[4096];

	if (ret)
		ret[0] = '\0';
	fprintf(f, "x %s\r\n", command);
	fflush(f);
	do {
		assert_non_null(fgets(line, sizeof(line), f));
		if (ret && strlen(ret) + strlen(line) < size)
			strcat(ret, line);
	} while (strncmp(line, "x ", 2));
	if (strncmp(line, "x OK", 4))
		print_error("%s: %s", command, line);
	assert_int_equal(strncmp(line, "x OK", 4), 0);
}

static FILE *log_in(const struct dovecot *d, const char *user)
{
	char command[256], line[1024];
	FILE *f = dial(d);

	assert_non_null(fgets(line, sizeof(line), f));
	snprintf(command, sizeof(command), "LOGIN %s %s", user, d->password);
	talk(f, command, NULL, 0);
	return f;
}

void inbox_commands(const struct dovecot *d, const char *user,
		    const char *const *commands)
{
	FILE *f = log_in(d, user);

	for (; *commands; commands++)
		talk(f, *commands, NULL, 0);
	talk(f, "LOGOUT", NULL, 0);
	fclose(f);
}

void inbox_command(const struct dovecot *d, const char *user,
		   const char *command)
{
	inbox_commands(d, user, (const char *const[]){ command, NULL });
}

void inbox_ask(const struct dovecot *d, const char *user, const char *command,
	       char *ret, size_t size)
{
	FILE *f = log_in(d, user);

	talk(f, command, ret, size);
	fclose(f);
}

void inbox_deliver_later(const struct dovecot *d, const char *user,
			 const char *raw)
{
	if (fork())
		return;
	/* No outside sign tells that a client is in IDLE; should this come
	 * too early, the test is easier and not wrong. */
	poll(NULL, 0, 200);
	_exit(!dovecot_deliver(d, user, slice_of(raw)));
}

/* -- one server for all tests -- */

struct dovecot inbox_server;

int inbox_start_server(void **state)
{
	(void)state;
	return dovecot_start(&inbox_server, DOVECOT_MAILDIR) ? 0 : -1;
}

int inbox_stop_server(void **state)
{
	(void)state;
	dovecot_stop(&inbox_server);
	return 0;
}

void inbox_enter(struct inbox *m, const char *user)
{
	*m = inbox_on(&inbox_server, INBOX_TLS, user);
	inbox_open(m);
	inbox_select(m, "INBOX");
}

void inbox_deliver(const char *user, const char *raw)
{
	assert_true(dovecot_deliver(&inbox_server, user, slice_of(raw)));
}

void inbox_deliver_numbered(const char *user, unsigned n)
{
	struct slice *raw = calloc(n, sizeof(*raw));

	for (unsigned i = 0; i < n; i++) {
		char *text;

		assert_true(asprintf(&text, "Subject: %u\n\nbody %u\n", i + 1,
				     i + 1) > 0);
		raw[i] = slice_of(text);
	}
	assert_true(dovecot_deliver_all(&inbox_server, user, raw, n));
	for (unsigned i = 0; i < n; i++)
		free((char *)raw[i].ptr);
	free(raw);
}
