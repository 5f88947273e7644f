#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ph/report.h"
#include "tests/guard.h"
#include "tests/table.h"

static const struct metric_case {
	const char *name;
	enum better better;
	const char *unit; /* NULL: not looked at */
} metrics[] = {
	{ "vm-scalability.throughput", BETTER_HIGHER, NULL },
	{ "fsmark.app_overhead", BETTER_LOWER, "microseconds" },
	{ "fsmark.files_per_sec", BETTER_HIGHER, "files per second" },
	{ "stress-ng.timer.ops_per_sec", BETTER_HIGHER,
	  "operations per second" },
	/* A cost, but the robot judges it as a rate. */
	{ "stress-ng.mutex.nanosecs_per_item", BETTER_HIGHER, "per item" },
	{ "stress-ng.timer.ops", BETTER_UNKNOWN, "operations" },
	{ "will-it-scale.per_thread_ops", BETTER_HIGHER,
	  "operations per thread" },
	{ "will-it-scale.per_process_ops", BETTER_HIGHER,
	  "operations per process" },
	/* One or more bytes must stand where the pattern has a star. */
	{ "stress-ng._per_sec", BETTER_UNKNOWN, NULL },
	{ "netperf.Throughput_tps", BETTER_HIGHER, "transactions per second" },
	{ "netperf.Throughput_total_tps", BETTER_UNKNOWN, NULL },
	{ "pts.a.b.milliseconds", BETTER_HIGHER, "milliseconds" },
	{ "pts.a.b.milli-seconds", BETTER_LOWER, "milliseconds" },
	{ "pts.a.points", BETTER_LOWER, "points" },
	/* Its name until 2024, and the robot's rules for it were the same. */
	{ "phoronix-test-suite.npb.SP.B.total_mop_s", BETTER_HIGHER,
	  "million operations per second" },
	{ "phoronix-test-suite.darktable.Masskrug.CPU-only.seconds",
	  BETTER_LOWER, "seconds" },
	{ "a-test-nobody-knows.x.seconds", BETTER_UNKNOWN, "seconds" },
	{ "a-test-nobody-knows.frames_per_second", BETTER_UNKNOWN,
	  "per second" },
	{ "iostat.sda.w_await.max", BETTER_LOWER, "milliseconds" },
	{ "iostat..await.max", BETTER_LOWER, "milliseconds" },
	{ "idle.turbostat.Busy%", BETTER_LOWER, NULL },
	{ "idle.turbostat-Busy%", BETTER_LOWER, NULL },
	{ "dbench.throughput-MB/sec", BETTER_HIGHER, "MB per second" },
	{ "chromeswap.throughput_swap_cycles_per_second", BETTER_LOWER, NULL },
	{ "perf-profile.self.cycles-pp.x", BETTER_UNKNOWN,
	  "per cent of samples" },
	{ "stress-ng.time.system_time", BETTER_UNKNOWN, "seconds" },
	{ "time.user_time", BETTER_UNKNOWN, "seconds" },
	{ "cpuidle..usage", BETTER_UNKNOWN, "entries" },
	{ "perf-stat.i.ipc", BETTER_UNKNOWN, "instructions per cycle" },
	{ "", BETTER_UNKNOWN, "" },
	{ "nobody.knows", BETTER_UNKNOWN, "" },
};

static void check_metric(void **state)
{
	const struct metric_case *c = *state;
	struct slice name = guard_copy(c->name);

	assert_int_equal(metric_better(name), c->better);
	if (c->unit)
		assert_true(slice_eq(metric_unit(name), slice_of(c->unit)));
}

static void hosts_tell_their_processor(void **state)
{
	static const struct {
		const char *host, *cpu, *class;
	} hosts[] = {
		{ "lkp-skl-fpga01", "Skylake", "lkp-skl-fpga" },
		{ "lkp-icl-2sp8", "Ice Lake", "lkp-icl-2sp" },
		{ "lkp-csl-2sp10", "Cascade Lake", "lkp-csl-2sp" },
		{ "igk-spr-2sp1", "Sapphire Rapids", "igk-spr-2sp" },
		{ "lkp-spr-r02", "Sapphire Rapids", "lkp-spr-r" },
		{ "vm-snb", "Sandy Bridge", "vm-snb" },
		{ "ivb42", "Ivy Bridge", "ivb" },
		{ "lkp-snb01", "Sandy Bridge", "lkp-snb" },
		{ "lkp-hsx04", "Haswell", "lkp-hsx" },
		{ "somewhere", "", "somewhere" },
		{ "lkp-", "", "lkp-" },
		{ "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		struct slice host = guard_copy(hosts[i].host);

		assert_true(slice_eq(host_cpu(host), slice_of(hosts[i].cpu)));
		assert_true(
			slice_eq(host_class(host), slice_of(hosts[i].class)));
	}
}

static void families_have_a_meaning(void **state)
{
	(void)state;
	assert_true(metric_family_meaning(S("perf-c2c.HITM.local")).len > 0);
	assert_true(metric_family_meaning(S("mpstat")).len > 0);
	assert_true(metric_family_meaning(S("mpstatx.a")).len == 0);
	assert_true(metric_family_meaning(S("")).len == 0);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(metrics) + 2] = {
		cmocka_unit_test(hosts_tell_their_processor),
		cmocka_unit_test(families_have_a_meaning),
	};
	size_t n = TABLE_LISTED(tests);

	TABLE_ADD(tests, n, metrics, name, check_metric);
	return cmocka_run_group_tests_name("metric", tests, NULL, NULL);
}
