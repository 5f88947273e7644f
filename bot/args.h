/*
 * args - takes a command's arguments one by one.
 *
 *	struct args a = args_of(argc, argv);
 *
 *	while (args_more(&a)) {
 *		if (args_flag(&a, "--partial"))
 *			partial = true;
 *		else if (args_value(&a, "--since", &since))
 *			;
 *		else if (!args_word(&a, &word))
 *			return args_fail(&a);
 *	}
 *
 * "--name value" and "--name=value" are the same; behind "--" all are words.
 */
#ifndef BOT_ARGS_H
#define BOT_ARGS_H

#include <stdbool.h>

struct args {
	int argc, at;
	char **argv;
	bool plain;	     /* behind "--" */
	const char *missing; /* an option without its value */
};

struct args args_of(int argc, char **argv);
bool args_more(struct args *a);
bool args_flag(struct args *a, const char *name);
bool args_value(struct args *a, const char *name, const char **ret);
/* False at an option, which nobody took, and at an empty argument. */
bool args_word(struct args *a, const char **ret);
/* The usage message for where it stands. Returns EX_USAGE. */
int args_fail(struct args *a);

#endif
