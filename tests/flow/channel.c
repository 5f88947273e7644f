/*
 * Every service against a scripted server on loopback: what is sent, how each
 * answer is understood, threads and their lost parents, and that no secret is
 * told.
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
#include "ph/channel.h"
#include "tests/http_sink.h"
#include "tests/notices.h"

#define NOW INT64_C(1715940000) /* 10:00 UTC */

static struct http_sink sink;
static struct arena arena;
static const struct config config;
static char dir[] = "/tmp/perfherald-channel-XXXXXX";

/* A channel of a type with its secrets in files, as an operator has it. */
struct peer {
	struct config_channel ch;
	char url_file[80], token_file[80], secret_file[80];
	const char *item[1];
};

static const struct service_case {
	enum channel_type type;
	const char *path, *token, *to;
} services[] = {
	{ CHANNEL_SLACK, "/services/T0/B0/s3cr3tpath", NULL, "" },
	{ CHANNEL_SLACK, "/api", "xoxb-s3cr3ttoken", "C0" },
	{ CHANNEL_MATTERMOST, "/hooks/s3cr3tpath", NULL, "" },
	{ CHANNEL_MATTERMOST, "", "s3cr3ttoken", "room" },
	{ CHANNEL_DISCORD, "/api/webhooks/1/s3cr3tpath", NULL, "" },
	{ CHANNEL_MATRIX, "", "s3cr3ttoken", "!r:example.org" },
	{ CHANNEL_ZULIP, "", "bot@example.org:s3cr3ttoken", "perf" },
	{ CHANNEL_GOOGLECHAT, "/v1/spaces/S/messages?key=k&token=s3cr3tpath",
	  NULL, "" },
	{ CHANNEL_TEAMS,
	  "/workflows/s3cr3tpath/triggers/manual/paths/invoke"
	  "?sig=s3cr3tsig",
	  NULL, "" },
	{ CHANNEL_TELEGRAM, "", "1:s3cr3ttoken", "-100/7" },
	{ CHANNEL_ROCKETCHAT, "/hooks/id/s3cr3tpath", NULL, "" },
	{ CHANNEL_ROCKETCHAT, "", "user:s3cr3ttoken", "#perf" },
	{ CHANNEL_NTFY, "", "tk_s3cr3ttoken", "perf" },
	{ CHANNEL_WEBHOOK, "/s3cr3tpath", NULL, "" },
	{ CHANNEL_ALERTMANAGER, "", NULL, "" },
};

static const struct service_case *service(enum channel_type type, bool token)
{
	for (size_t i = 0; i < ARRAY_LEN(services); i++)
		if (services[i].type == type && !services[i].token == !token)
			return &services[i];
	fail_msg("no such service");
	return NULL;
}

static void write_file(char path[80], const char *name, const char *text)
{
	FILE *f;

	snprintf(path, 80, "%s/%s", dir, name);
	unlink(path);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fprintf(f, "%s\n", text) > 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0600), 0);
}

static void peer_init(struct peer *p, const struct service_case *s)
{
	char url[256];

	snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", sink.port, s->path);
	write_file(p->url_file, "url", url);
	p->item[0] = s->to;
	p->ch = (struct config_channel){
		.name = "perf-chat",
		.type = s->type,
		.to = { p->item, s->to[0] ? 1 : 0 },
		.url_file = p->url_file,
		.insecure = true,
	};
	if (s->token) {
		write_file(p->token_file, "token", s->token);
		p->ch.token_file = p->token_file;
	}
}

static struct parcel parcel_for(const struct peer *p, const char *thread)
{
	struct parcel parcel = { 0 };
	struct notice n;
	struct err err;

	notices_full(&arena, &n);
	if (thread) {
		n.kind = NOTICE_UPDATE;
		n.thread_remote = slice_of(thread);
	}
	if (channel_render(&config, &p->ch, slice_of(p->item[0]), &n, &arena,
			   &parcel, &err) != PH_OK)
		fail_msg("%s", err.text);
	return parcel;
}

static struct delivery_result send_to(struct peer *p, const char *thread)
{
	struct parcel parcel = parcel_for(p, thread);
	struct sender *s = sender_new(&config);
	struct delivery_result r;

