#include "bot/command.h"

#include <stdio.h>

static void print_mistakes(const struct config_errors *e, const char *prefix)
{
	for (size_t i = 0; i < e->n; i++)
		fprintf(stderr, "%s%s\n", prefix, e->line[i].text);
	if (e->more)
		fprintf(stderr, "%s... and %zu more\n", prefix, e->more);
}

struct config *command_config(const char *path, int *ret_code)
{
	struct config_errors errors, warnings;
	struct config *config = NULL;
	struct err err;
	enum status s;

	config_errors_init(&errors);
	config_errors_init(&warnings);
	s = config_read(path, &config, &errors, &warnings, &err);
	print_mistakes(&errors, "");
	print_mistakes(&warnings, "warning: ");
	if (s) {
		fprintf(stderr, "perfherald: %s\n", err.text);
		*ret_code = err_exit_code(&err, s);
		config = NULL;
	}
	config_errors_release(&errors);
	config_errors_release(&warnings);
	return config;
}
