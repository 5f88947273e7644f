/*
 * place - where a process stands among those that a program forks: "" is the
 * first, "2" the second that it forked, "2.1" the first which that one forked.
 * For preloaded libraries: each defines fork with place_fork.
 */
#ifndef FAULTS_PLACE_H
#define FAULTS_PLACE_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VISIBLE	  __attribute__((visibility("default")))
#define PLACE_LEN 64

static char place[PLACE_LEN];

static inline pid_t real_fork(void)
{
	static pid_t (*next)(void);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "fork");
	return next();
}

/* As fork; the child's place goes to ret, in the child to `place` too. */
static inline pid_t place_fork(char ret[PLACE_LEN])
{
	static unsigned forks;
	pid_t pid;

	snprintf(ret, PLACE_LEN, "%.40s%s%u", place, place[0] ? "." : "",
		 ++forks);
	pid = real_fork();
	if (pid == 0) {
		memcpy(place, ret, PLACE_LEN);
		forks = 0;
	}
	return pid;
}

#endif
