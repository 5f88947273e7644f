#include "notify/site/markup.h"

#include <stdarg.h>
#include <stdio.h>
#include "notify/words.h"
#include "ph/clock.h"
#include "ph/site.h"
#include "ph/utf8.h"

static const char *reference(uint32_t point)
{
	switch (point) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* XML has none of these, HTML calls them errors. */
static bool is_no_character(uint32_t point)
{
	return (point & 0xfffe) == 0xfffe ||
	       (point >= 0xfdd0 && point <= 0xfdef);
}

void markup_text(struct buf *b, struct slice s)
{
	struct buf clean;
	struct slice rest;
	uint32_t point;

	buf_init(&clean);
	utf8_put_clean(&clean, s);
	rest = buf_slice(&clean);
	while (utf8_take(&rest, &point, NULL)) {
		const char *ref = reference(point);

		if (ref)
			buf_add_str(b, ref);
		else if (is_no_character(point))
			buf_add_str(b, UTF8_REPLACEMENT);
		else
			utf8_put(b, point);
	}
	buf_release(&clean);
}

void markup_with_up(struct buf *b, struct slice markup, struct slice up)
{
	struct slice part;

	while (slice_take_until(&markup, SITE_UP, &part)) {
		buf_add_slice(b, part);
		markup_text(b, up);
	}
	buf_add_slice(b, markup);
}

void markup_link(struct buf *b, struct slice url, struct slice text)
{
	bool linked = slice_is_web_url(url);

	if (linked) {
		buf_add_str(b, "<a href=\"");
		markup_text(b, url);
		buf_add_str(b, "\">");
	}
	markup_text(b, text);
	if (linked)
		buf_add_str(b, "</a>");
}

void markup_time(struct buf *b, int64_t t)
{
	char full[32], day[16];

	if (!t)
		return;
	clock_rfc3339(t, full);
	clock_date(t, day);
	buf_printf(b, "<time datetime=\"%s\">%s</time>", full, day);
}

static bool is_hash(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_hex(s.ptr[i]))
			return false;
	return s.len >= 10;
}

/* The page of a commit: cgit's form, and that of the large forges. */
static bool put_commit_url(struct buf *b, struct slice commit,
			   struct slice tree)
{
	if (!is_hash(commit))
		return false;
	buf_add_slice(b, tree);
	if (slice_starts(tree, S("https://git.kernel.org/")))
		buf_add_str(b, "/commit/?id=");
	else if (slice_starts(tree, S("https://github.com/")) ||
		 slice_starts(tree, S("https://gitlab.com/")))
		buf_add_str(b, "/commit/");
	else
		return false;
	buf_add_slice(b, commit);
	return true;
}

void markup_commit(struct buf *b, struct slice commit, struct slice tree)
{
	struct buf url, shown;

	buf_init(&url);
	buf_init(&shown);
	words_commit(&shown, commit, S(""));
	if (!put_commit_url(&url, commit, tree))
		buf_reset(&url);
	buf_add_str(b, "<code>");
	markup_link(b, buf_slice(&url), buf_slice(&shown));
	buf_add_str(b, "</code>");
	buf_release(&url);
	buf_release(&shown);
}

const char *markup_verdict(enum verdict verdict)
{
	return words_verdict(&(struct notice_result){ .verdict = verdict });
}

const char *markup_class(enum verdict verdict)
{
	static const char *const classes[] = {
		[VERDICT_NONE] = "changed",
		[VERDICT_IMPROVEMENT] = "better",
		[VERDICT_REGRESSION] = "worse",
	};

	return classes[verdict];
}

void markup_move(struct buf *b, enum verdict verdict, double percent)
{
	const struct notice_result r = { .verdict = verdict,
					 .has_percent = true,
					 .percent = percent,
					 .change_kind = CHANGE_RELATIVE };

	buf_printf(b, "<span class=\"%s\">", markup_class(verdict));
	words_move(b, &r, " ");
	buf_add_str(b, "</span>");
}

void markup_field(struct buf *b, const char *name, struct slice value)
{
	if (!value.len)
		return;
	buf_printf(b, "<dt>%s</dt><dd>", name);
	markup_text(b, value);
	buf_add_str(b, "</dd>\n");
}

void markup_head_row(struct buf *b, const char *first, ...)
{
	va_list names;

	buf_add_str(b, "<thead><tr>");
	va_start(names, first);
	for (const char *name = first; name; name = va_arg(names, const char *))
		buf_printf(b, "<th scope=\"col\">%s</th>", name);
	va_end(names);
	buf_add_str(b, "</tr></thead>\n");
}

/* Pages need nothing from elsewhere, and a browser is told to let nothing in,
 * whatever a mail might have got past us. */
static const char policy[] =
	"default-src 'none'; style-src 'self'; base-uri 'none'; "
	"form-action 'none'";

static const struct {
	const char *page, *name;
} places[] = {
	{ "index.html", "Start" },
	{ "list/open.html", "Open regressions" },
	{ "list/better.html", "Improvements" },
	{ "list/all.html", "All patches" },
	{ "testcase/index.html", "Tests" },
	{ "host/index.html", "Hosts" },
	{ "subsystem/index.html", "Subsystems" },
	{ "tree/index.html", "Trees" },
};

static void put_places(struct buf *b, const char *up)
{
	buf_add_str(b, "<nav aria-label=\"Site\"><ul>\n");
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		buf_printf(b, "<li><a href=\"%s%s\">%s</a></li>\n", up,
			   places[i].page, places[i].name);
	buf_add_str(b, "</ul></nav>\n");
}

void markup_open(struct buf *b, struct slice title, const char *up,
		 struct slice feed)
{
	buf_printf(b,
		   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		   "<meta charset=\"utf-8\"/>\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\""
		   "/>\n"
		   "<meta name=\"viewport\" content=\"width=device-width, "
		   "initial-scale=1\"/>\n"
		   "<meta name=\"referrer\" content=\"no-referrer\"/>\n"
		   "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
		   "<title>",
		   policy);
	markup_text(b, title);
	buf_printf(b,
		   "</title>\n<link rel=\"stylesheet\" href=\"%sstyle.css\"/>\n"
		   "<link rel=\"alternate\" type=\"application/atom+xml\" "
		   "title=\"Feed\" href=\"",
		   up);
	if (!feed.len)
		buf_printf(b, "%sfeed.xml", up);
	markup_text(b, feed);
	buf_add_str(b, "\"/>\n</head>\n<body>\n<header>\n");
	put_places(b, up);
	buf_add_str(b, "</header>\n<main>\n<h1>");
	markup_text(b, title);
	buf_add_str(b, "</h1>\n");
}

void markup_close(struct buf *b)
{
	buf_add_str(b,
		    "</main>\n<footer>\n<p>Made by perfherald from the mails "
		    "of the kernel test robot. The numbers are the robot's."
		    "</p>\n</footer>\n</body>\n</html>\n");
}
