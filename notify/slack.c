/*
 * Slack: incoming webhook (a secret URL, answers "ok" and no id), and bot token
 * (chat.postMessage, whose answer has the id that threads need).
 *
 * mrkdwn cannot be escaped, so all text goes out as rich_text, which is never
 * parsed; the fallback text has & < > escaped, and parsing switched off.
 */
#include "notify/service.h"

#include <stdio.h>
#include "ph/json.h"
#include "ph/utf8.h"

/* Blocks of some 13,000 characters together have been refused. */
#define BLOCKS_MAX   9000
#define FALLBACK_MAX 1000

static void put_fallback(struct buf *b, struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '&')
			buf_add_str(b, "&amp;");
		else if (s.ptr[i] == '<')
			buf_add_str(b, "&lt;");
		else if (s.ptr[i] == '>')
			buf_add_str(b, "&gt;");
		else
			buf_add_char(b, s.ptr[i]);
	}
}

static void put_element(struct json *j, const char *type, struct slice text,
			struct slice url, const char *style)
{
	json_open_object(j, NULL);
	json_put_cstr(j, "type", type);
	json_put_str(j, "text", text);
	json_put_opt(j, "url", url);
	if (style) {
		json_open_object(j, "style");
		json_put_bool(j, style, true);
		json_close_object(j);
	}
	json_close_object(j);
}

static void put_span(struct json *j, const struct chat_span *s)
{
	switch (s->kind) {
	case SPAN_TEXT:
		put_element(j, "text", s->text, S(""), NULL);
		return;
	case SPAN_STRONG:
		put_element(j, "text", s->text, S(""), "bold");
		return;
	case SPAN_CODE:
		put_element(j, "text", s->text, S(""), "code");
		return;
	case SPAN_LINK:
		put_element(j, "link", s->text, s->url, NULL);
		return;
	}
}

static size_t line_size(const struct chat_line *l)
{
	size_t size = 0;

	for (size_t i = 0; i < l->n; i++)
		size += utf8_count16(l->span[i].text) +
			utf8_count16(l->span[i].url) + 8;
	return size;
}

static void put_lines(struct json *j, const struct chat *c)
{
	size_t size = 0;

	for (size_t i = 0; i < c->n; i++) {
		size += line_size(&c->line[i]);
		if (size > BLOCKS_MAX) {
			put_element(j, "text", S("\n..."), S(""), NULL);
			return;
		}
		if (i)
			put_element(j, "text", S("\n"), S(""), NULL);
		for (size_t k = 0; k < c->line[i].n; k++)
			put_span(j, &c->line[i].span[k]);
	}
}

static void put_blocks(struct json *j, const struct chat *c)
{
	json_open_array(j, "blocks");
	json_open_object(j, NULL);
	json_put_cstr(j, "type", "rich_text");
	json_open_array(j, "elements");
	json_open_object(j, NULL);
	json_put_cstr(j, "type", "rich_text_section");
	json_open_array(j, "elements");
	put_lines(j, c);
	json_close_array(j);
	json_close_object(j);
	json_close_array(j);
	json_close_object(j);
	json_close_array(j);
}

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct buf text, body;
	struct json j;

	(void)err;
	buf_init(&text);
	buf_init(&body);
	chat_put_cut(&text, say->chat->subject, put_fallback, FALLBACK_MAX,
		     UNIT_UTF16);
	json_begin(&j, &body);
	json_open_object(&j, NULL);
	if (say->service->token == TOKEN_NEEDED)
		json_put_str(&j, "channel", say->target);
	json_put_str(&j, "text", buf_slice(&text));
	json_put_bool(&j, "mrkdwn", false);
	json_put_bool(&j, "unfurl_links", false);
	json_put_bool(&j, "unfurl_media", false);
	put_blocks(&j, say->chat);
	json_close_object(&j);
	ret->body = arena_copy(say->arena, buf_slice(&body));
	buf_release(&text);
	buf_release(&body);
	return PH_OK;
}

static enum status request(const struct order *o, struct http_request *ret,
			   struct err *err)
{
	(void)err;
	service_post_json(o, ret);
	return PH_OK;
}

