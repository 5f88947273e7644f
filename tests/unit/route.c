/*
 * route: one patch, many matchers. A row is the routes of a configuration, who
 * is told by them, and the words that explain it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/route.h"
#include "tests/table.h"

static const struct slice files[] = { S_INIT("mm/memcontrol.c"),
				      S_INIT("include/linux/memcontrol.h") };
static const struct slice lists[] = { S_INIT("oe-lkp@lists.linux.dev"),
				      S_INIT("Linux-MM@kvack.org") };

static const struct route_result results[] = {
	{ S_INIT("stress-ng"), S_INIT("stress-ng.shm.ops_per_sec"),
	  S_INIT("lkp-icl-2sp8"), VERDICT_IMPROVEMENT, 120, true, 9, EVIDENCE_A,
	  true },
	{ S_INIT("will-it-scale"), S_INIT("will-it-scale.per_process_ops"),
	  S_INIT("lkp-skl-fpga01"), VERDICT_REGRESSION, 11.9, true, 8.5,
	  EVIDENCE_A, false },
	{ S_INIT("will-it-scale"), S_INIT("will-it-scale.per_thread_ops"),
	  S_INIT("lkp-icl-2sp8"), VERDICT_REGRESSION, 3.2, false, 0, EVIDENCE_D,
	  false },
};

static const struct route_subject patch = {
	.tree = S_INIT("https://git.kernel.org/cgit/linux/kernel/git/next/"
		       "linux-next.git"),
	.branch = S_INIT("master"),
	.label = S_INIT("linux-next:master"),
	.subsystem = S_INIT("memcg"),
	.author = S_INIT("Shakeel.B@example.org"),
	.files = files,
	.n_files = ARRAY_LEN(files),
	.lists = lists,
	.n_lists = ARRAY_LEN(lists),
	.results = results,
	.n_results = ARRAY_LEN(results),
};

/* want: "channel=headline:results ..." with places in the array above */
static struct route_case {
	const char *name, *routes, *want, *trace;
} cases[] = {
	{ "no route", "[]", "", "" },
	{ "no match key: all", "\n  - to: a", "a=1:012",
	  "route in line 4: yes: it asks for nothing, for 3 of 3 new results, "
	  "the worst will-it-scale.per_process_ops on lkp-skl-fpga01; to a; "
	  "ends here\n" },
	{ "first match ends", "\n  - to: a\n  - to: b", "a=1:012",
	  "route in line 4: yes: it asks for nothing, for 3 of 3 new results, "
	  "the worst will-it-scale.per_process_ops on lkp-skl-fpga01; to a; "
	  "ends here\n" },
	{ "continue goes on",
	  "\n  - {to: a, continue: true, match: {verdict: improvement}}"
	  "\n  - {to: [b, a], match: {host: lkp-skl-*}}",
	  "a=1:01 b=1:1",
	  "route in line 4: yes: verdict (line 4) holds, for 1 of 3 new "
	  "results, the worst stress-ng.shm.ops_per_sec on lkp-icl-2sp8; to a; "
	  "goes on\n"
	  "route in line 5: yes: host (line 5) holds, for 1 of 3 new results, "
	  "the worst will-it-scale.per_process_ops on lkp-skl-fpga01; to b, a; "
	  "ends here\n" },
	{ "result keys together on one result",
	  "\n  - {to: a, match: {verdict: regression, host: lkp-icl-2sp8, "
	  "min_percent: 5}}",
	  "",
	  "route in line 4: no: min_percent (line 4) asks for 5, and it is "
	  "3.2\n" },
	{ "at the percentage", "\n  - {to: a, match: {min_percent: 11.9}}",
	  "a=1:01", NULL },
	{ "over the percentage", "\n  - {to: a, match: {min_percent: 120.5}}",
	  "",
	  "route in line 4: no: min_percent (line 4) asks for 120.5, and it is "
	  "120\n" },
	{ "list means one of",
	  "\n  - {to: a, match: {testcase: [fio, will-it-scale]}}", "a=1:12",
	  NULL },
	{ "metric glob", "\n  - {to: a, match: {metric: '*.per_thread_*'}}",
	  "a=2:2", NULL },
	{ "case of a metric matters",
	  "\n  - {to: a, match: {metric: '*.PER_thread_*'}}", "",
	  "route in line 4: no: metric (line 4) asks for *.PER_thread_*, and "
	  "it is stress-ng.shm.ops_per_sec\n" },
	{ "evidence", "\n  - {to: a, match: {evidence: [B, D]}}", "a=2:2",
	  NULL },
	{ "effect", "\n  - {to: a, match: {min_effect: 8.6}}", "a=0:0", NULL },
	{ "effect unknown",
	  "\n  - {to: a, match: {metric: '*thread*', min_effect: 0}}", "",
	  "route in line 4: no: min_effect (line 4) asks for 0, and it is "
	  "unknown\n" },
	{ "too good", "\n  - {to: a, match: {too_good: true}}", "a=0:0", NULL },
	{ "not too good", "\n  - {to: a, match: {too_good: false}}", "a=1:12",
	  NULL },

	/* keys of the patch */
	{ "tree by its URL",
	  "\n  - {to: a, match: {tree: 'https://git.kernel.org/*'}}", "a=1:012",
	  NULL },
	{ "tree by its end",
	  "\n  - {to: a, match: {tree: next/linux-next.git}}", "a=1:012",
	  NULL },
	{ "tree by its name", "\n  - {to: a, match: {tree: linux-next}}",
	  "a=1:012", NULL },
	{ "other tree", "\n  - {to: a, match: {tree: linux}}", "",
	  "route in line 4: no: tree (line 4) asks for linux, and it is "
	  "https://git.kernel.org/cgit/linux/kernel/git/next/"
	  "linux-next.git\n" },
	{ "branch", "\n  - {to: a, match: {branch: master}}", "a=1:012", NULL },
	{ "label", "\n  - {to: a, match: {label: '*:master'}}", "a=1:012",
	  NULL },
	{ "subsystem", "\n  - {to: a, match: {subsystem: [mm, memcg]}}",
	  "a=1:012", NULL },
	{ "a file below", "\n  - {to: a, match: {files: 'include/*'}}",
	  "a=1:012", NULL },
	{ "no such file", "\n  - {to: a, match: {files: 'fs/*'}}", "",
	  "route in line 4: no: files (line 4) asks for fs/*, and it is "
	  "mm/memcontrol.c, include/linux/memcontrol.h\n" },
	{ "author without case",
	  "\n  - {to: a, match: {author: '*@EXAMPLE.org'}}", "a=1:012", NULL },
	{ "list without case",
	  "\n  - {to: a, match: {list: linux-mm@kvack.org}}", "a=1:012", NULL },
	{ "list that got no mail",
	  "\n  - {to: a, match: {list: netdev@vger.kernel.org}}", "",
	  "route in line 4: no: list (line 4) asks for netdev@vger.kernel.org, "
	  "and it is oe-lkp@lists.linux.dev, Linux-MM@kvack.org\n" },

	/* matchers in matchers */
	{ "all on one result",
	  "\n  - match:\n      all:\n        - {host: lkp-icl-2sp8}\n"
	  "        - {verdict: regression}\n    to: a",
	  "a=2:2", NULL },
	{ "all on no result",
	  "\n  - match:\n      all:\n        - {host: lkp-skl-fpga01}\n"
	  "        - {verdict: improvement}\n    to: a",
	  "",
	  "route in line 4: no: verdict (line 7) asks for improvement, and it "
	  "is regression\n" },
	{ "any",
	  "\n  - {to: a, match: {any: [{files: 'fs/*'}, "
	  "{evidence: D}]}}",
	  "a=2:2", NULL },
	{ "none of any",
	  "\n  - {to: a, match: {any: [{files: 'fs/*'}, {evidence: B}]}}", "",
	  "route in line 4: no: any (line 4): none of them holds\n" },
	{ "not on the same result",
	  "\n  - {to: a, match: {verdict: regression, not: {evidence: D}}}",
	  "a=1:1", NULL },
	{ "not of the patch",
	  "\n  - {to: a, match: {not: {list: '*@kvack.org'}}}", "",
	  "route in line 4: no: not (line 4): what it excludes is the case\n" },
	{ "not with two keys excludes both together only",
	  "\n  - {to: a, match: {not: {verdict: regression, "
	  "host: lkp-icl-2sp8}}}",
	  "a=1:01", NULL },
};

