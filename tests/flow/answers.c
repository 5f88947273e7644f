/*
 * How each answer of each service is understood, over loopback.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/peers.h"

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
	  DELIVERY_CHANNEL, 0, "",
	  "Invalid webhook.: the webhook was removed" },
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

	before = http_sink_count(&peers_sink);
	peer_init(&p, peers_service(c->type, c->token));
	http_sink_script(&peers_sink, c->script);
	r = peer_send(&p, NULL, "");
	must_hold(slice_of(r.text), c->text);
	assert_int_equal(r.what, c->want);
	assert_int_equal(r.retry_after_ms, c->retry_ms);
	assert_string_equal(r.remote_id, c->id);
	assert_int_equal(http_sink_count(&peers_sink), before + 1);
	arena_reset(&peers_arena);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(answers)];
	int failed;

	for (size_t i = 0; i < ARRAY_LEN(answers); i++)
		tests[i] = (struct CMUnitTest){ .name = answers[i].name,
						.test_func = understands,
						.initial_state = &answers[i] };
	peers_begin();
	failed = cmocka_run_group_tests_name("answers", tests, peers_start,
					     peers_stop);
	peers_end();
	return failed;
}
