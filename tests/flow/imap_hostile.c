/*
 * A server that means harm, or is broken: every case ends soon, in little
 * memory, with a message that says what happened; and the next connection to
 * a server that behaves works.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/clock.h"
#include "tests/guard.h"
#include "tests/inbox.h"
#include "tests/table.h"

#define MEMORY_KB (64 * 1024)
#define TIME_MS	  (10000 * guard_patience())

#ifdef PH_ASAN
#define SANITIZED 1
#else
#define SANITIZED guard_valgrind()
#endif

static struct {
	pid_t pid;
	int in;
	struct {
		char name[16];
		unsigned port;
	} listeners[16];
	size_t n;
	char dir[64], ca_file[80], password_file[80];
} fake;

static uint16_t port_of(const char *name)
{
	for (size_t i = 0; i < fake.n; i++)
		if (!strcmp(fake.listeners[i].name, name))
			return (uint16_t)fake.listeners[i].port;
	fail_msg("no listener %s", name);
	return 0;
}

static void exec_fake(int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execl("/usr/bin/python3", "python3", "tests/fakeimap.py", fake.dir,
	      (char *)NULL);
	_exit(127);
}

static bool read_ports(int fd)
{
	FILE *f = fdopen(fd, "r");
	char name[16];
	unsigned port;

	while (fscanf(f, "%15s %u", name, &port) == 2 && port) {
		snprintf(fake.listeners[fake.n].name, sizeof(name), "%s", name);
		fake.listeners[fake.n++].port = port;
	}
	fclose(f);
	return fake.n == 10;
}

static void write_password(void)
{
	int fd;

	snprintf(fake.password_file, sizeof(fake.password_file), "%s/password",
		 fake.dir);
	fd = open(fake.password_file, O_WRONLY | O_CREAT, 0600);
	assert_true(dprintf(fd, "hunter2\n") > 0);
	close(fd);
}

static int start_fake(void **state)
{
	char command[256];
	int in[2], out[2];

	(void)state;
	snprintf(fake.dir, sizeof(fake.dir), "/tmp/fakeimap.XXXXXX");
	assert_non_null(mkdtemp(fake.dir));
	snprintf(command, sizeof(command), "tests/certs.sh %s good", fake.dir);
	assert_int_equal(system(command), 0);
	snprintf(fake.ca_file, sizeof(fake.ca_file), "%s/ca.crt", fake.dir);
	write_password();
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	fake.pid = fork();
	if (!fake.pid)
		exec_fake(in[0], out[1]);
	close(in[0]);
	close(out[1]);
	fake.in = in[1];
	return read_ports(out[0]) ? 0 : -1;
}

static int stop_fake(void **state)
{
	char command[128];

	(void)state;
	kill(fake.pid, SIGKILL);
	waitpid(fake.pid, NULL, 0);
	snprintf(command, sizeof(command), "rm -r %s", fake.dir);
	return system(command);
}

static struct inbox box_at(const char *listener, enum inbox_way way,
			   const char *user)
{
	struct inbox m = inbox_at(port_of(listener), way, user, fake.ca_file,
				  fake.password_file);

	m.times = (struct imap_times){ .connect_ms = 1000 * guard_patience(),
				       .silence_ms = 300 * guard_patience(),
				       .command_ms = 2000 * guard_patience(),
				       .idle_ms = 300 * guard_patience() };
	return m;
}

/* What a child found out, as it comes back through a pipe. */
struct outcome {
	enum status status;
	size_t n;
	uint32_t last;
	struct err err;
};

/*
 * Runs one step in a process of its own, so that its memory can be read. Under
 * sanitizers and valgrind it runs here: they look for leaks when we end.
 */
static struct outcome run_apart(void (*step)(struct inbox *, struct outcome *),
				struct inbox *m, struct rusage *ret_usage)
{
	struct outcome out = { .status = PH_FATAL };
	int fds[2], status;
	pid_t pid;

	if (SANITIZED) {
		step(m, &out);
		return out;
	}
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		alarm((unsigned)TIME_MS / 1000);
		step(m, &out);
		_exit(write(fds[1], &out, sizeof(out)) != sizeof(out));
	}
	close(fds[1]);
	assert_int_equal(wait4(pid, &status, 0, ret_usage), pid);
	if (WIFSIGNALED(status))
		fail_msg("killed by signal %d", WTERMSIG(status));
	assert_int_equal(status, 0);
	assert_int_equal(read(fds[0], &out, sizeof(out)), sizeof(out));
	close(fds[0]);
	return out;
}

static void fetch_all(struct inbox *m, struct outcome *out)
{
	uint32_t last = 0;

	out->status = imap_open_timed(&m->box, &m->times, &m->imap, &out->err);
	if (!out->status)
		out->status =
			imap_select(m->imap, "INBOX", &m->folder, &out->err);
	if (!out->status) {
		out->status = inbox_fetch(m, 0, 0, &last);
		out->err = m->err;
		out->n = m->n;
		out->last = last;
	}
	inbox_close(m);
}

