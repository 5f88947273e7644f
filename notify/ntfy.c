/*
 * ntfy: JSON to the server's root with the topic of `to`; plain text, which
 * more than 4096 bytes would turn into an attachment. The outbox key is the
 * sequence id: since 2.16 a repeat takes the place of what it repeats.
 */
#include "notify/service.h"

#include "ph/json.h"
#include "ph/utf8.h"

#define LIMIT	  4000
#define TITLE_MAX 240
#define DAY_S	  86400
#define ID_MAX	  64

static bool is_topic(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_alpha(s.ptr[i]) && !is_digit(s.ptr[i]) &&
		    s.ptr[i] != '-' && s.ptr[i] != '_')
			return false;
	return s.len > 0 && s.len <= ID_MAX;
}

static void put_copy(struct buf *b, struct slice s)
{
	buf_add_slice(b, s);
}

static void put_link(struct buf *b, struct slice s, struct slice url)
{
	buf_printf(b, "%.*s %.*s", S_FMT(s), S_FMT(url));
}

static const struct chat_dialect dialect = {
	.text = put_copy,
	.strong = put_copy,
	.code = put_copy,
	.link = put_link,
	.line_end = "\n",
};

static void put_message(struct json *j, const struct saying *say)
{
	const struct notice *n = say->n;
	struct buf text;

	buf_init(&text);
	json_put_str(j, "topic", say->target);
	chat_put_cut(&text, say->chat->subject, put_copy, TITLE_MAX,
		     UNIT_BYTES);
	json_put_str(j, "title", buf_slice(&text));
	buf_reset(&text);
	service_write(say, &dialect, &text);
	json_put_str(j, "message", buf_slice(&text));
	json_put_int(j, "priority", say->chat->tone == TONE_BAD ? 4 : 3);
	if (chat_url_fit(n->report_url))
		json_put_str(j, "click", n->report_url);
	if (is_topic(n->key))
		json_put_str(j, "sequence_id", n->key);
	buf_release(&text);
}

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct json j;
	struct buf b;

	if (!is_topic(say->target))
		return err_set(
			err, PH_BAD,
			"channel %s: `to` is a topic of letters, digits, "
			"'-' and '_', 64 at most",
			say->ch->name);
	buf_init(&b);
	json_begin(&j, &b);
	json_open_object(&j, NULL);
	put_message(&j, say);
	json_close_object(&j);
	ret->body = arena_copy(say->arena, buf_slice(&b));
	buf_release(&b);
	return PH_OK;
}

static enum status request(const struct order *o, struct http_request *ret,
			   struct err *err)
{
	(void)err;
	service_post_to(o, ret, "/");
	if (o->token)
		service_bearer(o, ret);
	return PH_OK;
}

static const struct service_error errors[] = {
	{ "42901", DELIVERY_LATER, "" },
	{ "42908", DELIVERY_LATER, "the day's quota is used up" },
	{ "40101", DELIVERY_CHANNEL, "check token_file" },
	{ "40301", DELIVERY_CHANNEL, "the topic asks for a token_file" },
	{ NULL, 0, NULL },
};

/* No header says how long to wait; a daily quota ends at midnight UTC. */
static void judge(struct answer *a)
{
	const json_t *code = json_object_get(a->json, "code");
	json_int_t number = json_integer_value(code);
	struct slice error = service_str(a->json, "error");

	if (a->result->what == DELIVERY_SENT) {
		service_keep_id(a, service_str(a->json, "id"));
		return;
	}
	if (number == 42908)
		service_wait(a, (double)(DAY_S - a->order->now % DAY_S));
	if (a->json)
		service_said(a, slice_of(arena_printf(a->order->arena,
						      "%lld: %.*s",
						      (long long)number,
						      S_FMT(error))));
}

const struct service service_ntfy = {
	.title = "ntfy topic",
	.type = CHANNEL_NTFY,
	.token = TOKEN_OPTIONAL,
	.home = "https://ntfy.sh",
	.needs_to = true,
	.limit = LIMIT,
	.unit = UNIT_BYTES,
	.pace_ms = 5000,
	.errors = errors,
	.render = render,
	.request = request,
	.judge = judge,
};
