/*
 * fakeimap - starts tests/fakeimap.py, the server that means harm: what it
 * does is chosen by the user name. It ends with the test program.
 */
#ifndef TESTS_FAKEIMAP_H
#define TESTS_FAKEIMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fakeimap {
	pid_t pid;
	int stop;      /* closing it ends the server */
	uint16_t port; /* TLS from the start */
	char ca_file[128];
};

/* dir: an empty folder for its certificates. False: it would not start. */
bool fakeimap_start(struct fakeimap *f, const char *dir);
void fakeimap_stop(struct fakeimap *f);

#endif
