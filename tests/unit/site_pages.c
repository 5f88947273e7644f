#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/made_site.h"
#include "tests/notices.h"
#include "tests/table.h"

/*
 * Whole pages as the site has them, compared with tests/golden/site.
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

static void put_patch(struct buf *b)
{
	static const struct slice hashes[] = {
		S_INIT("0123456789abcdef0123456789abcdef01234567"),
		S_INIT("<b>"),
	};
	struct site_result results[3];
	const struct site_report reports[] = {
		{ MADE_SITE_THEN + MADE_SITE_DAY, S("[linus:master] <x> & y"),
		  S("https://lore.kernel.org/r/a@example.org"), "dkim" },
		{ MADE_SITE_THEN, S(""), S("javascript:x"), "vouched" },
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
		.first_seen = MADE_SITE_THEN,
		.last_seen = MADE_SITE_THEN + MADE_SITE_DAY,
		.state_since = MADE_SITE_THEN + MADE_SITE_DAY,
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
		results[i] = made_site_result((int)i);
	notices_full(&arena, &n);
	site_patch_page(&p, b);
}

/* Of a patch whose report is kept no more. */
static void put_bare_patch(struct buf *b)
{
	const struct site_result result = made_site_result(0);
	const struct site_patch p = { .id = S("c5598418bc5d"),
				      .state = S("open"),
				      .first_seen = MADE_SITE_THEN,
				      .last_seen = MADE_SITE_THEN,
				      .results = &result,
				      .n_results = 1 };

	site_patch_page(&p, b);
}

static void put_series(struct buf *b)
{
	struct site_result points[4];
	struct site_series s = made_site_series(points, ARRAY_LEN(points));

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
					.last_seen = MADE_SITE_THEN };
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
				      .newest = MADE_SITE_THEN,
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
		.published = MADE_SITE_THEN,
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
	const struct slice entries[] = {
		entry_of("c5598418bc5d", MADE_SITE_THEN + MADE_SITE_DAY),
		entry_of("eba9bdd237a4", MADE_SITE_THEN)
	};
	const struct site_feed feed = {
		.title = S("Subsystem m<m"),
		.self = S("subsystem/m-m-0123456789.xml"),
		.home = S("subsystem/m-m-0123456789.html"),
		.base = S("https://perf.example.org/~a&b/"),
		.seed = S("https://perf.example.org/~a&b/"),
		.updated = MADE_SITE_THEN + MADE_SITE_DAY,
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

int main(void)
{
	struct CMUnitTest tests[2 * ARRAY_LEN(pages)];
	size_t n = 0;

	TABLE_ADD(tests, n, pages, name, pages_are_as_expected);
	TABLE_ADD(tests, n, pages, name, no_page_lets_anything_in);
	return cmocka_run_group_tests_name("site_pages", tests, set_up,
					   tear_down);
}
