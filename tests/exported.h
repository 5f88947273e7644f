/*
 * exported - what `export` lets out of three made-up results, as another
 * program reads it.
 *
 * Everything fails the test when it does not come out. What is looked at is
 * the output of the last stage_run (tests/stage.h).
 */
#ifndef TESTS_EXPORTED_H
#define TESTS_EXPORTED_H

#include <jansson.h>
#include <stddef.h>
#include "tests/stage.h"

/*
 * A cmocka group fixture. A regression of 12 % of October 2020, A, which has
 * the author author@example.org; an improvement of 30.5 % of November, B, on
 * another host; and C of that day, which nothing proves, so that it is let out
 * only when asked for.
 */
int exported_set_up(void **state);

#define EXPORTED_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"
#define EXPORTED_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb2"
#define EXPORTED_C "ccccccccccccccccccccccccccccccccccccccc3"
/* The Message-ID of A. */
#define EXPORTED_ID "202610010915.4e1c09ab-lkp@intel.com"
/* The title of A: what a sheet would run, and what would end a cell, a line or
 * a tag. */
#define EXPORTED_TITLE "=cmd|' /C calc'!A0,\"</script>"

/* How many line feeds are in the output. */
size_t exported_lines(void);

/* One line of it as JSON, from 0; to be released by json_decref. */
json_t *exported_line(size_t n);

/* A member of an object. The text lives as long as the object. */
const char *exported_text(const json_t *j, const char *key);
double exported_number(const json_t *j, const char *key);

#endif
