/*
 * No secret leaves the program but to the peer it is for: with every kind of
 * error provoked and all of the log on, none stands in arguments, environment,
 * log, errors, state, or what commands print; and no core is ever written.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "tests/fakeimap.h"
#include "tests/rig.h"
#include "tests/scratch.h"
#include "tests/smtp_sink.h"

/* Every one has this in it, in a form that base64 and percent encoding leave
 * recognisable to has_secret. */
#define MARK "s3cr3tMARK"

static const struct secret {
	const char *file, *text;
} secrets[] = {
	{ "imap.password", MARK "imap" },
	{ "imap.echoed", MARK "echo" },
	{ "imap.token", "ya29." MARK "oauth" },
	{ "smtp.password", MARK "smtp" },
	{ "slack.url", "http://127.0.0.1:%d/services/T0/B0/" MARK "hook" },
	{ "matrix.url", "http://127.0.0.1:%d" },
	{ "matrix.token", "syt_" MARK "token" },
	{ "hook.url", "http://127.0.0.1:%d/" MARK "hook" },
	{ "hook.key", "whsec_czNjcjN0TUFSS2htYWMtMDEyMzQ1Njc4OWFi" },
	{ "teams.url", "http://127.0.0.1:%d/workflows/" MARK
		       "/triggers/manual/paths/invoke?sig=" MARK "sig" },
	{ "down.url", "https://127.0.0.1:1/hooks/" MARK "down" },
};

static struct fakeimap fake;
static struct smtp_sink smtp;

static void write_secrets(const struct rig *r)
{
	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), "%s", secrets[i].text);
		if (strstr(text, "%d"))
			snprintf(text, sizeof(text), "%.*s%d%s",
				 (int)(strstr(secrets[i].text, "%d") -
				       secrets[i].text),
				 secrets[i].text, r->chat.port,
				 strstr(secrets[i].text, "%d") + 2);
		rig_write(r, secrets[i].file, "%s\n", text);
	}
}

static void configure(const struct rig *r)
{
	const char *d = r->dir, *ca = r->dovecot.ca_file;
	unsigned port = r->dovecot.imaps_port;

	write_secrets(r);
	rig_write(r, "perfherald.yaml",
		  "state: %s/state.db\nsend: true\n"
		  "trust: {proof: [none]}\n"
		  "mailboxes:\n"
		  "  refused: {url: \"imaps://locked@localhost:%u/INBOX\","
		  " password_file: %s/imap.password, ca_file: %s}\n"
		  "  echo: {url: \"imaps://echo@localhost:%u/INBOX\","
		  " password_file: %s/imap.echoed, ca_file: %s}\n"
		  "  token: {url: \"imaps://a@localhost:%u/INBOX\","
		  " auth: xoauth2, token_command: cat %s/imap.token,"
		  " ca_file: %s}\n"
		  "  tls: {url: \"imaps://a@localhost:%u/INBOX\","
		  " password_file: %s/imap.password, ca_file: %s}\n"
		  "smtp: {url: \"smtp://127.0.0.1:%u\", user: bot,"
		  " from: bot@example.org, password_file: %s/smtp.password,"
		  " insecure: true}\n"
		  "channels:\n"
		  "  team: {type: mail, to: team@example.org}\n"
		  "  slack: {type: slack, url_file: %s/slack.url,"
		  " insecure: true}\n"
		  "  matrix: {type: matrix, url_file: %s/matrix.url,"
		  " token_file: %s/matrix.token, to: \"!r:example.org\","
		  " insecure: true}\n"
		  "  hook: {type: webhook, url_file: %s/hook.url,"
		  " secret_file: %s/hook.key, insecure: true}\n"
		  "  teams: {type: teams, url_file: %s/teams.url,"
		  " insecure: true}\n"
		  "  down: {type: mattermost, url_file: %s/down.url}\n"
		  "routes:\n"
		  "  - to: [team, slack, matrix, hook, teams, down]\n",
		  d, port, d, ca, fake.port, d, fake.ca_file, fake.port, d,
		  fake.ca_file, port, d, fake.ca_file, smtp.port, d, d, d, d, d,
		  d, d, d);
}

/* -- looking -- */

/* The mark as it is, or the middle of it in any alignment of base64. */
static bool has_secret(const char *p, size_t len)
{
	static const char *const forms[] = { MARK, "NjcjN0TUFSS", "zY3IzdE1BUk",
					     "2NyM3RNQVJL" };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (memmem(p, len, forms[i], strlen(forms[i])))
			return true;
	return false;
}

/* False when there is no such file, or it is not ours to read. */
static bool assert_clean(const char *path)
{
	static char text[4 << 20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	while (len < sizeof(text) &&
	       (n = read(fd, text + len, sizeof(text) - len)) > 0)
		len += (size_t)n;
	close(fd);
	if (has_secret(text, len))
		fail_msg("a secret in %s:\n%.*s", path, (int)len, text);
	return len;
}

static pid_t parent_of(pid_t pid)
{
	char path[64], line[512];
	FILE *f;
	int ppid = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f) && strrchr(line, ')'))
		sscanf(strrchr(line, ')'), ") %*c %d", &ppid);
	fclose(f);
	return ppid;
}

/* Whether a process is the watch, or below it. */
static bool is_ours(pid_t pid, pid_t watch)
{
	for (int depth = 0; depth < 8 && pid > 1; depth++) {
		if (pid == watch)
			return true;
		pid = parent_of(pid);
	}
	return false;
}