	channel_send(s, &p->ch, &parcel, NOW, &r);
	sender_free(s);
	assert_null(strstr(r.text, "s3cr3t"));
	return r;
}

static int start(void **state)
{
	(void)state;
	http_sink_start(&sink, NULL);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	http_sink_stop(&sink);
	arena_reset(&arena);
	return 0;
}

static bool holds(struct slice s, const char *part)
{
	return slice_find(s, slice_of(part)) != NULL;
}

static void must_hold(struct slice s, const char *part)
{
	if (!holds(s, part))
		fail_msg("no \"%s\" in \"%.*s\"", part, S_FMT(s));
}

/* answers */

struct answer_case {
	const char *name;
	enum channel_type type;
	bool token;
	const char *script;
	enum delivery want;
	int64_t retry_ms;
	const char *id, *text; /* text: a part of the message */
};

static struct answer_case answers[] = {
	{ "slack: ok", CHANNEL_SLACK, false, "{\"body\":\"ok\"}", DELIVERY_SENT,
	  0, "", "" },
	{ "slack: removed webhook", CHANNEL_SLACK, false,
	  "{\"status\":404,\"body\":\"no_service\"}", DELIVERY_CHANNEL, 0, "",
	  "no_service: the webhook was removed: make a new one" },
	{ "slack: bad payload", CHANNEL_SLACK, false,
	  "{\"status\":400,\"body\":\"invalid_payload\"}", DELIVERY_REFUSED, 0,
	  "", "answered 400: invalid_payload" },
	{ "slack: limited", CHANNEL_SLACK, false,
	  "{\"status\":429,\"headers\":{\"Retry-After\":\"1\"},\"body\":"
	  "{\"retry_after\":2,\"ok\":false,\"error\":\"rate_limited\"}}",
	  DELIVERY_LATER, 2000, "", "rate_limited" },
	{ "slack: a proxy's page", CHANNEL_SLACK, false,
	  "{\"status\":502,\"body\":\"<html>Bad Gateway</html>\"}",
	  DELIVERY_LATER, 0, "", "answered 502" },
	{ "slack: redirect", CHANNEL_SLACK, false,
	  "{\"status\":302,\"headers\":{\"Location\":\"/x\"}}",
	  DELIVERY_CHANNEL, 0, "", "redirects are not followed" },
	{ "slack: gone", CHANNEL_SLACK, false, "{\"status\":410}",
	  DELIVERY_GONE, 0, "", "make a new one" },
	{ "slack: lost reply", CHANNEL_SLACK, false, "{\"drop\":\"after\"}",
	  DELIVERY_MAYBE, 0, "", "perf-chat: 127.0.0.1" },
	{ "slack: an error that repeats the URL", CHANNEL_SLACK, false,
	  "{\"status\":400,\"body\":\"bad /services/T0/B0/s3cr3tpath\"}",
	  DELIVERY_REFUSED, 0, "", "a secret in it" },
	{ "slack bot: ok", CHANNEL_SLACK, true,
	  "{\"body\":{\"ok\":true,\"channel\":\"C0\",\"ts\":\"1.5\"}}",
	  DELIVERY_SENT, 0, "1.5", "" },
	{ "slack bot: an error in a 200", CHANNEL_SLACK, true,
	  "{\"body\":{\"ok\":false,\"error\":\"not_in_channel\"}}",
	  DELIVERY_CHANNEL, 0, "", "invite the bot" },
	{ "slack bot: too long", CHANNEL_SLACK, true,
	  "{\"body\":{\"ok\":false,\"error\":\"msg_too_long\"}}",
	  DELIVERY_REFUSED, 0, "", "msg_too_long" },
	{ "slack bot: limited", CHANNEL_SLACK, true,
	  "{\"status\":429,\"headers\":{\"Retry-After\":\"30\"},\"body\":"
	  "{\"ok\":false,\"error\":\"ratelimited\"}}",
	  DELIVERY_LATER, 30000, "", "ratelimited" },
	{ "mattermost: ok", CHANNEL_MATTERMOST, false, "{\"body\":\"ok\"}",
	  DELIVERY_SENT, 0, "", "" },
	{ "mattermost: removed webhook", CHANNEL_MATTERMOST, false,
	  "{\"status\":400,\"body\":{\"id\":"
	  "\"web.incoming_webhook.invalid.app_error\",\"message\":"
	  "\"Invalid webhook.\",\"status_code\":400}}",
	  DELIVERY_CHANNEL, 0, "", "Invalid webhook.: the webhook was removed" },
	{ "mattermost: limited", CHANNEL_MATTERMOST, false,
	  "{\"status\":429,\"headers\":{\"Retry-After\":\"3\"},\"body\":"
	  "\"limit exceeded\"}",
	  DELIVERY_LATER, 3000, "", "limit exceeded" },
	{ "mattermost bot: ok", CHANNEL_MATTERMOST, true,
	  "{\"status\":201,\"body\":{\"id\":\"p1\"}}", DELIVERY_SENT, 0, "p1",
	  "" },
	{ "mattermost bot: session", CHANNEL_MATTERMOST, true,
	  "{\"status\":401,\"body\":{\"id\":"
	  "\"api.context.session_expired.app_error\",\"message\":\"x\"}}",
	  DELIVERY_CHANNEL, 0, "", "make a new one" },
	{ "discord: ok", CHANNEL_DISCORD, false,
	  "{\"body\":{\"id\":\"130\",\"channel_id\":\"42\"}}", DELIVERY_SENT, 0,
	  "130", "" },
	{ "discord: fractions of a second", CHANNEL_DISCORD, false,
	  "{\"status\":429,\"headers\":{\"Retry-After\":\"64\"},\"body\":"
	  "{\"message\":\"You are being rate limited.\",\"retry_after\":64.57,"
	  "\"global\":false}}",
	  DELIVERY_LATER, 64570, "", "rate limited" },
	{ "discord: banned by the proxy", CHANNEL_DISCORD, false,
	  "{\"status\":429,\"headers\":{\"Retry-After\":\"600\"},\"body\":"
	  "\"<html>banned</html>\"}",
	  DELIVERY_LATER, 600000, "", "429" },
	{ "discord: unknown webhook", CHANNEL_DISCORD, false,
	  "{\"status\":404,\"body\":{\"message\":\"Unknown Webhook\","
	  "\"code\":10015}}",
	  DELIVERY_GONE, 0, "",
	  "10015: Unknown Webhook: the webhook was deleted" },
	{ "discord: any other 404", CHANNEL_DISCORD, false,
	  "{\"status\":404,\"body\":\"\"}", DELIVERY_GONE, 0, "", "404" },
	{ "discord: nested errors", CHANNEL_DISCORD, false,
	  "{\"status\":400,\"body\":{\"code\":50035,\"message\":"
	  "\"Invalid Form Body\",\"errors\":{\"embeds\":{\"0\":{\"title\":"
	  "{\"_errors\":[{\"code\":\"BASE_TYPE_MAX_LENGTH\",\"message\":"
	  "\"Must be 256 or fewer\"}]}}}}}}",
	  DELIVERY_REFUSED, 0, "",
	  "50035: Invalid Form Body embeds.0.title: Must be 256" },
	{ "matrix: ok", CHANNEL_MATRIX, true,
	  "{\"body\":{\"event_id\":\"$e1\"}}", DELIVERY_SENT, 0, "$e1", "" },
	{ "matrix: milliseconds", CHANNEL_MATRIX, true,
	  "{\"status\":429,\"body\":{\"errcode\":\"M_LIMIT_EXCEEDED\","
	  "\"error\":\"Too Many Requests\",\"retry_after_ms\":1234}}",
	  DELIVERY_LATER, 1234, "", "M_LIMIT_EXCEEDED" },
	{ "matrix: the header counts first", CHANNEL_MATRIX, true,
	  "{\"status\":429,\"headers\":{\"Retry-After\":\"2\"},\"body\":"
	  "{\"errcode\":\"M_LIMIT_EXCEEDED\",\"error\":\"x\","
	  "\"retry_after_ms\":99000}}",
	  DELIVERY_LATER, 2000, "", "" },
	{ "matrix: token", CHANNEL_MATRIX, true,
	  "{\"status\":401,\"body\":{\"errcode\":\"M_UNKNOWN_TOKEN\","
	  "\"error\":\"Unknown token\"}}",
	  DELIVERY_CHANNEL, 0, "", "log in anew" },
	{ "matrix: too large", CHANNEL_MATRIX, true,
	  "{\"status\":413,\"body\":{\"errcode\":\"M_TOO_LARGE\",\"error\":"
	  "\"event too large\"}}",
	  DELIVERY_REFUSED, 0, "", "M_TOO_LARGE" },
	{ "zulip: ok", CHANNEL_ZULIP, true,
	  "{\"body\":{\"result\":\"success\",\"msg\":\"\",\"id\":77}}",
	  DELIVERY_SENT, 0, "77", "" },
	{ "zulip: limited", CHANNEL_ZULIP, true,
	  "{\"status\":429,\"body\":{\"result\":\"error\",\"msg\":\"x\","
	  "\"code\":\"RATE_LIMIT_HIT\",\"retry-after\":28.706}}",
	  DELIVERY_LATER, 28706, "", "RATE_LIMIT_HIT" },
	{ "zulip: no such stream, in another language", CHANNEL_ZULIP, true,
	  "{\"status\":400,\"body\":{\"result\":\"error\",\"msg\":"
	  "\"Kanal existiert nicht\",\"code\":\"STREAM_DOES_NOT_EXIST\"}}",
	  DELIVERY_CHANNEL, 0, "", "the stream in `to`" },
	{ "google chat: ok", CHANNEL_GOOGLECHAT, false,
	  "{\"body\":{\"name\":\"spaces/S/messages/m1\"}}", DELIVERY_SENT, 0,
	  "spaces/S/messages/m1", "" },
	{ "google chat: limited without a time", CHANNEL_GOOGLECHAT, false,
	  "{\"status\":429,\"body\":{\"error\":{\"code\":429,\"message\":"
	  "\"quota\",\"status\":\"RESOURCE_EXHAUSTED\"}}}",
	  DELIVERY_LATER, 0, "", "RESOURCE_EXHAUSTED: quota" },
	{ "teams: accepted", CHANNEL_TEAMS, false,
	  "{\"status\":202,\"body\":\"\"}", DELIVERY_SENT, 0, "", "" },
	{ "teams: deleted flow", CHANNEL_TEAMS, false,
	  "{\"status\":404,\"body\":{\"error\":{\"code\":"
	  "\"WorkflowNotFound\",\"message\":\"gone\"}}}",
	  DELIVERY_GONE, 0, "", "the flow was deleted" },
	{ "telegram: ok", CHANNEL_TELEGRAM, true,
	  "{\"body\":{\"ok\":true,\"result\":{\"message_id\":55}}}",
	  DELIVERY_SENT, 0, "55", "" },
	{ "telegram: limited", CHANNEL_TELEGRAM, true,
	  "{\"status\":429,\"body\":{\"ok\":false,\"error_code\":429,"
	  "\"description\":\"Too Many Requests: retry after 9\","
	  "\"parameters\":{\"retry_after\":9}}}",
	  DELIVERY_LATER, 9000, "", "Too Many Requests" },
	{ "telegram: moved chat", CHANNEL_TELEGRAM, true,
	  "{\"status\":400,\"body\":{\"ok\":false,\"description\":\"Bad "
	  "Request: group chat was upgraded to a supergroup chat\","
	  "\"parameters\":{\"migrate_to_chat_id\":-1001234567890}}}",
	  DELIVERY_CHANNEL, 0, "", "new id -1001234567890" },
	{ "telegram: kicked", CHANNEL_TELEGRAM, true,
	  "{\"status\":403,\"body\":{\"ok\":false,\"description\":"
	  "\"Forbidden: bot was kicked\"}}",
	  DELIVERY_CHANNEL, 0, "", "let the bot into the chat" },
	{ "rocket.chat: ok", CHANNEL_ROCKETCHAT, false,
	  "{\"body\":{\"success\":true}}", DELIVERY_SENT, 0, "", "" },
	{ "rocket.chat: limited in words, as 400", CHANNEL_ROCKETCHAT, false,
	  "{\"status\":400,\"body\":{\"success\":false,\"error\":\"Error, too "
	  "many requests. Please slow down. You must wait 60 seconds "
	  "before trying this endpoint again. [error-too-many-requests]\"}}",
	  DELIVERY_LATER, 60000, "", "too many requests" },
	{ "rocket.chat: an error in a 200", CHANNEL_ROCKETCHAT, false,
	  "{\"body\":{\"success\":false,\"error\":\"invalid-channel\"}}",
	  DELIVERY_CHANNEL, 0, "", "check `to`" },
	{ "rocket.chat user: ok", CHANNEL_ROCKETCHAT, true,
	  "{\"body\":{\"success\":true,\"message\":{\"_id\":\"m9\"}}}",
	  DELIVERY_SENT, 0, "m9", "" },
	{ "ntfy: ok", CHANNEL_NTFY, true, "{\"body\":{\"id\":\"n1\"}}",
	  DELIVERY_SENT, 0, "n1", "" },
	{ "ntfy: the day's quota waits for midnight", CHANNEL_NTFY, true,
	  "{\"status\":429,\"body\":{\"code\":42908,\"http\":429,\"error\":"
	  "\"limit reached: daily message quota\"}}",
	  DELIVERY_LATER, 14 * 3600 * 1000, "", "42908" },
	{ "ntfy: forbidden", CHANNEL_NTFY, true,
	  "{\"status\":403,\"body\":{\"code\":40301,\"error\":"
	  "\"forbidden\"}}",
	  DELIVERY_CHANNEL, 0, "", "asks for a token_file" },
	{ "webhook: any 2xx", CHANNEL_WEBHOOK, false,
	  "{\"status\":204,\"body\":\"\"}", DELIVERY_SENT, 0, "", "" },
	{ "webhook: refused", CHANNEL_WEBHOOK, false,
	  "{\"status\":422,\"body\":\"no such thing\"}", DELIVERY_REFUSED, 0,
	  "", "no such thing" },
	{ "webhook: too early", CHANNEL_WEBHOOK, false, "{\"status\":425}",
	  DELIVERY_LATER, 0, "", "425" },
	{ "alertmanager: ok", CHANNEL_ALERTMANAGER, false, "{\"body\":\"\"}",
	  DELIVERY_SENT, 0, "", "" },
	{ "alertmanager: refused", CHANNEL_ALERTMANAGER, false,
	  "{\"status\":400,\"body\":\"invalid label set\"}", DELIVERY_REFUSED,
	  0, "", "invalid label set" },
};

