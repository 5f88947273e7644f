#include "tests/typed.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "bot/command.h"
#include "ph/arena.h"
#include "tests/scratch.h"

#define WORDS 24

static struct buf output;

/* Puts fd in the place of a stream's descriptor; what stood there. */
static int swap(FILE *stream, int fd)
{
	int old;

	fflush(stream);
	old = dup(fileno(stream));
	assert_true(old >= 0);
	assert_true(dup2(fd, fileno(stream)) >= 0);
	return old;
}

static void swap_back(FILE *stream, int old)
{
	fflush(stream);
	dup2(old, fileno(stream));
	close(old);
}

static void collect(int fd)
{
	char block[4096];
	ssize_t n;

	buf_reset(&output);
	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, block, sizeof(block))) > 0)
		buf_add(&output, block, (size_t)n);
	assert_int_equal(n, 0);
	close(fd);
}

int typed_run(const char *config, int out, const char *first, va_list words)
{
	const struct command *c = command_find(first);
	char *argv[WORDS] = { (char *)first };
	int both, old_out, old_err, code, argc = 1;

	assert_non_null(c);
	while ((argv[argc] = va_arg(words, char *)))
		assert_true(++argc < WORDS);
	both = open(scratch_path("output"),
		    O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	assert_true(both >= 0);
	old_out = swap(stdout, out < 0 ? both : out);
	old_err = swap(stderr, both);
	code = c->run(argc, argv, (char *)config);
	swap_back(stdout, old_out);
	swap_back(stderr, old_err);
	collect(both);
	return code;
}

const char *typed_output(void)
{
	return buf_str(&output);
}

void typed_says(const char *part)
{
	if (!strstr(typed_output(), part))
		fail_msg("no \"%s\" in:\n%s", part, typed_output());
}

void typed_says_not(const char *part)
{
	if (strstr(typed_output(), part))
		fail_msg("\"%s\" in:\n%s", part, typed_output());
}
