/*
 * pipeline - the one way through, from a stored message to queued notices.
 *
 * The order of the stages stands in pipeline.c and nowhere else; what each
 * does is in the decide_*.c file that it is named in.
 */
#ifndef BOT_PIPELINE_H
#define BOT_PIPELINE_H

#include "bot/decision.h"

/* What needs no lock: reading the mail again, asking git. Nothing is written.
 * PH_NONE: it is decided what this message is. */
enum status pipeline_prepare(struct decision *d, struct err *err);

/* The rest, inside the caller's transaction. PH_OK or PH_NONE: decided. */
enum status pipeline_decide(struct decision *d, struct err *err);

/* The same for what is no report: replies and bounces. */
enum status pipeline_answer(struct decision *d, struct err *err);

#endif
