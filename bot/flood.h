/*
 * flood - how much may be said: on a channel (max_per_hour), to one address
 * and in all (limits.h). What is over waits for a digest, or is not said.
 */
#ifndef BOT_FLOOD_H
#define BOT_FLOOD_H

#include <stdint.h>
#include "bot/store/open.h"
#include "ph/config.h"

/*
 * PH_OK: one more may be queued.
 * PH_NONE: not now; *ret_why names the limit ("over max_per_hour").
 */
enum status flood_check(struct store *s, const struct config_channel *ch,
			struct slice target, int64_t now, const char **ret_why,
			struct err *err);

#endif
