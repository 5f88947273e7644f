#include "bot/command.h"

#include <stdio.h>
#include <sysexits.h>
#include "ph/channel.h"

static void print_mistakes(const struct config_errors *e, const char *prefix)
{
	for (size_t i = 0; i < e->n; i++)
		fprintf(stderr, "%s%s\n", prefix, e->line[i].text);
	if (e->more)
		fprintf(stderr, "%s... and %zu more\n", prefix, e->more);
}

/* Templates are notify's matter, so the file's reader cannot judge them. */
static int count_bad_channels(const struct config *c)
{
	struct err err;
	int bad = 0;

	for (size_t i = 0; i < c->n_channels; i++) {
		const struct config_channel *ch = &c->channels[i];

		if (channel_check(ch, &err) == PH_OK)
			continue;
		fprintf(stderr, "%s:%u:%u: %s\n", c->file, ch->mark.line,
			ch->mark.column, err.text);
		bad++;
	}
	return bad;
}

struct config *command_config(const char *path, enum config_use use,
			      int *ret_code)
{
	struct config_errors errors, warnings;
	struct config *config = NULL;
	struct err err;
	enum status s;

	config_errors_init(&errors);
	config_errors_init(&warnings);
	s = config_read(path, use, &config, &errors, &warnings, &err);
	print_mistakes(&errors, "");
	/* who only asks has heard them from check and watch */
	if (use == CONFIG_TO_WORK)
		print_mistakes(&warnings, "warning: ");
	if (s) {
		fprintf(stderr, "perfherald: %s\n", err.text);
		*ret_code = err_exit_code(&err, s);
		config = NULL;
	} else if (count_bad_channels(config)) {
		*ret_code = EX_CONFIG;
		config_free(config);
		config = NULL;
	}
	config_errors_release(&errors);
	config_errors_release(&warnings);
	return config;
}
