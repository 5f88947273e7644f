/*
 * The IMAP connection against each kind of server: catch up, wake, reconnect.
 * A server whose packages cannot be had is skipped by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ph/clock.h"
#include "tests/inbox.h"

#define UNPACKED  "build/servers"
#define TRACE_MAX 10000 /* ms until a server must have told of a mail */

static struct server {
	const char *name, *script, *layout;
	const char *packages; /* NULL: installed */
	const char *folder, *user;
	enum config_auth auth;
	bool idles;   /* else by poll */
	bool uidnext; /* it says which UID comes next */

	/* while it runs */
	pid_t pid;
	FILE *in, *out;
	char dir[64], ca_file[80], password_file[80];
	unsigned port, imaps_port;
	unsigned delivered;
} servers[] = {
	{ .name = "Dovecot, maildir",
	  .script = "tests/dovecot.sh",
	  .layout = "maildir",
	  .folder = "INBOX",
	  .user = "test",
	  .idles = true,
	  .uidnext = true },
	{ .name = "Dovecot, mdbox",
	  .script = "tests/dovecot.sh",
	  .layout = "mdbox",
	  .folder = "INBOX",
	  .user = "test",
	  .idles = true,
	  .uidnext = true },
	{ .name = "Cyrus",
	  .script = "tests/servers/cyrus.sh",
	  .packages = "cyrus-imapd cyrus-common sasl2-bin libical3 libwrap0 "
		      "libzephyr4 libxapian30",
	  .folder = "INBOX",
	  .user = "test",
	  .idles = true,
	  .uidnext = true },
	{ .name = "Courier",
	  .script = "tests/servers/courier.sh",
	  .packages = "courier-imap courier-base courier-authlib "
		      "libcourier-unicode4 libgamin0 gamin libidn12",
	  .folder = "INBOX",
	  .user = "test" },
	{ .name = "public-inbox",
	  .script = "tests/servers/publicinbox.sh",
	  .packages = "public-inbox libpublicinbox-perl libdbd-sqlite3-perl "
		      "libdbi-perl libemail-mime-perl libemail-address-xs-perl "
		      "libemail-mime-contenttype-perl libemail-messageid-perl "
		      "libemail-simple-perl libemail-mime-encodings-perl "
		      "libemail-date-format-perl libmime-types-perl "
		      "libmodule-runtime-perl libtext-unidecode-perl "
		      "libparse-recdescent-perl libinline-perl "
		      "libsearch-xapian-perl libxapian30 libnet-server-perl "
		      "libsocket-msghdr-perl liburi-perl xapian-tools "
		      "libio-socket-ssl-perl libnet-ssleay-perl "
		      "libplack-perl",
	  .folder = "inbox.test.0",
	  .auth = AUTH_ANONYMOUS,
	  .idles = true,
	  .uidnext = true },
};

static bool unpack(const struct server *s, char *root, size_t size)
{
	char command[2048];

	snprintf(root, size, "%s/%s/%s", getenv("PWD"), UNPACKED, s->name);
	if (!s->packages)
		return dovecot_here();
	snprintf(command, sizeof(command), "tests/servers/unpack.sh '%s' %s",
		 root, s->packages);
	return system(command) == 0;
}

static bool says(struct server *s, const char *want)
{
	char line[64];

	if (!fgets(line, sizeof(line), s->out))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return !strcmp(line, want);
}

static bool tell(struct server *s, const char *what, const char *want)
{
	fprintf(s->in, "%s\n", what);
	fflush(s->in);
	return says(s, want);
}

static void read_env(struct server *s)
{
	char path[96], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/env", s->dir);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "IMAP_PORT=%u", &s->port);
		sscanf(line, "IMAPS_PORT=%u", &s->imaps_port);
	}
	fclose(f);
	snprintf(s->ca_file, sizeof(s->ca_file), "%s/ca.crt", s->dir);
	snprintf(s->password_file, sizeof(s->password_file), "%s/password",
		 s->dir);
	f = fopen(s->password_file, "w");
	assert_non_null(f);
	fputs("secret\n", f);
	fclose(f);
	assert_int_equal(chmod(s->password_file, 0600), 0);
}

