/* perfherald check, as a person calls it: what it prints and how it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/arena.h"
#include "tests/dovecot.h"
#include "tests/http_sink.h"

static char dir[] = "/tmp/perfherald-check-XXXXXX";

static void write_config(const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/c.yaml", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "state: %s/state.db\n%s", dir, text);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0600), 0);
}

/* Runs `check` with arguments; both outputs go into *ret. */
static int check(const char *arguments, struct buf *ret)
{
	char command[512], part[4096];
	size_t n;
	FILE *out;
	int status;

	snprintf(command, sizeof(command),
		 "cd %s && \"$PERFHERALD\" -c c.yaml check %s 2>&1", dir,
		 arguments);
	buf_init(ret);
	out = popen(command, "r");
	assert_non_null(out);
	while ((n = fread(part, 1, sizeof(part), out)) > 0)
		buf_add(ret, part, n);
	status = pclose(out);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void expect(const char *arguments, int code, const char *const *lines)
{
	struct buf got;

	assert_int_equal(check(arguments, &got), code);
	for (; *lines; lines++)
		if (!strstr(buf_str(&got), *lines))
			fail_msg("no \"%s\" in:\n%s", *lines, buf_str(&got));
	buf_release(&got);
}

#define LINES(...)                \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

static void names_every_mistake(void **state)
{
	(void)state;
	write_config("sned: true\n"
		     "channels: {c: {type: smoke}}\n"
		     "routes: [{to: d}]\n");
	expect("", EX_CONFIG,
	       LINES("c.yaml:2:1: unknown key \"sned\"",
		     "c.yaml:3:22: type must be mail, slack",
		     "c.yaml:4:15: to names the channel \"d\"",
		     "perfherald: c.yaml: 3 mistakes"));
}

static void a_template_is_held_to_its_fields(void **state)
{
	(void)state;
	write_config("channels:\n  c: {type: stdout, body: '{{titel}}'}\n"
		     "routes: [{to: c}]\n");
	expect("", EX_CONFIG,
	       LINES("c.yaml:3:3: channel c: body: line 1: no field "
		     "\"titel\""));
}

static void warns_of_what_is_hardly_meant(void **state)
{
	(void)state;
	write_config("smtp: {url: 'smtp://h', from: a@b.c}\n"
		     "archive: /nowhere/mail\n"
		     "channels:\n"
		     "  m: {type: mail, to: '@maintainers'}\n"
		     "routes:\n"
		     "  - {match: {any: [{files: 'mm/*'}]}, to: m}\n");
	expect("", EX_OK,
	       LINES("warning: archive: folder /nowhere: No such file",
		     "warning: there is no mailbox",
		     "warning: there is no operator", "warning: send is false",
		     "warning: c.yaml:7: files: without git nobody knows",
		     "warning: c.yaml:5: channel m: @maintainers is nobody "
		     "without git",
		     "c.yaml: no mistake (mailboxes 0, channels 1, routes 1)"));
}

static void a_name_in_a_chat_wants_no_git(void **state)
{
	struct buf got;

	(void)state;
	write_config("channels:\n"
		     "  c: {type: mattermost, url: 'https://h/x', to: '@bob'}\n"
		     "routes: [{to: c}]\n");
	assert_int_equal(check("", &got), EX_OK);
	assert_non_null(strstr(buf_str(&got), "no mistake"));
	assert_null(strstr(buf_str(&got), "@bob"));
	buf_release(&got);
}

static void a_blank_around_a_secret_is_asked_about(void **state)
{
	char keys[512], secret[128];
	FILE *f;

	(void)state;
	snprintf(secret, sizeof(secret), "%s/secret", dir);
	f = fopen(secret, "w");
	assert_non_null(f);
	fputs("sesame \n", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(secret, 0600), 0);
	snprintf(keys, sizeof(keys),
		 "mailboxes:\n"
		 "  m: {url: imaps://a@h/INBOX, password_file: %s}\n",
		 secret);
	write_config(keys);
	expect("", EX_OK,
	       LINES("/secret: the blank at the end of its first line is taken "
		     "as a part of the secret"));
}

/* Where the server would wait for us to speak first, and we for it. */
static void ports_of_the_other_way_are_asked_about(void **state)
{
	(void)state;
	write_config("mailboxes:\n"
		     "  a: {url: 'imap://h:993/INBOX', auth: anonymous}\n"
		     "  b: {url: 'imaps://h:143/INBOX', auth: anonymous}\n"
		     "  c: {url: 'imap://h/INBOX', auth: anonymous}\n"
		     "  d: {url: 'imaps://h/INBOX', auth: anonymous}\n"
		     "  e: {url: 'imaps://h:10993/INBOX', auth: anonymous}\n"
		     "smtp: {url: 'smtp://h:465', from: a@b.c}\n");
	expect("", EX_OK,
	       LINES("warning: c.yaml:3:12: url names port 993, where TLS "
		     "begins at once: is imaps:// meant?\n"
		     "warning: c.yaml:4:12: url names port 143, where TLS "
		     "begins with STARTTLS: is imap:// meant?\n"
		     "warning: c.yaml:8:13: url names port 465, where TLS "
		     "begins at once: is smtps:// meant?\n"
		     "warning: there is no route"));
	write_config("smtp: {url: 'smtps://h:587', from: a@b.c}\n");
	expect("", EX_OK,
	       LINES("c.yaml:2:13: url names port 587, where TLS begins with "
		     "STARTTLS: is smtp:// meant?"));
}

static void a_missing_file_is_66(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/c.yaml", dir);
	unlink(path);
	expect("", EX_NOINPUT, LINES("perfherald: c.yaml: No such file"));
}

static void the_schema_needs_no_file(void **state)
{
	(void)state;
	expect("--schema", EX_OK, LINES("{\"$schema\":\"https://json-schema."));
}

static void arguments_are_checked(void **state)
{
	(void)state;
	expect("--conect", EX_USAGE,
	       LINES("unknown option: --conect", "usage: perfherald check"));
}

static void connects_to_all(void **state)
{
	struct http_sink sink;
	struct dovecot server;
	struct buf config;

	(void)state;
	if (!dovecot_here())
		skip();
	assert_true(dovecot_start(&server, DOVECOT_MAILDIR));
	assert_true(
		dovecot_deliver(&server, "test", S("Subject: x\n\nbody\n")));
	http_sink_start(&sink, NULL);
	buf_init(&config);
	buf_printf(&config,
		   "mailboxes:\n  work:\n"
		   "    url: imaps://test@localhost:%u/INBOX\n"
		   "    password_file: %s\n    ca_file: %s\n"
		   "channels:\n"
		   "  up: {type: webhook, url: 'http://127.0.0.1:%d/x', "
		   "insecure: true}\n"
		   "  down: {type: webhook, url: 'http://127.0.0.1:1/x', "
		   "insecure: true}\n"
		   "routes: [{to: [up, down]}]\n",
		   server.imaps_port, server.password_file, server.ca_file,
		   sink.port);
	write_config(buf_str(&config));
	expect("--connect", EX_UNAVAILABLE,
	       LINES("mailbox work: logged in\n  INBOX: 1 messages\n"
		     "  news by IDLE\n",
		     "channel up: webhook answers\n",
		     "channel down: 127.0.0.1:1: "));
	/* nobody was told anything */
	assert_int_equal(http_sink_count(&sink), 0);
	buf_release(&config);
	http_sink_stop(&sink);
	dovecot_stop(&server);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_every_mistake),
		cmocka_unit_test(a_template_is_held_to_its_fields),
		cmocka_unit_test(warns_of_what_is_hardly_meant),
		cmocka_unit_test(a_name_in_a_chat_wants_no_git),
		cmocka_unit_test(a_blank_around_a_secret_is_asked_about),
		cmocka_unit_test(ports_of_the_other_way_are_asked_about),
		cmocka_unit_test(a_missing_file_is_66),
		cmocka_unit_test(the_schema_needs_no_file),
		cmocka_unit_test(arguments_are_checked),
		cmocka_unit_test(connects_to_all),
	};

	return cmocka_run_group_tests_name("check", tests, make_dir,
					   remove_dir);
}
