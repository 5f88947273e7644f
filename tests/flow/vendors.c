/*
 * The services once more, against a stand-in that checks each payload with the
 * vendors' own packages: post, follow up, limit, error, drop and recovery.
 * tests/validators.sh starts it and gives its port as VENDOR_SINK; without one
 * this is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "notify/http.h"
#include "ph/channel.h"
#include "tests/notices.h"

#define NOW INT64_C(1715940000)

static const char *port;
static char dir[] = "/tmp/perfherald-vendors-XXXXXX";
static const struct config config;

static struct vendor_case {
	const char *name; /* the stand-in's */
	enum channel_type type;
	const char *path, *token, *to;
	int64_t waits_ms;   /* told by its limited answer to 1.5 s */
	enum delivery gone; /* its answer when the target is gone */
	bool same_post;	    /* a second post of a parcel is none */
} cases[] = {
	{ "slack", CHANNEL_SLACK, "/services/T0/B0/abc", NULL, "", 2000,
	  DELIVERY_CHANNEL, false },
	{ "mattermost", CHANNEL_MATTERMOST, "/hooks/abcdefghijklmnopqrstuvwxyz",
	  NULL, "", 2000, DELIVERY_CHANNEL, false },
	{ "discord", CHANNEL_DISCORD, "/api/webhooks/123/abc-DEF", NULL, "",
	  2000, DELIVERY_GONE, false },
	{ "matrix", CHANNEL_MATRIX, "", "token", "!room:example.org", 2000,
	  DELIVERY_CHANNEL, true },
	{ "zulip", CHANNEL_ZULIP, "", "bot@example.org:key", "perf", 2000,
	  DELIVERY_CHANNEL, false },
	{ "googlechat", CHANNEL_GOOGLECHAT, "/v1/spaces/AAA/messages?key=k",
	  NULL, "", 0, DELIVERY_CHANNEL, true },
	{ "teams", CHANNEL_TEAMS,
	  "/workflows/abc/triggers/manual/paths/invoke?sig=x", NULL, "", 2000,
	  DELIVERY_GONE, false },
	{ "telegram", CHANNEL_TELEGRAM, "", "123:ABC-def", "-100123", 2000,
	  DELIVERY_CHANNEL, false },
	{ "rocketchat", CHANNEL_ROCKETCHAT, "/hooks/abcdefghijklmnopq/abc",
	  NULL, "", 2000, DELIVERY_LATER, false },
	{ "ntfy", CHANNEL_NTFY, "", "tk_abc", "perf", 0, DELIVERY_CHANNEL,
	  false },
	{ "cloudevents", CHANNEL_WEBHOOK, "/events", NULL, "", 2000,
	  DELIVERY_GONE, false },
};

static void fault(const char *service, const char *kind)
{
	struct http_reply r;
	char url[64], body[160];
	struct http *h = http_new();

	snprintf(url, sizeof(url), "http://127.0.0.1:%s/_fault", port);
	snprintf(body, sizeof(body),
		 "{\"service\":\"%s\",\"kind\":\"%s\",\"retry_after\":1.5}",
		 service, kind);
	http_do(h,
		&(struct http_request){ .method = "POST",
					.url = url,
					.body = slice_of(body),
					.insecure = true },
		&r);
	if (r.code != 200)
		fail_msg("%d %s", (int)r.end, r.why);
	http_free(h);
}

static const char *token_file(const struct vendor_case *c, char path[80])
{
	FILE *f;

	if (!c->token)
		return NULL;
	snprintf(path, 80, "%s/token", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", c->token);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0600), 0);
	return path;
}

static struct delivery_result send_once(const struct vendor_case *c,
					const char *thread, const char *state)
{
	char url[256], path[80];
	struct config_channel ch = { .name = c->name,
				     .type = c->type,
				     .url = url,
				     .token_file = token_file(c, path),
				     .insecure = true };
	struct sender *s = sender_new(&config);
	struct parcel parcel = { 0 };
	struct delivery_result r;
	struct arena arena;
	struct notice n;
	struct err err;

	snprintf(url, sizeof(url), "http://127.0.0.1:%s%s", port, c->path);
	arena_init(&arena);
	notices_full(&arena, &n);
	if (thread[0]) {
		n.kind = NOTICE_UPDATE;
		n.thread_remote = slice_of(thread);
		n.state = slice_of(state);
		n.key = S("fedcba9876543210fedcba9876543210"
			  "fedcba9876543210fedcba9876543210");
	}
	if (channel_render(&config, &ch, slice_of(c->to), &n, &arena, &parcel,
			   &err) != PH_OK)
		fail_msg("%s", err.text);
	channel_send(s, &ch, &parcel, NOW, &r);
	sender_free(s);
	arena_release(&arena);
	return r;
}

static void must_be(struct delivery_result r, enum delivery want)
{
	if (r.what != want)
		fail_msg("%d, not %d: %s", (int)r.what, (int)want, r.text);
}

static void goes_all_ways(void **state)
{
	const struct vendor_case *c = *state;
	struct delivery_result r = send_once(c, "", "");
	char id[256];

	must_be(r, DELIVERY_SENT);
	snprintf(id, sizeof(id), "%s", r.remote_id);
	must_be(send_once(c, id, ""), DELIVERY_SENT);
	must_be(send_once(c, id, "fixed"), DELIVERY_SENT);
	fault(c->name, "429");
	r = send_once(c, "", "");
	must_be(r, DELIVERY_LATER);
	assert_true(r.retry_after_ms == c->waits_ms);
	fault(c->name, "500");
	must_be(send_once(c, "", ""), DELIVERY_LATER);
	fault(c->name, "html");
	must_be(send_once(c, "", ""), DELIVERY_LATER);
	fault(c->name, "drop");
	must_be(send_once(c, "", ""),
		c->same_post ? DELIVERY_LATER : DELIVERY_MAYBE);
	fault(c->name, "gone");
	must_be(send_once(c, "", ""), c->gone);
	must_be(send_once(c, "", ""), DELIVERY_SENT);
}

static void no_stand_in(void **state)
{
	(void)state;
	print_message("tests/validators.sh starts the stand-in for this\n");
	skip();
}

static int run_all(void)
{
	struct CMUnitTest tests[ARRAY_LEN(cases)];
	char path[80];
	int failed;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		tests[i] = (struct CMUnitTest){ .name = cases[i].name,
						.test_func = goes_all_ways,
						.initial_state = &cases[i] };
	failed = cmocka_run_group_tests_name("vendors", tests, NULL, NULL);
	snprintf(path, sizeof(path), "%s/token", dir);
	unlink(path);
	return failed;
}

int main(void)
{
	static const struct CMUnitTest without[] = {
		{ "vendors", no_stand_in, NULL, NULL, NULL },
	};
	int failed;

	port = getenv("VENDOR_SINK");
	setenv("no_proxy", "*", 1);
	if (!port)
		return cmocka_run_group_tests_name("vendors", without, NULL,
						   NULL);
	if (!mkdtemp(dir))
		return 1;
	failed = run_all();
	rmdir(dir);
	return failed;
}
