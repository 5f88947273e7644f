/*
 * What every service is sent over loopback: secrets where they belong, threads
 * and their lost parents, signatures, and nothing at all when the set-up is
 * wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/notices.h"
#include "tests/peers.h"

static void sends_secrets_where_they_belong(void **state)
{
	struct peer p;

	(void)state;
	peer_init(&p, peers_service(CHANNEL_SLACK, true));
	peer_send(&p, NULL, "");
	must_hold(http_sink_head(&peers_sink, 1),
		  "POST /api/chat.postMessage HTTP");
	must_hold(http_sink_head(&peers_sink, 1),
		  "Authorization: Bearer xoxb-s3cr3ttoken");
	peer_init(&p, peers_service(CHANNEL_ZULIP, true));
	peer_send(&p, NULL, "");
	must_hold(http_sink_head(&peers_sink, 2),
		  "Authorization: Basic "
		  "Ym90QGV4YW1wbGUub3JnOnMzY3IzdHRva2Vu");
	must_hold(http_sink_body(&peers_sink, 2),
		  "topic=70a64b7919cb%20memcg%3A%20dynamically");
	peer_init(&p, peers_service(CHANNEL_MATRIX, true));
	peer_send(&p, NULL, "");
	must_hold(http_sink_head(&peers_sink, 3),
		  "PUT /_matrix/client/v3/rooms/%21r%3Aexample.org/send/"
		  "m.room.message/0123456789abcdef");
	peer_init(&p, peers_service(CHANNEL_ROCKETCHAT, true));
	peer_send(&p, NULL, "");
	must_hold(http_sink_head(&peers_sink, 4), "X-User-Id: user\n");
	must_hold(http_sink_head(&peers_sink, 4),
		  "X-Auth-Token: s3cr3ttoken\n");
	peer_init(&p, peers_service(CHANNEL_GOOGLECHAT, false));
	peer_send(&p, NULL, "");
	must_hold(http_sink_head(&peers_sink, 5),
		  "token=s3cr3tpath&messageReplyOption="
		  "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD&requestId=0123");
	peer_init(&p, peers_service(CHANNEL_TELEGRAM, true));
	peer_send(&p, NULL, "");
	must_hold(http_sink_head(&peers_sink, 6),
		  "/bot1:s3cr3ttoken/sendMessage");
	must_hold(http_sink_body(&peers_sink, 6), "\"message_thread_id\":7");
}

struct thread_case {
	enum channel_type type;
	bool token;
	const char *id, *state, *head, *body; /* with the thread */
	const char *lost; /* the answer when its parent is gone */
};

static const struct thread_case threads[] = {
	{ CHANNEL_SLACK, true, "1.5", "", "POST", "\"thread_ts\":\"1.5\"",
	  "{\"body\":{\"ok\":false,\"error\":\"thread_not_found\"}}" },
	{ CHANNEL_MATTERMOST, true, "p1", "", "POST", "\"root_id\":\"p1\"",
	  "{\"status\":400,\"body\":{\"id\":"
	  "\"api.post.create_post.root_id.app_error\",\"message\":\"x\"}}" },
	{ CHANNEL_DISCORD, false, "130", "",
	  "POST /api/webhooks/1/s3cr3tpath?wait", "", NULL },
	{ CHANNEL_DISCORD, false, "130", "fixed",
	  "PATCH /api/webhooks/1/s3cr3tpath/messages/130", "",
	  "{\"status\":404,\"body\":{\"code\":10008,\"message\":"
	  "\"Unknown Message\"}}" },
	{ CHANNEL_MATRIX, true, "$e1", "", "PUT",
	  "\"m.relates_to\":{\"rel_type\":\"m.thread\",\"event_id\":\"$e1\","
	  "\"is_falling_back\":true,\"m.in_reply_to\":{\"event_id\":"
	  "\"$e1\"}}",
	  NULL },
	{ CHANNEL_TELEGRAM, true, "55", "", "POST",
	  "\"reply_parameters\":{\"message_id\":55,"
	  "\"allow_sending_without_reply\":true}",
	  "{\"status\":400,\"body\":{\"ok\":false,\"description\":\"Bad "
	  "Request: message to be replied not found\"}}" },
	{ CHANNEL_ROCKETCHAT, true, "m9", "", "POST", "\"tmid\":\"m9\"",
	  "{\"status\":400,\"body\":{\"success\":false,\"error\":"
	  "\"[error-invalid-message]\"}}" },
};

