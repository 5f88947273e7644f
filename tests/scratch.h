/*
 * scratch - a folder of its own for a test, gone when the program ends.
 */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <sys/types.h>
#include "bot/store/open.h"

/* The folder's path, made at the first call. */
const char *scratch_dir(void);
/* A path inside; static memory of a few calls. */
const char *scratch_path(const char *name);
/* Writes text to a file inside, in place of one that is there; its path. */
const char *scratch_file(const char *name, const char *text, mode_t mode);
/* Removes a folder with all that is in it. */
void scratch_remove(const char *dir);
/* A fresh, empty state in the folder, opened. Fails the test otherwise. */
struct store *scratch_store(const char *name);

#endif
