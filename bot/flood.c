#include "bot/flood.h"

#include "bot/store/outbox.h"
#include "ph/limits.h"

#define HOUR 3600
#define DAY  86400

/* The first limit that is reached; NULL: none. */
static enum status find_limit(struct store *s, const struct config_channel *ch,
			      struct slice target, int64_t now,
			      const char **ret_why, struct err *err)
{
	int64_t n;
	enum status st =
		outbox_count_since(s, slice_of(ch->name), now - HOUR, &n, err);

	*ret_why = NULL;
	if (st != PH_OK)
		return st;
	if (n >= ch->max_per_hour) {
		*ret_why = "over max_per_hour";
		return PH_OK;
	}
	st = outbox_count_all(s, now - HOUR, &n, err);
	if (st != PH_OK)
		return st;
	if (n >= LIMIT_NOTICES_AN_HOUR) {
		*ret_why = "over the notices that may go out in an hour";
		return PH_OK;
	}
	if (ch->type != CHANNEL_MAIL)
		return PH_OK;
	st = outbox_count_target(s, target, now - DAY, &n, err);
	if (st == PH_OK && n >= LIMIT_MAILS_A_DAY)
		*ret_why = "over the mails that one address gets in a day";
	return st;
}

enum status flood_check(struct store *s, const struct config_channel *ch,
			struct slice target, int64_t now, const char **ret_why,
			struct err *err)
{
	enum status st = find_limit(s, ch, target, now, ret_why, err);

	return st == PH_OK && *ret_why ? PH_NONE : st;
}