static void updates_go_into_their_thread(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		const struct thread_case *t = &threads[i];
		struct peer p;

		peer_init(&p, peers_service(t->type, t->token));
		assert_true(channel_has_threads(&p.ch));
		http_sink_script(&peers_sink, "{\"body\":{\"ok\":true}}");
		assert_int_equal(peer_send(&p, t->id, t->state).what,
				 DELIVERY_SENT);
		must_hold(http_sink_head(&peers_sink, (int)i + 1), t->head);
		must_hold(http_sink_body(&peers_sink, (int)i + 1), t->body);
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
		peer_init(&p, peers_service(t->type, t->token));
		http_sink_script(&peers_sink, t->lost);
		http_sink_script(&peers_sink, "{\"body\":{\"ok\":true}}");
		r = peer_send(&p, t->id, t->state);
		assert_int_equal(r.what, DELIVERY_SENT);
		n += 2;
		assert_int_equal(http_sink_count(&peers_sink), n);
		must_hold(http_sink_head(&peers_sink, n), "POST");
		if (t->body[0])
			assert_null(slice_find(http_sink_body(&peers_sink, n),
					       slice_of(t->body)));
	}
}

static void forums_get_a_thread_a_patch(void **state)
{
	struct service_case forum = *peers_service(CHANNEL_DISCORD, false);
	struct delivery_result r;
	struct peer p;

	(void)state;
	forum.to = "forum";
	peer_init(&p, &forum);
	http_sink_script(&peers_sink, "{\"body\":{\"id\":\"1\",\"channel_id\":"
				      "\"42\"}}");
	r = peer_send(&p, NULL, "");
	assert_string_equal(r.remote_id, "42");
	must_hold(http_sink_body(&peers_sink, 1),
		  "\"thread_name\":\"WORSE 11.9%");
	http_sink_script(&peers_sink, "{\"body\":{\"id\":\"2\",\"channel_id\":"
				      "\"42\"}}");
	peer_send(&p, "42", "");
	must_hold(http_sink_head(&peers_sink, 2),
		  "?wait=true&thread_id=42 HTTP");
	assert_null(
		slice_find(http_sink_body(&peers_sink, 2), S("thread_name")));
}

