#include "tests/fakeimap.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(const char *dir, int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execl("/usr/bin/python3", "python3", "-W", "ignore",
	      "tests/fakeimap.py", dir, (char *)NULL);
	_exit(127);
}

/* "NAME PORT" for each listener, and "ready 0". */
static uint16_t read_port(int fd)
{
	FILE *f = fdopen(fd, "r");
	unsigned port, ret = 0;
	char name[16];

	while (fscanf(f, "%15s %u", name, &port) == 2 && port)
		if (!strcmp(name, "tls"))
			ret = port;
	fclose(f);
	return (uint16_t)ret;
}

bool fakeimap_start(struct fakeimap *f, const char *dir)
{
	char command[512];
	int in[2], out[2];

	snprintf(f->ca_file, sizeof(f->ca_file), "%s/ca.crt", dir);
	snprintf(command, sizeof(command), "tests/certs.sh %s good", dir);
	if (system(command) || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return false;
	f->pid = fork();
	if (!f->pid)
		run(dir, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	f->stop = in[1];
	f->port = read_port(out[0]);
	return f->port;
}

void fakeimap_stop(struct fakeimap *f)
{
	close(f->stop);
	kill(f->pid, SIGKILL);
	waitpid(f->pid, NULL, 0);
}
