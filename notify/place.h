/*
 * place - where a channel sends to: its URL and secrets, read for one try.
 */
#ifndef NOTIFY_PLACE_H
#define NOTIFY_PLACE_H

#include "notify/service.h"

struct place {
	char *url;    /* without a slash at its end */
	char *token;  /* NULL: none */
	char *secret; /* NULL: none */
};

/*
 * Reads what the channel names and checks that the URL is one of its service.
 * *ret is to be released whatever the status.
 * PH_FATAL: a file is missing or open to others. PH_BAD: the URL is none, or
 * another service's. The secrets are in no message.
 */
enum status place_read(const struct config_channel *ch,
		       const struct service *service, struct place *ret,
		       struct err *err);
/* Wipes and frees. */
void place_release(struct place *p);

/* Whether text repeats one of the secrets. */
bool place_shows(const struct place *p, const char *text);

/* What channel_endpoint promises. */
enum status place_name(const struct config *config,
		       const struct config_channel *ch,
		       const struct service *service, char ret[17],
		       struct err *err);

#endif
