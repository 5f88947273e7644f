#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "notify/site/markup.h"
#include "notify/site/plot.h"
#include "notify/site/scale.h"
#include "ph/site.h"
#include "tests/guard.h"
#include "tests/notices.h"

/*
 * Pages as the site has them; whole ones are compared with tests/golden/site.
 * GOLDEN=write in the environment writes these instead.
 */

static struct arena arena;

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

/* -- text -- */

static struct text_case {
	const char *in, *want;
} texts[] = {
	{ "plain", "plain" },
	{ "", "" },
	{ "a < b && c > d", "a &lt; b &amp;&amp; c &gt; d" },
	{ "\"x\" 'y'", "&quot;x&quot; &#39;y&#39;" },
	{ "<script>alert(1)</script>",
	  "&lt;script&gt;alert(1)&lt;/script&gt;" },
	{ "\"><img src=x onerror=alert(1)>",
	  "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;" },
	{ "]]>", "]]&gt;" },
	{ "<!-- x -->", "&lt;!-- x --&gt;" },
	{ "&lt;", "&amp;lt;" },
	{ "&#x3c;", "&amp;#x3c;" },
	{ "a\nb\tc\r\x1b[31m\x7f", "a b c  [31m " },
	{ "\x01", " " },
	{ "\xc2\x85\xe2\x80\xa8\xe2\x80\xae", "   " },
	{ "bad \xff\xc0\xaf\xed\xa0\x80",
	  "bad \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
	  "\xef\xbf\xbd" },
	/* no characters: U+FFFE, U+FFFF, U+FDD0, U+1FFFE */
	{ "\xef\xbf\xbe\xef\xbf\xbf\xef\xb7\x90\xf0\x9f\xbf\xbe",
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "\xc3\xa4 \xe2\x9c\x93 \xf0\x9f\x9a\x80",
	  "\xc3\xa4 \xe2\x9c\x93 \xf0\x9f\x9a\x80" },
	/* UTF-7 is no way in */
	{ "+ADw-script+AD4-", "+ADw-script+AD4-" },
};

static void text_is_never_markup(void **state)
{
	const struct text_case *c = *state;
	struct buf b;

	buf_init(&b);
	markup_text(&b, guard_copy(c->in));
	assert_string_equal(buf_str(&b), c->want);
	buf_release(&b);
}

static struct link_case {
	const char *url;
	bool linked;
} links[] = {
	{ "https://lore.kernel.org/r/a@b", true },
	{ "http://example.org/?a=b&c=d", true },
	{ "javascript:alert(1)", false },
	{ "JaVaScRiPt:alert(1)", false },
	{ "data:text/html,<script>", false },
	{ "//example.org/", false },
	{ "/etc/passwd", false },
	{ "file:///etc/passwd", false },
	{ "vbscript:x", false },
	{ " https://example.org/", false },
	{ "https://example.org/ onclick=x", false },
	{ "https://example.org/\" onclick=\"x", false },
	{ "https://example.org/<b>", false },
	{ "https://example.org/\x01", false },
	{ "https://example.org/\xc3\xa4", false },
	{ "https\x01://example.org/", false },
	{ "", false },
};

static void links_lead_to_the_web_or_nowhere(void **state)
{
	const struct link_case *c = *state;
	struct buf b;

	buf_init(&b);
	markup_link(&b, guard_copy(c->url), S("it"));
	assert_int_equal(strncmp(buf_str(&b), "<a href=\"http", 13) == 0,
			 c->linked);
	if (!c->linked)
		assert_string_equal(buf_str(&b), "it");
	assert_null(strstr(buf_str(&b), "onclick=\""));
	buf_release(&b);
}

