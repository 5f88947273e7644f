/*
 * Zulip: a form to /api/v1/messages as a bot ("EMAIL:KEY" in token_file), one
 * topic a patch, which is its thread: no id need be kept.
 *
 * Its Markdown has no escape, so whatever could mean something is shown as
 * code.
 */
#include "notify/service.h"

#include <stdio.h>
#include "ph/utf8.h"

#define CONTENT_MAX 9900 /* of 10,000 */
#define TOPIC_MAX   60

static void put_text(struct buf *b, struct slice s)
{
	struct slice bare = slice_trim(s);

	/* our own words come with blanks around them */
	if (!bare.len || chat_is_bare(bare)) {
		buf_add_slice(b, s);
		return;
	}
	buf_add(b, s.ptr, (size_t)(bare.ptr - s.ptr));
	chat_put_fenced(b, bare);
	buf_add_slice(b, slice_from(s, (size_t)(bare.ptr - s.ptr) + bare.len));
}

static void put_strong(struct buf *b, struct slice s)
{
	if (chat_is_bare(s))
		buf_printf(b, "**%.*s**", S_FMT(s));
	else
		chat_put_fenced(b, s);
}

static void put_link(struct buf *b, struct slice s, struct slice url)
{
	buf_printf(b, "[%.*s](%.*s)", S_FMT(s), S_FMT(url));
}

static const struct chat_dialect dialect = {
	.text = put_text,
	.strong = put_strong,
	.code = chat_put_fenced,
	.link = put_link,
	.line_end = "\n",
};

/* "70a64b7919cb memcg: dynamically allocate lruvec_stats" */
static struct slice topic(const struct saying *say)
{
	const struct notice *n = say->n;
	struct slice ret;
	struct buf b;

	if (!n->commit.len || !n->title.len)
		return utf8_cut_points(say->chat->subject, TOPIC_MAX);
	buf_init(&b);
	utf8_put_clean(&b, slice_head(n->commit, 12));
	buf_add_char(&b, ' ');
	utf8_put_clean(&b, n->title);
	ret = arena_copy(say->arena, utf8_cut_points(buf_slice(&b), TOPIC_MAX));
	buf_release(&b);
	return slice_trim(ret);
}

static void put_field(struct buf *b, const char *name, struct slice value)
{
	buf_printf(b, "%s%s=", b->len ? "&" : "", name);
	http_put_escaped(b, value);
}

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct buf text, body;

	(void)err;
	buf_init(&text);
	buf_init(&body);
	service_write(say, &dialect, &text);
	put_field(&body, "type", S("stream"));
	put_field(&body, "to", say->target);
	put_field(&body, "topic", topic(say));
	put_field(&body, "content", buf_slice(&text));
	ret->body = arena_copy(say->arena, buf_slice(&body));
	buf_release(&text);
	buf_release(&body);
	return PH_OK;
}

static enum status request(const struct order *o, struct http_request *ret,
			   struct err *err)
{
	if (!strchr(o->token, ':'))
		return err_set(err, PH_BAD,
			       "token_file: want the bot's EMAIL:KEY");
	ret->method = "POST";
	ret->url = arena_printf(o->arena, "%s/api/v1/messages", o->url);
	ret->body = o->parcel->body;
	ret->login = o->token;
	service_header(o, ret, "Content-Type",
		       "application/x-www-form-urlencoded");
	return PH_OK;
}

static const struct service_error errors[] = {
	{ "INVALID_API_KEY", DELIVERY_CHANNEL, "check token_file" },
	{ "UNAUTHORIZED", DELIVERY_CHANNEL, "check token_file" },
	{ "USER_DEACTIVATED", DELIVERY_CHANNEL, "the bot was deactivated" },
	{ "REALM_DEACTIVATED", DELIVERY_CHANNEL,
	  "the organisation was deactivated" },
	{ "STREAM_DOES_NOT_EXIST", DELIVERY_CHANNEL,
	  "the stream in `to` does not exist, or the bot may not see it" },
	{ "RATE_LIMIT_HIT", DELIVERY_LATER, "" },
	{ NULL, 0, NULL },
};

/* msg comes in the bot's language, code does not. */
static void judge(struct answer *a)
{
	const json_t *wait = json_object_get(a->json, "retry-after");
	const json_t *id = json_object_get(a->json, "id");

	if (a->result->what == DELIVERY_SENT) {
		service_keep_id(a, slice_of(arena_printf(
					   a->order->arena, "%lld",
					   (long long)json_integer_value(id))));
		return;
	}
	if (json_is_number(wait))
		service_wait(a, json_number_value(wait));
	if (a->json)
		service_said(a, slice_of(arena_printf(
					a->order->arena, "%.*s: %.*s",
					S_FMT(service_str(a->json, "code")),
					S_FMT(service_str(a->json, "msg")))));
}

const struct service service_zulip = {
	.title = "Zulip bot",
	.type = CHANNEL_ZULIP,
	.token = TOKEN_NEEDED,
	.path_hint = "https://HOST",
	.needs_to = true,
	.limit = CONTENT_MAX,
	.unit = UNIT_UTF16,
	.pace_ms = 300,
	.errors = errors,
	.render = render,
	.request = request,
	.judge = judge,
};
