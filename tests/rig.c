#include "tests/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ph/clock.h"
#include "tests/guard.h"
#include "tests/scratch.h"

/* -- files -- */

const char *rig_path(const char *dir, const char *name)
{
	static char path[8][512];
	static unsigned turn;
	char *ret = path[turn++ % 8];

	snprintf(ret, sizeof(path[0]), "%s/%s", dir, name);
	return ret;
}

void rig_write(const struct rig *r, const char *name, const char *fmt, ...)
{
	int fd = open(rig_path(r->dir, name),
		      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	va_list ap;

	assert_true(fd >= 0);
	va_start(ap, fmt);
	assert_true(vdprintf(fd, fmt, ap) >= 0);
	va_end(ap);
	close(fd);
}

static struct slice read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct slice ret;
	struct stat st;
	char *p;

	if (fd < 0)
		return S("");
	assert_int_equal(fstat(fd, &st), 0);
	p = malloc((size_t)st.st_size + 1);
	assert_non_null(p);
	assert_int_equal(read(fd, p, (size_t)st.st_size), st.st_size);
	p[st.st_size] = '\0';
	close(fd);
	ret = guard_bytes(p, (size_t)st.st_size + 1);
	free(p);
	ret.len--;
	return ret;
}

const char *rig_file(const char *path)
{
	return read_file(path).ptr;
}

const char *rig_text(const struct rig *r, const char *name)
{
	return rig_file(rig_path(r->dir, name));
}

void rig_edit(const struct rig *r, const char *name, const char *old,
	      const char *text)
{
	const char *all = rig_text(r, name), *at = strstr(all, old);

	if (!at)
		fail_msg("no \"%s\" to edit in:\n%s", old, all);
	rig_write(r, name, "%.*s%s%s", (int)(at - all), all, text,
		  at + strlen(old));
}

void rig_has(const struct rig *r, const char *name, const char *text)
{
	const char *all = rig_text(r, name);

	if (!strstr(all, text))
		fail_msg("no \"%s\" in %s:\n%s", text, name, all);
}

void rig_has_not(const struct rig *r, const char *name, const char *text)
{
	const char *all = rig_text(r, name);

	if (strstr(all, text))
		fail_msg("\"%s\" in %s:\n%s", text, name, all);
}

static void make_dir(char *ret, size_t len, const char *what)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(ret, len, "%s/perfherald-%s.XXXXXX", tmp ? tmp : "/tmp", what);
	assert_non_null(mkdtemp(ret));
}

/* Alive until the test program ends. */
static const char *c_string(struct slice s)
{
	char *ret = calloc(1, s.len + 1);
	struct slice kept;

	assert_non_null(ret);
	memcpy(ret, s.ptr, s.len);
	kept = guard_bytes(ret, s.len + 1);
	free(ret);
	return kept.ptr;
}

/* -- waiting -- */

typedef bool look_fn(const struct rig *r, const void *arg);

/* Looks again whenever something changes in a folder that could matter. */
static void wait_until(const struct rig *r, look_fn *look, const void *arg,
		       const char *what)
{
	const char *const dirs[] = { r->dir, r->smtp_dir, r->chat.dir };
	const int seconds = RIG_SECONDS * guard_patience();
	int64_t end = clock_mono_ms() + seconds * 1000, left;
	struct pollfd p = { .fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
			    .events = POLLIN };
	char waste[4096];

	assert_true(p.fd >= 0);
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		assert_true(inotify_add_watch(p.fd, dirs[i],
					      IN_MODIFY | IN_CLOSE_WRITE |
						      IN_MOVED_TO) >= 0);
	while (!look(r, arg)) {
		left = end - clock_mono_ms();
		if (left <= 0)
			fail_msg("no %s within %d s; log:\n%s", what, seconds,
				 rig_text(r, "log"));
		poll(&p, 1, (int)left);
		while (read(p.fd, waste, sizeof(waste)) > 0)
			;
	}
	close(p.fd);
}

static int occurrences(const char *in, const char *text)
{
	int n = 0;

	for (in = strstr(in, text); in; in = strstr(in + 1, text))
		n++;
	return n;
}

struct log_want {
	const char *text;
	int n;
};

static bool log_has(const struct rig *r, const void *arg)
{
	const struct log_want *want = arg;

	return occurrences(rig_text(r, "log"), want->text) >= want->n;
}

