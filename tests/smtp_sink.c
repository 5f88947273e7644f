#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guard.h"
#include "tests/smtp_sink.h"

#define MAX_ARGS 8

/* Never returns. */
static void run(struct smtp_sink *s, const char *const *args, int in, int out)
{
	const char *argv[MAX_ARGS + 4] = { "python3", "tests/smtp_sink.py",
					   s->dir };
	size_t n = 3;

	for (; args && *args && n < MAX_ARGS + 3; args++)
		argv[n++] = *args;
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execv("/usr/bin/python3", (char *const *)argv);
	_exit(127);
}

void smtp_sink_start(struct smtp_sink *s, const char *const *args)
{
	int in[2], out[2];
	FILE *f;

	*s = (struct smtp_sink){ .dir = "/tmp/perfherald-smtp-XXXXXX" };
	assert_non_null(mkdtemp(s->dir));
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	s->pid = fork();
	assert_true(s->pid >= 0);
	if (!s->pid)
		run(s, args, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	s->stop_fd = in[1];
	f = fdopen(out[0], "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "port %hu", &s->port), 1);
	fclose(f);
}

static void file_name(const struct smtp_sink *s, int n, const char *ending,
		      char ret[128])
{
	snprintf(ret, 128, "%s/%d.%s", s->dir, n, ending);
}

int smtp_sink_count(const struct smtp_sink *s)
{
	char path[128];
	int n = 0;

	do
		file_name(s, ++n, "eml", path);
	while (access(path, F_OK) == 0);
	return n - 1;
}

static struct slice kept(const struct smtp_sink *s, int n, const char *ending)
{
	char path[128], text[65536];
	size_t len;
	FILE *f;

	file_name(s, n, ending, path);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("no %s", path);
	len = fread(text, 1, sizeof(text), f);
	fclose(f);
	return guard_bytes(text, len);
}

struct slice smtp_sink_mail(const struct smtp_sink *s, int n)
{
	return kept(s, n, "eml");
}

struct slice smtp_sink_envelope(const struct smtp_sink *s, int n)
{
	return kept(s, n, "env");
}

void smtp_sink_stop(struct smtp_sink *s)
{
	int count = smtp_sink_count(s);
	char path[128];

	close(s->stop_fd);
	assert_int_equal(waitpid(s->pid, NULL, 0), s->pid);
	for (int n = 1; n <= count; n++) {
		file_name(s, n, "eml", path);
		unlink(path);
		file_name(s, n, "env", path);
		unlink(path);
	}
	assert_int_equal(rmdir(s->dir), 0);
}
