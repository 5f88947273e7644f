/*
 * Any HTTPS endpoint: a CloudEvents 1.0 event in structured JSON, signed as
 * Standard Webhooks say when the channel has a secret_file.
 *
 * The signature is over "id.timestamp.body", HMAC-SHA256 with the Base64 key
 * behind "whsec_" (24 to 64 bytes). The id stays over retries, the time is each
 * try's own.
 */
#include "notify/service.h"

#include <inttypes.h>
#include <stdio.h>
#include "ph/clock.h"
#include "ph/hash.h"
#include "ph/json.h"

/* Intermediaries must forward 64 KiB and may drop more. */
#define LIMIT 65000

static const char *type_of(enum notice_kind kind)
{
	static const char *const types[] = {
		[NOTICE_FIRST] = "perfherald.notice.first",
		[NOTICE_UPDATE] = "perfherald.notice.update",
		[NOTICE_FORWARD] = "perfherald.notice.forward",
		[NOTICE_DIGEST] = "perfherald.digest",
		[NOTICE_OPERATOR] = "perfherald.operator",
		[NOTICE_DRILL] = "perfherald.drill",
		[NOTICE_ANSWER] = "perfherald.answer",
	};

	return types[kind];
}

static void put_event(struct json *j, const struct saying *say,
		      struct slice facts)
{
	char time[32];

	clock_rfc3339(say->n->made, time);
	json_open_object(j, NULL);
	json_put_cstr(j, "specversion", "1.0");
	json_put_str(j, "id", say->n->key);
	json_put_cstr(j, "source", "/perfherald");
	json_put_cstr(j, "type", type_of(say->n->kind));
	json_put_cstr(j, "time", time);
	json_put_opt(j, "subject", service_clean(say, say->n->commit));
	json_put_cstr(j, "datacontenttype", "application/json");
	json_open_object(j, "data");
	json_put_str(j, "summary", say->chat->subject);
	if (facts.len)
		json_put_raw(j, "notice", facts);
	json_close_object(j);
	json_close_object(j);
}

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct buf facts, body;
	struct json j;

	(void)err;
	buf_init(&facts);
	buf_init(&body);
	service_put_facts(&facts, say->n);
	json_begin(&j, &body);
	put_event(&j, say, buf_slice(&facts));
	if (body.len > say->service->limit) {
		buf_reset(&body);
		json_begin(&j, &body);
		put_event(&j, say, S(""));
	}
	ret->body = arena_copy(say->arena, buf_slice(&body));
	buf_release(&facts);
	buf_release(&body);
	return PH_OK;
}

static enum status signing_key(const char *secret, struct buf *ret,
			       struct err *err)
{
	struct slice s = slice_of(secret);

	slice_skip(&s, S("whsec_"));
	if (!base64_take(s, ret) || ret->len < 24 || ret->len > 64)
		return err_set(
			err, PH_BAD,
			"secret_file: want \"whsec_\" and 24 to 64 bytes "
			"in Base64");
	return PH_OK;
}

static const char *signature(const struct order *o, struct slice key,
			     const char *time)
{
	uint8_t sum[SHA256_LEN];
	struct buf b, code;
	const char *ret;

	buf_init(&b);
	buf_init(&code);
	buf_printf(&b, "%.*s.%s.", S_FMT(o->parcel->message_id), time);
	buf_add_slice(&b, o->parcel->body);
	hash_hmac_sha256(key, buf_slice(&b), sum);
	base64_put(&code, (struct slice){ (const char *)sum, sizeof(sum) });
	ret = arena_printf(o->arena, "v1,%s", buf_str(&code));
	buf_release(&b);
	buf_release(&code);
	return ret;
}

static enum status sign(const struct order *o, struct http_request *ret,
			struct err *err)
{
	const char *time = arena_printf(o->arena, "%" PRId64, o->now);
	struct buf key;
	enum status s;

	buf_init(&key);
	s = signing_key(o->secret, &key, err);
	if (s == PH_OK) {
		service_header(o, ret, "webhook-timestamp", time);
		service_header(o, ret, "webhook-signature",
			       signature(o, buf_slice(&key), time));
		explicit_bzero(key.ptr, key.cap);
	}
	buf_release(&key);
	return s;
}

static enum status request(const struct order *o, struct http_request *ret,
			   struct err *err)
{
	ret->method = "POST";
	ret->url = o->url;
	ret->body = o->parcel->body;
	service_header(o, ret, "Content-Type",
		       "application/cloudevents+json; charset=utf-8");
	service_header(o, ret, "webhook-id",
		       arena_str(o->arena, o->parcel->message_id));
	if (o->token)
		service_bearer(o, ret);
	return o->secret ? sign(o, ret, err) : PH_OK;
}

static void judge(struct answer *a)
{
	if (a->result->what != DELIVERY_SENT)
		service_said_plain(a);
}

const struct service service_webhook = {
	.title = "webhook",
	.type = CHANNEL_WEBHOOK,
	.token = TOKEN_OPTIONAL,
	.limit = LIMIT,
	.unit = UNIT_BYTES,
	.render = render,
	.request = request,
	.judge = judge,
};