static bool text_has(const struct rig *r, const void *arg)
{
	const char *const *want = arg;

	return access(rig_path(r->dir, want[0]), F_OK) == 0 &&
	       strstr(rig_text(r, want[0]), want[1]);
}

void rig_wait_text(const struct rig *r, const char *name, const char *text)
{
	const char *const want[] = { name, text };

	wait_until(r, text_has, want, text);
}

void rig_wait_log_times(const struct rig *r, const char *text, int n)
{
	const struct log_want want = { text, n };

	wait_until(r, log_has, &want, text);
}

void rig_wait_log(const struct rig *r, const char *text)
{
	rig_wait_log_times(r, text, 1);
}

void rig_watch_idle(struct rig *r)
{
	rig_watch(r);
	rig_wait_log(r, "waiting for mail");
}

static int mails_now(const struct rig *r)
{
	char name[32];
	int n = 0;

	do {
		snprintf(name, sizeof(name), "%d.eml", n + 1);
	} while (access(rig_path(r->smtp_dir, name), F_OK) == 0 && ++n);
	return n;
}

static int mails(const struct rig *r)
{
	return mails_now(r) - r->mails0;
}

static int posts(const struct rig *r)
{
	return http_sink_count(&r->chat) - r->posts0;
}

static bool told(const struct rig *r, const void *arg)
{
	const int *want = arg;

	return mails(r) >= want[0] && posts(r) >= want[1];
}

void rig_wait_told(const struct rig *r, int n_mails, int n_posts)
{
	const int want[] = { n_mails, n_posts };

	wait_until(r, told, want, "notice");
}

void rig_assert_told(const struct rig *r, int n_mails, int n_posts)
{
	assert_int_equal(mails(r), n_mails);
	assert_int_equal(posts(r), n_posts);
}

const char *rig_mail(const struct rig *r, int n)
{
	char name[32];

	snprintf(name, sizeof(name), "%d.eml", r->mails0 + n);
	return read_file(rig_path(r->smtp_dir, name)).ptr;
}

const char *rig_post(const struct rig *r, int n)
{
	struct slice body = http_sink_body(&r->chat, r->posts0 + n);

	return c_string(body);
}

const char *rig_field(const char *mail, const char *name)
{
	struct slice rest = slice_of(mail), line;

	while (slice_take_line(&rest, &line) && line.len)
		if (slice_caseskip(&line, slice_of(name)) &&
		    slice_skip(&line, S(":")))
			return c_string(slice_trim(line));
	return "";
}

/* -- processes -- */

static const char *program(void)
{
	const char *p = getenv("PERFHERALD");

	return p ? p : "build/perfherald";
}

