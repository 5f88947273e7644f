/*
 * scale - how much of their usual work benchmarks do: BENCH_SCALE per cent.
 */
#ifndef TESTS_BENCH_SCALE_H
#define TESTS_BENCH_SCALE_H

#include <stdlib.h>

/* n, or less by the percentage that the environment asks for; at least 1. */
static inline size_t bench_scaled(size_t n)
{
	const char *text = getenv("BENCH_SCALE");
	size_t percent = text ? strtoul(text, NULL, 10) : 100;

	n = n * percent / 100;
	return n ? n : 1;
}

#endif