static void understands(void **state)
{
	const struct answer_case *c = *state;
	struct delivery_result r;
	struct peer p;
	int before;

	before = http_sink_count(&sink);
	peer_init(&p, service(c->type, c->token));
	http_sink_script(&sink, c->script);
	r = send_to(&p, NULL);
	must_hold(slice_of(r.text), c->text);
	assert_int_equal(r.what, c->want);
	assert_int_equal(r.retry_after_ms, c->retry_ms);
	assert_string_equal(r.remote_id, c->id);
	assert_int_equal(http_sink_count(&sink), before + 1);
	arena_reset(&arena);
}

/* requests */

static void sends_secrets_where_they_belong(void **state)
{
	struct peer p;

	(void)state;
	peer_init(&p, service(CHANNEL_SLACK, true));
	send_to(&p, NULL);
	must_hold(http_sink_head(&sink, 1), "POST /api/chat.postMessage HTTP");
	must_hold(http_sink_head(&sink, 1),
		  "Authorization: Bearer xoxb-s3cr3ttoken");
	peer_init(&p, service(CHANNEL_ZULIP, true));
	send_to(&p, NULL);
	must_hold(http_sink_head(&sink, 2),
		  "Authorization: Basic "
		  "Ym90QGV4YW1wbGUub3JnOnMzY3IzdHRva2Vu");
	must_hold(http_sink_body(&sink, 2),
		  "topic=70a64b7919cb%20memcg%3A%20dynamically");
	peer_init(&p, service(CHANNEL_MATRIX, true));
	send_to(&p, NULL);
	must_hold(http_sink_head(&sink, 3),
		  "PUT /_matrix/client/v3/rooms/%21r%3Aexample.org/send/"
		  "m.room.message/0123456789abcdef");
	peer_init(&p, service(CHANNEL_ROCKETCHAT, true));
	send_to(&p, NULL);
	must_hold(http_sink_head(&sink, 4), "X-User-Id: user\n");
	must_hold(http_sink_head(&sink, 4), "X-Auth-Token: s3cr3ttoken\n");
	peer_init(&p, service(CHANNEL_GOOGLECHAT, false));
	send_to(&p, NULL);
	must_hold(http_sink_head(&sink, 5),
		  "token=s3cr3tpath&messageReplyOption="
		  "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD&requestId=0123");
	peer_init(&p, service(CHANNEL_TELEGRAM, true));
	send_to(&p, NULL);
	must_hold(http_sink_head(&sink, 6), "/bot1:s3cr3ttoken/sendMessage");
	must_hold(http_sink_body(&sink, 6), "\"message_thread_id\":7");
}

