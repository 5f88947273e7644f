#include "ph/channel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "notify/letter.h"
#include "notify/place.h"
#include "notify/service.h"
#include "notify/smtp.h"
#include "notify/template.h"
#include "ph/addr.h"
#include "ph/json.h"
#include "ph/limits.h"

struct sender {
	const struct config *config;
	struct http *http;
	struct smtp *smtp; /* made at the first mail */
};

struct sender *sender_new(const struct config *config)
{
	struct sender *s = xcalloc(1, sizeof(*s));

	s->config = config;
	s->http = http_new();
	return s;
}

void sender_free(struct sender *s)
{
	if (!s)
		return;
	http_free(s->http);
	smtp_free(s->smtp);
	free(s);
}

/* mail: another engine below, a row like the others above */

static enum status render_mail(const struct saying *say, struct parcel *ret,
			       struct err *err)
{
	struct parcel mail = { 0 };
	enum status s;

	if (!say->config->has_smtp)
		return err_exit(err, PH_FATAL, 78,
				"channel %s: no smtp is configured",
				say->ch->name);
	s = letter_render(&say->config->smtp, say->target, say->n, say->subject,
			  say->body, say->arena, &mail, err);
	if (s == PH_OK)
		*ret = mail;
	return s;
}

static struct smtp *smtp_of(struct sender *s)
{
	if (!s->smtp && s->config->has_smtp)
		s->smtp = smtp_new(&s->config->smtp, NULL);
	return s->smtp;
}

static void send_mail(struct sender *s, const struct order *o,
		      struct delivery_result *ret)
{
	struct smtp *smtp = smtp_of(s);

	if (smtp) {
		smtp_send(smtp, o->parcel->recipient, o->parcel->body, ret);
		return;
	}
	ret->what = DELIVERY_CHANNEL;
	service_tell(ret, "no smtp is configured");
}

const struct service service_mail = {
	.title = "mail",
	.type = CHANNEL_MAIL,
	.needs_to = true,
	.render = render_mail,
	.send = send_mail,
};

/* The extra of a parcel: the thread, and what the service adds. */
static enum status render_with_extra(struct saying *say, struct parcel *ret,
				     struct err *err)
{
	struct json extra;
	enum status s;
	struct buf b;

	buf_init(&b);
	json_begin(&extra, &b);
	json_open_object(&extra, NULL);
	if (say->service->threads)
		json_put_opt(&extra, "thread", say->n->thread_remote);
	say->extra = &extra;
	s = say->service->render(say, ret, err);
	json_close_object(&extra);
	if (s == PH_OK && !slice_eq(buf_slice(&b), S("{}")))
		ret->extra = arena_copy(say->arena, buf_slice(&b));
	buf_release(&b);
	return s;
}

/* Templates are for patches: a digest has none of their fields. */
static bool takes_templates(const struct notice *n)
{
	return n->kind == NOTICE_FIRST || n->kind == NOTICE_UPDATE ||
	       n->kind == NOTICE_FORWARD || n->kind == NOTICE_DRILL;
}

static enum status reword(const struct saying *say, const char *key,
			  const char *text, struct slice *ret, struct err *err)
{
	struct err why = { 0 };
	enum status s = PH_OK;
	struct buf b;

	if (!text || !takes_templates(say->n))
		return PH_OK;
	buf_init(&b);
	b.max = LIMIT_NOTICE;
	if (template_render(slice_of(text), say->n, &b, &why) != PH_OK)
		s = err_exit(err, PH_FATAL, 78, "channel %s: %s: %s",
			     say->ch->name, key, why.text);
	else
		*ret = arena_copy(say->arena, buf_slice(&b));
	buf_release(&b);
	return s;
}

/* A list does not reply, and what one of its readers says binds nobody else. */
static bool may_reply(const struct config_channel *ch, struct slice target)
{
	return ch->type == CHANNEL_MAIL && !ch->list_consent &&
	       !addr_is_list(target);
}

enum status channel_render(const struct config *config,
			   const struct config_channel *ch, struct slice target,
			   const struct notice *n, struct arena *arena,
			   struct parcel *ret, struct err *err)
{
	struct chat chat;
	struct notice here = *n;
	struct saying say = {
		.config = config,
		.ch = ch,
		.service = service_of(ch),
		.target = target,
		.n = &here,
		.chat = &chat,
		.arena = arena,
	};
	struct parcel parcel = {
		.message_id = arena_copy(arena, n->key),
		.recipient = arena_copy(arena, target),
	};
	enum status s;

	if (say.service->needs_to && !target.len)
		return err_set(err, PH_BAD, "channel %s: %s needs a `to`",
			       ch->name, say.service->title);
	here.may_reply = may_reply(ch, target);
	s = reword(&say, "subject", ch->subject, &say.subject, err);
	if (s == PH_OK)
		s = reword(&say, "body", ch->body, &say.body, err);
	if (s != PH_OK)
		return s;
	chat_from_notice(n, arena, &chat);
	chat_reword(&chat, say.subject, say.body, arena);
	s = render_with_extra(&say, &parcel, err);
	if (s == PH_OK)
		*ret = parcel;
	return s;
}

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

static void judge(struct answer *a, const struct place *place)
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

