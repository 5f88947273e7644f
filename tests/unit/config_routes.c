/* Routes that can never match, and what is said of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include "ph/config.h"

#define PROOF "trust: {proof: none}\n"
#define CH    "channels: {c: {type: stdout}}\n"

static struct warning {
	const char *name, *routes, *want; /* NULL: nothing */
} warnings[] = {
	{ "nothing to warn of",
	  "  - {match: {verdict: regression}, to: c}\n"
	  "  - {to: c}\n",
	  NULL },
	{ "after all is taken",
	  "  - {to: c}\n"
	  "  - {match: {verdict: regression}, to: c}\n",
	  "f:5:5: this route can never match: the one in line 4 takes all of "
	  "it first" },
	{ "after all is taken, but it goes on",
	  "  - {to: c, continue: true}\n"
	  "  - {match: {verdict: regression}, to: c}\n",
	  NULL },
	{ "a narrower one below",
	  "  - {match: {min_percent: 5, tree: 'linux*'}, to: c}\n"
	  "  - {match: {min_percent: 7, tree: linux-next, host: x}, to: c}\n"
	  "  - {match: {min_percent: 4, tree: linux-next}, to: c}\n",
	  "f:5:5: this route can never match: the one in line 4 takes all of "
	  "it first" },
	{ "two values at once",
	  "  - {match: {verdict: regression, all: [{verdict: improvement}]}, "
	  "to: c}\n",
	  "f:4:5: this route can never match: it asks for two values of "
	  "verdict at once" },
	{ "a glob that fits",
	  "  - {match: {host: 'lkp-*', all: [{host: lkp-icl}]}, to: c}\n",
	  NULL },
	{ "two of many",
	  "  - {match: {list: a@b.c, all: [{list: d@e.f}]}, to: c}\n", NULL },
	{ "a regression too good",
	  "  - {match: {verdict: regression, too_good: true}, to: c}\n",
	  "f:4:5: this route can never match: only an improvement is too "
	  "good" },
	{ "not takes all",
	  "  - {match: {evidence: A, not: {evidence: [A, B]}}, to: c}\n",
	  "f:4:5: this route can never match: its not takes away all that the "
	  "rest leaves" },
	{ "empty not", "  - {match: {not: {}}, to: c}\n",
	  "f:4:5: this route can never match: an empty not holds for "
	  "nothing" },
	{ "any without a way out",
	  "  - {match: {tree: a, any: [{tree: b}, {tree: c}]}, to: c}\n",
	  "f:4:5: this route can never match: it asks for two values of tree "
	  "at once" },
	{ "any with one",
	  "  - {match: {tree: a, any: [{tree: b}, {tree: a}]}, to: c}\n",
	  NULL },
};

static void warns(void **state)
{
	const struct warning *w = *state;
	struct config_errors errors, warned;
	struct config *c = NULL;
	struct buf yaml;
	struct err err;

	buf_init(&yaml);
	config_errors_init(&errors);
	config_errors_init(&warned);
	buf_printf(&yaml, PROOF CH "routes:\n%s", w->routes);
	assert_int_equal(config_parse("f", buf_slice(&yaml), false, &c, &errors,
				      &warned, &err),
			 PH_OK);
	assert_int_equal(warned.n, w->want ? 1 : 0);
	if (w->want)
		assert_string_equal(warned.line[0].text, w->want);
	config_free(c);
	config_errors_release(&errors);
	config_errors_release(&warned);
	buf_release(&yaml);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(warnings)];

	for (size_t i = 0; i < ARRAY_LEN(warnings); i++)
		tests[i] = (struct CMUnitTest){ .name = warnings[i].name,
						.test_func = warns,
						.initial_state = &warnings[i] };
	unsetenv("CREDENTIALS_DIRECTORY");
	return cmocka_run_group_tests_name("config_routes", tests, NULL, NULL);
}
