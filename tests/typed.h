/*
 * typed - a command as a person types it, run in this process, and what it
 * printed.
 *
 * Everything fails the test when it does not come out.
 */
#ifndef TESTS_TYPED_H
#define TESTS_TYPED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Runs a command with this configuration; words up to a NULL. Standard output
 * goes to the descriptor out, or is kept when that is negative. Gives the exit
 * code. */
int typed_run(const char *config, int out, const char *first, va_list words);

/* What the last one printed on both outputs, until the next one. */
const char *typed_output(void);
/* A part that it has, or has not. */
void typed_says(const char *part);
void typed_says_not(const char *part);

#endif
