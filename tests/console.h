/*
 * console - commands as a person types them, on a state with two patches.
 *
 * A socket as of a running watch stands beside the state, so that commands
 * knock and leave the delivery to it. Built on a story (tests/story.h): its
 * arena and err serve here too, its store is closed while commands run.
 */
#ifndef TESTS_CONSOLE_H
#define TESTS_CONSOLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sysexits.h>
#include "tests/story.h"
#include "tests/typed.h"

/*
 * A cmocka fixture. The patches are aaaaaaaa, WORSE 12.0% of will-it-scale,
 * whose title has an escape in it, and bbbbbbbb, BETTER 30.5% of fsmark.
 * Notice 1 and 2, of both to chat, are pending.
 */
int console_begin(void **state);
/* The same, and both were reported two weeks ago. */
int console_begin_late(void **state);
int console_end(void **state);
#define CONSOLE_TEST(f) \
	cmocka_unit_test_setup_teardown(f, console_begin, console_end)

/* The configuration that commands get; "true" or "false" to begin anew. */
const char *console_config(void);
void console_write_config(const char *send);

/* The state, opened; to be closed by store_close before a command runs. */
struct store *console_open(void);

/* Runs a command; words up to a NULL, the command first. Gives the exit
 * code. */
int console_run(const char *first, ...) __attribute__((sentinel));
#define EXITS(code, ...) assert_int_equal(console_run(__VA_ARGS__, NULL), code)

/* How many lines the last one printed, each of which must be JSON. What it
 * printed: tests/typed.h. */
size_t console_json(void);

#endif