/* Arguments and environment of the whole tree; how many processes. */
static int look_at_processes(pid_t watch)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int n = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		char path[300];

		if (!isdigit((unsigned char)e->d_name[0]) ||
		    !is_ours(atoi(e->d_name), watch))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/cmdline", e->d_name);
		n += assert_clean(path);
		snprintf(path, sizeof(path), "/proc/%s/environ", e->d_name);
		assert_clean(path);
	}
	closedir(d);
	return n;
}

static bool is_secret_file(const char *name)
{
	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
		if (!strcmp(secrets[i].file, name))
			return true;
	return false;
}

/* State, journal, log, output; how many files. */
static int look_at_files(const struct rig *r)
{
	DIR *d = opendir(r->dir);
	struct dirent *e;
	int n = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && !is_secret_file(e->d_name))
			n += assert_clean(rig_path(r->dir, e->d_name));
	closedir(d);
	return n;
}

static void look_at_output(const struct rig *r)
{
	static const char *const commands[][4] = {
		{ "outbox", "list", "--all", NULL },
		{ "outbox", "list", "--format", "json" },
		{ "status", NULL, NULL, NULL },
		{ "status", "--format", "json", NULL },
		{ "check", NULL, NULL, NULL },
		{ "check", "--connect", NULL, NULL },
		{ "why", "202611020915.4e1c09ab-oliver.sang@intel.com", NULL,
		  NULL },
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *const *c = commands[i];

		rig_run(r, c[0], c[1], c[2], c[3], NULL);
		assert_true(assert_clean(rig_path(r->dir, "out")));
	}
}

/* -- the test -- */

/* A service that says what it was sent, in every way it can. */
static void let_services_echo(struct rig *r)
{
	for (int i = 0; i < 8; i++)
		http_sink_script(&r->chat,
				 "{\"status\": 401, \"body\": \"bad syt_" MARK
				 "token, /services/T0/B0/" MARK "hook, /" MARK
				 "hook, " MARK "sig\"}");
}

/* Others can read it from now on. A command would refuse to start, so the file
 * that it reads has it no more; the watch goes on with the old one. */
static void open_a_secret(const struct rig *r)
{
	char old[600];

	snprintf(old, sizeof(old), "type: teams, url_file: %s/teams.url,",
		 r->dir);
	rig_edit(r, "perfherald.yaml", old,
		 "type: ntfy, url: http://127.0.0.1:1,"
		 " to: x,");
	assert_int_equal(chmod(rig_path(r->dir, "teams.url"), 0644), 0);
}

static void no_secret_shows_anywhere(void **state)
{
	struct rig *r = *state;

	configure(r);
	let_services_echo(r);
	rig_watch(r);
	rig_wait_log(r, "worker refused: ");
	rig_wait_log(r, "worker echo: ");
	rig_wait_log(r, "worker token: ");
	rig_wait_log(r, "worker tls: ");
	open_a_secret(r);
	assert_int_equal(rig_run(r, "process", "tests/demo/1-regression.eml",
				 NULL),
			 EX_OK);
	rig_wait_log(r, "notice 1 to team: ");
	rig_wait_log(r, "notice 2 to slack: ");
	rig_wait_log(r, "notice 3 to matrix: ");
	rig_wait_log(r, "notice 4 to hook: ");
	rig_wait_log(r, "notice 5 to teams: ");
	rig_wait_log(r, "notice 6 to down: ");
	/* supervisor, desk, courier and a carrier a channel at least */
	assert_true(look_at_processes(r->watch) >= 9);
	assert_true(look_at_files(r) >= 4);
	look_at_output(r);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	assert_true(look_at_files(r) >= 3);
}

/* The search does find what it looks for. */
static void the_search_finds(void **state)
{
	static const char url[] = "/hooks/" MARK "down";
	static const char basic[] = "Basic Ym90OnMzY3IzdE1BUktzbXRw";

	(void)state;
	assert_true(has_secret(url, sizeof(url)));
	assert_true(has_secret(basic, sizeof(basic)));
	assert_false(has_secret("nothing", 7));
}

static bool dumped(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	return WCOREDUMP(status);
}

/* Whether this machine writes cores of other programs. */
static bool writes_cores(const struct rig *r)
{
	pid_t pid = fork();

	if (pid)
		return dumped(pid);
	signal(SIGABRT, SIG_DFL);
	if (chdir(r->dir) == 0)
		raise(SIGABRT);
	_exit(1);
}

static void no_core_is_written(void **state)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct rig *r = *state;
	pid_t pid;

	if (setrlimit(RLIMIT_CORE, &all) != 0 || !writes_cores(r))
		skip();
	rig_watch(r);
	rig_wait_log(r, "waiting for mail");
	pid = r->watch;
	r->watch = 0;
	assert_int_equal(kill(pid, SIGABRT), 0);
	assert_false(dumped(pid));
}

static int start(void **state)
{
	static const char *const auth[] = { "--auth", "bot:another", NULL };

	if (!fakeimap_start(&fake, scratch_dir()))
		return -1;
	smtp_sink_start(&smtp, auth);
	return rig_start(state);
}

static int stop(void **state)
{
	fakeimap_stop(&fake);
	smtp_sink_stop(&smtp);
	return rig_stop(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_search_finds),
		RIG_TEST(no_secret_shows_anywhere),
		RIG_TEST(no_core_is_written),
	};

	return cmocka_run_group_tests_name("secrets", tests, start, stop);
}
