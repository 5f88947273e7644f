#include "ph/channel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "notify/answer.h"
#include "notify/letter.h"
#include "notify/place.h"
#include "notify/service.h"
#include "notify/smtp.h"

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
		answer_none(o, &reply, ret);
		return false;
	}
	a.reply = &reply;
	answer_judge(&a, place);
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