/* The example of the Standard Webhooks documentation. */
static void signs_as_the_standard_says(void **state)
{
	struct parcel parcel = {
		.body = S("{\"test\": 2432232314}"),
		.message_id = S("msg_p5jXN8AQM9LWM0D4loKWxJek"),
	};
	struct sender *s = sender_new(&peers_config);
	struct delivery_result r;
	struct peer p;

	(void)state;
	peer_init(&p, peers_service(CHANNEL_WEBHOOK, false));
	peer_write(p.secret_file, "secret",
		   "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
	p.ch.secret_file = p.secret_file;
	channel_send(s, &p.ch, &parcel, 1614265330, &r);
	assert_int_equal(r.what, DELIVERY_SENT);
	must_hold(http_sink_head(&peers_sink, 1),
		  "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek\n");
	must_hold(http_sink_head(&peers_sink, 1),
		  "webhook-timestamp: 1614265330\n");
	must_hold(http_sink_head(&peers_sink, 1),
		  "webhook-signature: "
		  "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\n");
	must_hold(http_sink_head(&peers_sink, 1),
		  "application/cloudevents+json");
	peer_write(p.secret_file, "secret", "whsec_c2hvcnQ=");
	channel_send(s, &p.ch, &parcel, 1614265330, &r);
	assert_int_equal(r.what, DELIVERY_CHANNEL);
	must_hold(slice_of(r.text), "24 to 64 bytes");
	assert_int_equal(http_sink_count(&peers_sink), 1);
	sender_free(s);
}

static void a_wrong_setup_sends_nothing(void **state)
{
	struct delivery_result r;
	struct peer p;

	(void)state;
	peer_init(&p, peers_service(CHANNEL_SLACK, false));
	assert_int_equal(chmod(p.url_file, 0644), 0);
	r = peer_send(&p, NULL, "");
	assert_int_equal(r.what, DELIVERY_CHANNEL);
	must_hold(slice_of(r.text), p.url_file);

	peer_init(&p, peers_service(CHANNEL_SLACK, false));
	p.ch.insecure = false;
	r = peer_send(&p, NULL, "");
	assert_int_equal(r.what, DELIVERY_CHANNEL);
	must_hold(slice_of(r.text), "insecure");

	peer_init(&p, peers_service(CHANNEL_MATTERMOST, false));
	p.ch.type = CHANNEL_SLACK;
	r = peer_send(&p, NULL, "");
	assert_int_equal(r.what, DELIVERY_CHANNEL);
	must_hold(slice_of(r.text), "not one of a Slack webhook");
	assert_int_equal(http_sink_count(&peers_sink), 0);

	p.ch.type = CHANNEL_MATTERMOST;
	peer_write(p.url_file, "url", "http://127.0.0.1:1/hooks/s3cr3tpath");
	assert_int_equal(peer_send(&p, NULL, "").what, DELIVERY_LATER);
}

static void probes_without_a_word(void **state)
{
	struct sender *s = sender_new(&peers_config);
	struct peer p;
	struct err err;

	(void)state;
	for (size_t i = 0; peers_all(i); i++) {
		peer_init(&p, peers_all(i));
		assert_int_equal(channel_probe(s, &p.ch, &err), PH_OK);
	}
	assert_int_equal(http_sink_count(&peers_sink), 0);
	p.ch.insecure = false;
	assert_int_equal(channel_probe(s, &p.ch, &err), PH_BAD);
	sender_free(s);
}

static void endpoints_follow_url_and_target(void **state)
{
	struct service_case moved = *peers_service(CHANNEL_SLACK, false);
	char a[17], b[17];
	struct peer p;
	struct err err;

	(void)state;
	peer_init(&p, &moved);
	assert_int_equal(channel_endpoint(&peers_config, &p.ch, a, &err),
			 PH_OK);
	assert_int_equal(strlen(a), 16);
	assert_int_equal(channel_endpoint(&peers_config, &p.ch, b, &err),
			 PH_OK);
	assert_string_equal(a, b);
	moved.path = "/services/T0/B0/other";
	peer_init(&p, &moved);
	assert_int_equal(channel_endpoint(&peers_config, &p.ch, b, &err),
			 PH_OK);
	assert_string_not_equal(a, b);
	moved.to = "elsewhere";
	peer_init(&p, &moved);
	assert_int_equal(channel_endpoint(&peers_config, &p.ch, a, &err),
			 PH_OK);
	assert_string_not_equal(a, b);
}

/* files */

static struct delivery_result send_file(const char *path)
{
	struct config_channel ch = { .name = "log",
				     .type = CHANNEL_FILE,
				     .path = path };
	struct sender *s = sender_new(&peers_config);
	struct parcel parcel = { 0 };
	struct delivery_result r;
	struct notice n;
	struct err err;

	notices_full(&peers_arena, &n);
	assert_int_equal(channel_render(&peers_config, &ch, S(""), &n,
					&peers_arena, &parcel, &err),
			 PH_OK);
	channel_send(s, &ch, &parcel, PEERS_NOW, &r);
	sender_free(s);
	return r;
}

static void files_get_whole_notices(void **state)
{
	char path[80], text[8192];
	size_t len, lines = 0;
	FILE *f;

	(void)state;
	peer_write(path, "log.jsonl", "");
	assert_int_equal(truncate(path, 0), 0);
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
	snprintf(path, sizeof(path), "/proc/missing/log");
	assert_int_equal(send_file(path).what, DELIVERY_CHANNEL);
	assert_int_equal(send_file("/dev/full").what, DELIVERY_LATER);
}

#define WITH_SINK(f) cmocka_unit_test_setup_teardown(f, peers_start, peers_stop)

int main(void)
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
	int failed;

	peers_begin();
	failed = cmocka_run_group_tests_name("channel", tests, NULL, NULL);
	peers_end();
	return failed;
}