static const struct commit_case {
	const char *commit, *tree, *want;
} commits[] = {
	{ "0123456789abcdef0123456789abcdef01234567",
	  "https://git.kernel.org/cgit/linux/kernel/git/next/linux-next.git",
	  "<code><a href=\"https://git.kernel.org/cgit/linux/kernel/git/next/"
	  "linux-next.git/commit/?id=0123456789abcdef0123456789abcdef01234567"
	  "\">0123456789ab</a></code>" },
	{ "0123456789abcdef", "https://github.com/a/b",
	  "<code><a href=\"https://github.com/a/b/commit/0123456789abcdef\">"
	  "0123456789ab</a></code>" },
	{ "0123456789abcdef", "https://example.org/x",
	  "<code>0123456789ab</code>" },
	{ "v6.1-rc1", "https://github.com/a/b", "<code>v6.1-rc1</code>" },
	{ "0123456789abcdef", "https://github.com/\"><b>",
	  "<code>0123456789ab</code>" },
	{ "<b>", "", "<code>&lt;b&gt;</code>" },
};

static void commits_are_linked_where_the_form_is_known(void **state)
{
	const struct commit_case *c = *state;
	struct buf b;

	buf_init(&b);
	markup_commit(&b, slice_of(c->commit), slice_of(c->tree));
	assert_string_equal(buf_str(&b), c->want);
	buf_release(&b);
}

