/*
 * fresh - an empty state for a test of bot/store, and what such tests share.
 *
 * Everything fails the test when it does not come out.
 */
#ifndef TESTS_FRESH_H
#define TESTS_FRESH_H

#include <stdint.h>
#include "bot/store/open.h"
#include "ph/arena.h"
#include "ph/err.h"

#define FRESH_NOW INT64_C(1700000000) /* seconds UTC: when things happen */

struct fresh {
	struct store *store; /* SCRATCH/state.db */
	struct arena arena;
	struct err err;
};

extern struct fresh fresh;

/* A cmocka fixture. */
int fresh_begin(void **state);
int fresh_end(void **state);

void fresh_ok(enum status st);

/* A patch of author a@example.org with one commit, under a normalised title;
 * its id. */
int64_t fresh_patch(const char *commit, const char *title, int64_t seen);

#endif
