/*
 * table - a program's tests: those that are listed, with those made of tables
 * behind them.
 */
#ifndef TESTS_TABLE_H
#define TESTS_TABLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <assert.h>
#include "ph/slice.h"

/* How many are listed at the front of an array whose rest is zero. Counted by
 * hand, one that is added later pushes another out without a word. */
#define TABLE_LISTED(tests) table_listed(tests, ARRAY_LEN(tests))

/* A test a row, put at tests[n]; n moves on. label: the member that names it.
 * The row is the state of its test. */
#define TABLE_ADD(tests, n, rows, label, fn)                             \
	for (size_t row_ = 0; row_ < ARRAY_LEN(rows); row_++)            \
	table_put(tests, ARRAY_LEN(tests), &(n), (rows)[row_].label, fn, \
		  &(rows)[row_])

static inline size_t table_listed(const struct CMUnitTest *tests, size_t room)
{
	size_t n = 0;

	while (n < room && tests[n].name)
		n++;
	return n;
}

static inline void table_put(struct CMUnitTest *tests, size_t room, size_t *n,
			     const char *name, CMUnitTestFunction fn,
			     const void *row)
{
	assert(*n < room);
	tests[(*n)++] = (struct CMUnitTest){ .name = *name ? name : "empty",
					     .test_func = fn,
					     .initial_state = (void *)row };
}

#endif
