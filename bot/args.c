#include "bot/args.h"

#include <string.h>
#include "bot/command.h"

struct args args_of(int argc, char **argv)
{
	return (struct args){ .argc = argc, .at = 1, .argv = argv };
}

bool args_more(struct args *a)
{
	if (a->at < a->argc && !a->plain && !strcmp(a->argv[a->at], "--")) {
		a->plain = true;
		a->at++;
	}
	return a->at < a->argc && !a->missing;
}

bool args_flag(struct args *a, const char *name)
{
	if (a->plain || strcmp(a->argv[a->at], name) != 0)
		return false;
	a->at++;
	return true;
}

bool args_value(struct args *a, const char *name, const char **ret)
{
	const char *arg = a->argv[a->at];
	size_t len = strlen(name);

	if (a->plain || strncmp(arg, name, len) != 0)
		return false;
	if (arg[len] == '=') {
		*ret = arg + len + 1;
		a->at++;
		return true;
	}
	if (arg[len])
		return false;
	if (a->at + 1 == a->argc) {
		a->missing = name;
		return false;
	}
	*ret = a->argv[a->at + 1];
	a->at += 2;
	return true;
}

bool args_word(struct args *a, const char **ret)
{
	const char *arg = a->argv[a->at];

	/* a lone "-" is standard input */
	if (a->missing || !*arg || (!a->plain && arg[0] == '-' && arg[1]))
		return false;
	*ret = arg;
	a->at++;
	return true;
}

/* Options that main() takes, in front of the command. */
static const char *wants_of_program(const char *arg)
{
	if (!strcmp(arg, "-c") || !strcmp(arg, "--config"))
		return " FILE";
	if (!strcmp(arg, "-v") || !strcmp(arg, "--verbose") ||
	    !strncmp(arg, "--config=", 9))
		return "";
	return NULL;
}

int args_fail(struct args *a)
{
	const char *name = a->argv[0], *arg = a->argv[a->at];

	if (a->missing)
		return command_usage(name, "%s wants a value", a->missing);
	if (!*arg)
		return command_usage(name, "an empty argument names nothing");
	if (wants_of_program(arg))
		return command_usage(name,
				     "%s stands before the command: perfherald "
				     "%s%s %s",
				     arg, arg, wants_of_program(arg), name);
	return command_usage(name,
			     *arg == '-' && arg[1] ? "unknown option: %s"
						   : "%s is too much",
			     arg);
}
