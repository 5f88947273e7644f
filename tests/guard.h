/*
 * guard - test input that ends at an unmapped page, so that one byte read too
 * far kills the test, sanitizer or not.
 */
#ifndef TESTS_GUARD_H
#define TESTS_GUARD_H

#include "ph/slice.h"

/* A copy of the bytes, alive until the test program ends. */
struct slice guard_copy(const char *str);
struct slice guard_bytes(const void *ptr, size_t len);
/* Gives a copy back before then; s as it came from here. */
void guard_free(struct slice s);

/*
 * Whether valgrind runs this program: it is some thirty times slower, keeps
 * memory of its own and cannot follow a forbidden execve, so what measures
 * time or memory, or forbids calls, has nothing to say then.
 */
bool guard_valgrind(void);
/* How many times as long as usual a test's deadlines are: 1, 10 there. */
int guard_patience(void);

#endif
