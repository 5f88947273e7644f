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

/* How many are listed at the front of an array whose rest is zero. Counted by
 * hand, one that is added later pushes another out without a word. */
static inline size_t table_listed(const struct CMUnitTest *tests)
{
	size_t n = 0;

	while (tests[n].name)
		n++;
	return n;
}

#endif