struct thread_case {
	enum channel_type type;
	bool token;
	const char *id, *head, *body; /* with the thread */
	const char *lost;	      /* the answer when its parent is gone */
};

static const struct thread_case threads[] = {
	{ CHANNEL_SLACK, true, "1.5", "POST", "\"thread_ts\":\"1.5\"",
	  "{\"body\":{\"ok\":false,\"error\":\"thread_not_found\"}}" },
	{ CHANNEL_MATTERMOST, true, "p1", "POST", "\"root_id\":\"p1\"",
	  "{\"status\":400,\"body\":{\"id\":"
	  "\"api.post.create_post.root_id.app_error\",\"message\":\"x\"}}" },
	{ CHANNEL_DISCORD, false, "130",
	  "PATCH /api/webhooks/1/s3cr3tpath/messages/130", "",
	  "{\"status\":404,\"body\":{\"code\":10008,\"message\":"
	  "\"Unknown Message\"}}" },
	{ CHANNEL_MATRIX, true, "$e1", "PUT",
	  "\"m.relates_to\":{\"rel_type\":\"m.thread\",\"event_id\":\"$e1\","
	  "\"is_falling_back\":true,\"m.in_reply_to\":{\"event_id\":"
	  "\"$e1\"}}",
	  NULL },
	{ CHANNEL_TELEGRAM, true, "55", "POST",
	  "\"reply_parameters\":{\"message_id\":55,"
	  "\"allow_sending_without_reply\":true}",
	  "{\"status\":400,\"body\":{\"ok\":false,\"description\":\"Bad "
	  "Request: message to be replied not found\"}}" },
	{ CHANNEL_ROCKETCHAT, true, "m9", "POST", "\"tmid\":\"m9\"",
	  "{\"status\":400,\"body\":{\"success\":false,\"error\":"
	  "\"[error-invalid-message]\"}}" },
};

