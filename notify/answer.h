/*
 * answer - what came of a request to a service: the outcome, and its text.
 *
 * The HTTP status gives the outcome; the service's row may know better, by its
 * judge function or its known errors. The text names the channel, the host and
 * what to do, and never shows a secret.
 */
#ifndef NOTIFY_ANSWER_H
#define NOTIFY_ANSWER_H

#include "notify/place.h"
#include "notify/service.h"

/* By what the service answered: fills a->result, said and orphan. order, reply
 * and result are set, json is set while the row's judge looks at it. */
void answer_judge(struct answer *a, const struct place *place);

/* By how the request ended without an answer. */
void answer_none(const struct order *o, const struct http_reply *reply,
		 struct delivery_result *ret);

#endif
