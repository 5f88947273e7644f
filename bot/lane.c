#include "bot/lane.h"

#include <stdio.h>
#include <sys/random.h>
#include "bot/desk.h"
#include "bot/gate.h"
#include "bot/step.h"
#include "ph/clock.h"
#include "ph/log.h"

static const char *channel_name(const struct lane *l)
{
	return l->carrier->channel->name;
}

static uint32_t jitter(void)
{
	uint32_t n;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		return UINT32_MAX; /* the longest wait is the polite one */
	return n;
}

/* A word to the operator, once a day, that the channel has been paused; not
 * through the one that is paused itself. */
static enum status
tell_operator(struct lane *l, const struct delivery_result *r, struct err *err)
{
	int64_t now = clock_wall();
	struct desk desk;
	char day[16];
	enum status s;

	log_error("channel %s is paused: %s", channel_name(l), r->text);
	if (l->config->operator_ == l->carrier->channel)
		return PH_OK;
	clock_date(now, day);
	desk_init(&desk, l->config, l->store, NULL);
	s = desk_tell_operator(&desk,
			       slice_of(arena_printf(&l->arena, "pause:%s:%s",
						     channel_name(l), day)),
			       slice_of(arena_printf(&l->arena,
						     "channel %s is paused",
						     channel_name(l))),
			       slice_of(r->text), now, err);
	return s == PH_NONE ? PH_OK : s;
}

static enum status record(struct lane *l, const struct delivery_result *r,
			  struct err *err)
{
	bool paused = false;
	enum status s = outbox_attempt(l->store, &l->row, r, clock_wall(),
				       jitter(), &paused, err);

	if (s)
		return s;
	if (r->what == DELIVERY_SENT)
		log_info("notice %lld to %s is sent", (long long)l->row.id,
			 channel_name(l));
	else
		log_warn("notice %lld to %s: %s", (long long)l->row.id,
			 channel_name(l), r->text);
	return paused ? tell_operator(l, r, err) : PH_OK;
}

static enum status record_failure(struct lane *l, enum delivery what,
				  const struct err *why, struct err *err)
{
	struct delivery_result r = { .what = what };

	snprintf(r.text, sizeof(r.text), "%.500s", why->text);
	return record(l, &r, err);
}

enum status lane_take_out(struct store *store, const struct outbox_row *row,
			  enum outbox_state state, struct slice why,
			  struct err *err)
{
	log_info("notice %lld to %.*s is %s: %.*s", (long long)row->id,
		 S_FMT(row->channel), outbox_state_name(state), S_FMT(why));
	return outbox_set(store, row->id, state, why, clock_wall(), err);
}

static enum status read_notice(struct lane *l, struct notice *ret,
			       struct err *err)
{
	enum status s = notice_from_json(l->row.facts, &l->arena, ret, err);

	if (s)
		return s;
	ret->key = l->row.key;
	s = outbox_thread(l->store, &l->row, &l->arena, &ret->thread,
			  &ret->thread_remote, err);
	return s == PH_NONE ? PH_OK : s;
}

static enum status make_parcel(struct lane *l, const struct notice *n,
			       char endpoint[17], struct err *err)
{
	const struct config_channel *ch = l->carrier->channel;
	enum status s = channel_render(l->config, ch, l->row.target, n,
				       &l->arena, &l->row.parcel, err);

	return s ? s : channel_endpoint(l->config, ch, endpoint, err);
}

/*
 * PH_NONE: it could not be rendered, which has been recorded. A template or a
 * secret that is wrong is the channel's fault: the notice waits until the
 * operator has mended it.
 */
static enum status render(struct lane *l, struct err *err)
{
	struct notice n;
	char endpoint[17];
	struct err why;
	enum status s = read_notice(l, &n, err);

	if (s == PH_BAD) /* the facts are ours, so this is too */
		return err_set(err, PH_FATAL, "notice %lld: unreadable facts",
			       (long long)l->row.id);
	if (s)
		return s;
	s = make_parcel(l, &n, endpoint, &why);
	if (!s)
		return outbox_rendered(l->store, l->row.id, &l->row.parcel,
				       slice_of(endpoint), err);
	if (s == PH_BAD)
		s = lane_take_out(l->store, &l->row, OUTBOX_DEAD,
				  slice_of(why.text), err);
	else
		s = record_failure(l, DELIVERY_CHANNEL, &why, err);
	return s ? s : PH_NONE;
}

/* The carrier died before: nothing of this notice has left. */
static enum status put_back(struct lane *l, const struct err *why,
			    struct err *err)
{
	l->broken = true;
	log_warn("notice %lld waits: %s", (long long)l->row.id, why->text);
	return outbox_set(l->store, l->row.id, OUTBOX_PENDING,
			  slice_of(why->text), clock_wall(), err);
}

enum status lane_send_off(struct lane *l, struct err *err)
{
	int64_t now = clock_wall();
	int64_t opens = gate_opens(l->carrier->channel, now);
	enum outbox_state state;
	struct slice why;
	struct err gone;
	enum status s;

	if (opens > now)
		return outbox_set(l->store, l->row.id, OUTBOX_PENDING,
				  S("waits for the channel's hours"), opens,
				  err);
	s = gate_check(l->config, l->store, &l->row, now, &l->arena, &state,
		       &why, err);

	if (s == PH_NONE)
		return lane_take_out(l->store, &l->row, state, why, err);
	if (!s && !l->row.rendered)
		s = render(l, err);
	if (s)
		return s == PH_NONE ? PH_OK : s;
	step("to be given");
	if (carrier_give(l->carrier, &l->row.parcel, clock_wall(), &gone))
		return put_back(l, &gone, err);
	step("given");
	return PH_OK;
}

enum status lane_finish(struct lane *l, struct err *err)
{
	struct delivery_result r;
	struct err gone;
	enum status s = carrier_take(l->carrier, &r, &gone);

	step("answered");
	l->ready_at = clock_mono_ms() + channel_pace_ms(l->carrier->channel);
	if (!s)
		return record(l, &r, err);
	l->broken = true;
	return record_failure(l, DELIVERY_MAYBE, &gone, err);
}
