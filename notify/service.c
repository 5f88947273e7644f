#include "notify/service.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include "ph/utf8.h"

#define WAIT_CEILING_MS INT64_C(86400000)

/* clang-format off: a row a line */
static const struct service *const table[] = {
	&service_mail,
	&service_slack,
	&service_slack_bot,
	&service_mattermost,
	&service_mattermost_bot,
	&service_discord,
	&service_matrix,
	&service_zulip,
	&service_googlechat,
	&service_teams,
	&service_telegram,
	&service_rocketchat,
	&service_rocketchat_user,
	&service_ntfy,
	&service_webhook,
	&service_alertmanager,
	&service_file,
	&service_stdout,
};
/* clang-format on */

const struct service *const *service_all(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(table);
	return table;
}

const struct service *service_of(const struct config_channel *ch)
{
	const struct service *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		const struct service *s = table[i];

		if (s->type != ch->type)
			continue;
		if (!found || (ch->token_file && s->token == TOKEN_NEEDED))
			found = s;
	}
	assert(found);
	return found;
}

bool service_is_over(const struct notice *n)
{
	return n->state.len && !slice_eq(n->state, S("open")) &&
	       !slice_eq(n->state, S("acknowledged"));
}

void service_write(const struct saying *say, const struct chat_dialect *d,
		   struct buf *ret)
{
	chat_write(say->chat, d, say->service->limit, say->service->unit, ret);
}

void service_tell(struct delivery_result *ret, const char *fmt, ...)
{
	struct slice cut;
	struct buf b;
	va_list ap;

	buf_init(&b);
	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	cut = utf8_cut(buf_slice(&b), sizeof(ret->text) - 1);
	memcpy(ret->text, cut.ptr, cut.len);
	ret->text[cut.len] = '\0';
	buf_release(&b);
}

void service_header(const struct order *o, struct http_request *q,
		    const char *name, const char *value)
{
	assert(q->n_headers < HTTP_HEADERS);
	q->header[q->n_headers++] =
		arena_printf(o->arena, "%s: %s", name, value);
}

void service_bearer(const struct order *o, struct http_request *q)
{
	service_header(o, q, "Authorization",
		       arena_printf(o->arena, "Bearer %s", o->token));
}

void service_post_json(const struct order *o, struct http_request *q)
{
	q->method = "POST";
	q->url = o->url;
	q->body = o->parcel->body;
	service_header(o, q, "Content-Type", "application/json; charset=utf-8");
}

void service_post_to(const struct order *o, struct http_request *q,
		     const char *path)
{
	service_post_json(o, q);
	q->url = arena_printf(o->arena, "%s%s", o->url, path);
}

void service_put_json(struct buf *b, struct slice s)
{
	struct json j;

	json_begin(&j, b);
	json_put_str(&j, NULL, s);
}

struct slice service_clean(const struct saying *say, struct slice s)
{
	struct slice ret;
	struct buf b;

	buf_init(&b);
	utf8_put_clean(&b, s);
	ret = arena_copy(say->arena, slice_trim(buf_slice(&b)));
	buf_release(&b);
	return ret;
}

/* An escaped control character at the front of JSON text: its length, or 0. */
static size_t escaped_control(struct slice s)
{
	if (slice_starts(s, S("\\n")) || slice_starts(s, S("\\t")) ||
	    slice_starts(s, S("\\r")))
		return 2;
	if (slice_starts(s, S("\\u000")) || slice_starts(s, S("\\u001")) ||
	    slice_starts(s, S("\\u007f")))
		return 6;
	return 0;
}

void service_put_facts(struct buf *b, const struct notice *n)
{
	struct slice rest;
	struct buf raw, out;

	buf_init(&raw);
	buf_init(&out);
	notice_to_json(n, &raw);
	rest = slice_trim(buf_slice(&raw));
	while (rest.len) {
		size_t control = escaped_control(rest);
		size_t len = control ? control : *rest.ptr == '\\' ? 2 : 1;

		if (control)
			buf_add_char(&out, ' ');
		else
			buf_add_slice(&out, slice_head(rest, len));
		rest = slice_from(rest, len);
	}
	utf8_put_clean(b, buf_slice(&out));
	buf_release(&raw);
	buf_release(&out);
}

struct slice service_with(const struct order *o, const char *members)
{
	struct slice rest = o->parcel->body;

	if (!slice_skip(&rest, S("{")))
		return o->parcel->body;
	return slice_of(
		arena_printf(o->arena, "{%s,%.*s", members, S_FMT(rest)));
}

void service_thread(const struct order *o, struct http_request *q,
		    const char *member)
{
	struct buf b;

	if (!o->thread.len)
		return;
	buf_init(&b);
	buf_printf(&b, "\"%s\":", member);
	service_put_json(&b, o->thread);
	q->body = service_with(o, buf_str(&b));
	buf_release(&b);
}

struct slice service_str(const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);

	if (!json_is_string(v))
		return S("");
	return (struct slice){ json_string_value(v), json_string_length(v) };
}

void service_said(struct answer *a, struct slice text)
{
	struct buf b;
	struct slice cut;

	buf_init(&b);
	utf8_put_clean(&b, slice_trim(text));
	cut = utf8_cut(buf_slice(&b), sizeof(a->said) - 1);
	if (cut.len)
		memcpy(a->said, cut.ptr, cut.len);
	a->said[cut.len] = '\0';
	buf_release(&b);
}

void service_said_plain(struct answer *a)
{
	struct slice rest = slice_trim(a->reply->body), line;

	/* a proxy's page in HTML tells a person nothing */
	if (!slice_starts(rest, S("<")) && slice_take_line(&rest, &line))
		service_said(a, line);
}

void service_keep_id(struct answer *a, struct slice id)
{
	char *to = a->result->remote_id;

	if (id.len >= sizeof(a->result->remote_id) || !utf8_valid(id))
		return;
	if (id.len)
		memcpy(to, id.ptr, id.len);
	to[id.len] = '\0';
}

void service_wait(struct answer *a, double seconds)
{
	double ms = ceil(seconds * 1000);
	int64_t whole;

	if (!(ms > 0))
		return;
	whole = ms > (double)WAIT_CEILING_MS ? WAIT_CEILING_MS : (int64_t)ms;
	if (whole > a->result->retry_after_ms)
		a->result->retry_after_ms = whole;
}