static struct fetch_case {
	const char *name; /* the user name too */
	enum status want;
	const char *says;
	size_t mails; /* at most, when it fails */
	uint32_t last;
} fetches[] = {
	{ "good", PH_OK, NULL, 3, 3 },
	{ "nothing", PH_NONE, NULL, 0, 0 },
	{ "literal-4g", PH_RETRY, "a literal of over 9 MiB", 0, 0 },
	{ "literal-9m", PH_RETRY, "a literal of over 9 MiB", 0, 0 },
	{ "literal-wraps", PH_RETRY, "a literal of over 9 MiB", 0, 0 },
	{ "literal-endless-digits", PH_RETRY, "a literal of over 9 MiB", 0, 0 },
	{ "literal-negative", PH_BAD, "UID 2 in \"INBOX\" is there", 1, 3 },
	{ "literal-same-line", PH_RETRY, "does not start on a new line", 0, 0 },
	{ "literal-elsewhere", PH_RETRY, "a literal that is no mail", 0, 0 },
	{ "nil", PH_BAD, "UID 2 in \"INBOX\" is there", 2, 3 },
	{ "empty", PH_OK, NULL, 3, 3 },
	{ "quoted", PH_OK, NULL, 3, 3 },
	{ "no-uid", PH_BAD, "is there, but the server does not send it", 0, 3 },
	{ "uid-last", PH_OK, NULL, 3, 3 },
	{ "twice", PH_OK, NULL, 3, 3 },
	{ "backwards", PH_OK, NULL, 3, 3 },
	{ "uid-wraps", PH_OK, NULL, 3, 3 },
	{ "uid-unasked", PH_OK, NULL, 3, 3 },
	{ "garbage", PH_RETRY, "a NUL byte outside a mail", 1, 0 },
	{ "unknown-lines", PH_RETRY, "makes no sense", 1, 0 },
	{ "unasked", PH_OK, NULL, 3, 3 },
	{ "deep", PH_RETRY, "nested over 32 deep", 0, 0 },
	{ "deep-33", PH_RETRY, "nested over 32 deep", 0, 0 },
	{ "deep-behind-literal", PH_RETRY, "does not start on a new line", 0,
	  0 },
	{ "deep-behind-string", PH_RETRY, "a quoted string without an end", 0,
	  0 },
	{ "long-line", PH_RETRY, "a line of over 64 KiB", 0, 0 },
	{ "many-lines", PH_RETRY, "more than 1 MiB that is no mail", 0, 0 },
	{ "many-numbers", PH_RETRY, "more than 1 MiB that is no mail", 0, 0 },
	{ "many-flags", PH_RETRY, "more than 1 MiB that is no mail", 0, 0 },
	{ "many-fetches", PH_RETRY, "more than 1 MiB that is no mail", 0, 0 },
	{ "many-mails", PH_RETRY, "more than 1 MiB that is no mail", 3, 0 },
	{ "more-mail", PH_RETRY, "more mail than was asked for", 1, 0 },
	{ "lf-only", PH_OK, NULL, 3, 3 },
	{ "nuls", PH_OK, NULL, 3, 3 },
	{ "stall-in-literal", PH_RETRY, "silent for", 1, 0 },
	{ "stall", PH_RETRY, "silent for", 0, 0 },
	{ "cut-in-literal", PH_RETRY, "closed the connection", 1, 0 },
	{ "cut-in-line", PH_RETRY, "closed the connection", 1, 0 },
	{ "cut", PH_RETRY, "closed the connection", 0, 0 },
	{ "bye", PH_RETRY, "going down for the night", 1, 0 },
	{ "no", PH_BAD, "some messages failed", 1, 3 },
	{ "bad", PH_BAD, "what?", 0, 3 },
	{ "no-text", PH_RETRY, "makes no sense", 3, 0 },
	{ "gone", PH_OK, NULL, 2, 3 },
	{ "wrong-tag", PH_RETRY, "makes no sense", 3, 0 },
	{ "drip", PH_RETRY, "not done in its time", 0, 0 },
	{ "endless", PH_RETRY, "more than 1 MiB that is no mail", 0, 0 },
	{ "endless-line", PH_RETRY, "a line of over 64 KiB", 0, 0 },
	{ "endless-mail", PH_RETRY, "more than 1 MiB that is no mail", 3, 0 },
	{ "list-many", PH_OK, NULL, 64, 64 },
	{ "list-hang-up", PH_RETRY, "closed the connection", 0, 0 },
	{ "list-no", PH_RETRY, "cannot fetch", 0, 0 },
	{ "list-bare", PH_OK, NULL, 1, 1 },
	{ "no-uidvalidity", PH_RETRY, "no UIDVALIDITY", 0, 0 },
};

