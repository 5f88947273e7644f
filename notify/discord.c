/*
 * Discord webhook: one embed, whose mentions never notify.
 *
 * A webhook cannot open a thread in a text channel: updates are posts of their
 * own there, but the end of a patch is written over its first post, which tells
 * nobody a second time. `to: forum` says that the URL is a forum's: then each
 * patch is a thread. `to: DIGITS` posts into that thread.
 */
#include "notify/service.h"

#include "ph/json.h"
#include "ph/utf8.h"

#define TITLE_MAX  256
#define TEXT_MAX   4096
#define THREAD_MAX 100

static void put_text(struct buf *b, struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] &&
		    strchr("\\`*_{}[]()#+-.!|<>~:&$\"^=@/", s.ptr[i]))
			buf_add_char(b, '\\');
		buf_add_char(b, s.ptr[i]);
		if (s.ptr[i] == '@')
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
	.line_end = "\n",
};

static int64_t color(enum chat_tone tone)
{
	switch (tone) {
	case TONE_BAD:
		return 0xc0392b;
	case TONE_GOOD:
		return 0x27ae60;
	case TONE_PLAIN:
		break;
	}
	return 0x7f8c8d;
}

static void put_embed(struct json *j, const struct saying *say)
{
	struct buf text;

	buf_init(&text);
	json_open_array(j, "embeds");
	json_open_object(j, NULL);
	chat_put_cut(&text, say->chat->subject, put_text, TITLE_MAX,
		     UNIT_UTF16);
	json_put_str(j, "title", buf_slice(&text));
	buf_reset(&text);
	service_write(say, &dialect, &text);
	json_put_opt(j, "description", buf_slice(&text));
	json_put_int(j, "color", color(say->chat->tone));
	json_close_object(j);
	json_close_array(j);
	buf_release(&text);
}

static bool is_forum(struct slice target)
{
	return slice_eq(target, S("forum"));
}

static bool is_number(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_digit(s.ptr[i]))
			return false;
	return s.len > 0;
}

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct json j;
	struct buf b;

	if (say->target.len && !is_forum(say->target) &&
	    !is_number(say->target))
		return err_set(err, PH_BAD,
			       "channel %s: `to` is \"forum\" or a thread's "
			       "number",
			       say->ch->name);
	if (is_forum(say->target))
		json_put_str(say->extra, "name",
			     utf8_cut16(say->chat->subject, THREAD_MAX));
	else if (say->n->thread_remote.len && service_is_over(say->n))
		json_put_bool(say->extra, "edit", true);
	buf_init(&b);
	json_begin(&j, &b);
	json_open_object(&j, NULL);
	json_open_object(&j, "allowed_mentions");
	json_open_array(&j, "parse");
	json_close_array(&j);
	json_close_object(&j);
	put_embed(&j, say);
	json_close_object(&j);
	ret->body = arena_copy(say->arena, buf_slice(&b));
	buf_release(&b);
	return PH_OK;
}

static void request_forum(const struct order *o, struct http_request *ret)
{
	struct buf b;

	if (o->thread.len) {
		service_post_to(o, ret,
				arena_printf(o->arena,
					     "?wait=true&thread_id=%.*s",
					     S_FMT(o->thread)));
		return;
	}
	buf_init(&b);
	buf_add_str(&b, "\"thread_name\":");
	service_put_json(&b, service_str(o->extra, "name"));
	service_post_to(o, ret, "?wait=true");
	ret->body = service_with(o, buf_str(&b));
	buf_release(&b);
}

/* A new post, or the first one rewritten; inside of `to`, if it is given. */
static void request_text(const struct order *o, struct http_request *ret)
{
	bool edit = o->thread.len &&
		    json_is_true(json_object_get(o->extra, "edit"));
	struct slice to = o->parcel->recipient;
	struct buf path;

	buf_init(&path);
	if (edit)
		buf_printf(&path, "/messages/%.*s", S_FMT(o->thread));
	else
		buf_add_str(&path, "?wait=true");
	if (to.len)
		buf_printf(&path, "%cthread_id=%.*s", edit ? '?' : '&',
			   S_FMT(to));
	service_post_to(o, ret, buf_str(&path));
	if (edit)
		ret->method = "PATCH";
	buf_release(&path);
}

