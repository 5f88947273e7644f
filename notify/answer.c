#include "notify/answer.h"

/* The outcome by HTTP status alone, DESIGN section 8. */
static enum delivery by_status(const struct service *service, int code)
{
	if (code >= 200 && code < 300)
		return DELIVERY_SENT;
	if (code == 408 || code == 425 || code == 429 || code >= 500)
		return DELIVERY_LATER;
	for (size_t i = 0; service->gone && service->gone[i]; i++)
		if (service->gone[i] == code)
			return DELIVERY_GONE;
	if (code == 410)
		return DELIVERY_GONE;
	if (code < 400 || code == 401 || code == 403 || code == 404)
		return DELIVERY_CHANNEL;
	return DELIVERY_REFUSED;
}

static const char *usual_advice(int code)
{
	if (code >= 300 && code < 400)
		return "redirects are not followed: use the final URL";
	if (code == 401 || code == 403)
		return "check the secret of this channel";
	if (code == 404)
		return "check the URL of this channel";
	if (code == 410)
		return "the URL is gone for good: make a new one";
	return "";
}

static const struct service_error *known_error(const struct answer *a)
{
	const struct service_error *e = a->order->service->errors;

	if (!e || !a->said[0])
		return NULL;
	for (; e->says; e++)
		if (slice_starts(slice_of(a->said), slice_of(e->says)))
			return e;
	return NULL;
}

/* "perf-chat: hooks.slack.com answered 404: no_service: make a new one" */
static void say_answer(const struct answer *a, const struct place *place,
		       const char *advice)
{
	struct delivery_result *r = a->result;
	const char *said = a->said;
	struct buf b;

	/* some services repeat the request in their errors */
	if (place_shows(place, said))
		said = "(an error text with a secret in it)";
	buf_init(&b);
	buf_printf(&b, "%s: %.*s answered %d", a->order->ch->name,
		   S_FMT(http_host(place->url)), a->reply->code);
	if (said[0])
		buf_printf(&b, ": %s", said);
	if (advice[0])
		buf_printf(&b, ": %s", advice);
	service_tell(r, "%s", buf_str(&b));
	buf_release(&b);
}

void answer_judge(struct answer *a, const struct place *place)
{
	const struct service_error *known;
	struct delivery_result *r = a->result;
	const char *advice;

	r->code = a->reply->code;
	r->what = by_status(a->order->service, r->code);
	r->retry_after_ms = a->reply->retry_after_ms;
	a->json = json_loadb(a->reply->body.ptr, a->reply->body.len, 0, NULL);
	if (a->json && !json_is_object(a->json)) {
		json_decref(a->json);
		a->json = NULL;
	}
	if (a->order->service->judge)
		a->order->service->judge(a);
	advice = r->what == DELIVERY_SENT ? "" : usual_advice(r->code);
	known = r->what == DELIVERY_SENT ? NULL : known_error(a);
	if (known) {
		r->what = known->what;
		advice = known->advice;
	}
	say_answer(a, place, advice);
	json_decref(a->json);
	a->json = NULL;
}

void answer_none(const struct order *o, const struct http_reply *reply,
		 struct delivery_result *ret)
{
	const char *after = "";

	switch (reply->end) {
	case HTTP_LOST:
		after = "; the post was out, its receipt is unknown";
		ret->what = o->service->idempotent ? DELIVERY_LATER
						   : DELIVERY_MAYBE;
		break;
	case HTTP_BLOCKED:
		ret->what = DELIVERY_CHANNEL;
		break;
	case HTTP_UNSENT:
	case HTTP_ANSWERED:
		ret->what = DELIVERY_LATER;
		break;
	}
	service_tell(ret, "%s: %s%s", o->ch->name, reply->why, after);
}
