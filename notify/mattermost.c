/*
 * Mattermost: incoming webhook (a secret URL, answers "ok" and no id), and the
 * REST API with a bot's token (posts with root_id for threads).
 *
 * The text is CommonMark. There is no switch against mentions, and they count
 * anywhere but in code, in Slack's form too: foreign text goes into code spans,
 * and what stands outside has its punctuation escaped and U+200B behind @.
 */
#include "notify/service.h"

#include <stdio.h>
#include "ph/json.h"

/* 16,383 characters, after which the server splits a post. */
#define LIMIT 16000

static void put_text(struct buf *b, struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (strchr("\\`*_{}[]()#+-.!|<>~:&$\"^=", c) && c)
			buf_add_char(b, '\\');
		buf_add_char(b, c);
		if (c == '@' || c == '<')
			buf_add_str(b, CHAT_BREAK);
	}
}

static void put_strong(struct buf *b, struct slice s)
{
	buf_add_str(b, "**");
	put_text(b, s);
	buf_add_str(b, "**");
}

static void put_link(struct buf *b, struct slice s, struct slice url)
{
	buf_add_char(b, '[');
	put_text(b, s);
	buf_printf(b, "](%.*s)", S_FMT(url));
}

static const struct chat_dialect dialect = {
	.text = put_text,
	.strong = put_strong,
	.code = chat_put_fenced,
	.link = put_link,
	/* two blanks: a line break, not a joined paragraph */
	.line_end = "  \n",
};

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	bool bot = say->service->token == TOKEN_NEEDED;
	struct buf text, body;
	struct json j;

	(void)err;
	buf_init(&text);
	buf_init(&body);
	service_write(say, &dialect, &text);
	json_begin(&j, &body);
	json_open_object(&j, NULL);
	if (bot)
		json_put_str(&j, "channel_id", say->target);
	else if (say->target.len)
		json_put_str(&j, "channel", say->target);
	json_put_str(&j, bot ? "message" : "text", buf_slice(&text));
	json_close_object(&j);
	ret->body = arena_copy(say->arena, buf_slice(&body));
	buf_release(&text);
	buf_release(&body);
	return PH_OK;
}

static const struct service_error errors[] = {
	{ "web.incoming_webhook.invalid", DELIVERY_CHANNEL,
	  "the webhook was removed: make a new one" },
	{ "web.incoming_webhook.disabled", DELIVERY_CHANNEL,
	  "an administrator switched incoming webhooks off" },
	{ "web.incoming_webhook.channel", DELIVERY_CHANNEL,
	  "the room is gone, or the webhook may not post there" },
	{ "web.incoming_webhook.permissions", DELIVERY_CHANNEL,
	  "the webhook's owner may not post in that room" },
	{ "api.context.session_expired", DELIVERY_CHANNEL,
	  "the token is no longer valid: make a new one" },
	{ "api.context.permissions", DELIVERY_CHANNEL,
	  "add the bot to the room" },
	{ NULL, 0, NULL },
};

static enum status request(const struct order *o, struct http_request *ret,
			   struct err *err)
{
	(void)err;
	service_post_json(o, ret);
	return PH_OK;
}

/* {"id":"web.incoming_webhook.parse.app_error","message":"..."} */
static void judge(struct answer *a)
{
	struct slice id = service_str(a->json, "id");
	struct slice message = service_str(a->json, "message");

	if (a->result->what == DELIVERY_SENT)
		return;
	if (!a->json)
		service_said_plain(a);
	else
		service_said(a, slice_of(arena_printf(a->order->arena,
						      "%.*s: %.*s", S_FMT(id),
						      S_FMT(message))));
}

const struct service service_mattermost = {
	.title = "Mattermost webhook",
	.type = CHANNEL_MATTERMOST,
	.paths = (const char *const[]){ "hooks/*", "*/hooks/*", NULL },
	.path_hint = "https://HOST/hooks/ID",
	.limit = LIMIT,
	.unit = UNIT_UTF16,
	.pace_ms = 200,
	.errors = errors,
	.render = render,
	.request = request,
	.judge = judge,
};

static enum status request_bot(const struct order *o, struct http_request *ret,
			       struct err *err)
{
	(void)err;
	service_post_to(o, ret, "/api/v4/posts");
	service_bearer(o, ret);
	service_thread(o, ret, "root_id");
	return PH_OK;
}

static void judge_bot(struct answer *a)
{
	judge(a);
	if (a->result->what == DELIVERY_SENT)
		service_keep_id(a, service_str(a->json, "id"));
	a->orphan = slice_starts(slice_of(a->said),
				 S("api.post.create_post.root_id"));
}

const struct service service_mattermost_bot = {
	.title = "Mattermost bot",
	.type = CHANNEL_MATTERMOST,
	.token = TOKEN_NEEDED,
	.path_hint = "https://HOST",
	.needs_to = true,
	.limit = LIMIT,
	.unit = UNIT_UTF16,
	.pace_ms = 200,
	.threads = true,
	.errors = errors,
	.render = render,
	.request = request_bot,
	.judge = judge_bot,
};