static struct config *read_routes(const char *routes)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct buf yaml;
	struct err err;

	buf_init(&yaml);
	buf_printf(&yaml,
		   "trust: {proof: none}\n"
		   "channels: {a: {type: stdout}, b: {type: stdout}}\n"
		   "routes: %s\n",
		   routes);
	config_errors_init(&errors);
	config_parse("f", buf_slice(&yaml), false, &c, &errors, NULL, &err);
	for (size_t i = 0; i < errors.n; i++)
		print_error("%s\n", errors.line[i].text);
	assert_non_null(c);
	config_errors_release(&errors);
	buf_release(&yaml);
	return c;
}

static void write_hits(const struct route_outcome *o, struct buf *ret)
{
	for (size_t i = 0; i < o->n_hits; i++) {
		const struct route_hit *h = &o->hits[i];

		buf_printf(ret, "%s%s=%zu:", i ? " " : "", h->channel->name,
			   h->headline);
		for (size_t k = 0; k < h->n_results; k++)
			buf_printf(ret, "%zu", h->results[k]);
	}
}

static void routes_as(const struct route_case *c, const struct route_subject *s)
{
	struct config *config = read_routes(c->routes);
	struct route_outcome o;
	struct arena arena;
	struct buf got, trace;

	arena_init(&arena);
	buf_init(&got);
	buf_init(&trace);
	route_match(config, s, &arena, &o);
	write_hits(&o, &got);
	assert_string_equal(buf_str(&got), c->want);
	for (size_t i = 0; i < o.n_trace; i++)
		buf_printf(&trace, "%.*s\n", S_FMT(o.trace[i]));
	if (c->trace)
		assert_string_equal(buf_str(&trace), c->trace);
	buf_release(&got);
	buf_release(&trace);
	arena_release(&arena);
	config_free(config);
}