static void updates_go_into_their_thread(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		const struct thread_case *t = &threads[i];
		struct peer p;

		peer_init(&p, service(t->type, t->token));
		assert_true(channel_has_threads(&p.ch));
		http_sink_script(&sink, "{\"body\":{\"ok\":true}}");
		assert_int_equal(send_to(&p, t->id).what, DELIVERY_SENT);
		must_hold(http_sink_head(&sink, (int)i + 1), t->head);
		must_hold(http_sink_body(&sink, (int)i + 1), t->body);
	}
}

static void a_lost_parent_means_a_new_post(void **state)
{
	int n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		const struct thread_case *t = &threads[i];
		struct delivery_result r;
		struct peer p;

		if (!t->lost)
			continue;
		peer_init(&p, service(t->type, t->token));
		http_sink_script(&sink, t->lost);
		http_sink_script(&sink, "{\"body\":{\"ok\":true}}");
		r = send_to(&p, t->id);
		assert_int_equal(r.what, DELIVERY_SENT);
		n += 2;
		assert_int_equal(http_sink_count(&sink), n);
		must_hold(http_sink_head(&sink, n), "POST");
		if (t->body[0])
			assert_false(holds(http_sink_body(&sink, n), t->body));
	}
}

static void forums_get_a_thread_a_patch(void **state)
{
	struct service_case forum = *service(CHANNEL_DISCORD, false);
	struct delivery_result r;
	struct peer p;

	(void)state;
	forum.to = "forum";
	peer_init(&p, &forum);
	http_sink_script(&sink, "{\"body\":{\"id\":\"1\",\"channel_id\":"
				"\"42\"}}");
	r = send_to(&p, NULL);
	assert_string_equal(r.remote_id, "42");
	must_hold(http_sink_body(&sink, 1), "\"thread_name\":\"WORSE 11.9%");
	http_sink_script(&sink, "{\"body\":{\"id\":\"2\",\"channel_id\":"
				"\"42\"}}");
	send_to(&p, "42");
	must_hold(http_sink_head(&sink, 2), "?wait=true&thread_id=42 HTTP");
	assert_false(holds(http_sink_body(&sink, 2), "thread_name"));
}

