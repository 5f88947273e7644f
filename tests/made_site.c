#include "tests/made_site.h"

struct site_result made_site_result(int n)
{
	return (struct site_result){
		.when = MADE_SITE_THEN + n * MADE_SITE_DAY,
		.patch = S("c5598418bc5d"),
		.series = S("446ec4cc7f6fb3d5"),
		.title = S("mm: <b>\"walk\"</b> & rest"),
		.commit = S("0123456789abcdef0123456789abcdef01234567"),
		.tree = S("https://git.kernel.org/cgit/linux/kernel/git/next/"
			  "linux-next.git"),
		.testcase = S("will-it-scale"),
		.params = S("mode=<process> nr_task=100%"),
		.host = S("lkp-<spr>"),
		.metric = S("will-it-scale.<ops>"),
		.report_url = S("https://lore.kernel.org/r/a&b@example.org"),
		.verdict = n % 2 ? VERDICT_IMPROVEMENT : VERDICT_REGRESSION,
		.percent = 12 + n,
		.has_values = n != 2,
		.base = 100000,
		.value = n % 2 ? 113000 : 88000,
		.base_dev = 3,
		.value_dev = n ? -1 : 4,
		.has_effect = true,
		.effect = 2.5 + n,
		.evidence = n ? EVIDENCE_B : EVIDENCE_C,
		.news = !n,
	};
}

struct site_series made_site_series(struct site_result *points, size_t n)
{
	for (size_t i = 0; i < n; i++)
		points[i] = made_site_result((int)i);
	return (struct site_series){ .testcase = S("will-it-scale"),
				     .params = S("mode=<process> nr_task=100%"),
				     .host = S("lkp-<spr>"),
				     .metric = S("will-it-scale.<ops>"),
				     .unit = S("operations per process"),
				     .better = BETTER_HIGHER,
				     .points = points,
				     .n_points = n };
}
