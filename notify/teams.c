/*
 * Microsoft Teams by a Workflows webhook: an Adaptive Card of RichTextBlocks,
 * whose runs are never parsed, with links as buttons.
 *
 * The service answers 202 before it looks at the card: what it then refuses is
 * lost without a word, so cards stay with what every client shows.
 */
#include "notify/service.h"

#include "ph/json.h"

/* A message may have 28 KiB; the last line and the buttons come on top. */
#define LIMIT	    18000
#define ACTIONS_MAX 4

/* "<at>" would be a mention with an entity; there is none, but be sure. */
static struct slice without_at(struct arena *arena, struct slice s)
{
	struct slice ret;
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < s.len; i++) {
		buf_add_char(&b, s.ptr[i]);
		if (s.ptr[i] == '<')
			buf_add_str(&b, CHAT_BREAK);
	}
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static void put_run(struct json *j, const struct saying *say,
		    const struct chat_span *s)
{
	json_open_object(j, NULL);
	json_put_cstr(j, "type", "TextRun");
	json_put_str(j, "text", without_at(say->arena, s->text));
	if (s->kind == SPAN_STRONG)
		json_put_cstr(j, "weight", "Bolder");
	if (s->kind == SPAN_CODE)
		json_put_cstr(j, "fontType", "Monospace");
	json_close_object(j);
}

static bool has_text(const struct chat_line *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->span[i].kind != SPAN_LINK &&
		    slice_trim(l->span[i].text).len)
			return true;
	return false;
}

static void put_line(struct json *j, const struct saying *say,
		     const struct chat_line *l)
{
	json_open_object(j, NULL);
	json_put_cstr(j, "type", "RichTextBlock");
	json_put_cstr(j, "spacing", "Small");
	json_open_array(j, "inlines");
	for (size_t i = 0; i < l->n; i++)
		if (l->span[i].kind != SPAN_LINK)
			put_run(j, say, &l->span[i]);
	json_close_array(j);
	json_close_object(j);
}

static void put_body(struct json *j, const struct saying *say)
{
	json_open_array(j, "body");
	for (size_t i = 0; i < say->chat->n; i++)
		if (has_text(&say->chat->line[i]) && j->out->len < LIMIT)
			put_line(j, say, &say->chat->line[i]);
	json_close_array(j);
}

static void put_actions(struct json *j, const struct chat *c)
{
	size_t left = ACTIONS_MAX;

	json_open_array(j, "actions");
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->line[i].n && left; k++) {
			const struct chat_span *s = &c->line[i].span[k];

			if (s->kind != SPAN_LINK)
				continue;
			json_open_object(j, NULL);
			json_put_cstr(j, "type", "Action.OpenUrl");
			json_put_str(j, "title", s->text);
			json_put_str(j, "url", s->url);
			json_close_object(j);
			left--;
		}
	}
	json_close_array(j);
}

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct json j;
	struct buf b;

	(void)err;
	buf_init(&b);
	json_begin(&j, &b);
	json_open_object(&j, NULL);
	json_put_cstr(&j, "type", "message");
	json_open_array(&j, "attachments");
	json_open_object(&j, NULL);
	json_put_cstr(&j, "contentType",
		      "application/vnd.microsoft.card.adaptive");
	json_put_null(&j, "contentUrl");
	json_open_object(&j, "content");
	json_put_cstr(&j, "type", "AdaptiveCard");
	json_put_cstr(&j, "$schema",
		      "http://adaptivecards.io/schemas/adaptive-card.json");
	json_put_cstr(&j, "version", "1.4");
	put_body(&j, say);
	put_actions(&j, say->chat);
	json_close_object(&j);
	json_close_object(&j);
	json_close_array(&j);
	json_close_object(&j);
	ret->body = arena_copy(say->arena, buf_slice(&b));
	buf_release(&b);
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
	{ "WorkflowNotFound", DELIVERY_GONE,
	  "the flow was deleted: make a new one" },
	{ "WorkflowTriggerIsNotEnabled", DELIVERY_CHANNEL,
	  "the flow is switched off: switch it on" },
	{ "DirectApiAuthorizationRequired", DELIVERY_CHANNEL,
	  "let anyone trigger the flow, or copy its URL again" },
	{ "AuthorizationFailed", DELIVERY_CHANNEL,
	  "the URL's signature is wrong: copy it again" },
	{ NULL, 0, NULL },
};

static void judge(struct answer *a)
{
	const json_t *error = json_object_get(a->json, "error");

	if (a->result->what != DELIVERY_SENT && error)
		service_said(a, slice_of(arena_printf(
					a->order->arena, "%.*s: %.*s",
					S_FMT(service_str(error, "code")),
					S_FMT(service_str(error, "message")))));
}

const struct service service_teams = {
	.title = "Teams workflow",
	.type = CHANNEL_TEAMS,
	.paths = (const char *const[]){ "*workflows/*/triggers/*/paths/invoke",
					NULL },
	.path_hint = "https://HOST/.../workflows/ID/triggers/manual/paths/"
		     "invoke?...",
	.limit = LIMIT,
	.unit = UNIT_BYTES,
	.pace_ms = 1000,
	.errors = errors,
	.render = render,
	.request = request,
	.judge = judge,
};
