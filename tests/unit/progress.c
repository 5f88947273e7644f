#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bot/progress.h"
#include "ph/slice.h"

static struct line_case {
	const char *name;
	int64_t done, total, ms;
	const char *want;
} lines[] = {
	{ "rate and time left", 500, 2000, 1000,
	  "500 of 2000 messages, 500/s, 3 s left" },
	{ "time left is rounded up", 300, 1000, 1000,
	  "300 of 1000 messages, 300/s, 3 s left" },
	{ "no total", 500, 0, 250, "500 messages, 2000/s" },
	{ "more than were said", 500, 400, 1000, "500 messages, 500/s" },
	{ "slower than one a second", 1, 100, 5000, "1 messages, 0/s" },
	{ "no time at all", 5, 10, 0, "5 messages, 0/s" },
};

static void check_line(void **state)
{
	const struct line_case *c = *state;
	char line[80];

	progress_line(c->done, c->total, c->ms, line);
	assert_string_equal(line, c->want);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(lines)];

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		tests[i] = (struct CMUnitTest){ .name = lines[i].name,
						.test_func = check_line,
						.initial_state = &lines[i] };
	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
