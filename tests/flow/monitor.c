/* What a watch keeps for monitoring: status_file, and the ping. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include "tests/rig.h"

static void keep(const struct rig *r, const char *key, const char *value)
{
	char line[512];

	snprintf(line, sizeof(line), "send: true\n%s: %s\n", key, value);
	rig_edit(r, "perfherald.yaml", "send: true\n", line);
}

static void the_file_says_how_things_stand(void **state)
{
	struct rig *r = *state;
	struct stat st;

	keep(r, "status_file", rig_path(r->dir, "status.json"));
	rig_write(r, "imap.secret", "wrong\n");
	rig_edit(r, "perfherald.yaml", r->dovecot.password_file,
		 rig_path(r->dir, "imap.secret"));
	rig_mischief("PH_HASTE", "60");
	rig_watch(r);
	rig_wait_text(r, "status.json", "\"needs_a_person\":true}\n");
	rig_has(r, "status.json", " refused: the server says ");
	rig_has(r, "status.json", "{\"at\":\"20");
	rig_has(r, "status.json", "\"watch\":true");
	rig_write(r, "imap.secret", "%s\n", r->dovecot.password);
	rig_wait_text(r, "status.json", "\"needs_a_person\":false}\n");
	/* monitoring is another user */
	assert_int_equal(stat(rig_path(r->dir, "status.json"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
}

/* A folder that is read for many programs may be anyone's to write to. */
static void what_lies_in_its_place_is_not_written_to(void **state)
{
	struct rig *r = *state;

	keep(r, "status_file", rig_path(r->dir, "status.json"));
	assert_int_equal(mkfifo(rig_path(r->dir, "status.json.new"), 0600), 0);
	rig_watch(r);
	rig_wait_text(r, "status.json", "\"needs_a_person\":false}\n");
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
}

static void a_file_that_cannot_be_written_is_logged_once(void **state)
{
	struct rig *r = *state;
	const char *text, *says = "status_file: /nowhere/status.json.new: No "
				  "such file";

	keep(r, "status_file", "/nowhere/status.json");
	rig_mischief("PH_HASTE", "120");
	rig_deliver(r, "3-improvement.eml");
	rig_watch(r);
	rig_wait_log(r, says);
	rig_wait_log(r, "up to date, waiting for mail");
	assert_int_equal(rig_end_watch(r, SIGTERM), EX_OK);
	text = strstr(rig_text(r, "log"), says);
	assert_null(strstr(text + 1, says));
}

/* The URL is a secret: whoever has it can say that all is well. */
static void a_ping_that_fails_is_logged_without_its_url(void **state)
{
	struct http_sink sink;
	struct rig *r = *state;
	char url[64];

	http_sink_start(&sink, "localhost");
	snprintf(url, sizeof(url), "https://localhost:%d/s3cr3t", sink.port);
	keep(r, "ping_url", url);
	rig_watch(r);
	snprintf(url, sizeof(url),
		 "monitor: ping_url: localhost:%d: ", sink.port);
	rig_wait_log(r, url);
	rig_has_not(r, "log", "s3cr3t");
	assert_int_equal(http_sink_count(&sink), 0);
	http_sink_stop(&sink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(the_file_says_how_things_stand),
		RIG_TEST(what_lies_in_its_place_is_not_written_to),
		RIG_TEST(a_file_that_cannot_be_written_is_logged_once),
		RIG_TEST(a_ping_that_fails_is_logged_without_its_url),
	};

	return cmocka_run_group_tests_name("monitor", tests, rig_start,
					   rig_stop);
}