static void no_answer(const struct order *o, const struct http_reply *reply,
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

static void refuse(const struct order *o, const struct err *err,
		   struct delivery_result *ret)
{
	ret->what = DELIVERY_CHANNEL;
	service_tell(ret, "%s: %s", o->ch->name, err->text);
}

/* True when the thread's first post is gone and nothing was posted. */
static bool try_once(struct sender *s, const struct order *o,
		     const struct place *place, struct delivery_result *ret)
{
	struct http_request q = {
		.ca_file = o->ch->ca_file,
		.insecure = o->ch->insecure,
	};
	struct answer a = { .order = o, .result = ret };
	struct http_reply reply;
	struct err err = { 0 };

	if (o->service->request(o, &q, &err) != PH_OK) {
		refuse(o, &err, ret);
		return false;
	}
	http_do(s->http, &q, &reply);
	if (reply.end != HTTP_ANSWERED) {
		no_answer(o, &reply, ret);
		return false;
	}
	a.reply = &reply;
	judge(&a, place);
	return a.orphan && o->thread.len;
}

static void send_http(struct sender *s, struct order *o,
		      struct delivery_result *ret)
{
	struct err err = { 0 };
	struct place place;

	if (place_read(o->ch, o->service, &place, &err) != PH_OK) {
		refuse(o, &err, ret);
		place_release(&place);
		return;
	}
	o->url = place.url;
	o->token = place.token;
	o->secret = place.secret;
	if (o->parcel->extra.len)
		o->extra = json_loadb(o->parcel->extra.ptr,
				      o->parcel->extra.len, 0, NULL);
	o->thread = service_str(o->extra, "thread");
	if (try_once(s, o, &place, ret)) {
		/* lost parent: say it anew rather than not at all */
		o->thread = S("");
		*ret = (struct delivery_result){ .what = DELIVERY_LATER };
		try_once(s, o, &place, ret);
	}
	json_decref(o->extra);
	place_release(&place);
}

void channel_send(struct sender *s, const struct config_channel *ch,
		  const struct parcel *parcel, int64_t now,
		  struct delivery_result *ret)
{
	struct arena arena;
	struct order o = {
		.ch = ch,
		.service = service_of(ch),
		.parcel = parcel,
		.now = now,
		.arena = &arena,
	};

	*ret = (struct delivery_result){ .what = DELIVERY_LATER };
	arena_init(&arena);
	if (o.service->send)
		o.service->send(s, &o, ret);
	else
		send_http(s, &o, ret);
	arena_release(&arena);
}

enum status channel_endpoint(const struct config *config,
			     const struct config_channel *ch, char ret[17],
			     struct err *err)
{
	return place_name(config, ch, service_of(ch), ret, err);
}

bool channel_has_threads(const struct config_channel *ch)
{
	return ch->type == CHANNEL_MAIL || service_of(ch)->threads;
}

int64_t channel_pace_ms(const struct config_channel *ch)
{
	return service_of(ch)->pace_ms;
}

static enum status probe_http(struct sender *s, const struct config_channel *ch,
			      struct err *err)
{
	struct place place;
	enum status status = place_read(ch, service_of(ch), &place, err);
	struct http_request q = {
		.url = place.url,
		.ca_file = ch->ca_file,
		.insecure = ch->insecure,
	};

	if (status == PH_OK)
		status = http_probe(s->http, &q, err);
	place_release(&place);
	return status;
}

/* Whether notices can be added to a file, which may not be there yet. */
static enum status probe_file(const char *path, struct err *err)
{
	char folder[4096];
	char *slash;
	int n = snprintf(folder, sizeof(folder), "%s", path);

	if (access(path, W_OK) == 0)
		return PH_OK;
	if (errno == ENOENT && n > 0 && (size_t)n < sizeof(folder)) {
		slash = strrchr(folder, '/');
		slash[slash == folder] = '\0';
		if (access(folder, W_OK | X_OK) == 0)
			return PH_OK;
		path = folder;
	}
	return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s", path,
			strerror(errno));
}

enum status channel_probe(struct sender *s, const struct config_channel *ch,
			  struct err *err)
{
	if (ch->type == CHANNEL_MAIL && !smtp_of(s))
		return err_exit(err, PH_FATAL, 78,
				"channel %s: no smtp is configured", ch->name);
	if (ch->type == CHANNEL_MAIL)
		return smtp_probe(s->smtp, err);
	if (ch->type == CHANNEL_FILE)
		return probe_file(ch->path, err);
	if (service_of(ch)->send)
		return PH_OK;
	return probe_http(s, ch, err);
}

static enum status check_template(const struct config_channel *ch,
				  const char *key, const char *text,
				  struct err *err)
{
	struct err why = { 0 };

	if (!text || template_check(slice_of(text), &why) == PH_OK)
		return PH_OK;
	return err_exit(err, PH_BAD, 78, "channel %s: %s: %s", ch->name, key,
			why.text);
}

enum status channel_check(const struct config_channel *ch, struct err *err)
{
	enum status s = check_template(ch, "subject", ch->subject, err);

	if (s == PH_OK)
		s = check_template(ch, "body", ch->body, err);
	return s;
}
