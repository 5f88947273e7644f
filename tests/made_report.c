#include "tests/made_report.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct dice {
	uint64_t state;
};

static uint32_t throw(struct dice * d, uint32_t sides)
{
	d->state = d->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(d->state >> 33) % sides;
}

/* A family's rows stand together and look alike: most are profile rows. */
enum form { DECIMALS, WHOLE, EXPONENT };

static const struct family {
	const char *name;
	enum form form;
	bool absolute;
} families[] = {
	{ "stress-ng.time", WHOLE, false },
	{ "numa-vmstat.node0", WHOLE, false },
	{ "sched_debug.cfs_rq:/", DECIMALS, false },
	{ "perf-stat.i", EXPONENT, false },
	{ "perf-sched.sch_delay.avg.ms", DECIMALS, false },
	{ "perf-profile.calltrace.cycles-pp", DECIMALS, true },
	{ "perf-profile.calltrace.cycles-pp", DECIMALS, true },
	{ "perf-profile.children.cycles-pp", DECIMALS, true },
	{ "perf-profile.children.cycles-pp", DECIMALS, true },
	{ "perf-profile.self.cycles-pp", DECIMALS, true },
};

static const char *const words[] = {
	"do_syscall_64", "entry_SYSCALL_64_after_hwframe",
	"vfs_write",	 "schedule",
	"nr_slab",	 "task_tick_fair",
	"page_fault",	 "folio_lock",
};

static void put_name(struct buf *out, struct dice *d, const char *family,
		     size_t len)
{
	size_t from = out->len;

	buf_add_str(out, family);
	do
		buf_printf(out, ".%s", words[throw(d, ARRAY_LEN(words))]);
	while (out->len - from + 8 < len);
}

/* The forms of compare.rb: decimals, whole numbers, exponents. */
static void put_value(struct buf *out, struct dice *d, enum form form)
{
	if (form == WHOLE)
		buf_printf(out, "%10u", 1000 + throw(d, 90000000));
	else if (form == EXPONENT)
		buf_printf(out, "%10.4g", 1e8 * (1 + throw(d, 90000)));
	else
		buf_printf(out, "%10.2f", throw(d, 10000) / 100.0);
	if (throw(d, 3))
		buf_printf(out, " ±%3u%%", 3 + throw(d, 120));
	else
		buf_add_str(out, "      ");
}

static void put_row(struct buf *out, struct dice *d, const struct family *f,
		    size_t name_len)
{
	put_value(out, d, f->form);
	buf_printf(out, "%+10.1f%s", throw(d, 4000) / 10.0 - 200,
		   f->absolute ? "  " : "% ");
	put_value(out, d, f->form);
	buf_add_str(out, "  ");
	put_name(out, d, f->name, name_len);
	buf_add_char(out, '\n');
}

static const char head[] =
	"Hello,\n\n"
	"kernel test robot noticed a 6.8% improvement of "
	"stress-ng.demo.ops_per_sec on:\n\n\n"
	"commit: 0123456789abcdef0123456789abcdef01234567 "
	"(\"mm: keep \"old\" list\")\n"
	"https://git.kernel.org/cgit/linux/kernel/git/torvalds/linux.git "
	"master\n\n"
	"testcase: stress-ng\n"
	"config: x86_64-rhel-9.4\n"
	"compiler: gcc-14\n"
	"test machine: 64 threads 2 sockets Intel(R) Xeon(R) Gold 6346 CPU @ "
	"3.10GHz (Ice Lake) with 256G memory\n"
	"parameters:\n\n"
	"\tnr_threads: 100%\n\ttesttime: 60s\n\ttest: demo\n"
	"\tcpufreq_governor: performance\n\n\n\n"
	"Details are as below:\n"
	"--------------------------------------------------------------------"
	"------------------------------>\n\n\n"
	"The kernel config and materials to reproduce are available at:\n"
	"https://download.01.org/0day-ci/archive/20260102/"
	"202601021530.1234abcd-lkp@intel.com\n\n"
	"======================================================================"
	"===================\n"
	"compiler/cpufreq_governor/kconfig/tbox_group/test/testcase:\n"
	"  gcc-14/performance/x86_64-rhel-9.4/lkp-icl-2sp8/demo/stress-ng\n\n"
	"commit: \n"
	"  89abcdef01 (\"mm: say what the list is for\")\n"
	"  0123456789 (\"mm: keep \"old\" list\")\n\n"
	"89abcdef01234567 0123456789abcdef0123456789a \n"
	"---------------- --------------------------- \n"
	"         %stddev     %change         %stddev\n"
	"             \\          |                \\  \n";

