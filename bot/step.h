/*
 * step - the places at which the kill test lets a process die.
 *
 * Each stands where a crash would leave something behind that the next start
 * has to put in order. Built with -DPH_STEPS only; else they are nothing.
 */
#ifndef BOT_STEP_H
#define BOT_STEP_H

#include "ph/slice.h"

#ifdef PH_STEPS
/*
 * With PH_STEP_LOG in the environment, appends its name to that file. With
 * PH_STEP_KILL as "NAME:N" as well, the process that writes the N-th line of
 * that name kills itself there, once.
 */
void step(const char *name);

/* Crashes over a mail with $PH_STEP_POISON in it, each time. */
void step_poison(struct slice raw);
#else
#define step(name)	 ((void)0)
#define step_poison(raw) ((void)0)
#endif

#endif
