/*
 * robot_mail - small reports in the robot's format, one result each, to tell a
 * patch's story with.
 */
#ifndef TESTS_ROBOT_MAIL_H
#define TESTS_ROBOT_MAIL_H

#include "ph/arena.h"
#include "ph/slice.h"

struct robot_mail {
	const char *id;	    /* Message-ID; NULL: 202610010000.RUNNING-lkp@... */
	const char *commit; /* 40 hex digits */
	const char *title;
	const char *to;	    /* address of the author */
	const char *cc;	    /* further addresses; NULL: none */
	const char *tree;   /* URL and branch; NULL: a posted patch */
	const char *label;  /* "linus:master"; NULL: none */
	const char *metric; /* its first part is the test case */
	const char *host;
	const char *verdict; /* "regression", "improvement" */
	double percent;	     /* of change; a lower value is the worse one */
	int dev;	     /* deviation printed, in per cent; 0: none */
};

/* The whole mail, header and all; memory of the arena. */
struct slice robot_mail(const struct robot_mail *m, struct arena *arena);

#endif
