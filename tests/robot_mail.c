#include "tests/robot_mail.h"

#include <stdio.h>
#include <string.h>

#define OR(a, b) ((a) ? (a) : (b))

static void put_header(struct buf *b, const struct robot_mail *m,
		       const char *id)
{
	buf_printf(b,
		   "Date: Thu, 1 Oct 2026 09:15:41 +0800\n"
		   "From: kernel test robot <oliver.sang@intel.com>\n"
		   "To: <%s>\n"
		   "CC: <oe-lkp@lists.linux.dev>, <lkp@intel.com>%s%s\n",
		   OR(m->to, "author@example.org"), m->cc ? ", " : "",
		   OR(m->cc, ""));
	buf_add_str(b, "Subject: ");
	if (m->label)
		buf_printf(b, "[%s] ", m->label);
	buf_printf(b, "[mm] %.10s: %s %.1f%% %s\n", m->commit, m->metric,
		   m->percent, OR(m->verdict, "regression"));
	buf_printf(b,
		   "Message-ID: <%s>\n"
		   "Content-Type: text/plain; charset=\"utf-8\"\n"
		   "Content-Transfer-Encoding: 8bit\n"
		   "MIME-Version: 1.0\n\n",
		   id);
}

static void put_origin(struct buf *b, const struct robot_mail *m)
{
	if (m->tree)
		buf_printf(b, "%s\n\n", m->tree);
	else
		buf_printf(b,
			   "url: https://github.com/intel-lab-lkp/linux/"
			   "commits/a/b/20261001-0\n"
			   "patch link: https://lore.kernel.org/all/"
			   "20261001000000.1-1-author@example.org/\n"
			   "patch subject: [PATCH v2 3/3] %s\n\n",
			   m->title);
}

static void put_cell(struct buf *b, double value, int dev)
{
	buf_printf(b, "%10.0f", value);
	if (dev)
		buf_printf(b, " ±%3d%%", dev);
	else
		buf_add_str(b, "      ");
}

static void put_table(struct buf *b, const struct robot_mail *m, int testcase)
{
	bool down = strcmp(OR(m->verdict, "regression"), "improvement") != 0;
	double change = down ? -m->percent : m->percent;
	const char *host = OR(m->host, "lkp-spr-2sp4");

	for (int i = 0; i < 89; i++)
		buf_add_char(b, '=');
	buf_printf(b,
		   "\ncompiler/cpufreq_governor/kconfig/mode/nr_task/"
		   "tbox_group/testcase:\n"
		   "  gcc-14/performance/x86_64-rhel-9.4/process/100%%/%s/"
		   "%.*s\n\ncommit: \n"
		   "  0b8e77aa12 (\"mm: the one before\")\n"
		   "  %.10s (\"%s\")\n\n",
		   host, testcase, m->metric, m->commit, m->title);
	buf_printf(b,
		   "0b8e77aa12c94d53 %.27s \n"
		   "---------------- --------------------------- \n"
		   "         %%stddev     %%change         %%stddev\n"
		   "             \\          |                \\  \n",
		   m->commit);
	put_cell(b, 100000, m->dev);
	buf_printf(b, "%+10.1f%% ", change);
	put_cell(b, 100000 + 1000 * change, m->dev);
	buf_printf(b, "  %s\n\n", m->metric);
}

struct slice robot_mail(const struct robot_mail *m, struct arena *arena)
{
	static unsigned running;
	const char *verdict = OR(m->verdict, "regression");
	int testcase = (int)strcspn(m->metric, ".");
	struct slice ret;
	struct buf b;
	char id[64];

	snprintf(id, sizeof(id), "202610010000.%08x-lkp@intel.com", ++running);
	buf_init(&b);
	put_header(&b, m, OR(m->id, id));
	buf_printf(&b,
		   "Hello,\n\nkernel test robot noticed a %.1f%% %s of %s on:"
		   "\n\n\ncommit: %s (\"%s\")\n",
		   m->percent, verdict, m->metric, m->commit, m->title);
	put_origin(&b, m);
	buf_printf(&b,
		   "testcase: %.*s\nconfig: x86_64-rhel-9.4\n"
		   "compiler: gcc-14\n"
		   "test machine: 224 threads 2 sockets Intel(R) Xeon(R) "
		   "Platinum 8480+ (Sapphire Rapids) with 256G memory\n"
		   "parameters:\n\n\tnr_task: 100%%\n\tmode: process\n"
		   "\tcpufreq_governor: performance\n\n\n"
		   "Details are as below:\n",
		   testcase, m->metric);
	for (int i = 0; i < 98; i++)
		buf_add_char(&b, '-');
	buf_add_str(&b, ">\n\n\n");
	put_table(&b, m, testcase);
	buf_add_str(&b, "\n\n-- \n0-DAY CI Kernel Test Service\n"
			"https://github.com/intel/lkp-tests/wiki\n\n");
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}