static void start(struct server *s, const char *root)
{
	int in[2], out[2];

	snprintf(s->dir, sizeof(s->dir), "/tmp/matrix.XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	s->pid = fork();
	if (!s->pid) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		if (s->layout)
			setenv("LAYOUT", s->layout, 1);
		execl(s->script, s->script, "run", s->dir, root, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	s->in = fdopen(in[1], "w");
	s->out = fdopen(out[0], "r");
	assert_true(says(s, "up"));
	read_env(s);
}

static int stop_server(void **state)
{
	struct server *s = *state;

	if (s->in)
		fclose(s->in);
	if (s->out)
		fclose(s->out);
	if (s->pid)
		waitpid(s->pid, NULL, 0);
	s->in = s->out = NULL;
	s->pid = 0;
	return 0;
}

/* Delivers one mail with a subject "mail N". */
static void deliver(struct server *s)
{
	char path[96], command[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/mail", s->dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		"Message-ID: <%u@test>\nFrom: a@localhost\nTo: test@localhost\n"
		"Date: Mon, 7 Oct 2024 12:00:%02u +0000\nSubject: mail %u\n\n"
		"body %u\n",
		s->delivered + 1, s->delivered + 1, s->delivered + 1,
		s->delivered + 1);
	fclose(f);
	assert_int_equal(chmod(path, 0644), 0);
	s->delivered++;
	snprintf(command, sizeof(command), "deliver test %s", path);
	assert_true(tell(s, command, "delivered"));
}

/* *m must stay in its place: the connection holds on to its box. */
static void open_tls(struct server *s, struct inbox *m)
{
	*m = inbox_at((uint16_t)s->imaps_port, INBOX_TLS, s->user, s->ca_file,
		      s->password_file);

	m->box.auth = s->auth;
	inbox_open(m);
}

/* What came must be the mails from `first` on, each with its own text. */
static void fetch_from(struct server *s, struct inbox *m, unsigned first,
		       uint32_t *last)
{
	char want[32];

	assert_int_equal(inbox_fetch(m, *last, 0, last), PH_OK);
	assert_int_equal(m->n, s->delivered - first + 1);
	for (size_t i = 0; i < m->n; i++) {
		snprintf(want, sizeof(want), "mail %zu\r\n", first + i);
		assert_non_null(strstr(m->got[i].text, want));
		assert_true(m->got[i].arrived > 0);
		assert_true(m->got[i].size > 50);
	}
	assert_int_equal(inbox_fetch(m, *last, 0, last), PH_NONE);
}

/* Waits as the worker does, until a fetch finds something. */
static void wait_for_mail(struct server *s, struct inbox *m, uint32_t last)
{
	int64_t end = clock_mono_ms() + TRACE_MAX;
	uint32_t now = last;

	assert_int_equal(imap_has_idle(m->imap), s->idles);
	do {
		assert_true(clock_mono_ms() < end);
		assert_int_equal(imap_wait(m->imap, 200, -1, &m->err), PH_OK);
	} while (inbox_fetch(m, last, 0, &now) == PH_NONE);
}

static void catches_up_wakes_and_comes_back(struct server *s)
{
	struct inbox m;
	uint32_t last = 0, seen;

	for (int i = 0; i < 3; i++)
		deliver(s);
	open_tls(s, &m);
	inbox_select(&m, s->folder);
	assert_int_equal(m.folder.exists, 3);
	assert_int_equal(m.folder.uidnext != 0, s->uidnext);
	fetch_from(s, &m, 1, &last);

	seen = last;
	deliver(s);
	wait_for_mail(s, &m, last);
	assert_int_equal(m.n, 1);
	assert_non_null(strstr(m.got[0].text, "mail 4\r\n"));
	last = m.got[0].uid;

	assert_true(tell(s, "stop", "down"));
	assert_int_equal(inbox_fetch(&m, last, 0, &seen), PH_RETRY);
	inbox_close(&m);
	assert_true(tell(s, "start", "up"));
	deliver(s);
	open_tls(s, &m);
	inbox_select(&m, s->folder);
	fetch_from(s, &m, 5, &last);
	inbox_close(&m);
}

/* Seven mails fill a slice here; the eighth begins the next. */
static void follows_the_newest_slice(struct server *s)
{
	struct inbox m;
	const char *const *folders;
	uint32_t last = 0;
	size_t n;

	open_tls(s, &m);
	m.box.folder = "inbox.*";
	assert_int_equal(imap_folders(m.imap, &folders, &n, &m.err), PH_OK);
	assert_int_equal(n, 1);
	assert_string_equal(folders[0], "INBOX.test.0");
	while (s->delivered < 8)
		deliver(s);
	/* it makes the next slice when somebody looks at the last one */
	inbox_select(&m, folders[0]);
	assert_int_equal(imap_folders(m.imap, &folders, &n, &m.err), PH_OK);
	assert_int_equal(n, 1);
	assert_string_equal(folders[0], "INBOX.test.1");
	inbox_select(&m, folders[0]);
	fetch_from(s, &m, 8, &last);
	inbox_close(&m);
}

static void server_serves(void **state)
{
	struct server *s = *state;
	char root[512];

	if (!unpack(s, root, sizeof(root))) {
		print_message("%s: its packages cannot be had\n", s->name);
		skip();
	}
	start(s, root);
	catches_up_wakes_and_comes_back(s);
	if (s->auth == AUTH_ANONYMOUS)
		follows_the_newest_slice(s);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(servers)];

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ARRAY_LEN(servers); i++)
		tests[i] = (struct CMUnitTest){
			.name = servers[i].name,
			.test_func = server_serves,
			.teardown_func = stop_server,
			.initial_state = &servers[i],
		};
	return cmocka_run_group_tests_name("servers", tests, NULL, NULL);
}
