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

struct http_sink peers_sink;
struct arena peers_arena;
const struct config peers_config;
static char dir[] = "/tmp/perfherald-channel-XXXXXX";

static const struct service_case services[] = {
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

const struct service_case *peers_service(enum channel_type type, bool token)
{
	for (size_t i = 0; i < ARRAY_LEN(services); i++)
		if (services[i].type == type && !services[i].token == !token)
			return &services[i];
	fail_msg("no such service");
	return NULL;
}

const struct service_case *peers_all(size_t i)
{
	return i < ARRAY_LEN(services) ? &services[i] : NULL;
}

void peer_write(char path[80], const char *name, const char *text)
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

void peer_init(struct peer *p, const struct service_case *s)
{
	char url[256];

	snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", peers_sink.port,
		 s->path);
	peer_write(p->url_file, "url", url);
	p->item[0] = s->to;
	p->ch = (struct config_channel){
		.name = "perf-chat",
		.type = s->type,
		.to = { p->item, s->to[0] ? 1 : 0 },
		.url_file = p->url_file,
		.insecure = true,
	};
	if (s->token) {
		peer_write(p->token_file, "token", s->token);
		p->ch.token_file = p->token_file;
	}
}

static struct parcel parcel_for(const struct peer *p, const char *thread,
				const char *state)
{
	struct parcel parcel = { 0 };
	struct notice n;
	struct err err;

	notices_full(&peers_arena, &n);
	if (thread) {
		n.kind = NOTICE_UPDATE;
		n.thread_remote = slice_of(thread);
		n.state = slice_of(state);
	}
	if (channel_render(&peers_config, &p->ch, slice_of(p->item[0]), &n,
			   &peers_arena, &parcel, &err) != PH_OK)
		fail_msg("%s", err.text);
	return parcel;
}

struct delivery_result peer_send(struct peer *p, const char *thread,
				 const char *state)
{
	struct parcel parcel = parcel_for(p, thread, state);
	struct sender *s = sender_new(&peers_config);
	struct delivery_result r;

	channel_send(s, &p->ch, &parcel, PEERS_NOW, &r);
	sender_free(s);
	assert_null(strstr(r.text, "s3cr3t"));
	return r;
}

int peers_start(void **state)
{
	(void)state;
	http_sink_start(&peers_sink, NULL);
	return 0;
}

int peers_stop(void **state)
{
	(void)state;
	http_sink_stop(&peers_sink);
	arena_reset(&peers_arena);
	return 0;
}

void peers_begin(void)
{
	setenv("no_proxy", "*", 1);
	if (!mkdtemp(dir))
		abort();
	arena_init(&peers_arena);
}

void peers_end(void)
{
	static const char *const names[] = { "url", "token", "secret" };
	char path[80];

	arena_release(&peers_arena);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

void must_hold(struct slice s, const char *part)
{
	if (!slice_find(s, slice_of(part)))
		fail_msg("no \"%s\" in \"%.*s\"", part, S_FMT(s));
}
