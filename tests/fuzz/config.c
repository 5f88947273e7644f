/*
 * fuzz config - any bytes as a configuration: no crash, and either a usable
 * configuration or a mistake with its place.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include "bot/route.h"
#include "bot/trees.h"
#include "ph/config.h"
#include "ph/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every line starts with the file, a line and a column. */
static void check_mistakes(const struct config_errors *e)
{
	unsigned before = 0;

	for (size_t i = 0; i < e->n; i++) {
		unsigned line = 0, column = 0;

		assert(sscanf(e->line[i].text, "f:%u:%u: ", &line, &column) ==
		       2);
		assert(line && column && line >= before);
		before = line;
	}
}

/* What was read can be walked: all routes are tried on one result. */
static void use(const struct config *c)
{
	static const struct route_result result = {
		.testcase = S_INIT("will-it-scale"),
		.metric = S_INIT("will-it-scale.per_process_ops"),
		.verdict = VERDICT_REGRESSION,
		.percent = 5,
	};
	const struct route_subject subject = {
		.label = S_INIT("linus:master"),
		.results = &result,
		.n_results = 1,
	};
	struct route_outcome o;
	struct arena arena;

	arena_init(&arena);
	route_match(c, &subject, &arena, &o);
	assert(o.n_trace <= c->n_routes);
	arena_release(&arena);
}

static void read_config(struct slice bytes)
{
	struct config_errors errors, warnings;
	struct config *c = NULL;
	struct err err;
	enum status s;

	config_errors_init(&errors);
	config_errors_init(&warnings);
	s = config_parse("f", bytes, true, &c, &errors, &warnings, &err);
	assert((s == PH_OK) == (errors.n == 0));
	check_mistakes(&errors);
	check_mistakes(&warnings);
	if (s == PH_OK)
		use(c);
	config_free(c);
	config_errors_release(&errors);
	config_errors_release(&warnings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice bytes = { (const char *)data, size };
	struct trees trees;
	struct err err;

	if (size > LIMIT_CONFIG)
		return 0;
	read_config(bytes);
	trees_init(&trees);
	trees_add(&trees, S("t"), bytes, &err);
	trees_release(&trees);
	return 0;
}
