/*
 * Alertmanager, API v2: an alert a patch.
 *
 * Labels are an alert's identity, so they hold the patch and nothing that
 * changes; what was measured stands in annotations. An alert without an end
 * would resolve after minutes: ours ends days ahead, at once when the patch is
 * fixed or closed otherwise, and shortly for a drill.
 */
#include "notify/service.h"

#include "ph/clock.h"
#include "ph/json.h"

#define LIMIT	8000
#define LIFE_S	(7 * 86400)
#define DRILL_S 300

static const char *alert_name(enum notice_kind kind)
{
	switch (kind) {
	case NOTICE_OPERATOR:
	case NOTICE_ANSWER:
		return "PerfheraldOperator";
	case NOTICE_DRILL:
		return "PerfheraldDrill";
	case NOTICE_FIRST:
	case NOTICE_UPDATE:
	case NOTICE_FORWARD:
	case NOTICE_DIGEST:
		break;
	}
	return "PerformanceChange";
}

static int64_t end_of(const struct notice *n)
{
	if (service_is_over(n))
		return n->made - 1;
	return n->made + (n->kind == NOTICE_DRILL ? DRILL_S : LIFE_S);
}

static const char *verdict_word(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_IMPROVEMENT:
		return "improvement";
	case VERDICT_REGRESSION:
		return "regression";
	case VERDICT_NONE:
		break;
	}
	return "unknown";
}

static void put_labels(struct json *j, const struct notice *n)
{
	json_open_object(j, "labels");
	json_put_cstr(j, "alertname", alert_name(n->kind));
	json_put_cstr(j, "service", "perfherald");
	json_put_str(j, "patch", n->patch.len ? n->patch : n->key);
	json_close_object(j);
}

static void put_clean(struct json *j, const struct saying *say, const char *key,
		      struct slice s)
{
	json_put_opt(j, key, service_clean(say, s));
}

static void put_annotations(struct json *j, const struct saying *say)
{
	const struct notice *n = say->n;
	struct buf text;

	buf_init(&text);
	service_write(say, &chat_plain, &text);
	json_open_object(j, "annotations");
	json_put_str(j, "summary", say->chat->subject);
	json_put_str(j, "description", buf_slice(&text));
	put_clean(j, say, "commit", n->commit);
	put_clean(j, say, "tree", n->tree);
	put_clean(j, say, "subsystem", n->subsystem);
	if (n->n_results) {
		json_put_cstr(j, "verdict",
			      verdict_word(n->results[0].verdict));
		put_clean(j, say, "testcase", n->results[0].testcase);
		put_clean(j, say, "metric", n->results[0].metric);
		put_clean(j, say, "host", n->results[0].host);
	}
	json_close_object(j);
	buf_release(&text);
}

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	char end[32];
	struct json j;
	struct buf b;

	if (say->n->kind == NOTICE_DIGEST)
		return err_set(err, PH_BAD, "channel %s: a digest is no alert",
			       say->ch->name);
	clock_rfc3339(end_of(say->n), end);
	buf_init(&b);
	json_begin(&j, &b);
	json_open_array(&j, NULL);
	json_open_object(&j, NULL);
	put_labels(&j, say->n);
	put_annotations(&j, say);
	json_put_cstr(&j, "endsAt", end);
	if (chat_url_fit(say->n->report_url))
		json_put_str(&j, "generatorURL", say->n->report_url);
	json_close_object(&j);
	json_close_array(&j);
	ret->body = arena_copy(say->arena, buf_slice(&b));
	buf_release(&b);
	return PH_OK;
}

static enum status request(const struct order *o, struct http_request *ret,
			   struct err *err)
{
	(void)err;
	ret->method = "POST";
	ret->url = arena_printf(o->arena, "%s/api/v2/alerts", o->url);
	ret->body = o->parcel->body;
	/* a charset behind it is refused by some proxies in front */
	service_header(o, ret, "Content-Type", "application/json");
	if (o->token)
		service_bearer(o, ret);
	return PH_OK;
}

static void judge(struct answer *a)
{
	if (a->result->what != DELIVERY_SENT)
		service_said_plain(a);
}

const struct service service_alertmanager = {
	.title = "Alertmanager",
	.type = CHANNEL_ALERTMANAGER,
	.token = TOKEN_OPTIONAL,
	.path_hint = "https://HOST:9093",
	.limit = LIMIT,
	.unit = UNIT_BYTES,
	.idempotent = true,
	.render = render,
	.request = request,
	.judge = judge,
};