static const struct service_error errors[] = {
	{ "no_service", DELIVERY_CHANNEL,
	  "the webhook was removed: make a new one" },
	{ "no_team", DELIVERY_CHANNEL, "the URL is wrong: copy it again" },
	{ "team_disabled", DELIVERY_CHANNEL, "the workspace is switched off" },
	{ "no_active_hooks", DELIVERY_CHANNEL,
	  "the webhook is switched off: make a new one" },
	{ "invalid_token", DELIVERY_CHANNEL,
	  "the webhook is no longer valid: make a new one" },
	{ "channel_is_archived", DELIVERY_CHANNEL,
	  "unarchive the room or point the webhook elsewhere" },
	{ "channel_not_found", DELIVERY_CHANNEL,
	  "the room is gone, or the bot was not invited" },
	{ "is_archived", DELIVERY_CHANNEL, "unarchive the room" },
	{ "not_in_channel", DELIVERY_CHANNEL, "invite the bot to the room" },
	{ "action_prohibited", DELIVERY_CHANNEL,
	  "an administrator forbids posts of this webhook" },
	{ "posting_to_general_channel_denied", DELIVERY_CHANNEL,
	  "use another room" },
	{ "restricted_action", DELIVERY_CHANNEL,
	  "an administrator forbids posts in this room" },
	{ "invalid_auth", DELIVERY_CHANNEL, "check token_file" },
	{ "not_authed", DELIVERY_CHANNEL, "check token_file" },
	{ "token_revoked", DELIVERY_CHANNEL,
	  "the token was revoked: make a new one" },
	{ "token_expired", DELIVERY_CHANNEL, "make a new token" },
	{ "account_inactive", DELIVERY_CHANNEL, "the bot was removed" },
	{ "missing_scope", DELIVERY_CHANNEL,
	  "give the bot the scope chat:write" },
	{ "rate_limited", DELIVERY_LATER, "" },
	{ "ratelimited", DELIVERY_LATER, "" },
	{ "internal_error", DELIVERY_LATER, "" },
	{ "fatal_error", DELIVERY_LATER, "" },
	{ "service_unavailable", DELIVERY_LATER, "" },
	{ "request_timeout", DELIVERY_LATER, "" },
	{ NULL, 0, NULL },
};

static void judge_hook(struct answer *a)
{
	const json_t *wait = json_object_get(a->json, "retry_after");

	if (json_is_number(wait))
		service_wait(a, json_number_value(wait));
	if (a->json)
		service_said(a, service_str(a->json, "error"));
	else if (a->result->what != DELIVERY_SENT)
		service_said_plain(a);
}

const struct service service_slack = {
	.title = "Slack webhook",
	.type = CHANNEL_SLACK,
	.paths = (const char *const[]){ "services/*", NULL },
	.path_hint = "https://hooks.slack.com/services/T.../B.../...",
	.limit = BLOCKS_MAX,
	.unit = UNIT_UTF16,
	.pace_ms = 1200,
	.errors = errors,
	.render = render,
	.request = request,
	.judge = judge_hook,
};

static enum status request_bot(const struct order *o, struct http_request *ret,
			       struct err *err)
{
	(void)err;
	service_post_to(o, ret, "/chat.postMessage");
	service_bearer(o, ret);
	service_thread(o, ret, "thread_ts");
	return PH_OK;
}

/* Errors come as 200, too: {"ok":false,"error":"..."}. */
static void judge_bot(struct answer *a)
{
	if (a->result->what == DELIVERY_SENT &&
	    json_is_true(json_object_get(a->json, "ok"))) {
		service_keep_id(a, service_str(a->json, "ts"));
		return;
	}
	service_said(a, service_str(a->json, "error"));
	if (a->result->what == DELIVERY_SENT)
		a->result->what = DELIVERY_REFUSED;
	a->orphan = slice_eq(slice_of(a->said), S("thread_not_found")) ||
		    slice_eq(slice_of(a->said), S("message_not_found"));
}

const struct service service_slack_bot = {
	.title = "Slack bot",
	.type = CHANNEL_SLACK,
	.token = TOKEN_NEEDED,
	.home = "https://slack.com/api",
	.needs_to = true,
	.limit = BLOCKS_MAX,
	.unit = UNIT_UTF16,
	.pace_ms = 1200,
	.threads = true,
	.errors = errors,
	.render = render,
	.request = request_bot,
	.judge = judge_bot,
};
