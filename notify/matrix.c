/*
 * Matrix: PUT of an m.notice event, with the outbox key as transaction id, so a
 * repeat is the same event.
 *
 * An empty m.mentions tells the server that nobody is meant; servers before it
 * look for "@room" in the plain body, so that is broken up.
 */
#include "notify/service.h"

#include "ph/json.h"

/* Each of the two texts; an event may have 65,536 bytes. */
#define LIMIT 20000

static void put_plain(struct buf *b, struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		struct slice rest = slice_from(s, i);

		buf_add_char(b, s.ptr[i]);
		if (slice_caseskip(&rest, S("@room")))
			buf_add_str(b, CHAT_BREAK);
	}
}

static void put_plain_link(struct buf *b, struct slice s, struct slice url)
{
	put_plain(b, s);
	buf_add_str(b, ": ");
	put_plain(b, url);
}

static const struct chat_dialect plain = {
	.text = put_plain,
	.strong = put_plain,
	.code = put_plain,
	.link = put_plain_link,
	.line_end = "\n",
};

static void put_strong(struct buf *b, struct slice s)
{
	buf_add_str(b, "<strong>");
	chat_put_html(b, s);
	buf_add_str(b, "</strong>");
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
	chat_put_html(b, s);
	buf_add_str(b, "</a>");
}

static const struct chat_dialect html = {
	.text = chat_put_html,
	.strong = put_strong,
	.code = put_code,
	.link = put_link,
	.line_end = "<br/>",
};

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct buf text, body;
	struct json j;

	if (!slice_starts(say->target, S("!")))
		return err_set(err, PH_BAD,
			       "channel %s: `to` is a room's id, as "
			       "\"!abc:example.org\", not an alias",
			       say->ch->name);
	buf_init(&text);
	buf_init(&body);
	json_begin(&j, &body);
	json_open_object(&j, NULL);
	json_put_cstr(&j, "msgtype", "m.notice");
	service_write(say, &plain, &text);
	json_put_str(&j, "body", buf_slice(&text));
	buf_reset(&text);
	service_write(say, &html, &text);
	json_put_cstr(&j, "format", "org.matrix.custom.html");
	json_put_str(&j, "formatted_body", buf_slice(&text));
	json_open_object(&j, "m.mentions");
	json_close_object(&j);
	json_close_object(&j);
	ret->body = arena_copy(say->arena, buf_slice(&body));
	buf_release(&text);
	buf_release(&body);
	return PH_OK;
}

/* Thread events name the root, and reply to it for clients without threads. */
static struct slice in_thread(const struct order *o)
{
	struct slice ret;
	struct json j;
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, "\"m.relates_to\":");
	json_begin(&j, &b);
	json_open_object(&j, NULL);
	json_put_cstr(&j, "rel_type", "m.thread");
	json_put_str(&j, "event_id", o->thread);
	json_put_bool(&j, "is_falling_back", true);
	json_open_object(&j, "m.in_reply_to");
	json_put_str(&j, "event_id", o->thread);
	json_close_object(&j);
	json_close_object(&j);
	ret = service_with(o, buf_str(&b));
	buf_release(&b);
	return ret;
}

static enum status request(const struct order *o, struct http_request *ret,
			   struct err *err)
{
	struct buf path;

	(void)err;
	buf_init(&path);
	buf_add_str(&path, "/_matrix/client/v3/rooms/");
	http_put_escaped(&path, o->parcel->recipient);
	buf_add_str(&path, "/send/m.room.message/");
	http_put_escaped(&path, o->parcel->message_id);
	/* a refused thread event must not be taken for the plain one */
	if (!o->thread.len && service_str(o->extra, "thread").len)
		buf_add_str(&path, "-alone");
	service_post_to(o, ret, buf_str(&path));
	service_bearer(o, ret);
	ret->method = "PUT";
	if (o->thread.len)
		ret->body = in_thread(o);
	buf_release(&path);
	return PH_OK;
}

static const struct service_error errors[] = {
	{ "M_UNKNOWN_TOKEN", DELIVERY_CHANNEL,
	  "the token is no longer valid: log in anew" },
	{ "M_MISSING_TOKEN", DELIVERY_CHANNEL, "check token_file" },
	{ "M_FORBIDDEN", DELIVERY_CHANNEL, "let the bot join the room" },
	{ "M_USER_DEACTIVATED", DELIVERY_CHANNEL, "the bot was deactivated" },
	{ "M_NOT_FOUND", DELIVERY_CHANNEL, "the room is gone" },
	{ "M_UNRECOGNIZED", DELIVERY_CHANNEL,
	  "the URL is not that of a homeserver" },
	{ "M_LIMIT_EXCEEDED", DELIVERY_LATER, "" },
	{ "M_TOO_LARGE", DELIVERY_REFUSED, "" },
	{ NULL, 0, NULL },
};

static void judge(struct answer *a)
{
	const json_t *wait = json_object_get(a->json, "retry_after_ms");

	if (a->result->what == DELIVERY_SENT) {
		service_keep_id(a, service_str(a->json, "event_id"));
		return;
	}
	/* the header replaced it in version 1.10 */
	if (json_is_number(wait) && !a->result->retry_after_ms)
		service_wait(a, json_number_value(wait) / 1000);
	if (a->json)
		service_said(a, slice_of(arena_printf(
					a->order->arena, "%.*s: %.*s",
					S_FMT(service_str(a->json, "errcode")),
					S_FMT(service_str(a->json, "error")))));
}

const struct service service_matrix = {
	.title = "Matrix room",
	.type = CHANNEL_MATRIX,
	.token = TOKEN_NEEDED,
	.path_hint = "https://HOMESERVER",
	.needs_to = true,
	.limit = LIMIT,
	.unit = UNIT_BYTES,
	.pace_ms = 500,
	.threads = true,
	.idempotent = true,
	.errors = errors,
	.render = render,
	.request = request,
	.judge = judge,
};
