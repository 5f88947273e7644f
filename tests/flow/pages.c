/*
 * `site` and `export` from outside, over a state that `process` has made of
 * several reports: what they write, what they leave alone, and how they end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/arena.h"
#include "tests/robot_mail.h"
#include "tests/scratch.h"

#define COMMIT_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"
#define COMMIT_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb2"
#define COMMIT_C "ccccccccccccccccccccccccccccccccccccccc3"
#define NEXT                                                                \
	"https://git.kernel.org/cgit/linux/kernel/git/next/linux-next.git " \
	"master"
#define PRIVATE "https://git.example.org/own.git secret/x"

static char top[1024]; /* where the tests were started */
static struct buf output;

/* Runs a shell's line in the scratch folder; $P is the program with its
 * configuration, $TOP the source. Both outputs are kept. */
static int sh(const char *format, ...)
{
	char line[4096], part[4096];
	size_t n, used;
	va_list ap;
	FILE *out;
	int status;

	used = (size_t)snprintf(line, sizeof(line),
				"exec 2>&1; cd %s && TOP=%s P=\"$PERFHERALD "
				"-c c.yaml\" && ",
				scratch_dir(), top);
	va_start(ap, format);
	vsnprintf(line + used, sizeof(line) - used, format, ap);
	va_end(ap);
	buf_reset(&output);
	out = popen(line, "r");
	assert_non_null(out);
	while ((n = fread(part, 1, sizeof(part), out)) > 0)
		buf_add(&output, part, n);
	status = pclose(out);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void expect(int code, int want)
{
	if (code != want)
		fail_msg("exit %d, not %d:\n%s", code, want, buf_str(&output));
}

static void says(const char *part)
{
	if (!strstr(buf_str(&output), part))
		fail_msg("no \"%s\" in:\n%s", part, buf_str(&output));
}

static void write_mail(const char *name, const struct robot_mail *m)
{
	struct arena arena;

	arena_init(&arena);
	scratch_file(name, arena_str(&arena, robot_mail(m, &arena)), 0600);
	arena_release(&arena);
}

static const struct robot_mail first = {
	.id = "202610010915.4e1c09ab-lkp@intel.com",
	.commit = COMMIT_A,
	.title = "mm: <script>alert(\"1\")</script> & ]]> '--><b>",
	.to = "author@example.org",
	.tree = NEXT,
	.label = "linux-next:master",
	.metric = "will-it-scale.per_process_ops",
	.percent = 12.0,
	.dev = 3,
};

static void write_config(void)
{
	const char *dir = scratch_dir();
	char text[2048];

	snprintf(text, sizeof(text),
		 "state: %s/state.db\n"
		 "trust: {proof: [none]}\n"
		 "git: {path: /nonexistent, trees: %s/trees}\n"
		 "channels:\n"
		 "  told: {type: file, path: %s/told}\n"
		 "routes:\n"
		 "  - {match: {min_percent: 1}, to: [told]}\n",
		 dir, dir, dir);
	scratch_file("c.yaml", text, 0600);
}

static int set_up(void **state)
{
	struct robot_mail m = first;

	(void)state;
	assert_non_null(getcwd(top, sizeof(top)));
	mkdir(scratch_path("trees"), 0700);
	scratch_file("trees/own",
		     "url: https://git.example.org/own.git\n"
		     "private_report_branch: secret/.*\n",
		     0600);
	write_config();
	mkdir(scratch_path("mails"), 0700);
	write_mail("mails/1.eml", &m);
	m.id = "202610020915.4e1c09ac-lkp@intel.com";
	m.metric = "fsmark.files_per_sec";
	m.percent = 7;
	write_mail("mails/2.eml", &m);
	m.id = "202610030915.4e1c09ad-lkp@intel.com";
	m.commit = COMMIT_B;
	m.title = "ext4: batch it";
	m.verdict = "improvement";
	m.percent = 30.5;
	m.host = "lkp-<icl>";
	write_mail("mails/3.eml", &m);
	m.id = "202610040915.4e1c09ae-lkp@intel.com";
	m.commit = COMMIT_C;
	m.title = "nobody is to hear of it";
	m.tree = PRIVATE;
	m.label = "own:secret/x";
	write_mail("mails/4.eml", &m);
	expect(sh("$P process mails $TOP/tests/demo/*.eml"), 0);
	return 0;
}

static void each_test_has_a_folder(void)
{
	expect(sh("rm -rf www && $P site www"), 0);
}

/* -- site -- */

static void a_site_keeps_its_promises(void **state)
{
	(void)state;
	each_test_has_a_folder();
	says(" files, ");
	expect(sh("/usr/bin/python3 $TOP/tests/site_check.py www"), 0);
	says(" 0 mistakes");
	expect(sh("grep -rl '<script' www"), 1);
	expect(sh("grep -rl 'author@example.org' www"), 1);
	expect(sh("grep -q 'WORSE 12.0%%' www/index.html"), 0);
	expect(sh("grep -q 'BETTER 30.5%%' www/list/better.html"), 0);
	expect(sh("grep -l 'WORSE 7.0%%' www/patch/*.html"), 0);
	expect(sh("grep -l '<svg' www/series/*.html"), 0);
	expect(sh("grep -q '<entry>' www/subsystem/mm-*.xml"), 0);
	expect(sh("ls www/testcase/fsmark-*.html www/tree/linus-*.html "
		  "www/host/lkp-icl-*.html"),
	       0);
}

static void the_same_state_gives_the_same_site(void **state)
{
	(void)state;
	each_test_has_a_folder();
	expect(sh("ls -lR --time-style=full-iso www >before; $P site www"), 0);
	says(" files, 0 of them written, 0 removed");
	expect(sh("ls -lR --time-style=full-iso www | grep -v ' \\.$' | "
		  "diff - before"),
	       0);
}

/* Reports of 2015 have a change, and no word for it. */
static void what_has_no_verdict_is_no_improvement(void **state)
{
	(void)state;
	expect(sh("sed s,state.db,old.db, c.yaml >old.yaml; chmod 600 "
		  "old.yaml; "
		  "P=\"$PERFHERALD -c old.yaml\"; rm -rf www; $P process "
		  "$TOP/tests/golden/088-changes-of-2015.eml && $P site www"),
	       0);
	expect(sh("grep -q CHANGED www/list/all.html"), 0);
	expect(sh("grep -q CHANGED www/list/better.html"), 1);
	expect(sh("grep -q CHANGED www/list/open.html"), 1);
}

static void links_in_a_feed_are_where_the_site_is(void **state)
{
	(void)state;
	each_test_has_a_folder();
	expect(sh("$P site --base https://perf.example.org/x/ www"), 0);
	expect(sh("grep -q 'href=\"https://perf.example.org/x/patch/' "
		  "www/feed.xml www/subsystem/mm-*.xml"),
	       0);
	expect(sh("/usr/bin/python3 $TOP/tests/site_check.py www"), 0);
	expect(sh("$P site --base ftp://x/ www"), EX_USAGE);
	expect(sh("$P site --base https://x www"), EX_USAGE);
	expect(sh("$P site --base 'https://x/\"><b>/' www"), EX_USAGE);
}

/* What a tree's owner keeps private is on no page, nor is its hash. */
static void private_branches_are_left_out(void **state)
{
	(void)state;
	each_test_has_a_folder();
	expect(sh("grep -rl 'nobody is to hear' www"), 1);
	expect(sh("grep -rl " COMMIT_C " www"), 1);
	expect(sh("$P export --format kcidb >results"), 0);
	expect(sh("grep -q " COMMIT_A " results"), 0);
	expect(sh("grep -q " COMMIT_C " results"), 1);
	expect(sh("$P export | grep -c " COMMIT_C), 0);
}

static void what_is_no_more_is_removed(void **state)
{
	(void)state;
	each_test_has_a_folder();
	/* of a run in the future, as it were */
	expect(sh("echo mine >www/patch/mine.html; echo mine >www/robots.txt; "
		  "echo old >www/patch/000000000000.html; "
		  "echo patch/000000000000.html >>www/.perfherald-site; "
		  "$P site www"),
	       0);
	says(" 0 of them written, 1 removed");
	expect(sh("cat www/patch/mine.html www/robots.txt"), 0);
	expect(sh("ls www/patch/000000000000.html"), 2);
	expect(sh("grep -c 000000000000 www/.perfherald-site"), 1);
}

static void a_spoilt_file_is_mended(void **state)
{
	(void)state;
	each_test_has_a_folder();
	expect(sh(": >www/index.html; $P site www"), 0);
	says(" 1 of them written");
	expect(sh("test -s www/index.html"), 0);
}

static void a_run_that_was_broken_off_is_gone_on_with(void **state)
{
	(void)state;
	/* the manifest has a name before the file is there */
	expect(sh("rm -rf www && mkdir -p www/patch && "
		  "printf 'style.css\\nindex.html\\npatch/0.html\\n' "
		  ">www/.perfherald-site && echo half >www/index.html && "
		  "echo half >www/patch/.perfherald-new && $P site www"),
	       0);
	says(", 0 removed");
	expect(sh("/usr/bin/python3 $TOP/tests/site_check.py www"), 0);
	expect(sh("find www -name '.perfherald-new*' | grep ."), 1);
}

static void nothing_of_others_is_overwritten(void **state)
{
	(void)state;
	expect(sh("rm -rf www && mkdir www && echo mine >www/index.html && "
		  "$P site www"),
	       EX_CANTCREAT);
	says("www: holds index.html, which perfherald did not write");
	expect(sh("test \"$(ls -A www)\" = index.html && cat www/index.html"),
	       0);
	says("mine");
	expect(sh("rm -rf www && mkdir -p www/patch && $P site www"),
	       EX_CANTCREAT);
	/* other files in the folder are no hindrance */
	expect(sh("rm -rf www && mkdir www && echo mine >www/robots.txt && "
		  "$P site www && cat www/robots.txt"),
	       0);
	/* nor is a name taken that somebody else has taken since */
	expect(sh("rm www/feed.xml && sed -i /^feed.xml$/d "
		  "www/.perfherald-site && echo mine >www/feed.xml && "
		  "$P site www"),
	       EX_CANTCREAT);
	says("www/feed.xml: perfherald did not write it");
	expect(sh("cat www/feed.xml"), 0);
	says("mine");
}

static void a_manifest_of_too_many_folders_is_refused(void **state)
{
	(void)state;
	each_test_has_a_folder();
	expect(sh("for i in $(seq 40); do echo f$i/x; done "
		  ">>www/.perfherald-site; $P site www"),
	       EX_DATAERR);
	says("www/.perfherald-site: names more than ");
	expect(sh("rm -rf www"), 0);
}

static void nothing_leads_out_of_the_folder(void **state)
{
	(void)state;
	each_test_has_a_folder();
	/* a manifest that was tampered with */
	expect(sh("echo mine >victim; mkdir -p other; echo mine >other/x; "
		  "printf '../victim\\n%s/victim\\npatch/../../victim\\n"
		  "/etc/passwd\\n.hidden\\n' >>www/.perfherald-site; "
		  "$P site www && cat victim",
		  scratch_dir()),
	       0);
	says("mine");
	/* a link in the place of a folder, and of a file */
	expect(sh("rm -rf www/patch && ln -s ../other www/patch && "
		  "$P site www"),
	       EX_IOERR);
	expect(sh("test \"$(ls other)\" = x"), 0);
	expect(sh("rm www/patch www/index.html && ln -s ../victim "
		  "www/index.html && $P site www && cat victim"),
	       0);
	says("mine");
	expect(sh("test -f www/index.html && ! test -L www/index.html"), 0);
}

static void two_runs_do_not_mix(void **state)
{
	(void)state;
	each_test_has_a_folder();
	expect(sh("flock www $P site www"), EX_TEMPFAIL);
	says("www: another `site` is writing it");
}

static void a_site_can_be_of_the_newest_only(void **state)
{
	(void)state;
	each_test_has_a_folder();
	expect(sh("$P site --since 2030-01-01 www"), EX_USAGE);
	expect(sh("$P site --since 0s www"), 0);
	expect(sh("/usr/bin/python3 $TOP/tests/site_check.py www"), 0);
	expect(sh("ls www/patch | grep ."), 1);
}

static void a_folder_is_wanted(void **state)
{
	(void)state;
	expect(sh("$P site"), EX_USAGE);
	expect(sh("$P site a b"), EX_USAGE);
	expect(sh("$P site c.yaml"), EX_IOERR);
	expect(sh("$P site no/such/parent"), EX_IOERR);
}

/* -- export -- */

static void exports_have_every_result(void **state)
{
	(void)state;
	expect(sh("$P export | /usr/bin/python3 -c 'import json,sys; "
		  "print(len([json.loads(l) for l in sys.stdin]))'"),
	       0);
	says("7\n");
	expect(sh("$P export --format csv - | /usr/bin/python3 -c '"
		  "import csv,io,sys; rows = "
		  "list(csv.DictReader(io.TextIOWrapper("
		  "sys.stdin.buffer, newline=\"\"), strict=True)); "
		  "print(len(rows), rows[0][\"percent\"])'"),
	       0);
	says("7 12\n");
	expect(sh("$P export --format kcidb | /usr/bin/python3 -c '"
		  "import json,sys; d = json.load(sys.stdin); "
		  "print(*[len(d[k]) for k in (\"checkouts\", \"builds\", "
		  "\"tests\")])'"),
	       0);
	says("6 6 6\n");
}

static void an_export_that_cannot_be_written_fails(void **state)
{
	(void)state;
	expect(sh("$P export >/dev/full"), EX_IOERR);
	says("standard output: No space left on device");
	/* the reader has gone before the first line */
	expect(sh("mkfifo gone; { read x <gone; $P export; echo $? >code; } | "
		  "{ exec <&-; echo >gone; }; cat code"),
	       0);
	assert_string_equal(buf_str(&output), "74\n");
	expect(sh("echo old >out; $P export out && ! grep -q old out"), 0);
}

/* Files may not grow; those that SQLite has beside the state have their size
 * already, as long as we have it open. */
static void half_an_export_does_not_stay(void **state)
{
	struct store *s;
	struct err err;

	(void)state;
	assert_int_equal(store_open(scratch_path("state.db"), &s, &err), PH_OK);
	expect(sh("ulimit -f 0; trap '' XFSZ; $P export big"), EX_IOERR);
	says("big: File too large");
	expect(sh("ls -A | grep big"), 1);
	store_close(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_site_keeps_its_promises),
		cmocka_unit_test(the_same_state_gives_the_same_site),
		cmocka_unit_test(what_has_no_verdict_is_no_improvement),
		cmocka_unit_test(links_in_a_feed_are_where_the_site_is),
		cmocka_unit_test(private_branches_are_left_out),
		cmocka_unit_test(what_is_no_more_is_removed),
		cmocka_unit_test(a_spoilt_file_is_mended),
		cmocka_unit_test(a_run_that_was_broken_off_is_gone_on_with),
		cmocka_unit_test(nothing_of_others_is_overwritten),
		cmocka_unit_test(a_manifest_of_too_many_folders_is_refused),
		cmocka_unit_test(nothing_leads_out_of_the_folder),
		cmocka_unit_test(two_runs_do_not_mix),
		cmocka_unit_test(a_site_can_be_of_the_newest_only),
		cmocka_unit_test(a_folder_is_wanted),
		cmocka_unit_test(exports_have_every_result),
		cmocka_unit_test(an_export_that_cannot_be_written_fails),
		cmocka_unit_test(half_an_export_does_not_stay),
	};

	return cmocka_run_group_tests_name("pages", tests, set_up, NULL);
}