static const char tail[] =
	"\n\n\n\nDisclaimer:\n"
	"Results have been estimated based on internal Intel analysis and are "
	"provided\nfor informational purposes only.\n\n\n"
	"-- \n0-DAY CI Kernel Test Service\n"
	"https://github.com/intel/lkp-tests/wiki\n";

static void put_body(struct buf *out, const struct made_report *wish)
{
	struct dice dice = { wish->seed };

	buf_add_str(out, head);
	for (size_t i = 0; i < wish->rows; i++) {
		if (i == wish->rows / 2)
			buf_add_str(out,
				    "   3373715            +6.8%    3603928"
				    "        "
				    "stress-ng.demo.ops_per_sec\n");
		put_row(out, &dice,
			&families[i * ARRAY_LEN(families) / wish->rows],
			wish->name_len);
	}
	buf_add_str(out, tail);
}

static void put_base64(struct buf *out, struct slice s)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				     "pqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < s.len; i += 3) {
		uint32_t v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 |
			    (i + k < s.len ? (uint8_t)s.ptr[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			buf_add_char(out,
				     i + k > s.len
					     ? '='
					     : digits[v >> (18 - 6 * k) & 63]);
		if (i % 57 == 54)
			buf_add_char(out, '\n');
	}
	buf_add_char(out, '\n');
}

static void put_quoted_printable(struct buf *out, struct slice s)
{
	size_t column = 0;

	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c == '\n') {
			buf_add_char(out, '\n');
			column = 0;
			continue;
		}
		if (column > 70) {
			buf_add_str(out, "=\n");
			column = 0;
		}
		if (c == '=' || c > 126 ||
		    (c == ' ' && i + 1 < s.len && s.ptr[i + 1] == '\n')) {
			buf_printf(out, "=%02X", c);
			column += 3;
		} else {
			buf_add_char(out, (char)c);
			column++;
		}
	}
}

static void put_header(struct buf *out, const struct made_report *wish)
{
	buf_printf(out,
		   "Received: from mx.example.org by mail.example.org; "
		   "Fri, 2 Jan 2026 15:31:%02u +0800\n"
		   "Date: Fri, 2 Jan 2026 15:30:00 +0800\n"
		   "From: kernel test robot <lkp@intel.com>\n"
		   "To: =?utf-8?q?Ren=C3=A9e?= Example <renee@example.org>\n"
		   "CC: <oe-lkp@lists.linux.dev>, <lkp@intel.com>, Jo Example\n"
		   "\t<jo@example.org>, <linux-mm@kvack.org>\n"
		   "Subject: [linus:master] [mm]  0123456789:\n"
		   "  stress-ng.demo.ops_per_sec 6.8%% improvement\n"
		   "Message-ID: <2026010215%02u.%07x-lkp@intel.com>\n"
		   "List-Id: <oe-lkp.lists.linux.dev>\n"
		   "MIME-Version: 1.0\n"
		   "Content-Type: text/plain; charset=\"utf-8\"\n"
		   "Content-Transfer-Encoding: %s\n\n",
		   wish->seed % 60, wish->seed % 60, wish->seed, wish->mime);
}

void made_report(struct buf *out, const struct made_report *wish)
{
	struct buf body;

	if (!wish->mime) {
		put_body(out, wish);
		return;
	}
	buf_init(&body);
	put_body(&body, wish);
	put_header(out, wish);
	if (!strcmp(wish->mime, "base64"))
		put_base64(out, buf_slice(&body));
	else if (!strcmp(wish->mime, "quoted-printable"))
		put_quoted_printable(out, buf_slice(&body));
	else
		buf_add_slice(out, buf_slice(&body));
	buf_release(&body);
}