/* The example of the Standard Webhooks documentation. */
static void signs_as_the_standard_says(void **state)
{
	struct parcel parcel = {
		.body = S("{\"test\": 2432232314}"),
		.message_id = S("msg_p5jXN8AQM9LWM0D4loKWxJek"),
	};
	struct sender *s = sender_new(&config);
	struct delivery_result r;
	struct peer p;

	(void)state;
	peer_init(&p, service(CHANNEL_WEBHOOK, false));
	write_file(p.secret_file, "secret",
		   "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
	p.ch.secret_file = p.secret_file;
	channel_send(s, &p.ch, &parcel, 1614265330, &r);
	assert_int_equal(r.what, DELIVERY_SENT);
	must_hold(http_sink_head(&sink, 1),
		  "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek\n");
	must_hold(http_sink_head(&sink, 1), "webhook-timestamp: 1614265330\n");
	must_hold(http_sink_head(&sink, 1),
		  "webhook-signature: "
		  "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\n");
	must_hold(http_sink_head(&sink, 1), "application/cloudevents+json");
	write_file(p.secret_file, "secret", "whsec_c2hvcnQ=");
	channel_send(s, &p.ch, &parcel, 1614265330, &r);
	assert_int_equal(r.what, DELIVERY_CHANNEL);
	must_hold(slice_of(r.text), "24 to 64 bytes");
	assert_int_equal(http_sink_count(&sink), 1);
	sender_free(s);
}

static void a_wrong_setup_sends_nothing(void **state)
{
	struct delivery_result r;
	struct peer p;

	(void)state;
	peer_init(&p, service(CHANNEL_SLACK, false));
	assert_int_equal(chmod(p.url_file, 0644), 0);
	r = send_to(&p, NULL);
	assert_int_equal(r.what, DELIVERY_CHANNEL);
	must_hold(slice_of(r.text), p.url_file);

	peer_init(&p, service(CHANNEL_SLACK, false));
	p.ch.insecure = false;
	r = send_to(&p, NULL);
	assert_int_equal(r.what, DELIVERY_CHANNEL);
	must_hold(slice_of(r.text), "insecure");

	peer_init(&p, service(CHANNEL_MATTERMOST, false));
	p.ch.type = CHANNEL_SLACK;
	r = send_to(&p, NULL);
	assert_int_equal(r.what, DELIVERY_CHANNEL);
	must_hold(slice_of(r.text), "not one of a Slack webhook");
	assert_int_equal(http_sink_count(&sink), 0);

	p.ch.type = CHANNEL_MATTERMOST;
	write_file(p.url_file, "url", "http://127.0.0.1:1/hooks/s3cr3tpath");
	assert_int_equal(send_to(&p, NULL).what, DELIVERY_LATER);
}

static void probes_without_a_word(void **state)
{
	struct sender *s = sender_new(&config);
	struct peer p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(services); i++) {
		peer_init(&p, &services[i]);
		assert_int_equal(channel_probe(s, &p.ch, &err), PH_OK);
	}
	assert_int_equal(http_sink_count(&sink), 0);
	p.ch.insecure = false;
	assert_int_equal(channel_probe(s, &p.ch, &err), PH_BAD);
	sender_free(s);
}