static enum status request(const struct order *o, struct http_request *ret,
			   struct err *err)
{
	if (o->thread.len && !is_number(o->thread))
		return err_set(err, PH_BAD,
			       "the stored id of the first post is none");
	if (is_forum(o->parcel->recipient))
		request_forum(o, ret);
	else
		request_text(o, ret);
	return PH_OK;
}

/* {"errors":{"embeds":{"0":{"title":{"_errors":[{"message":"..."}]}}}}}: the
 * first path that ends in _errors, "embeds.0.title: ...". */
static void first_error(const json_t *errors, struct buf *b)
{
	for (int depth = 0; json_is_object(errors) && depth < 16; depth++) {
		const json_t *list = json_object_get(errors, "_errors");
		void *at = json_object_iter((json_t *)errors);

		if (json_is_array(list)) {
			struct slice text =
				service_str(json_array_get(list, 0), "message");

			buf_printf(b, ": %.*s", S_FMT(text));
			return;
		}
		if (!at)
			return;
		buf_printf(b, "%s%s", depth ? "." : " ",
			   json_object_iter_key(at));
		errors = json_object_iter_value(at);
	}
}

static void read_error(struct answer *a)
{
	const json_t *code = json_object_get(a->json, "code");
	struct slice message = service_str(a->json, "message");
	struct buf b;

	buf_init(&b);
	if (json_integer_value(code))
		buf_printf(&b, "%lld: ", (long long)json_integer_value(code));
	buf_add_slice(&b, message);
	first_error(json_object_get(a->json, "errors"), &b);
	service_said(a, buf_slice(&b));
	buf_release(&b);
}

static const struct service_error errors[] = {
	{ "10015", DELIVERY_GONE, "the webhook was deleted: make a new one" },
	{ "50027", DELIVERY_GONE, "the URL is wrong: copy it again" },
	{ "220001", DELIVERY_CHANNEL, "the URL is a forum's: set `to: forum`" },
	{ "220003", DELIVERY_CHANNEL,
	  "the URL is no forum's: take `to: forum` out" },
	{ "50083", DELIVERY_CHANNEL, "the thread is archived: reopen it" },
	{ "160005", DELIVERY_CHANNEL, "the thread is locked: unlock it" },
	{ "10003", DELIVERY_CHANNEL, "the thread in `to` is gone" },
	{ NULL, 0, NULL },
};

static void judge(struct answer *a)
{
	const json_t *wait = json_object_get(a->json, "retry_after");
	bool forum = is_forum(a->order->parcel->recipient);

	if (a->result->what == DELIVERY_SENT) {
		service_keep_id(a, service_str(a->json,
					       forum ? "channel_id" : "id"));
		return;
	}
	/* the header has whole seconds, the body fractions: as long as both
	 * say */
	if (json_is_number(wait))
		service_wait(a, json_number_value(wait));
	if (a->json)
		read_error(a);
	a->orphan = slice_starts(slice_of(a->said), S("10008")) ||
		    (forum && slice_starts(slice_of(a->said), S("10003")));
}

const struct service service_discord = {
	.title = "Discord webhook",
	.type = CHANNEL_DISCORD,
	.paths = (const char *const[]){ "api/webhooks/*/*",
					"api/v*/webhooks/*/*", NULL },
	.path_hint = "https://discord.com/api/webhooks/ID/TOKEN",
	.limit = TEXT_MAX,
	.unit = UNIT_UTF16,
	.pace_ms = 2000,
	.threads = true,
	/* its manual: a URL that gave 404 is never to be used again */
	.gone = (const short[]){ 404, 0 },
	.errors = errors,
	.render = render,
	.request = request,
	.judge = judge,
};
