/*
 * stage - commands as a person calls them, in this process, on a state of
 * made-up reports in the scratch folder.
 *
 * Everything fails the test when it does not come out.
 */
#ifndef TESTS_STAGE_H
#define TESTS_STAGE_H

#include "bot/store/message.h"
#include "tests/robot_mail.h"
#include "tests/typed.h"

/* An empty state, and a configuration beside it that tells a file channel of
 * everything. */
void stage_set(void);

/* Takes a report in as it arrived then, and decides it; its row. */
int64_t stage_give(const struct robot_mail *m, enum proven proven,
		   int64_t arrived);

/* Runs a command; words up to a NULL, the command first. Gives the exit code.
 * What it printed: tests/typed.h. */
int stage_run(const char *first, ...) __attribute__((sentinel));
/* The same with standard output as given, for what it must not write to. */
int stage_run_to(int out, const char *first, ...) __attribute__((sentinel));

#endif