static void endpoints_follow_url_and_target(void **state)
{
	struct service_case moved = *service(CHANNEL_SLACK, false);
	char a[17], b[17];
	struct peer p;
	struct err err;

	(void)state;
	peer_init(&p, &moved);
	assert_int_equal(channel_endpoint(&config, &p.ch, a, &err), PH_OK);
	assert_int_equal(strlen(a), 16);
	assert_int_equal(channel_endpoint(&config, &p.ch, b, &err), PH_OK);
	assert_string_equal(a, b);
	moved.path = "/services/T0/B0/other";
	peer_init(&p, &moved);
	assert_int_equal(channel_endpoint(&config, &p.ch, b, &err), PH_OK);
	assert_string_not_equal(a, b);
	moved.to = "elsewhere";
	peer_init(&p, &moved);
	assert_int_equal(channel_endpoint(&config, &p.ch, a, &err), PH_OK);
	assert_string_not_equal(a, b);
}

/* files */

static struct delivery_result send_file(const char *path)
{
	struct config_channel ch = { .name = "log",
				     .type = CHANNEL_FILE,
				     .path = path };
	struct sender *s = sender_new(&config);
	struct parcel parcel = { 0 };
	struct delivery_result r;
	struct notice n;
	struct err err;

	notices_full(&arena, &n);
	assert_int_equal(channel_render(&config, &ch, S(""), &n, &arena,
					&parcel, &err),
			 PH_OK);
	channel_send(s, &ch, &parcel, NOW, &r);
	sender_free(s);
	return r;
}

