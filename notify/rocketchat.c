/*
 * Rocket.Chat: incoming webhook (a secret URL, returns no id), and the REST API
 * as a user ("USERID:TOKEN" in token_file) with threads.
 *
 * Its Markdown knows no escape that all versions share, and code spans hold no
 * backtick: what could mean something is shown as code, backticks as quotes.
 */
#include "notify/service.h"

#include <stdlib.h>
#include "ph/json.h"

/* Message_MaxAllowedSize starts at 5000. */
#define LIMIT 4900

static void put_code(struct buf *b, struct slice s)
{
	buf_add_char(b, '`');
	for (size_t i = 0; i < s.len; i++)
		buf_add_char(b, s.ptr[i] == '`' ? '\'' : s.ptr[i]);
	buf_add_char(b, '`');
}

static void put_text(struct buf *b, struct slice s)
{
	struct slice bare = slice_trim(s);

	if (!bare.len || chat_is_bare(bare)) {
		buf_add_slice(b, s);
		return;
	}
	buf_add(b, s.ptr, (size_t)(bare.ptr - s.ptr));
	put_code(b, bare);
	buf_add_slice(b, slice_from(s, (size_t)(bare.ptr - s.ptr) + bare.len));
}

static void put_strong(struct buf *b, struct slice s)
{
	if (chat_is_bare(s))
		buf_printf(b, "*%.*s*", S_FMT(s));
	else
		put_code(b, s);
}

static void put_link(struct buf *b, struct slice s, struct slice url)
{
	buf_printf(b, "[%.*s](%.*s)", S_FMT(s), S_FMT(url));
}

static const struct chat_dialect dialect = {
	.text = put_text,
	.strong = put_strong,
	.code = put_code,
	.link = put_link,
	.line_end = "\n",
};

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct buf text, body;
	struct json j;

	(void)err;
	buf_init(&text);
	buf_init(&body);
	service_write(say, &dialect, &text);
	json_begin(&j, &body);
	json_open_object(&j, NULL);
	json_put_opt(&j, "channel", say->target);
	json_put_str(&j, "text", buf_slice(&text));
	json_put_bool(&j, "parseUrls", false);
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

/* "... You must wait 42 seconds before trying this endpoint again." */
static double wait_in(struct slice text)
{
	const char *at = slice_find(text, S("must wait "));
	uint64_t seconds;

	if (!at)
		return 0;
	text = slice_from(text, (size_t)(at - text.ptr) + 10);
	return slice_take_uint(&text, 86400, &seconds) ? (double)seconds : 0;
}

static const struct service_error errors[] = {
	{ "invalid-channel", DELIVERY_CHANNEL, "check `to`" },
	{ "error-room-not-found", DELIVERY_CHANNEL, "check `to`" },
	{ "error-not-allowed", DELIVERY_CHANNEL,
	  "give the user leave to post there" },
	{ "You must be logged in", DELIVERY_CHANNEL, "check token_file" },
	{ "Invalid integration id", DELIVERY_CHANNEL,
	  "the webhook was removed: make a new one" },
	{ NULL, 0, NULL },
};

static void judge(struct answer *a)
{
	struct slice error = service_str(a->json, "error");

	if (!error.len)
		error = service_str(a->json, "message");
	if (json_is_false(json_object_get(a->json, "success")) &&
	    a->result->what == DELIVERY_SENT)
		a->result->what = DELIVERY_REFUSED;
	if (a->result->what == DELIVERY_SENT)
		return;
	/* also comes as 400 */
	if (slice_find(error, S("error-too-many-requests"))) {
		a->result->what = DELIVERY_LATER;
		service_wait(a, wait_in(error));
	}
	service_said(a, error);
}

const struct service service_rocketchat = {
	.title = "Rocket.Chat webhook",
	.type = CHANNEL_ROCKETCHAT,
	.paths = (const char *const[]){ "hooks/*", "*/hooks/*", NULL },
	.path_hint = "https://HOST/hooks/ID/TOKEN",
	.limit = LIMIT,
	.unit = UNIT_UTF16,
	.pace_ms = 6000,
	.errors = errors,
	.render = render,
	.request = request,
	.judge = judge,
};

static enum status request_user(const struct order *o, struct http_request *ret,
				struct err *err)
{
	struct slice token = slice_of(o->token), user;

	if (!slice_take_until(&token, ':', &user))
		return err_set(err, PH_BAD, "token_file: want USERID:TOKEN");
	service_post_to(o, ret, "/api/v1/chat.postMessage");
	service_header(o, ret, "X-User-Id", arena_str(o->arena, user));
	service_header(o, ret, "X-Auth-Token", token.ptr);
	service_thread(o, ret, "tmid");
	return PH_OK;
}

static void judge_user(struct answer *a)
{
	judge(a);
	if (a->result->what == DELIVERY_SENT)
		service_keep_id(a,
				service_str(json_object_get(a->json, "message"),
					    "_id"));
	a->orphan = slice_find(slice_of(a->said), S("invalid-thread")) ||
		    slice_find(slice_of(a->said), S("invalid-message"));
}

const struct service service_rocketchat_user = {
	.title = "Rocket.Chat user",
	.type = CHANNEL_ROCKETCHAT,
	.token = TOKEN_NEEDED,
	.path_hint = "https://HOST",
	.needs_to = true,
	.limit = LIMIT,
	.unit = UNIT_UTF16,
	.pace_ms = 6000,
	.threads = true,
	.errors = errors,
	.render = render,
	.request = request_user,
	.judge = judge_user,
};