static void server_fetches(void **state)
{
	const struct fetch_case *c = *state;
	struct inbox m = box_at("tls", INBOX_TLS, c->name);
	struct inbox good = box_at("plain", INBOX_PLAIN, "good");
	int64_t start = clock_mono_ms();
	struct rusage usage;
	struct outcome out = run_apart(fetch_all, &m, &usage);

	if (out.status)
		print_message("%s\n", out.err.text);
	assert_int_equal(out.status, c->want);
	if (c->want == PH_OK)
		assert_int_equal(out.n, c->mails);
	assert_in_range(out.n, 0, c->mails);
	assert_int_equal(out.last, c->last);
	if (c->says) {
		assert_non_null(strstr(out.err.text, c->says));
		assert_non_null(strstr(out.err.text, "127.0.0.1:"));
		assert_int_equal(out.err.exit_code, EX_UNAVAILABLE);
	}
	assert_true(clock_mono_ms() - start < TIME_MS);
	if (!SANITIZED)
		assert_true(usage.ru_maxrss < MEMORY_KB);
	out = run_apart(fetch_all, &good, &usage);
	assert_int_equal(out.status, PH_OK);
	assert_int_equal(out.n, 3);
}

static struct open_case {
	const char *name, *listener;
	enum inbox_way way;
	const char *user;
	enum config_auth auth;
	enum status want;
	const char *says;
} opens[] = {
	{ "TLS 1.1", "tls11", INBOX_TLS, "good", AUTH_LOGIN, PH_FATAL,
	  "TLS version is too old; TLS 1.2 or newer" },
	{ "TLS to a plain port", "plain", INBOX_TLS, "good", AUTH_LOGIN,
	  PH_FATAL,
	  "no TLS on this port (what came is no TLS record); write imap:// in "
	  "url, which begins with STARTTLS" },
	{ "data behind STARTTLS", "inject", INBOX_STARTTLS, "good", AUTH_LOGIN,
	  PH_FATAL, "sent data behind its answer to STARTTLS" },
	{ "STARTTLS refused", "refuse", INBOX_STARTTLS, "good", AUTH_LOGIN,
	  PH_FATAL, "cannot start TLS: the server says \"not today\"" },
	{ "STARTTLS not offered", "no-starttls", INBOX_STARTTLS, "good",
	  AUTH_LOGIN, PH_FATAL, "does not offer STARTTLS" },
	{ "PREAUTH before TLS", "preauth", INBOX_STARTTLS, "good", AUTH_LOGIN,
	  PH_FATAL, "claims that we are logged in already" },
	{ "no greeting", "mute", INBOX_PLAIN, "good", AUTH_LOGIN, PH_RETRY,
	  " s, and no greeting before; if this port speaks TLS from the start, "
	  "write imaps:// in url of mailboxes." },
	{ "no words on a TLS port", "tls", INBOX_PLAIN, "good", AUTH_LOGIN,
	  PH_RETRY, "write imaps:// in url of mailboxes." },
	{ "STARTTLS on a TLS port", "tls", INBOX_STARTTLS, "good", AUTH_LOGIN,
	  PH_RETRY, "write imaps:// in url of mailboxes." },
	{ "no TLS handshake", "mute", INBOX_TLS, "good", AUTH_LOGIN, PH_RETRY,
	  "silent for" },
	{ "BYE as greeting", "busy", INBOX_PLAIN, "good", AUTH_LOGIN, PH_RETRY,
	  "too many here" },
	{ "not an IMAP server", "babble", INBOX_PLAIN, "good", AUTH_LOGIN,
	  PH_RETRY, "makes no sense" },
	{ "login later", "tls", INBOX_TLS, "later", AUTH_LOGIN, PH_RETRY,
	  "no login now" },
	{ "login echoed", "tls", INBOX_TLS, "echo", AUTH_LOGIN, PH_BAD,
	  "words that hold the secret" },
	{ "PLAIN refused", "tls", INBOX_TLS, "good", AUTH_PLAIN, PH_BAD,
	  "login of good refused" },
	{ "XOAUTH2 refused", "tls", INBOX_TLS, "good", AUTH_XOAUTH2, PH_BAD,
	  "login of good refused" },
};

static void server_opens(void **state)
{
	const struct open_case *c = *state;
	struct inbox m = box_at(c->listener, c->way, c->user);
	struct outcome out;
	struct rusage usage;

	m.box.auth = c->auth;
	out = run_apart(fetch_all, &m, &usage);
	print_message("%s\n", out.err.text);
	assert_int_equal(out.status, c->want);
	assert_non_null(strstr(out.err.text, c->says));
	assert_non_null(strstr(out.err.text, "127.0.0.1:"));
	assert_null(strstr(out.err.text, "hunter2"));
	assert_int_equal(out.err.exit_code, EX_UNAVAILABLE);
}

