#include "ph/channel.h"

#include "notify/service.h"
#include "notify/template.h"
#include "ph/addr.h"
#include "ph/json.h"
#include "ph/limits.h"

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