static pid_t spawn(const char *const *argv, const char *log, bool append)
{
	int flags =
		O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
	int fd = open(log, flags, 0600);
	pid_t pid;

	assert_true(fd >= 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(fd);
	return pid;
}

static int exit_code(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void rig_watch(struct rig *r)
{
	const char *const argv[] = {
		program(), "-v", "-c", rig_path(r->dir, "perfherald.yaml"),
		"watch",   NULL
	};

	assert_int_equal(r->watch, 0);
	r->watch = spawn(argv, rig_path(r->dir, "log"), false);
}

int rig_end_watch(struct rig *r, int signal)
{
	pid_t pid = r->watch;

	r->watch = 0;
	assert_int_equal(kill(pid, signal), 0);
	return exit_code(pid);
}

int rig_run(const struct rig *r, ...)
{
	const char *argv[16] = { program(), "-c",
				 rig_path(r->dir, "perfherald.yaml") };
	size_t n = 3;
	va_list ap;

	va_start(ap, r);
	while (n < ARRAY_LEN(argv) - 1 && (argv[n] = va_arg(ap, char *)))
		n++;
	va_end(ap);
	argv[n] = NULL;
	return exit_code(spawn(argv, rig_path(r->dir, "out"), false));
}

/* -- mischief -- */

static const char *const mischief[] = { "PH_CRASH", "PH_DNS", "PH_HASTE",
					"PH_SYNC" };

void rig_mischief(const char *name, const char *value)
{
	const char *lib = getenv("MISCHIEF");

	setenv("LD_PRELOAD", lib ? lib : "build/tests/faults/mischief.so", 1);
	setenv(name, value, 1);
}

void rig_behave(void)
{
	unsetenv("LD_PRELOAD");
	for (size_t i = 0; i < ARRAY_LEN(mischief); i++)
		unsetenv(mischief[i]);
}

/* -- peers -- */

static void start_smtp(struct rig *r)
{
	int in[2], out[2];
	FILE *f;

	make_dir(r->smtp_dir, sizeof(r->smtp_dir), "smtp");
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	r->smtp_pid = fork();
	assert_true(r->smtp_pid >= 0);
	if (r->smtp_pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execl("/usr/bin/python3", "python3", "tests/smtp_sink.py",
		      r->smtp_dir, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	r->smtp_stop = in[1];
	f = fdopen(out[0], "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "port %d", &r->smtp_port), 1);
	fclose(f);
}

int rig_start(void **state)
{
	static struct rig rig;

	*state = &rig;
	if (!dovecot_here()) {
		fputs("this machine has no Dovecot\n", stderr);
		return -1;
	}
	if (!dovecot_start(&rig.dovecot, DOVECOT_MAILDIR))
		return -1;
	http_sink_start(&rig.chat, NULL);
	start_smtp(&rig);
	return 0;
}

int rig_stop(void **state)
{
	struct rig *r = *state;

	close(r->smtp_stop);
	waitpid(r->smtp_pid, NULL, 0);
	scratch_remove(r->smtp_dir);
	http_sink_stop(&r->chat);
	dovecot_stop(&r->dovecot);
	return 0;
}

void rig_configure(const struct rig *r, const char *extra)
{
	rig_write(r, "chat.url", "http://127.0.0.1:%d/services/T0/B0/test\n",
		  r->chat.port);
	rig_write(r, "perfherald.yaml",
		  "state: %s/state.db\n"
		  "send: true\n"
		  "mailboxes:\n"
		  "  work: {url: \"imaps://%s@localhost:%u/INBOX\","
		  " password_file: %s, ca_file: %s%s%s}\n"
		  "trust: {proof: [none]}\n"
		  "smtp: {url: \"smtp://127.0.0.1:%d\","
		  " from: perf-bot@example.org, insecure: true}\n"
		  "channels:\n"
		  "  team: {type: mail, to: team@example.org}\n"
		  "  chat: {type: slack, url_file: %s/chat.url,"
		  " insecure: true}\n"
		  "routes:\n"
		  "  - match: {verdict: regression}\n"
		  "    to: [team, chat]\n"
		  "  - match: {verdict: improvement}\n"
		  "    to: [chat]\n",
		  r->dir, r->user, r->dovecot.imaps_port,
		  r->dovecot.password_file, r->dovecot.ca_file,
		  extra ? ", " : "", extra ? extra : "", r->smtp_port, r->dir);
}

int rig_setup(void **state)
{
	static int count;
	struct rig *r = *state;

	make_dir(r->dir, sizeof(r->dir), "flow");
	snprintf(r->user, sizeof(r->user), "user%d", ++count);
	r->mails0 = mails_now(r);
	r->posts0 = http_sink_count(&r->chat);
	rig_configure(r, NULL);
	return 0;
}

struct CMUnitTest rig_test(const char *name, CMUnitTestFunction fn)
{
	return (struct CMUnitTest){ .name = name,
				    .test_func = fn,
				    .setup_func = rig_setup,
				    .teardown_func = rig_teardown };
}

int rig_teardown(void **state)
{
	struct rig *r = *state;

	rig_behave();
	if (r->watch)
		rig_end_watch(r, SIGTERM);
	assert_null(strstr(rig_text(r, "log"), "Sanitizer"));
	assert_null(strstr(rig_text(r, "log"), "runtime error"));
	scratch_remove(r->dir);
	return 0;
}

void rig_deliver(const struct rig *r, const char *name)
{
	rig_deliver_raw(r, read_file(rig_path("tests/demo", name)));
}

void rig_deliver_raw(const struct rig *r, struct slice raw)
{
	assert_true(raw.len > 0);
	assert_true(dovecot_deliver(&r->dovecot, r->user, raw));
}

void rig_remove_mailbox(const struct rig *r)
{
	char home[256];

	snprintf(home, sizeof(home), "%s/home/%s", r->dovecot.dir, r->user);
	scratch_remove(home);
	assert_int_equal(access(home, F_OK), -1);
}