/* Dovecot's own XOAUTH2 needs a server of tokens. */
static void sends_what_each_mechanism_wants(void **state)
{
	static const enum config_auth auths[] = { AUTH_PLAIN, AUTH_XOAUTH2 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(auths); i++) {
		struct inbox m = box_at("tls", INBOX_TLS, "right");
		struct outcome out;
		struct rusage usage;

		m.box.auth = auths[i];
		out = run_apart(fetch_all, &m, &usage);
		assert_int_equal(out.status, PH_OK);
	}
}

static void wait_once(struct inbox *m, struct outcome *out)
{
	out->status = imap_open_timed(&m->box, &m->times, &m->imap, &out->err);
	if (!out->status)
		out->status =
			imap_select(m->imap, "INBOX", &m->folder, &out->err);
	if (!out->status)
		out->status = imap_wait(m->imap, 100, -1, &out->err);
	out->n = m->imap && imap_has_idle(m->imap);
	inbox_close(m);
}

static struct wait_case {
	const char *name;
	enum status want;
	bool idles;
	bool soon; /* before the time of IDLE is up */
	const char *says;
} waits[] = {
	{ "idle-news-first", PH_OK, true, true, NULL },
	{ "idle-news-with", PH_OK, true, true, NULL },
	{ "idle-chatter", PH_OK, true, true, NULL },
	{ "idle-quiet", PH_OK, true, false, NULL },
	{ "idle-refused", PH_OK, false, true, NULL },
	{ "idle-over", PH_RETRY, true, true, "ended IDLE by itself" },
	{ "idle-hung", PH_RETRY, true, false, "silent for" },
	{ "idle-flood", PH_RETRY, true, true,
	  "more than 1 MiB that is no mail" },
};

static void server_waits(void **state)
{
	const struct wait_case *c = *state;
	struct inbox m = box_at("tls", INBOX_TLS, c->name);
	int64_t start = clock_mono_ms();
	struct rusage usage;
	struct outcome out;

	m.times.idle_ms = 700 * guard_patience();
	m.times.silence_ms = 600 * guard_patience();
	out = run_apart(wait_once, &m, &usage);
	if (out.status)
		print_message("%s\n", out.err.text);
	assert_int_equal(out.status, c->want);
	assert_int_equal(out.n, c->idles);
	assert_int_equal(clock_mono_ms() - start < 650 * guard_patience(),
			 c->soon);
	if (c->says)
		assert_non_null(strstr(out.err.text, c->says));
}

static void search_and_list(struct inbox *m, struct outcome *out)
{
	const char *const *folders;
	uint32_t uids[4];
	size_t n;

	out->status = imap_open_timed(&m->box, &m->times, &m->imap, &out->err);
	if (!out->status)
		out->status =
			imap_select(m->imap, "INBOX", &m->folder, &out->err);
	if (!out->status)
		out->status = imap_find_id(m->imap, S("a@b"), uids, 4, &out->n,
					   &out->err);
	m->box.folder = "*";
	if (!out->status)
		out->status = imap_folders(m->imap, &folders, &n, &out->err);
	inbox_close(m);
}

static void endless_lists_are_refused(void **state)
{
	struct inbox m = box_at("tls", INBOX_TLS, "search-big");
	struct rusage usage;
	struct outcome out = run_apart(search_and_list, &m, &usage);

	(void)state;
	assert_int_equal(out.status, PH_RETRY);
	assert_non_null(strstr(out.err.text, "a line of over 64 KiB"));
	m = box_at("tls", INBOX_TLS, "list-big");
	out = run_apart(search_and_list, &m, &usage);
	assert_int_equal(out.status, PH_RETRY);
	assert_int_equal(out.n, 3);
	assert_non_null(
		strstr(out.err.text, "more than 1 MiB that is no mail"));
	if (!SANITIZED)
		assert_true(usage.ru_maxrss < MEMORY_KB);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(fetches) + ARRAY_LEN(opens) +
				ARRAY_LEN(waits) + 2] = {
		cmocka_unit_test(endless_lists_are_refused),
		cmocka_unit_test(sends_what_each_mechanism_wants),
	};
	size_t n = TABLE_LISTED(tests);

	signal(SIGPIPE, SIG_IGN);
	TABLE_ADD(tests, n, opens, name, server_opens);
	TABLE_ADD(tests, n, fetches, name, server_fetches);
	TABLE_ADD(tests, n, waits, name, server_waits);
	return _cmocka_run_group_tests("imap_hostile", tests, n, start_fake,
				       stop_fake);
}
