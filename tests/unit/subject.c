#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#include "mail/report/subject.h"
#include "tests/guard.h"
#include "tests/table.h"

#define REPLY	 1
#define FORWARD	 2
#define PATCH	 4
#define NUMBERED 8
#define STATUS	 16

static const struct subject_case {
	const char *in;
	unsigned flags;
	const char *label, *subsystem, *commit, *tail, *metric, *verdict;
	double percent;
} cases[] = {
	{ "[linus:master] [x86]  2865baf540:  stress-ng.x.y 6.8% improvement",
	  0, "linus:master", "x86", "2865baf540",
	  "stress-ng.x.y 6.8% improvement", "stress-ng.x.y", "improvement",
	  6.8 },
	{ "[xfs]  490d451fa5:  aim7.jobs-per-min -6.3% regression", 0, "",
	  "xfs", "490d451fa5", "aim7.jobs-per-min -6.3% regression",
	  "aim7.jobs-per-min", "regression", 6.3 },
	{ "490d451fa5: a.b 1.0% improvement", 0, "", "", "490d451fa5",
	  "a.b 1.0% improvement", "a.b", "improvement", 1 },
	{ "[LTP] [linux-next:master] [x86/speculation/mds] 0123456789: a.fail",
	  0, "linux-next:master", "x86/speculation/mds", "0123456789", "a.fail",
	  "", "", 0 },
	{ "Re: [LKP] Re: [xfs] 016a23388c: a.b 58.4% improvement", REPLY, "",
	  "xfs", "016a23388c", "a.b 58.4% improvement", "a.b", "improvement",
	  58.4 },
	{ "RE: [PATCH v2 3/3][RESEND] xfs: mark the inode", REPLY | PATCH, "",
	  "RESEND", "", "xfs: mark the inode", "", "", 0 },
	{ "Fwd: 0123456789: a.b 1.0% improvement", FORWARD, "", "",
	  "0123456789", "a.b 1.0% improvement", "a.b", "improvement", 1 },
	{ "[RFC PATCH linux-next] x: y() can be static", PATCH, "", "", "",
	  "x: y() can be static", "", "", 0 },
	{ "[tip:x86/mm 1/23] arch/x86/mm/init.c:75: warning", NUMBERED,
	  "tip:x86/mm", "", "", "arch/x86/mm/init.c:75: warning", "", "", 0 },
	{ "[pm:bleeding-edge] BUILD INCOMPLETE 5fe5946b2ebcf750", STATUS,
	  "pm:bleeding-edge", "", "", "BUILD INCOMPLETE 5fe5946b2ebcf750", "",
	  "", 0 },
	{ "0609ae011d (\"x86: say (so)\"): BUG: stack", 0, "", "", "0609ae011d",
	  "BUG: stack", "", "", 0 },
	{ "[mm] 0123456789: one two 3.0% regression", 0, "", "mm", "0123456789",
	  "one two 3.0% regression", "", "", 0 },
	{ "[mm] 0123456789: a.b 3.0% undefined", 0, "", "mm", "0123456789",
	  "a.b 3.0% undefined", "", "", 0 },
	{ "[mm] 012345: too short a hash", 0, "", "mm", "",
	  "012345: too short a hash", "", "", 0 },
	{ "Re[2]: 0123456789: a.fail", REPLY, "", "", "0123456789", "a.fail",
	  "", "", 0 },
	{ "RE^3: 0123456789: a.fail", REPLY, "", "", "0123456789", "a.fail", "",
	  "", 0 },
	{ "Re : [mm] 0123456789: a.fail", REPLY, "", "mm", "0123456789",
	  "a.fail", "", "", 0 },
	{ "Re[x]: 0123456789: a.fail", REPLY, "", "", "0123456789", "a.fail",
	  "", "", 0 },
	{ "\xe5\x9b\x9e\xe5\xa4\x8d\xef\xbc\x9a[mm] 0123456789: a.fail", REPLY,
	  "", "mm", "0123456789", "a.fail", "", "", 0 },
	{ "WG: AW: [mm] 0123456789: a.fail", REPLY | FORWARD, "", "mm",
	  "0123456789", "a.fail", "", "", 0 },
	{ "Antwort: [tip:x86/mm 1/23] a.c:75: warning", NUMBERED | REPLY,
	  "tip:x86/mm", "", "", "a.c:75: warning", "", "", 0 },
	/* The robot's own bisections begin with a hash, others with a file. */
	{ "0123456789: [mm] fail", 0, "", "", "0123456789", "[mm] fail", "", "",
	  0 },
	{ "x86: [PATCH] a", PATCH, "", "", "", "a", "", "", 0 },
	{ "[mm:x] 5fe5946b2ebcf750 BUILD DONE", STATUS, "mm:x", "", "",
	  "5fe5946b2ebcf750 BUILD DONE", "", "", 0 },
	{ "[mm:x] REBUILD SUCCESS", 0, "mm:x", "", "", "REBUILD SUCCESS", "",
	  "", 0 },
	{ "Re", 0, "", "", "", "Re", "", "", 0 },
	{ "Re[", 0, "", "", "", "Re[", "", "", 0 },
	{ "[never closed", 0, "", "", "", "[never closed", "", "", 0 },
	{ "", 0, "", "", "", "", "", "", 0 },
};

static void assert_text(struct slice got, const char *want)
{
	char text[200];

	snprintf(text, sizeof(text), "%.*s", S_FMT(got));
	assert_string_equal(text, want);
}

static void check_subject(void **state)
{
	const struct subject_case *c = *state;
	struct subject s;

	subject_read(guard_copy(c->in), &s);
	assert_int_equal(s.reply, !!(c->flags & REPLY));
	assert_int_equal(s.forward, !!(c->flags & FORWARD));
	assert_int_equal(s.patch, !!(c->flags & PATCH));
	assert_int_equal(s.numbered, !!(c->flags & NUMBERED));
	assert_int_equal(s.build_status, !!(c->flags & STATUS));
	assert_text(s.label, c->label);
	assert_text(s.subsystem, c->subsystem);
	assert_text(s.commit, c->commit);
	assert_text(s.tail, c->tail);
	assert_text(s.metric, c->metric);
	assert_string_equal(verdict_name(s.verdict), c->verdict);
	assert_float_equal(s.percent, c->percent, 1e-9);
}

static void a_title_in_the_subject_is_kept(void **state)
{
	struct subject s;

	(void)state;
	subject_read(guard_copy("0609ae011d (\"x86: say (so)\"): BUG"), &s);
	assert_text(s.title, "x86: say (so)");
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(cases) + 1] = {
		cmocka_unit_test(a_title_in_the_subject_is_kept),
	};
	size_t n = TABLE_LISTED(tests);

	TABLE_ADD(tests, n, cases, in, check_subject);
	return cmocka_run_group_tests_name("subject", tests, NULL, NULL);
}
