/*
 * carrier - a process that sends for one channel, so that a server which hangs
 * holds up nobody else.
 *
 * It has no state: a parcel goes in, what became of it comes out. One parcel
 * at a time. All carriers are started before their courier opens the state.
 */
#ifndef BOT_CARRIER_H
#define BOT_CARRIER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "ph/channel.h"
#include "ph/config.h"
#include "ph/err.h"

struct carrier {
	const struct config_channel *channel;
	pid_t pid; /* 0: not started */
	int fd;	   /* readable: carrier_take has something to say */
	bool busy;
};

/*
 * Starts all[i]; those before it run already (each must see its own end when
 * the courier dies, so the new one lets go of theirs).
 * PH_FATAL: no process or descriptor left (exit 71).
 */
enum status carrier_start(struct carrier *all, size_t i,
			  const struct config *config,
			  const struct config_channel *channel,
			  struct err *err);
/* Lets it finish, and waits for it. Gives its exit code; 70 for a signal. */
int carrier_stop(struct carrier *c);

/*
 * Hands a parcel over. PH_RETRY: the carrier is dead; the parcel has not been
 * sent.
 */
enum status carrier_give(struct carrier *c, const struct parcel *parcel,
			 int64_t now, struct err *err);

/*
 * Takes the result of the parcel given before, waiting for it if need be.
 * PH_RETRY: the carrier died over it; whether it was sent nobody knows.
 */
enum status carrier_take(struct carrier *c, struct delivery_result *ret,
			 struct err *err);

#endif
