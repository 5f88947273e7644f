/*
 * smtp against a real server on loopback: each way a mail can end, and what is
 * said about it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "notify/smtp.h"
#include "tests/smtp_sink.h"
#include "tests/table.h"

#define PASSWORD "s3cr3t-pass"

static const char mail[] = "From: bot@example.org\r\nTo: dev@example.org\r\n"
			   "Subject: x\r\n\r\n.\r\n.dot\r\nend\r\n";

static char dir[] = "/tmp/perfherald-smtp-flow-XXXXXX";
static char ca[128], pem[5][128], secret[128], open_secret[128];
static const char *const pem_names[] = { "good", "wrongname", "untrusted",
					 "expired", "selfsigned" };

static void write_secret(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static int make_files(void **state)
{
	char command[256];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "sh tests/certs.sh %s", dir);
	assert_int_equal(system(command), 0);
	snprintf(ca, sizeof(ca), "%s/ca.crt", dir);
	for (size_t i = 0; i < ARRAY_LEN(pem_names); i++)
		snprintf(pem[i], sizeof(pem[i]), "%s/%s.pem", dir,
			 pem_names[i]);
	snprintf(secret, sizeof(secret), "%s/secret", dir);
	snprintf(open_secret, sizeof(open_secret), "%s/open", dir);
	write_secret(secret, PASSWORD "\n", 0600);
	write_secret(open_secret, PASSWORD "\n", 0644);
	return 0;
}

static int remove_files(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static struct config_smtp config_for(const struct smtp_sink *s,
				     const char *scheme)
{
	return (struct config_smtp){
		.url = { .scheme = scheme,
			 .host = "localhost",
			 .port = s->port },
		.from_address = "bot@example.org",
		.envelope_from = "bounce@example.org",
		.ca_file = ca,
	};
}

static struct config_smtp plain_config(const struct smtp_sink *s)
{
	struct config_smtp c = config_for(s, "smtp");

	c.insecure = true;
	return c;
}

static struct delivery_result send_once(const struct config_smtp *c,
					const char *to)
{
	static const struct smtp_waits waits = { 5000, 1000, 5000 };
	struct delivery_result r;
	struct smtp *s = smtp_new(c, &waits);

	smtp_send(s, slice_of(to), S(mail), &r);
	smtp_free(s);
	assert_null(strstr(r.text, PASSWORD));
	assert_null(strchr(r.text, '\n'));
	return r;
}

static void expect(const struct delivery_result *r, enum delivery what,
		   int code, const char *text)
{
	if (r->what != what || r->code != code || !strstr(r->text, text))
		fail_msg("%d, code %d: %s", (int)r->what, r->code, r->text);
}

static void delivers_the_bytes(void **state)
{
	struct smtp_sink sink;
	struct config_smtp c;
	struct delivery_result r;

	(void)state;
	smtp_sink_start(&sink, NULL);
	c = plain_config(&sink);
	r = send_once(&c, "dev@example.org");
	expect(&r, DELIVERY_SENT, 250, "kept as 1");
	assert_true(slice_eq(smtp_sink_mail(&sink, 1), S(mail)));
	assert_true(slice_eq(smtp_sink_envelope(&sink, 1),
			     S("{\"from\": \"bounce@example.org\", "
			       "\"to\": [\"dev@example.org\"]}")));
	smtp_sink_stop(&sink);
}

static const struct answer_case {
	const char *name, *to;
	enum delivery what;
	int code;
	const char *text;
} answers[] = {
	{ "an unknown recipient is refused", "gone@example.org",
	  DELIVERY_REFUSED, 550, "550 5.1.1 no such user (after RCPT)" },
	{ "a busy recipient is for later", "later@example.org", DELIVERY_LATER,
	  451, "451 4.3.0 try later" },
	{ "530 to the recipient is the channel's", "locked@example.org",
	  DELIVERY_CHANNEL, 530, "530 5.7.0 log in first" },
	{ "554 after DATA refuses this mail", "big@example.org",
	  DELIVERY_REFUSED, 554, "554 5.3.4 not this one" },
	{ "451 after DATA is for later", "busy@example.org", DELIVERY_LATER,
	  451, "451 4.3.0 busy" },
	{ "cut instead of a reply may be sent", "drop@example.org",
	  DELIVERY_MAYBE, 354, "its receipt is unknown" },
	{ "cut in the midst of the reply may be sent", "half@example.org",
	  DELIVERY_MAYBE, 0, "its receipt is unknown" },
	{ "no reply in time may be sent", "stall@example.org", DELIVERY_MAYBE,
	  354, "its receipt is unknown" },
	{ "an injected command never leaves", "a@example.org>\r\nRCPT TO:<b@c",
	  DELIVERY_REFUSED, 0, "is not a mail address" },
};

static void check_answer(void **state)
{
	const struct answer_case *a = *state;
	struct smtp_sink sink;
	struct config_smtp c;
	struct delivery_result r;

	smtp_sink_start(&sink, NULL);
	c = plain_config(&sink);
	r = send_once(&c, a->to);
	expect(&r, a->what, a->code, a->text);
	assert_int_equal(smtp_sink_count(&sink), a->what == DELIVERY_MAYBE);
	smtp_sink_stop(&sink);
}

static void greylisting_ends(void **state)
{
	struct smtp_sink sink;
	struct config_smtp c;
	struct delivery_result r;
	struct smtp *s;

	(void)state;
	smtp_sink_start(&sink, NULL);
	c = plain_config(&sink);
	s = smtp_new(&c, NULL);
	smtp_send(s, S("grey@example.org"), S(mail), &r);
	expect(&r, DELIVERY_LATER, 451, "451 4.7.1 greylisted");
	smtp_send(s, S("grey@example.org"), S(mail), &r);
	expect(&r, DELIVERY_SENT, 250, "kept as 1");
	smtp_free(s);
	smtp_sink_stop(&sink);
}

static void a_refused_sender_is_the_channels(void **state)
{
	struct smtp_sink sink;
	struct config_smtp c;
	struct delivery_result r;

	(void)state;
	smtp_sink_start(&sink, NULL);
	c = plain_config(&sink);
	c.envelope_from = "nobody@example.org";
	r = send_once(&c, "dev@example.org");
	expect(&r, DELIVERY_CHANNEL, 550, "sender not welcome (after MAIL)");
	smtp_sink_stop(&sink);
}

static void nobody_listens(void **state)
{
	struct smtp_sink sink;
	struct config_smtp c;
	struct delivery_result r;
	struct smtp *s;
	struct err err;

	(void)state;
	smtp_sink_start(&sink, NULL);
	c = plain_config(&sink);
	smtp_sink_stop(&sink);
	r = send_once(&c, "dev@example.org");
	expect(&r, DELIVERY_LATER, 0, "smtp localhost:");
	s = smtp_new(&c, NULL);
	assert_int_equal(smtp_probe(s, &err), PH_RETRY);
	smtp_free(s);
}

static const struct tls_case {
	const char *name, *scheme, *server, *certificate, *max_tls;
	enum delivery what;
	int code;
	const char *text;
} tls_cases[] = {
	{ "STARTTLS", "smtp", "starttls", "good", NULL, DELIVERY_SENT, 250,
	  "kept" },
	{ "TLS from the start", "smtps", "implicit", "good", NULL,
	  DELIVERY_SENT, 250, "kept" },
	{ "STARTTLS not offered", "smtp", "none", NULL, NULL, DELIVERY_CHANNEL,
	  250, "STARTTLS" },
	{ "STARTTLS with another name", "smtp", "starttls", "wrongname", NULL,
	  DELIVERY_CHANNEL, 220, "does not match" },
	{ "STARTTLS by an unknown authority", "smtp", "starttls", "untrusted",
	  NULL, DELIVERY_CHANNEL, 220, "certificate" },
	{ "another name", "smtps", "implicit", "wrongname", NULL,
	  DELIVERY_CHANNEL, 0, "does not match" },
	{ "an unknown authority", "smtps", "implicit", "untrusted", NULL,
	  DELIVERY_CHANNEL, 0, "certificate" },
	{ "an expired certificate", "smtps", "implicit", "expired", NULL,
	  DELIVERY_CHANNEL, 0, "certificate" },
	{ "a certificate signed by itself", "smtps", "implicit", "selfsigned",
	  NULL, DELIVERY_CHANNEL, 0, "certificate" },
	{ "TLS 1.1", "smtps", "implicit", "good", "1.1", DELIVERY_CHANNEL, 0,
	  "" },
};

static const char *certificate_path(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(pem_names); i++)
		if (!strcmp(name, pem_names[i]))
			return pem[i];
	fail_msg("no certificate %s", name);
	return NULL;
}

static void check_tls(void **state)
{
	const struct tls_case *t = *state;
	const char *args[9] = { "--tls", t->server };
	size_t n = 2;
	struct smtp_sink sink;
	struct config_smtp c;
	struct delivery_result r;

	if (t->certificate) {
		args[n++] = "--cert";
		args[n++] = certificate_path(t->certificate);
		args[n++] = "--key";
		args[n++] = certificate_path(t->certificate);
	}
	if (t->max_tls) {
		args[n++] = "--max-tls";
		args[n++] = t->max_tls;
	}
	smtp_sink_start(&sink, args);
	c = config_for(&sink, t->scheme);
	r = send_once(&c, "dev@example.org");
	expect(&r, t->what, t->code, t->text);
	assert_int_equal(smtp_sink_count(&sink), t->what == DELIVERY_SENT);
	smtp_sink_stop(&sink);
}

static const struct login_case {
	const char *name, *server, *file;
	enum delivery what;
	int code;
	const char *text;
} logins[] = {
	{ "logs in", "bot:" PASSWORD, secret, DELIVERY_SENT, 250, "kept" },
	{ "a wrong password is the channel's", "bot:other", secret,
	  DELIVERY_CHANNEL, 535, "535" },
	{ "a password that others can read is not used", "bot:" PASSWORD,
	  open_secret, DELIVERY_CHANNEL, 0, open_secret },
};

static void check_login(void **state)
{
	const struct login_case *l = *state;
	const char *args[] = { "--tls", "starttls", "--cert",  pem[0], "--key",
			       pem[0],	"--auth",   l->server, NULL };
	struct smtp_sink sink;
	struct config_smtp c;
	struct delivery_result r;
	struct smtp *s;
	struct err err;

	smtp_sink_start(&sink, args);
	c = config_for(&sink, "smtp");
	c.user = "bot";
	c.password_file = l->file;
	s = smtp_new(&c, NULL);
	err.text[0] = '\0';
	if (smtp_probe(s, &err) != (l->what == DELIVERY_SENT ? PH_OK : PH_BAD))
		fail_msg("%s", err.text);
	smtp_free(s);
	assert_int_equal(smtp_sink_count(&sink), 0);
	r = send_once(&c, "dev@example.org");
	expect(&r, l->what, l->code, l->text);
	smtp_sink_stop(&sink);
}

int main(void)
{
	static const struct CMUnitTest alone[] = {
		cmocka_unit_test(delivers_the_bytes),
		cmocka_unit_test(greylisting_ends),
		cmocka_unit_test(a_refused_sender_is_the_channels),
		cmocka_unit_test(nobody_listens),
	};
	struct CMUnitTest tests[64];
	size_t n = ARRAY_LEN(alone);

	memcpy(tests, alone, sizeof(alone));
	TABLE_ADD(tests, n, answers, name, check_answer);
	TABLE_ADD(tests, n, tls_cases, name, check_tls);
	TABLE_ADD(tests, n, logins, name, check_login);
	return _cmocka_run_group_tests("smtp", tests, n, make_files,
				       remove_files);
}
