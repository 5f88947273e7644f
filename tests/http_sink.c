#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guard.h"
#include "tests/http_sink.h"

/* Never returns. */
static void run(const struct http_sink *s, const char *tls_host, int in,
		int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (tls_host)
		execlp("python3", "python3", "tests/http_sink.py", s->dir,
		       "--tls", tls_host, (char *)NULL);
	else
		execlp("python3", "python3", "tests/http_sink.py", s->dir,
		       (char *)NULL);
	_exit(127);
}

void http_sink_start(struct http_sink *s, const char *tls_host)
{
	int in[2], out[2];
	FILE *f;

	*s = (struct http_sink){ .dir = "/tmp/perfherald-sink-XXXXXX" };
	assert_non_null(mkdtemp(s->dir));
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	s->pid = fork();
	assert_true(s->pid >= 0);
	if (!s->pid)
		run(s, tls_host, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	s->stop_fd = in[1];
	f = fdopen(out[0], "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "ready %d", &s->port), 1);
	fclose(f);
}

static void remove_file(const struct http_sink *s, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	unlink(path);
}

void http_sink_stop(struct http_sink *s)
{
	char name[32];

	close(s->stop_fd);
	waitpid(s->pid, NULL, 0);
	for (int i = http_sink_count(s); i > 0; i--) {
		snprintf(name, sizeof(name), "%d.head", i);
		remove_file(s, name);
		snprintf(name, sizeof(name), "%d.body", i);
		remove_file(s, name);
	}
	remove_file(s, "script");
	remove_file(s, "key.pem");
	remove_file(s, "ca.pem");
	rmdir(s->dir);
}

static void add_line(const struct http_sink *s, const char *line)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/script", s->dir);
	f = fopen(path, "a");
	assert_non_null(f);
	assert_true(fprintf(f, "%s\n", line) > 0);
	assert_int_equal(fclose(f), 0);
}

void http_sink_script(struct http_sink *s, const char *json)
{
	/* requests that came without a line had the usual answer */
	while (s->lines < (size_t)http_sink_count(s)) {
		add_line(s, "{}");
		s->lines++;
	}
	add_line(s, json);
	s->lines++;
}

static struct slice read_part(const struct http_sink *s, int n,
			      const char *part)
{
	char path[128], *text;
	struct slice ret;
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%d.%s", s->dir, n, part);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail_msg("the sink got no request %d", n);
	assert_int_equal(fstat(fd, &st), 0);
	text = malloc((size_t)st.st_size + 1);
	assert_non_null(text);
	assert_int_equal(read(fd, text, (size_t)st.st_size), st.st_size);
	close(fd);
	ret = guard_bytes(text, (size_t)st.st_size);
	free(text);
	return ret;
}

struct slice http_sink_head(const struct http_sink *s, int n)
{
	return read_part(s, n, "head");
}

struct slice http_sink_body(const struct http_sink *s, int n)
{
	return read_part(s, n, "body");
}

int http_sink_count(const struct http_sink *s)
{
	char path[128];
	int n = 0;

	do
		snprintf(path, sizeof(path), "%s/%d.head", s->dir, ++n);
	while (access(path, F_OK) == 0);
	return n - 1;
}
