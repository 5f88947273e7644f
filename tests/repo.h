/*
 * repo - a scratch git repository, made by git itself, whose answers are the
 * measure of ours. Needs scratch_dir().
 */
#ifndef TESTS_REPO_H
#define TESTS_REPO_H

/*
 * Makes SCRATCH/NAME: branch master, mm/a.c and mm/b.c of 50 numbered lines,
 * a .mailmap that knows old@example.org as New Name <new@example.org>, and a
 * MAINTAINERS with one section for mm/. Commits are by old@example.org. Gives
 * its path.
 */
const char *repo_make(const char *name);

/* Runs a shell command in SCRATCH and gives the first line it prints, in
 * static memory of a few calls; fails the test when it fails. */
const char *repo_sh(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
