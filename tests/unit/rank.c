/*
 * Which rows of a table are shown. Every case is the rows of a table under the
 * headline demo row, and the lines that come out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/rank.h"
#include "ph/message.h"
#include "tests/table.h"

static struct arena arena;

static const char front[] =
	"From: kernel test robot <lkp@intel.com>\n"
	"Message-ID: <202403071512.1a2b3c4d-lkp@intel.com>\n"
	"Subject: [linus:master] [mm]  abcdef0123: stress-ng.shm.ops_per_sec "
	"-10.0% regression\n\nHello,\n\n"
	"kernel test robot noticed a -10.0% regression of "
	"stress-ng.shm.ops_per_sec on:\n\n"
	"commit: abcdef0123456789abcdef0123456789abcdef01 (\"mm: x\")\n"
	"https://git.kernel.org/cgit/linux/kernel/git/torvalds/linux.git "
	"master\n\ntestcase: stress-ng\n\n"
	"===================================================================="
	"=====================\n"
	"tbox_group/testcase:\n  lkp-icl-2sp8/stress-ng\n\ncommit: \n"
	"  0123456789 (\"mm: w\")\n  abcdef0123 (\"mm: x\")\n\n"
	"0123456789abcdef abcdef0123456789abcdef01234 \n"
	"---------------- --------------------------- \n"
	"         %stddev     %change         %stddev\n"
	"             \\          |                \\  \n"
	"     10000           -10.0%       9000        "
	"stress-ng.shm.ops_per_sec\n";

static const struct rank_case {
	const char *name, *rows, *symbol, *want;
} cases[] = {
	{ "nothing but the headline says nothing", "", NULL, "" },
	{ "a row out of the noise is shown",
	  " 1000.00 ± 2% +50.0% 1500 ± 2% vmstat.system.cs\n", NULL,
	  "sched: vmstat.system.cs 1,000 -> 1,500 (+50%)" },
	{ "a row inside the noise is not",
	  " 1000.00 ± 30% +50.0% 1500 ± 30% vmstat.system.cs\n", NULL, "" },
	{ "an echo of the headline is not",
	  " 5000 -10.5% 4475 perf-stat.i.context-switches\n", NULL, "" },
	{ "the headline under another name is not",
	  " 600000 -40.0% 360000 stress-ng.shm.ops\n", NULL, "" },
	{ "another stressor of the same test is",
	  " 600000 -40.0% 360000 stress-ng.vm.ops\n", NULL,
	  "test: stress-ng.vm.ops 600,000 -> 360,000 (-40%)" },
	{ "a time of the test that is the rate turned over is not",
	  " 10.00 +11.0% 11.10 stress-ng.shm.ms_per_op\n", NULL, "" },
	{ "values that print alike are not",
	  " 1.00 -0.5% 1.00 perf-stat.overall.cpi\n", NULL, "" },
	{ "less than a point is not", " 0.50 +0.9 1.40 mpstat.cpu.all.soft%\n",
	  NULL, "" },
	{ "a point is", " 0.50 +1.0 1.50 mpstat.cpu.all.soft%\n", NULL,
	  "cpu: mpstat.cpu.all.soft% 0.50 -> 1.50 (+1.0 points)" },
	{ "hundredths are rounding", " 0.02 +200.0% 0.06 turbostat.RAMWatt\n",
	  NULL, "" },
	{ "from nothing has no per cent",
	  " 0.00 +4.2e+102% 4.17 ± 3% turbostat.C1E\n", NULL,
	  "power: turbostat.C1E 0.00 -> 4.17" },
	{ "many times is said as times",
	  " 13.00 +5284.6% 700.00 perf-c2c.DRAM.remote\n", NULL,
	  "cache: perf-c2c.DRAM.remote 13.00 -> 700.00 (54 times)" },
	{ "never shown",
	  " 100.00 +100.0% 200.00 sched_debug.cpu.curr->pid.avg\n"
	  " 100.00 +100.0% 200.00 perf-sched.total_wait_time.average.ms\n"
	  " 100.00 +100.0% 200.00 slabinfo.kmalloc-64.active_objs\n"
	  " 100.00 +100.0% 200.00 "
	  "interrupts.CPU12.RES:Rescheduling_interrupts\n"
	  " 100.00 +100.0% 200.00 interrupts.73:PCI-MSI.3-edge.eth0-TxRx-37\n"
	  " 100.00 +100.0% 200.00 softirqs.CPU3.RCU\n"
	  " 100.00 +100.0% 200.00 numa-meminfo.node1.Mapped\n"
	  " 100.00 +100.0% 200.00 numa-numastat.node0.numa_hit\n"
	  " 100.00 +100.0% 200.00 boot-time.boot\n"
	  " 100.00 +100.0% 200.00 uptime.idle\n"
	  " 100.00 +100.0% 200.00 proc-vmstat.nr_mlock\n"
	  " 100.00 +100.0% 200.00 perf-stat.i.metric.K/sec\n"
	  " 100.00 +100.0% 200.00 perf-stat.i.iTLB-loads\n"
	  " 100.00 +100.0% 200.00 stress-ng.time.elapsed_time.max\n"
	  " 100.00 +100.0% 200.00 latency_stats.sum.do_x.do_y\n",
	  NULL, "" },
	{ "the best of a theme stands for it",
	  " 100.00 +30.0% 130.00 vmstat.system.cs\n"
	  " 100.00 +60.0% 160.00 perf-stat.i.context-switches\n"
	  " 100.00 +40.0% 140.00 stress-ng.time.voluntary_context_switches\n",
	  NULL, "sched: perf-stat.i.context-switches 100.00 -> 160.00 (+60%)" },
	{ "four themes at most, the strongest first",
	  " 100.00 +20.0% 120.00 vmstat.system.cs\n"
	  " 100.00 +30.0% 130.00 perf-stat.i.cpi\n"
	  " 100.00 +40.0% 140.00 perf-c2c.HITM.local\n"
	  " 100.00 +50.0% 150.00 proc-vmstat.pgfault\n"
	  " 100.00 +60.0% 160.00 vmstat.io.bo\n"
	  " 100.00 +70.0% 170.00 turbostat.PkgWatt\n",
	  NULL,
	  "power: turbostat.PkgWatt 100.00 -> 170.00 (+70%)\n"
	  "io: vmstat.io.bo 100.00 -> 160.00 (+60%)\n"
	  "memory: proc-vmstat.pgfault 100.00 -> 150.00 (+50%)\n"
	  "cache: perf-c2c.HITM.local 100.00 -> 140.00 (+40%)" },
	{ "a change is the one that the report prints",
	  " 3.128e+10 +8.3% 3.386e+10 ± 2% perf-stat.ps.branch-instructions\n",
	  NULL,
	  "cpu: perf-stat.ps.branch-instructions 3.128e+10 -> 3.386e+10 "
	  "(+8.3%)" },
	{ "shared memory counts half",
	  " 100.00 +60.0% 160.00 meminfo.Shmem\n"
	  " 100.00 +40.0% 140.00 proc-vmstat.pgfault\n",
	  NULL, "memory: proc-vmstat.pgfault 100.00 -> 140.00 (+40%)" },
	{ "steadier beats larger",
	  " 100.00 ± 30% +200.0% 300.00 ± 35% vmstat.system.in\n"
	  " 100.00 +60.0% 160.00 vmstat.system.cs\n",
	  NULL, "sched: vmstat.system.cs 100.00 -> 160.00 (+60%)" },
	{ "names lose what is said elsewhere",
	  " 100.00 +60.0% 160.00 interrupts.TLB:TLB_shootdowns\n"
	  " 100.00 +60.0% 160.00 stress-ng.time.user_time\n",
	  NULL,
	  "cpu: time.user_time 100.00 -> 160.00 (+60%)\n"
	  "memory: interrupts.TLB 100.00 -> 160.00 (+60%)" },
	{ "the function that moved most",
	  " 10.00 +5.0 15.00 perf-profile.self.cycles-pp.clear_page_erms\n"
	  " 10.00 +2.0 12.00 perf-profile.self.cycles-pp.mas_walk\n"
	  " 10.00 +9.0 19.00 perf-profile.children.cycles-pp.do_syscall_64\n",
	  NULL, "profile: clear_page_erms 10.0% -> 15.0%" },
	{ "idle loops are no function",
	  " 10.00 +50.0 60.00 perf-profile.self.cycles-pp.intel_idle_irq\n"
	  " 10.00 +50.0 60.00 perf-profile.self.cycles-pp.acpi_safe_halt\n",
	  NULL, "" },
	{ "less than a point of the profile is not shown",
	  " 1.00 +0.9 1.90 perf-profile.self.cycles-pp.mas_walk\n", NULL, "" },
	{ "a lock names who wants it",
	  " 10.00 +20.0 30.00 perf-profile.calltrace.cycles-pp."
	  "native_queued_spin_lock_slowpath._raw_spin_lock_irqsave."
	  "folio_lruvec_lock_irqsave.folio_batch_move_lru.lru_add_drain\n"
	  " 5.00 +2.0 7.00 perf-profile.calltrace.cycles-pp."
	  "native_queued_spin_lock_slowpath._raw_spin_lock.rmqueue_bulk."
	  "rmqueue\n"
	  " 15.00 +22.0 37.00 perf-profile.self.cycles-pp."
	  "native_queued_spin_lock_slowpath\n",
	  NULL,
	  "profile: native_queued_spin_lock_slowpath 15.0% -> 37.0%, from "
	  "folio_lruvec_lock_irqsave" },
	{ "who wants it less is not named",
	  " 10.00 -9.0 1.00 perf-profile.calltrace.cycles-pp.osq_lock."
	  "rwsem_optimistic_spin.rwsem_down_write_slowpath.unlink.x\n"
	  " 15.00 +22.0 37.00 perf-profile.self.cycles-pp.osq_lock\n",
	  NULL, "profile: osq_lock 15.0% -> 37.0%" },
	{ "a function of the patch goes before others",
	  " 10.00 +5.0 15.00 perf-profile.self.cycles-pp.clear_page_erms\n"
	  " 10.00 +2.0 12.00 perf-profile.self.cycles-pp.mas_walk\n",
	  "mas_walk", "profile: mas_walk 10.0% -> 12.0%" },
	{ "a function of the patch that did not move does not",
	  " 10.00 +5.0 15.00 perf-profile.self.cycles-pp.clear_page_erms\n"
	  " 10.00 +0.2 10.20 perf-profile.self.cycles-pp.mas_walk\n",
	  "mas_walk", "profile: clear_page_erms 10.0% -> 15.0%" },
};

static void read_rows(const char *rows, struct message *m, struct report *r)
{
	struct err err;
	char *raw = arena_printf(&arena, "%s%s\n", front, rows);

	if (message_read(slice_of(raw), &arena, m, &err) != PH_OK ||
	    report_read(m, &arena, r, &err) != PH_OK)
		fail_msg("%s", err.text);
	assert_int_equal(r->n_results, 1);
	assert_true(r->results[0].row >= 0);
}

static void check_rows(void **state)
{
	const struct rank_case *c = *state;
	struct notice_line lines[RANK_ROWS + 1];
	struct slice symbol = slice_of(c->symbol);
	struct message m;
	struct report r;
	struct buf b;
	size_t n;

	buf_init(&b);
	read_rows(c->rows, &m, &r);
	n = rank_rows(&r, &r.results[0], &symbol, symbol.len > 0, &arena,
		      lines);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%.*s: %.*s", i ? "\n" : "",
			   S_FMT(lines[i].theme), S_FMT(lines[i].text));
	assert_string_equal(buf_str(&b), c->want);
	buf_release(&b);
}

static void without_a_table_there_is_nothing(void **state)
{
	struct notice_line lines[RANK_ROWS + 1];
	struct report r = { 0 };
	struct result result = { .table = -1, .row = -1 };

	(void)state;
	assert_int_equal(rank_rows(&r, &result, NULL, 0, &arena, lines), 0);
}

int main(void)
{
	struct CMUnitTest tests[64] = {
		cmocka_unit_test(without_a_table_there_is_nothing),
	};
	size_t n = TABLE_LISTED(tests);
	int failed;

	arena_init(&arena);
	TABLE_ADD(tests, n, cases, name, check_rows);
	failed = _cmocka_run_group_tests("rank", tests, n, NULL, NULL);
	arena_release(&arena);
	return failed;
}
