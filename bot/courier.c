#include <poll.h>
#include <stdlib.h>
#include <sysexits.h>
#include "bot/child.h"
#include "bot/lane.h"
#include "bot/lock.h"
#include "bot/sandbox.h"
#include "bot/store/jump.h"
#include "bot/store/outbox.h"
#include "bot/wake.h"
#include "ph/channel.h"
#include "ph/clock.h"
#include "ph/json.h"
#include "ph/limits.h"
#include "ph/log.h"

/*
 * The courier claims, renders and records; carriers send, one a channel. Only
 * the holder of the lock STATE.courier delivers, so that what is `sending`
 * when it takes the lock was left by a crash.
 */

#define RESCAN_MS      1000
#define EXPIRE_MS      60000
#define COURIER_MEMORY (96 * MIB)

struct courier {
	const struct duty *duty;
	const struct config *config;
	struct store *store;
	/* one a channel, in the configuration's order */
	struct carrier *carrier;
	struct lane *lane;
	struct pollfd *poll; /* their carriers, then the bell, then stop */
	size_t n;
	struct buf skip; /* JSON, for outbox_claim */
	int64_t expire_at;
	int64_t seen; /* wall time; it may jump */
};

static bool any_busy(const struct courier *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->carrier[i].busy)
			return true;
	return false;
}

/* After this the courier takes no new work, and ends to be started anew. */
static bool any_broken(const struct courier *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->lane[i].broken)
			return true;
	return false;
}

/* -- claiming -- */

/* The channels that can take nothing now. */
static struct slice skip_list(struct courier *c, int64_t now_ms)
{
	struct json j;

	buf_reset(&c->skip);
	json_begin(&j, &c->skip);
	json_open_array(&j, NULL);
	for (size_t i = 0; i < c->n; i++)
		if (c->carrier[i].busy || c->lane[i].ready_at > now_ms)
			json_put_cstr(&j, NULL, c->carrier[i].channel->name);
	json_close_array(&j);
	return buf_slice(&c->skip);
}

static struct lane *find_lane(const struct courier *c, struct slice channel)
{
	for (size_t i = 0; i < c->n; i++)
		if (slice_eq(slice_of(c->carrier[i].channel->name), channel))
			return &c->lane[i];
	return NULL;
}

/*
 * Claims the next row, into the lane of its channel, and sees it off.
 * PH_NONE: nothing is due for a channel that is free.
 */
static enum status claim_one(struct courier *c, struct err *err)
{
	struct outbox_row row;
	struct arena arena;
	struct lane *l;
	enum status s;

	arena_init(&arena);
	s = outbox_claim(c->store, clock_wall(), skip_list(c, clock_mono_ms()),
			 &arena, &row, err);
	l = s ? NULL : find_lane(c, row.channel);
	if (l) {
		arena_release(&l->arena);
		l->arena = arena;
		l->row = row;
		return lane_send_off(l, err);
	}
	if (!s)
		s = lane_take_out(c->store, &row, OUTBOX_CANCELLED,
				  S("its channel is no longer configured"),
				  err);
	arena_release(&arena);
	return s;
}

static enum status claim_all(struct courier *c, struct err *err)
{
	enum status s = PH_OK;

	while (!s && !any_broken(c) && !duty_stopped(c->duty))
		s = claim_one(c, err);
	return s == PH_NONE ? PH_OK : s;
}

/* -- waiting -- */

/* How long nothing can happen by itself. */
static int64_t quiet_ms(const struct courier *c)
{
	int64_t now_ms = clock_mono_ms(), most = RESCAN_MS;

	for (size_t i = 0; i < c->n; i++) {
		int64_t ms = c->lane[i].ready_at - now_ms;

		if (!c->carrier[i].busy && ms > 0 && ms < most)
			most = ms;
	}
	return most;
}

static void wait_for_news(struct courier *c)
{
	struct pollfd *bell = &c->poll[c->n], *stop = &c->poll[c->n + 1];

	for (size_t i = 0; i < c->n; i++) {
		c->poll[i].fd = c->carrier[i].busy ? c->carrier[i].fd : -1;
		c->poll[i].events = POLLIN;
	}
	bell->fd = c->duty->courier_bell;
	bell->events = POLLIN;
	/* Once it is asked to stop, only results matter. */
	stop->fd = duty_stopped(c->duty) ? -1 : c->duty->stop;
	stop->events = POLLIN;
	poll(c->poll, c->n + 2, (int)quiet_ms(c));
	if (bell->revents)
		wake_drain(bell->fd);
}

static enum status take_results(struct courier *c, struct err *err)
{
	enum status s = PH_OK;

	for (size_t i = 0; i < c->n && !s; i++)
		if (c->poll[i].revents)
			s = lane_finish(&c->lane[i], err);
	return s;
}

static enum status expire(struct courier *c, struct err *err)
{
	int64_t n, now_ms = clock_mono_ms();
	enum status s;

	if (now_ms < c->expire_at)
		return PH_OK;
	c->expire_at = now_ms + EXPIRE_MS;
	s = outbox_expire(c->store, clock_wall(), &n, err);
	if (!s && n)
		log_warn("%lld notices could not be sent for 5 days",
			 (long long)n);
	return s;
}

static enum status mend_jump(struct courier *c, struct err *err)
{
	int64_t now = clock_wall();
	bool back = now < c->seen - JUMP_SLACK;
	enum status s = PH_NONE;

	if (back || !c->seen)
		s = jump_mend(c->store, now, err);
	if (back || !s)
		log_warn("the clock was set back; what waits is counted from "
			 "now");
	c->seen = now;
	return s == PH_NONE ? PH_OK : s;
}