static void files_get_whole_notices(void **state)
{
	char path[80], text[8192];
	size_t len, lines = 0;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/log.jsonl", dir);
	assert_int_equal(send_file(path).what, DELIVERY_SENT);
	assert_int_equal(send_file(path).what, DELIVERY_SENT);
	f = fopen(path, "r");
	assert_non_null(f);
	len = fread(text, 1, sizeof(text), f);
	fclose(f);
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	assert_int_equal(lines, 2);
	assert_true(
		slice_starts((struct slice){ text, len }, S("{\"version\":1")));
	unlink(path);
	snprintf(path, sizeof(path), "%s/missing/log", dir);
	assert_int_equal(send_file(path).what, DELIVERY_CHANNEL);
	assert_int_equal(send_file("/dev/full").what, DELIVERY_LATER);
}

#define WITH_SINK(f) cmocka_unit_test_setup_teardown(f, start, stop)

static int run_all(void)
{
	static const struct CMUnitTest tests[] = {
		WITH_SINK(sends_secrets_where_they_belong),
		WITH_SINK(updates_go_into_their_thread),
		WITH_SINK(a_lost_parent_means_a_new_post),
		WITH_SINK(forums_get_a_thread_a_patch),
		WITH_SINK(signs_as_the_standard_says),
		WITH_SINK(a_wrong_setup_sends_nothing),
		WITH_SINK(probes_without_a_word),
		WITH_SINK(endpoints_follow_url_and_target),
		cmocka_unit_test(files_get_whole_notices),
	};
	struct CMUnitTest rows[ARRAY_LEN(answers)];
	int failed;

	for (size_t i = 0; i < ARRAY_LEN(answers); i++)
		rows[i] = (struct CMUnitTest){ .name = answers[i].name,
					       .test_func = understands,
					       .initial_state = &answers[i] };
	failed = cmocka_run_group_tests_name("channel answers", rows, start,
					     stop);
	return failed + cmocka_run_group_tests_name("channel", tests, NULL, NULL);
}

int main(void)
{
	static const char *const names[] = { "url", "token", "secret" };
	char path[80];
	int failed;

	setenv("no_proxy", "*", 1);
	if (!mkdtemp(dir))
		return 1;
	arena_init(&arena);
	failed = run_all();
	arena_release(&arena);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
	return failed;
}
