/*
 * Telegram bot: sendMessage in HTML, updates as replies to the first post.
 *
 * The server turns @names, #tags and /commands into entities by itself, also in
 * escaped text; a break behind the sign stops that.
 */
#include "notify/service.h"

#include <stdlib.h>
#include "ph/json.h"

/* Counted after parsing; ours counts before, which is never less. */
#define LIMIT 4096

static bool starts_command(struct slice s, size_t i)
{
	return s.ptr[i] == '/' && (!i || is_blank(s.ptr[i - 1]));
}

static void put_text(struct buf *b, struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		chat_put_html(b, (struct slice){ s.ptr + i, 1 });
		if (s.ptr[i] == '@' || s.ptr[i] == '#' || s.ptr[i] == '$' ||
		    starts_command(s, i))
			buf_add_str(b, CHAT_BREAK);
	}
}

static void put_strong(struct buf *b, struct slice s)
{
	buf_add_str(b, "<b>");
	put_text(b, s);
	buf_add_str(b, "</b>");
}

static void put_code(struct buf *b, struct slice s)
{
	buf_add_str(b, "<code>");
	chat_put_html(b, s);
	buf_add_str(b, "</code>");
}

static void put_link(struct buf *b, struct slice s, struct slice url)
{
	buf_add_str(b, "<a href=\"");
	chat_put_html(b, url);
	buf_add_str(b, "\">");
	put_text(b, s);
	buf_add_str(b, "</a>");
}

static const struct chat_dialect dialect = {
	.text = put_text,
	.strong = put_strong,
	.code = put_code,
	.link = put_link,
	.line_end = "\n",
};

/* "-100123", "-100123/45" (a forum topic) or "@room". */
static bool take_target(struct slice target, struct slice *ret_chat,
			int64_t *ret_topic)
{
	struct slice rest = target;
	uint64_t topic;

	*ret_topic = 0;
	*ret_chat = target;
	if (!slice_take_until(&rest, '/', ret_chat))
		return target.len > 0;
	if (!slice_take_uint(&rest, INT32_MAX, &topic) || rest.len)
		return false;
	*ret_topic = (int64_t)topic;
	return ret_chat->len > 0;
}

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct buf text, body;
	struct slice chat;
	struct json j;
	int64_t topic;

	if (!take_target(say->target, &chat, &topic))
		return err_set(err, PH_BAD,
			       "channel %s: `to` is a chat's id or @name, with "
			       "\"/NUMBER\" for a topic",
			       say->ch->name);
	buf_init(&text);
	buf_init(&body);
	service_write(say, &dialect, &text);
	json_begin(&j, &body);
	json_open_object(&j, NULL);
	json_put_str(&j, "chat_id", chat);
	if (topic)
		json_put_int(&j, "message_thread_id", topic);
	json_put_str(&j, "text", buf_slice(&text));
	json_put_cstr(&j, "parse_mode", "HTML");
	json_open_object(&j, "link_preview_options");
	json_put_bool(&j, "is_disabled", true);
	json_close_object(&j);
	json_close_object(&j);
	ret->body = arena_copy(say->arena, buf_slice(&body));
	buf_release(&text);
	buf_release(&body);
	return PH_OK;
}

static enum status request(const struct order *o, struct http_request *ret,
			   struct err *err)
{
	struct slice id = o->thread;
	uint64_t number;

	(void)err;
	service_post_to(o, ret,
			arena_printf(o->arena, "/bot%s/sendMessage", o->token));
	if (slice_take_uint(&id, INT32_MAX, &number) && !id.len)
		ret->body = service_with(
			o, arena_printf(o->arena,
					"\"reply_parameters\":{\"message_id\":"
					"%u,\"allow_sending_without_reply\":"
					"true}",
					(unsigned)number));
	return PH_OK;
}

static const struct service_error errors[] = {
	{ "Unauthorized", DELIVERY_CHANNEL, "check token_file" },
	{ "Not Found", DELIVERY_CHANNEL, "check token_file" },
	{ "Forbidden", DELIVERY_CHANNEL, "let the bot into the chat" },
	{ "Bad Request: chat not found", DELIVERY_CHANNEL,
	  "check `to`, and let the bot into the chat" },
	{ "Bad Request: group chat was upgraded", DELIVERY_CHANNEL,
	  "the chat has a new id: put it into `to`" },
	{ "Bad Request: not enough rights", DELIVERY_CHANNEL,
	  "let the bot post in the chat" },
	{ "Bad Request: have no rights", DELIVERY_CHANNEL,
	  "let the bot post in the chat" },
	{ "Bad Request: message thread not found", DELIVERY_CHANNEL,
	  "the topic in `to` is gone" },
	{ "Bad Request: TOPIC_CLOSED", DELIVERY_CHANNEL, "reopen the topic" },
	{ NULL, 0, NULL },
};

static void say_error(struct answer *a, const json_t *more)
{
	json_int_t moved =
		json_integer_value(json_object_get(more, "migrate_to_chat_id"));
	struct slice text = service_str(a->json, "description");

	if (moved)
		text = slice_of(arena_printf(a->order->arena,
					     "%.*s (new id %lld)", S_FMT(text),
					     (long long)moved));
	service_said(a, text);
}

static void judge(struct answer *a)
{
	const json_t *more = json_object_get(a->json, "parameters");
	const json_t *wait = json_object_get(more, "retry_after");
	const json_t *result = json_object_get(a->json, "result");
	const json_t *id = json_object_get(result, "message_id");

	if (a->result->what == DELIVERY_SENT) {
		service_keep_id(a, slice_of(arena_printf(
					   a->order->arena, "%lld",
					   (long long)json_integer_value(id))));
		return;
	}
	if (json_is_number(wait))
		service_wait(a, json_number_value(wait));
	say_error(a, more);
	a->orphan = slice_starts(slice_of(a->said),
				 S("Bad Request: message to be replied")) ||
		    slice_starts(slice_of(a->said),
				 S("Bad Request: reply message not found"));
}

const struct service service_telegram = {
	.title = "Telegram bot",
	.type = CHANNEL_TELEGRAM,
	.token = TOKEN_NEEDED,
	.home = "https://api.telegram.org",
	.needs_to = true,
	.limit = LIMIT,
	.unit = UNIT_UTF16,
	.pace_ms = 3000,
	.threads = true,
	.errors = errors,
	.render = render,
	.request = request,
	.judge = judge,
};
