/*
 * Secrets that a configuration names: what others can read or is empty is a
 * mistake, and nothing of them is shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include "ph/config.h"
#include "tests/scratch.h"

#define PROOF "trust: {proof: none}\n"

/* The one mistake of a file in which a slack channel is all. */
static void slack_mistake(const char *keys, mode_t mode, char *ret, size_t size)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct buf yaml;
	struct err err;

	buf_init(&yaml);
	config_errors_init(&errors);
	buf_printf(&yaml, PROOF "channels: {c: {type: slack, %s}}\n", keys);
	config_read(scratch_file("s.yaml", buf_str(&yaml), mode),
		    CONFIG_TO_WORK, &c, &errors, NULL, &err);
	snprintf(ret, size, "%s", errors.n ? errors.line[0].text : "");
	config_free(c);
	config_errors_release(&errors);
	buf_release(&yaml);
}

static void a_webhook_url_is_a_secret(void **state)
{
	static const char keys[] = "url: https://hooks.slack.com/services/T";
	char got[512];

	(void)state;
	slack_mistake(keys, 0600, got, sizeof(got));
	assert_string_equal(got, "");
	slack_mistake(keys, 0640, got, sizeof(got));
	assert_non_null(strstr(got, "/s.yaml:2:34: url is a secret, and others "
				    "can read this file: use url_file, or "
				    "chmod 600 /"));
}

static void a_url_file_is_read_and_not_shown(void **state)
{
	char got[512], keys[256];

	(void)state;
	snprintf(keys, sizeof(keys), "url_file: %s",
		 scratch_file("url", "http://hooks.slack.com/sesame\n", 0600));
	slack_mistake(keys, 0644, got, sizeof(got));
	assert_non_null(strstr(got, ":2:39: url_file is plain http"));
	assert_null(strstr(got, "sesame"));
	scratch_file("url", "sesame\n", 0600);
	slack_mistake(keys, 0644, got, sizeof(got));
	assert_non_null(strstr(got, ":2:39: url_file must be a URL of https"));
	assert_null(strstr(got, "sesame"));
	scratch_file("url", "https://hooks.slack.com/sesame\n", 0640);
	slack_mistake(keys, 0644, got, sizeof(got));
	assert_non_null(strstr(got, "others can read or change this secret "
				    "(mode 640): chmod 600"));
}

static enum status read_secret_key(enum config_use use, const char *path,
				   struct config_errors *errors)
{
	struct config *c = NULL;
	struct buf yaml;
	struct err err;
	enum status s;

	buf_init(&yaml);
	buf_printf(&yaml,
		   "mailboxes: {m: {url: imaps://a@h/INBOX, ca_file: %s,"
		   " password_file: %s}}\n"
		   "trust: {dkim_keys: %s}\n"
		   "git: {path: /nowhere, trees: %s}\n"
		   "channels: {c: {type: matrix, url_file: %s, token_file: %s,"
		   " to: r}, w: {type: webhook, url: https://h,"
		   " secret_file: %s}}\n",
		   path, path, path, path, path, path, path);
	s = config_read(scratch_file("k.yaml", buf_str(&yaml), 0600), use, &c,
			errors, NULL, &err);
	buf_release(&yaml);
	config_free(c);
	return s;
}

static void an_empty_secret_is_a_mistake(void **state)
{
	struct config_errors errors;
	size_t n = 0;

	(void)state;
	config_errors_init(&errors);
	assert_int_equal(read_secret_key(CONFIG_TO_WORK,
					 scratch_file("e", "", 0600), &errors),
			 PH_FATAL);
	for (size_t i = 0; i < errors.n; i++)
		n += strstr(errors.line[i].text, "/e: it is empty") != NULL;
	assert_int_equal(n, 4);
	config_errors_release(&errors);
}

static void who_only_asks_needs_no_secret(void **state)
{
	struct config_errors errors;

	(void)state;
	config_errors_init(&errors);
	assert_int_equal(read_secret_key(CONFIG_TO_WORK, "/nowhere/x", &errors),
			 PH_FATAL);
	assert_int_equal(errors.n, 7);
	config_errors_release(&errors);
	assert_int_equal(read_secret_key(CONFIG_TO_ASK, "/nowhere/x", &errors),
			 PH_OK);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_webhook_url_is_a_secret),
		cmocka_unit_test(a_url_file_is_read_and_not_shown),
		cmocka_unit_test(an_empty_secret_is_a_mistake),
		cmocka_unit_test(who_only_asks_needs_no_secret),
	};

	unsetenv("CREDENTIALS_DIRECTORY");
	return cmocka_run_group_tests_name("config_secrets", tests, NULL, NULL);
}
