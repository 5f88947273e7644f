/*
 * Google Chat webhook: one card, whose text is a small HTML; a thread a patch by
 * a key of our own, and a request id that makes a repeat the same message.
 */
#include "notify/service.h"

#include "ph/json.h"

/* Of the 32,000 bytes that a message may have with its card. */
#define LIMIT 20000

static void put_strong(struct buf *b, struct slice s)
{
	buf_add_str(b, "<b>");
	chat_put_html(b, s);
	buf_add_str(b, "</b>");
}

static void put_link(struct buf *b, struct slice s, struct slice url)
{
	buf_add_str(b, "<a href=\"");
	chat_put_html(b, url);
	buf_add_str(b, "\">");
	chat_put_html(b, s);
	buf_add_str(b, "</a>");
}

static const struct chat_dialect dialect = {
	.text = chat_put_html,
	.strong = put_strong,
	.code = chat_put_html,
	.link = put_link,
	.line_end = "<br>",
};

static void put_card(struct json *j, struct slice text)
{
	json_open_array(j, "cardsV2");
	json_open_object(j, NULL);
	json_put_cstr(j, "cardId", "notice");
	json_open_object(j, "card");
	json_open_array(j, "sections");
	json_open_object(j, NULL);
	json_open_array(j, "widgets");
	json_open_object(j, NULL);
	json_open_object(j, "textParagraph");
	json_put_str(j, "text", text);
	json_close_object(j);
	json_close_object(j);
	json_close_array(j);
	json_close_object(j);
	json_close_array(j);
	json_close_object(j);
	json_close_object(j);
	json_close_array(j);
}

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct slice key = say->n->patch.len ? say->n->patch : say->n->key;
	struct buf text, body;
	struct json j;

	(void)err;
	buf_init(&text);
	buf_init(&body);
	service_write(say, &dialect, &text);
	json_begin(&j, &body);
	json_open_object(&j, NULL);
	put_card(&j, buf_slice(&text));
	json_open_object(&j, "thread");
	json_put_cstr(&j, "threadKey",
		      arena_printf(say->arena, "perfherald-%.*s", S_FMT(key)));
	json_close_object(&j);
	json_close_object(&j);
	ret->body = arena_copy(say->arena, buf_slice(&body));
	buf_release(&text);
	buf_release(&body);
	return PH_OK;
}

/* Without messageReplyOption the thread's key would be ignored. */
static enum status request(const struct order *o, struct http_request *ret,
			   struct err *err)
{
	struct buf b;

	(void)err;
	buf_init(&b);
	buf_add_str(&b, strchr(o->url, '?') ? "&" : "?");
	buf_add_str(&b, "messageReplyOption="
			"REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD&requestId=");
	http_put_escaped(&b, o->parcel->message_id);
	service_post_to(o, ret, buf_str(&b));
	buf_release(&b);
	return PH_OK;
}

static const struct service_error errors[] = {
	{ "UNAUTHENTICATED", DELIVERY_CHANNEL,
	  "the URL's key or token is wrong: copy it again" },
	{ "PERMISSION_DENIED", DELIVERY_CHANNEL,
	  "the webhook was removed, or the space forbids apps" },
	{ "NOT_FOUND", DELIVERY_CHANNEL, "the space or the webhook is gone" },
	{ "RESOURCE_EXHAUSTED", DELIVERY_LATER, "" },
	{ "UNAVAILABLE", DELIVERY_LATER, "" },
	{ NULL, 0, NULL },
};

/* {"error":{"code":400,"message":"...","status":"INVALID_ARGUMENT"}} */
static void judge(struct answer *a)
{
	const json_t *error = json_object_get(a->json, "error");

	if (a->result->what == DELIVERY_SENT)
		service_keep_id(a, service_str(a->json, "name"));
	else if (error)
		service_said(a, slice_of(arena_printf(
					a->order->arena, "%.*s: %.*s",
					S_FMT(service_str(error, "status")),
					S_FMT(service_str(error, "message")))));
}

const struct service service_googlechat = {
	.title = "Google Chat webhook",
	.type = CHANNEL_GOOGLECHAT,
	.paths = (const char *const[]){ "v1/spaces/*/messages", NULL },
	.path_hint = "https://chat.googleapis.com/v1/spaces/S/messages?key=...",
	.limit = LIMIT,
	.unit = UNIT_BYTES,
	.pace_ms = 1500,
	.idempotent = true,
	.errors = errors,
	.render = render,
	.request = request,
	.judge = judge,
};
