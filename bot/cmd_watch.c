#include <string.h>
#include <unistd.h>
#include "bot/command.h"
#include "bot/supervisor.h"

int cmd_watch(int argc, char **argv, const char *config_path)
{
	bool once = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--once"))
			return command_usage("watch", "unknown argument: %s",
					     argv[i]);
		once = true;
	}
	return supervisor_watch(config_path, once);
}