static void routes(void **state)
{
	routes_as(*state, &patch);
}

static void without_a_new_result(void **state)
{
	static const struct route_case rows[] = {
		{ "", "\n  - {to: a, match: {subsystem: memcg}}", "a=0:",
		  "route in line 4: yes: subsystem (line 4) holds; to a; ends "
		  "here\n" },
		{ "", "\n  - {to: a, match: {verdict: regression}}", "",
		  "route in line 4: no: verdict (line 4): there is no new "
		  "result\n" },
	};
	struct route_subject s = patch;

	(void)state;
	s.n_results = 0;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		routes_as(&rows[i], &s);
}

/* A posted patch has neither tree nor branch; its label says both. */
static void label_stands_in_for_tree_and_branch(void **state)
{
	static const struct route_case row = {
		"", "\n  - {to: a, match: {tree: linux-next, branch: master}}",
		"a=1:012", NULL
	};
	struct route_subject s = patch;

	(void)state;
	s.tree = s.branch = S("");
	routes_as(&row, &s);
}

int main(void)
{
	static struct CMUnitTest tests[ARRAY_LEN(cases) + 2] = {
		cmocka_unit_test(without_a_new_result),
		cmocka_unit_test(label_stands_in_for_tree_and_branch),
	};
	size_t n = TABLE_LISTED(tests);

	TABLE_ADD(tests, n, cases, name, routes);
	return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}