static const struct name_case {
	const char *text, *front;
} names[] = {
	{ "will-it-scale", "will-it-scale-" },
	{ "lkp-spr-2sp4", "lkp-spr-2sp4-" },
	{ "../../etc/passwd", "etc-passwd-" },
	{ "x86/MM", "x86-mm-" },
	{ ".", "" },
	{ "\xc3\xa4\xff", "" },
	{ "CON", "con-" },
	{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-" },
};

static void names_of_files_are_plain(void **state)
{
	const struct name_case *c = *state;
	struct slice name = site_name(slice_of(c->text), &arena);

	assert_true(slice_starts(name, slice_of(c->front)));
	assert_int_equal(name.len, strlen(c->front) + 10);
	for (size_t i = 0; i < name.len; i++)
		assert_true(is_digit(name.ptr[i]) || name.ptr[i] == '-' ||
			    (name.ptr[i] >= 'a' && name.ptr[i] <= 'z'));
}

static void names_tell_texts_apart(void **state)
{
	(void)state;
	assert_false(slice_eq(site_name(S("a/b"), &arena),
			      site_name(S("a-b"), &arena)));
	assert_false(
		slice_eq(site_name(S("A"), &arena), site_name(S("a"), &arena)));
	assert_true(
		slice_eq(site_name(S("a"), &arena), site_name(S("a"), &arena)));
}

/* -- scales -- */

static struct scale_case {
	const char *name;
	double low, high;   /* of the data */
	double first, step; /* of the ticks */
	size_t n;	    /* of them; 0: any */
} scales[] = {
	{ "0 to 10", 0, 10, 0, 2, 6 },
	{ "77714 to 90682", 77714, 90682, 75000, 5000, 5 },
	{ "across 0", -3, 4, -4, 2, 5 },
	{ "negative", -100, -1, -100, 20, 6 },
	{ "small", 0.001, 0.0042, 0.001, 0.001, 5 },
	{ "one value", 50, 50, 49.94, 0.02, 7 },
	{ "all zero", 0, 0, 0, 0, 0 },
	{ "a hair apart", 1e9, 1e9 + 1e-7, 0, 0, 0 },
	{ "very large", -1e308, 1e308, 0, 0, 0 },
	{ "very small", 1e-308, 2e-308, 0, 0, 0 },
	{ "twelve powers apart", 1, 1e12, 0, 2e11, 6 },
};

/* cmocka compares floats, which are too coarse here. */
static void is_near(double got, double want)
{
	if (fabs(got - want) > 1e-9 * fmax(1, fabs(want)))
		fail_msg("%.17g, not %.17g", got, want);
}

static void a_scale_holds_its_values(void **state)
{
	const struct scale_case *c = *state;
	struct scale s;

	scale_init(&s, c->low, c->high, 280, 20);
	assert_true(isfinite(s.low) && isfinite(s.high) && s.low < s.high);
	assert_true(s.n_ticks >= 2 && s.n_ticks <= SCALE_TICKS);
	for (size_t i = 0; i < s.n_ticks; i++) {
		double place = scale_place(&s, s.tick[i]);

		assert_true(place >= 20 - 1e-6 && place <= 280 + 1e-6);
		if (i)
			assert_true(s.tick[i] > s.tick[i - 1]);
	}
	/* higher values stand higher up, which is less */
	assert_true(scale_place(&s, c->low) >= scale_place(&s, c->high));
	if (!c->n)
		return;
	assert_int_equal(s.n_ticks, c->n);
	is_near(s.tick[0], c->first);
	is_near(s.tick[1] - s.tick[0], c->step);
	/* the ends of the axis are its first and last tick */
	is_near(scale_place(&s, s.tick[0]), 280);
	is_near(scale_place(&s, s.tick[s.n_ticks - 1]), 20);
}

/* -- made-up pages -- */

#define DAY  86400
#define THEN 1790856000 /* 2026-10-01 12:00 */

/* Markup and quotes in each text, so that a golden page shows them all. */
static struct site_result result_of(int n)
{
	return (struct site_result){
		.when = THEN + n * DAY,
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

static struct site_series series_of(struct site_result *points, size_t n)
{
	for (size_t i = 0; i < n; i++)
		points[i] = result_of((int)i);
	return (struct site_series){ .testcase = S("will-it-scale"),
				     .params = S("mode=<process> nr_task=100%"),
				     .host = S("lkp-<spr>"),
				     .metric = S("will-it-scale.<ops>"),
				     .unit = S("operations per process"),
				     .better = BETTER_HIGHER,
				     .points = points,
				     .n_points = n };
}

static void the_marks_of_a_plot_say_the_verdict(void **state)
{
	struct site_result points[4];
	struct site_series s = series_of(points, ARRAY_LEN(points));
	const char *svg;
	struct buf b;
	size_t n = 0;

	(void)state;
	buf_init(&b);
	plot_series(&b, &s);
	svg = buf_str(&b);
	assert_non_null(strstr(svg, "class=\"mark-worse\""));
	assert_non_null(strstr(svg, "class=\"mark-better\""));
	/* 88,000 less 4 % stands below all else, on an axis from 80,000 */
	assert_non_null(strstr(svg, ">80,000</text>"));
	assert_null(strstr(svg, ">75,000</text>"));
	/* a result without values has no mark */
	for (const char *at = svg; (at = strstr(at, "class=\"before\"")); at++)
		n++;
	assert_int_equal(n, 3);
	assert_non_null(strstr(svg, "3 measurements."));
	assert_non_null(strstr(svg, "href=\"../patch/c5598418bc5d.html\""));
	buf_release(&b);
}

static void without_values_there_is_no_plot(void **state)
{
	struct site_result points[2];
	struct site_series s = series_of(points, ARRAY_LEN(points));
	struct buf b;

	(void)state;
	points[0].has_values = points[1].has_values = false;
	buf_init(&b);
	plot_series(&b, &s);
	assert_int_equal(b.len, 0);
	buf_release(&b);
}

/* -- golden -- */

static void put_patch(struct buf *b)
{
	static const struct slice hashes[] = {
		S_INIT("0123456789abcdef0123456789abcdef01234567"),
		S_INIT("<b>"),
	};
	struct site_result results[3];
	const struct site_report reports[] = {
		{ THEN + DAY, S("[linus:master] <x> & y"),
		  S("https://lore.kernel.org/r/a@example.org"), "dkim" },
		{ THEN, S(""), S("javascript:x"), "vouched" },
	};
	struct notice n;
	struct site_patch p = {
		.id = S("c5598418bc5d"),
		.title = S("mm: <script>\"walk\"</script> & rest"),
		.state = S("acknowledged"),
		.reason = S("\"<looked at>\""),
		.commit = hashes[0],
		.tree = S("https://git.kernel.org/cgit/linux/kernel/git/next/"
			  "linux-next.git"),
		.branch = S("<master>"),
		.label = S("linux-next:master"),
		.subsystem = S("m<m"),
		.subsystem_page = S("subsystem/m-m-0123456789.html"),
		.tree_page = S("tree/linux-next-0123456789.html"),
		.posted = S("https://lore.kernel.org/all/x@example.org/"),
		.first_seen = THEN,
		.last_seen = THEN + DAY,
		.state_since = THEN + DAY,
		.notice = &n,
		.commits = hashes,
		.n_commits = ARRAY_LEN(hashes),
		.results = results,
		.n_results = ARRAY_LEN(results),
		.more_results = 7,
		.reports = reports,
		.n_reports = ARRAY_LEN(reports),
	};

	for (size_t i = 0; i < ARRAY_LEN(results); i++)
		results[i] = result_of((int)i);
	notices_full(&arena, &n);
	site_patch_page(&p, b);
}

/* Of a patch whose report is kept no more. */
static void put_bare_patch(struct buf *b)
{
	const struct site_result result = result_of(0);
	const struct site_patch p = { .id = S("c5598418bc5d"),
				      .state = S("open"),
				      .first_seen = THEN,
				      .last_seen = THEN,
				      .results = &result,
				      .n_results = 1 };

	site_patch_page(&p, b);
}

static void put_series(struct buf *b)
{
	struct site_result points[4];
	struct site_series s = series_of(points, ARRAY_LEN(points));

	s.more_points = 9;
	site_series_page(&s, b);
}

static struct slice line_of(const char *title)
{
	const struct site_line line = { .id = S("c5598418bc5d"),
					.title = slice_of(title),
					.state = S("open"),
					.metric = S("will-it-scale.<ops>"),
					.host = S("lkp-<spr>"),
					.verdict = VERDICT_REGRESSION,
					.percent = 12.5,
					.better = 1,
					.worse = 2,
					.last_seen = THEN };
	struct slice ret;
	struct buf b;

	buf_init(&b);
	site_line(&line, &b);
	ret = arena_copy(&arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static void put_list(struct buf *b)
{
	/* what stands for the way to the top cannot be forged */
	const struct slice lines[] = { line_of("mm: <b>\"walk\"</b>"),
				       line_of("a\001b") };
	const struct site_list list = { .title = S("Host <lkp>"),
					.about = S("All & more"),
					.feed = S("lkp-0123456789.xml"),
					.lines = lines,
					.n_lines = ARRAY_LEN(lines),
					.newer = S("lkp-0123456789.html"),
					.older = S("lkp-0123456789-1.html") };

	site_list_page(&list, b);
}

static void put_empty_list(struct buf *b)
{
	const struct site_list list = { .title = S("Improvements") };

	site_list_page(&list, b);
}

static void put_names(struct buf *b)
{
	const struct site_link link[] = {
		{ S("lkp-<spr>"), S("lkp-spr-0123456789.html"), 12, 3 },
		{ S("lkp-icl"), S("lkp-icl-0123456789.html"), 1, 0 },
	};

	site_names_page(S("Hosts"), link, ARRAY_LEN(link), b);
}

static void put_front(struct buf *b)
{
	const struct slice lines[] = { line_of("mm: <b>walk</b>") };
	const struct site_front f = { .patches = 12,
				      .open = 1,
				      .newest = THEN,
				      .worst = { lines, 1 },
				      .latest = { lines, 1 } };

	site_front_page(&f, b);
}

static struct slice entry_of(const char *id, int64_t updated)
{
	const struct site_entry e = {
		.id = slice_of(id),
		.title = S("mm: <b>\"walk\"</b> & \001 rest"),
		.state = S("open"),
		.metric = S("will-it-scale.<ops>"),
		.host = S("lkp-<spr>"),
		.subsystem = S("m\"m"),
		.values = S("100,000 -> 88,000"),
		.verdict = VERDICT_REGRESSION,
		.percent = 12.5,
		.evidence = EVIDENCE_A,
		.published = THEN,
		.updated = updated,
	};
	struct slice ret;
	struct buf b;

	buf_init(&b);
	site_entry(&e, &b);
	ret = arena_copy(&arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static void put_feed(struct buf *b)
{
	const struct slice entries[] = { entry_of("c5598418bc5d", THEN + DAY),
					 entry_of("eba9bdd237a4", THEN) };
	const struct site_feed feed = {
		.title = S("Subsystem m<m"),
		.self = S("subsystem/m-m-0123456789.xml"),
		.home = S("subsystem/m-m-0123456789.html"),
		.base = S("https://perf.example.org/~a&b/"),
		.seed = S("https://perf.example.org/~a&b/"),
		.updated = THEN + DAY,
		.entries = entries,
		.n_entries = ARRAY_LEN(entries),
	};

	site_feed_page(&feed, b);
}

static const struct page_case {
	const char *name;
	void (*put)(struct buf *b);
} pages[] = {
	{ "patch.html", put_patch },
	{ "bare-patch.html", put_bare_patch },
	{ "series.html", put_series },
	{ "list.html", put_list },
	{ "empty-list.html", put_empty_list },
	{ "names.html", put_names },
	{ "front.html", put_front },
	{ "feed.xml", put_feed },
};

static struct buf read_file(const char *path)
{
	char block[4096];
	struct buf ret;
	size_t n;
	FILE *f = fopen(path, "r");

	if (!f)
		fail_msg("%s is missing", path);
	buf_init(&ret);
	while ((n = fread(block, 1, sizeof(block), f)))
		buf_add(&ret, block, n);
	fclose(f);
	return ret;
}

static void write_file(const char *path, struct slice text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text.ptr, 1, text.len, f), text.len);
	assert_int_equal(fclose(f), 0);
}

static void pages_are_as_expected(void **state)
{
	const struct page_case *c = *state;
	struct buf page, want;
	char path[128];

	snprintf(path, sizeof(path), "tests/golden/site/%s", c->name);
	buf_init(&page);
	c->put(&page);
	if (getenv("GOLDEN"))
		write_file(path, buf_slice(&page));
	want = read_file(path);
	assert_string_equal(buf_str(&page), buf_str(&want));
	buf_release(&page);
	buf_release(&want);
}

/* What only we may write stands as we write it; all else is escaped. */
static void no_page_lets_anything_in(void **state)
{
	const struct page_case *c = *state;
	struct buf page;
	const char *text;

	buf_init(&page);
	c->put(&page);
	text = buf_str(&page);
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "<b>"));
	assert_null(strstr(text, "javascript:"));
	assert_null(strstr(text, " style="));
	assert_null(strchr(text, SITE_UP));
	if (strstr(c->name, ".html"))
		assert_non_null(strstr(text, "content=\"default-src 'none'; "
					     "style-src 'self'; "));
	buf_release(&page);
}

/* -- all of them -- */

#define ROWS(list, fn, label)                                     \
	for (size_t i = 0; i < ARRAY_LEN(list); i++)              \
		tests[n++] = (struct CMUnitTest)                  \
		{                                                 \
			.name = list[i].label, .test_func = (fn), \
			.initial_state = (void *)&list[i]         \
		}

int main(void)
{
	static const struct CMUnitTest plain[] = {
		cmocka_unit_test(names_tell_texts_apart),
		cmocka_unit_test(the_marks_of_a_plot_say_the_verdict),
		cmocka_unit_test(without_values_there_is_no_plot),
	};
	struct CMUnitTest tests[ARRAY_LEN(plain) + ARRAY_LEN(texts) +
				ARRAY_LEN(links) + ARRAY_LEN(commits) +
				ARRAY_LEN(names) + ARRAY_LEN(scales) +
				2 * ARRAY_LEN(pages)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tests[n++] = plain[i];
	ROWS(texts, text_is_never_markup, want);
	ROWS(links, links_lead_to_the_web_or_nowhere, url);
	ROWS(commits, commits_are_linked_where_the_form_is_known, want);
	ROWS(names, names_of_files_are_plain, front);
	ROWS(scales, a_scale_holds_its_values, name);
	ROWS(pages, pages_are_as_expected, name);
	ROWS(pages, no_page_lets_anything_in, name);
	return cmocka_run_group_tests_name("site_pages", tests, set_up,
					   tear_down);
}
