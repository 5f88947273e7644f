#include "bot/args.h"
#include "bot/command.h"
#include "bot/supervisor.h"

int cmd_watch(int argc, char **argv, const char *config_path)
{
	struct args args = args_of(argc, argv);
	const char *word;
	bool once = false;

	while (args_more(&args)) {
		if (args_flag(&args, "--once"))
			once = true;
		else if (args_word(&args, &word))
			return command_usage("watch",
					     "%s: the mailboxes to watch stand "
					     "in the configuration",
					     word);
		else
			return args_fail(&args);
	}
	return supervisor_watch(config_path, once);
}
