#include "bot/store/delivery.h"

const char *outbox_state_name(enum outbox_state state)
{
	static const char *const name[OUTBOX_STATES] = {
		"held", "pending", "sending", "sent", "dead", "cancelled",
	};

	return name[state];
}

/* Full jitter: anywhere from the next second to the whole backoff, so that
 * notices which failed together do not come back together. */
static int64_t backoff(uint32_t tries, uint32_t jitter)
{
	uint32_t doublings = tries > 1 ? tries - 1 : 0;
	int64_t most = DELIVERY_BACKOFF_MAX;

	if (doublings < 16 &&
	    ((int64_t)DELIVERY_BACKOFF << doublings) < DELIVERY_BACKOFF_MAX)
		most = (int64_t)DELIVERY_BACKOFF << doublings;
	return 1 + (int64_t)(((uint64_t)jitter * (uint64_t)most) >> 32);
}

static int64_t asked_wait(int64_t retry_after_ms)
{
	int64_t seconds;

	if (retry_after_ms <= 0)
		return 0;
	if (retry_after_ms >= (int64_t)DELIVERY_RETRY_MAX * 1000)
		return DELIVERY_RETRY_MAX;
	seconds = (retry_after_ms + 999) / 1000;
	return seconds;
}

static struct delivery_next again(const struct delivery_result *result,
				  uint32_t tries, int64_t now, uint32_t jitter)
{
	int64_t wait = backoff(tries, jitter);
	int64_t asked = asked_wait(result->retry_after_ms);

	return (struct delivery_next){
		.state = OUTBOX_PENDING,
		.next_try = now + (asked > wait ? asked : wait),
	};
}

struct delivery_next delivery_next(const struct delivery_result *result,
				   uint32_t tries, int64_t now, uint32_t jitter)
{
	struct delivery_next next = { .state = OUTBOX_PENDING };

	switch (result->what) {
	case DELIVERY_SENT:
		next.state = OUTBOX_SENT;
		break;
	case DELIVERY_LATER:
		next = again(result, tries, now, jitter);
		break;
	case DELIVERY_MAYBE:
		next = again(result, tries, now, jitter);
		next.maybe_dup = true;
		break;
	case DELIVERY_REFUSED:
		next.state = OUTBOX_DEAD;
		break;
	case DELIVERY_CHANNEL:
		next.pause = true;
		next.next_try = now + DELIVERY_CHANNEL_WAIT;
		break;
	case DELIVERY_GONE:
		next.pause = next.gone = true;
		next.next_try = now + DELIVERY_CHANNEL_WAIT;
		break;
	}
	return next;
}

bool delivery_allowed(enum outbox_state from, enum outbox_state to)
{
	static const unsigned may[OUTBOX_STATES] = {
		[OUTBOX_HELD] = 1u << OUTBOX_PENDING | 1u << OUTBOX_DEAD |
				1u << OUTBOX_CANCELLED,
		[OUTBOX_PENDING] = 1u << OUTBOX_SENDING | 1u << OUTBOX_HELD |
				   1u << OUTBOX_DEAD | 1u << OUTBOX_CANCELLED,
		[OUTBOX_SENDING] = 1u << OUTBOX_SENT | 1u << OUTBOX_PENDING |
				   1u << OUTBOX_HELD | 1u << OUTBOX_DEAD |
				   1u << OUTBOX_CANCELLED,
		[OUTBOX_DEAD] = 1u << OUTBOX_PENDING | 1u << OUTBOX_CANCELLED,
		[OUTBOX_CANCELLED] = 1u << OUTBOX_PENDING,
	};

	return may[from] >> to & 1;
}