/* Whether it is done: asked to stop, or all is sent that is due. A channel
 * that keeps its pace is waited for. */
static enum status look_at_end(struct courier *c, bool *ret_done,
			       struct err *err)
{
	int64_t due;
	enum status s;

	*ret_done = false;
	if (any_busy(c))
		return PH_OK;
	if (duty_stopped(c->duty) || any_broken(c)) {
		*ret_done = true;
		return PH_OK;
	}
	if (!c->duty->once)
		return PH_OK;
	s = outbox_next_due(c->store, S("[]"), &due, err);
	*ret_done = !s && (!due || due > clock_wall());
	return s;
}

static enum status deliver(struct courier *c, struct err *err)
{
	bool done = false;
	enum status s;

	for (;;) {
		s = store_in_place(c->store, err);
		if (!s)
			s = mend_jump(c, err);
		if (!s)
			s = expire(c, err);
		if (!s)
			s = claim_all(c, err);
		if (!s)
			s = look_at_end(c, &done, err);
		if (s || done)
			return s;
		wait_for_news(c);
		s = take_results(c, err);
		if (s)
			return s;
	}
}

/* -- its life -- */

/* Another courier (of a command that does its own delivery) is waited for. */
static enum status lock_deliveries(const struct duty *duty, int *ret_fd,
				   struct err *err)
{
	enum status s;

	for (;;) {
		s = lock_take(duty->config->state, "courier", ret_fd, err);
		if (s != PH_RETRY || duty_stopped(duty))
			return s;
		duty_wait(duty, -1, 100);
	}
}

static enum status start_carriers(struct courier *c, struct err *err)
{
	enum status s = PH_OK;

	for (size_t i = 0; i < c->config->n_channels && !s; i++) {
		s = carrier_start(c->carrier, i, c->config,
				  &c->config->channels[i], err);
		if (!s)
			c->n++;
	}
	return s;
}

/* The state, and what names the channels' places. No network: the carriers
 * have been started. */
static enum status shut_in(const struct config *config, struct err *err)
{
	const size_t n = 1 + 2 * config->n_channels;
	struct sandbox_path *paths = xcalloc(n, sizeof(*paths));
	struct sandbox sandbox = { .memory = COURIER_MEMORY,
				   .paths = paths,
				   .n_paths = n };
	struct arena arena;
	enum status s;

	arena_init(&arena);
	paths[0].path = sandbox_folder_of(&arena, config->state);
	paths[0].write = true;
	for (size_t i = 0; i < config->n_channels; i++) {
		const struct config_channel *ch = &config->channels[i];

		paths[1 + 2 * i].path = secret_file(ch->url_file, &arena);
		paths[2 + 2 * i].path = secret_file(ch->token_file, &arena);
	}
	s = sandbox_enter(&sandbox, err);
	arena_release(&arena);
	free(paths);
	return s;
}

static enum status revive(struct courier *c, struct err *err)
{
	int64_t n;
	enum status s = outbox_revive(c->store, clock_wall(), &n, err);

	if (!s && n)
		log_warn("%lld notices were on their way when the last courier "
			 "ended",
			 (long long)n);
	return s;
}

static enum status open_lanes(struct courier *c, struct err *err)
{
	enum status s = PH_OK;
	char endpoint[17];
	struct err why;

	for (size_t i = 0; i < c->n && !s; i++) {
		const struct config_channel *ch = c->carrier[i].channel;

		c->lane[i] = (struct lane){ .config = c->config,
					    .store = c->store,
					    .carrier = &c->carrier[i] };
		arena_init(&c->lane[i].arena);
		/* An unreadable secret pauses it, with the first notice. */
		if (channel_endpoint(c->config, ch, endpoint, &why))
			log_error("channel %s: %s", ch->name, why.text);
		else
			s = channel_row_points(c->store, slice_of(ch->name),
					       slice_of(endpoint), clock_wall(),
					       err);
	}
	return s;
}

static enum status run(struct courier *c, struct err *err)
{
	enum status s = start_carriers(c, err);

	if (!s)
		s = shut_in(c->config, err);
	if (!s)
		s = store_open(c->config->state, &c->store, err);
	if (!s)
		s = revive(c, err);
	if (!s)
		s = open_lanes(c, err);
	return s ? s : deliver(c, err);
}

/* Gives the exit code: when a carrier died over a parcel, what of. */
static int release(struct courier *c)
{
	int code = any_broken(c) ? EX_SOFTWARE : EX_OK;

	for (size_t i = 0; i < c->n; i++) {
		int ended = carrier_stop(&c->carrier[i]);

		if (c->lane[i].broken && ended)
			code = ended;
		arena_release(&c->lane[i].arena);
	}
	store_close(c->store);
	buf_release(&c->skip);
	free(c->carrier);
	free(c->lane);
	free(c->poll);
	return code;
}

int courier_run(const struct duty *duty)
{
	const size_t n = duty->config->n_channels;
	struct courier c = { .duty = duty, .config = duty->config };
	struct err err;
	enum status s;
	int lock, code = EX_OK;

	s = lock_deliveries(duty, &lock, &err);
	if (s == PH_RETRY)
		return EX_OK; /* asked to stop before it had begun */
	if (!s) {
		c.carrier = xcalloc(n, sizeof(*c.carrier));
		c.lane = xcalloc(n, sizeof(*c.lane));
		c.poll = xcalloc(n + 2, sizeof(*c.poll));
		s = run(&c, &err);
		code = release(&c);
	}
	if (s) {
		log_error("%s", err.text);
		return err_exit_code(&err, s);
	}
	return code;
}
