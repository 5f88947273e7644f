/*
 * The page of a patch: what a notice says, and all that a notice has no room
 * for.
 */
#include "ph/site.h"

#include "notify/site/markup.h"
#include "notify/site/result.h"
#include "notify/words.h"

/* -- fields -- */

static void open_field(struct buf *b, const char *name)
{
	buf_printf(b, "<dt>%s</dt><dd>", name);
}

static void close_field(struct buf *b)
{
	buf_add_str(b, "</dd>\n");
}

/* A page of the site. */
static void put_page_field(struct buf *b, const char *name, struct slice value,
			   struct slice page)
{
	if (!value.len)
		return;
	if (!page.len) {
		markup_field(b, name, value);
		return;
	}
	open_field(b, name);
	buf_add_str(b, "<a href=\"../");
	markup_text(b, page);
	buf_add_str(b, "\">");
	markup_text(b, value);
	buf_add_str(b, "</a>");
	close_field(b);
}

static void put_link_field(struct buf *b, const char *name, struct slice url)
{
	if (!url.len)
		return;
	open_field(b, name);
	markup_link(b, url, url);
	close_field(b);
}

/* Text that words.h makes. */
static void put_words_field(struct buf *b, const char *name,
			    void (*words)(struct buf *b,
					  const struct notice_result *r),
			    const struct notice_result *r)
{
	struct buf text;

	buf_init(&text);
	words(&text, r);
	markup_field(b, name, buf_slice(&text));
	buf_release(&text);
}

static void put_commit_field(struct buf *b, const char *name,
			     struct slice commit, struct slice title,
			     struct slice tree)
{
	if (!commit.len)
		return;
	open_field(b, name);
	markup_commit(b, commit, tree);
	if (title.len) {
		buf_add_char(b, ' ');
		markup_text(b, title);
	}
	close_field(b);
}

static void put_tree(struct buf *b, const struct site_patch *p)
{
	const struct notice where = { .tree = p->tree,
				      .branch = p->branch,
				      .label = p->label };
	struct buf text;

	buf_init(&text);
	words_tree(&text, &where);
	put_page_field(b, "Tree", buf_slice(&text), p->tree_page);
	buf_release(&text);
}

static void put_state(struct buf *b, const struct site_patch *p)
{
	open_field(b, "State");
	markup_text(b, p->state);
	if (p->state_since) {
		buf_add_str(b, " since ");
		markup_time(b, p->state_since);
	}
	if (p->reason.len) {
		buf_add_str(b, ": ");
		markup_text(b, p->reason);
	}
	close_field(b);
}

static void put_seen(struct buf *b, const struct site_patch *p)
{
	open_field(b, "Seen");
	markup_time(b, p->first_seen);
	if (p->last_seen / 86400 != p->first_seen / 86400) {
		buf_add_str(b, " to ");
		markup_time(b, p->last_seen);
	}
	close_field(b);
}

/* -- the headline -- */

static void put_paragraph(struct buf *b, struct slice text)
{
	if (!text.len)
		return;
	buf_add_str(b, "<p>");
	markup_text(b, text);
	buf_add_str(b, "</p>\n");
}

static void put_values(struct buf *b, const struct notice_result *r)
{
	struct buf text;

	buf_init(&text);
	words_values(&text, r);
	put_paragraph(b, buf_slice(&text));
	buf_release(&text);
}

static void put_move(struct buf *b, const struct notice *n)
{
	const struct notice_result *r = &n->results[0];
	char grade = words_grade(n->evidence);
	struct buf text;

	buf_init(&text);
	words_result(&text, r);
	buf_printf(b, "<p class=\"headline\"><span class=\"%s\">",
		   markup_class(r->verdict));
	markup_text(b, buf_slice(&text));
	buf_add_str(b, "</span>");
	if (grade)
		buf_printf(b, " <a href=\"#evidence\">evidence %c%s</a>", grade,
			   n->mixed ? ", mixed" : "");
	buf_add_str(b, "</p>\n");
	buf_release(&text);
}

static void put_headline(struct buf *b, const struct notice *n)
{
	const struct notice_result *r = &n->results[0];

	put_move(b, n);
	put_values(b, r);
	if (r->contradiction)
		put_paragraph(b, S("The row of its table, or the metric's "
				   "usual direction, says otherwise."));
	put_paragraph(b, r->before);
	if (n->too_good)
		put_paragraph(b, S("Check that it still does the work: such "
				   "gains may skip part of it."));
}

static void put_facts(struct buf *b, const struct site_patch *p)
{
	const struct notice *n = p->notice;

	buf_add_str(b, "<dl>\n");
	put_commit_field(b, "Commit", p->commit, S(""), p->tree);
	if (n)
		put_commit_field(b, "Base", n->base, n->base_title, p->tree);
	put_tree(b, p);
	put_page_field(b, "Subsystem", p->subsystem, p->subsystem_page);
	put_link_field(b, "Posted", p->posted);
	if (n && n->n_results) {
		put_words_field(b, "Test", words_test, &n->results[0]);
		put_words_field(b, "Host", words_host, &n->results[0]);
		markup_field(b, "Build", n->build);
	}
	put_state(b, p);
	if (n) {
		markup_field(b, "Fix", n->fix);
		markup_field(b, "Before", n->before);
		markup_field(b, "Fails more", n->failures);
	}
	put_seen(b, p);
	buf_add_str(b, "</dl>\n");
}

/* -- why -- */

static void put_with(struct buf *b, const struct notice *n)
{
	if (!n->n_with)
		return;
	buf_add_str(b, "<h2>What else moved</h2>\n<div class=\"wide\"><table>"
		       "\n");
	markup_head_row(b, "Theme", "Measured", (char *)NULL);
	buf_add_str(b, "<tbody>\n");
	for (size_t i = 0; i < n->n_with; i++) {
		buf_add_str(b, "<tr><td>");
		markup_text(b, n->with[i].theme);
		buf_add_str(b, "</td><td>");
		markup_text(b, n->with[i].text);
		buf_add_str(b, "</td></tr>\n");
	}
	buf_add_str(b, "</tbody></table></div>\n");
}

/* The rule of bot/weigh.h, for those who read a grade here first. */
static const char rule[] =
	"<p>The effect says how many times the run-to-run noise a change is; "
	"the noise comes from the deviations of both values, and counts as 1% "
	"where none is printed. A change is confirmed when another test, or "
	"the "
	"same on another kind of host, has the same verdict, or the robot saw "
	"it again on a later tree.</p>\n"
	"<dl>\n"
	"<dt>A</dt><dd>effect of 4 or more, and confirmed</dd>\n"
	"<dt>B</dt><dd>effect of 4 or more, or of 2 and confirmed</dd>\n"
	"<dt>C</dt><dd>effect of 2 or more</dd>\n"
	"<dt>D</dt><dd>less: it may be noise</dd>\n"
	"</dl>\n"
	"<p>Whole numbers below 100 reach B at most. The opposite verdict for "
	"the same test, host and metric lowers the grade by one; elsewhere it "
	"is told as mixed.</p>\n";

static void put_evidence(struct buf *b, const struct notice *n)
{
	struct buf reasons;

	buf_add_str(b, "<h2 id=\"evidence\">Is it noise?</h2>\n");
	if (n && n->n_results) {
		buf_init(&reasons);
		words_reasons(&reasons, n);
		put_paragraph(b, buf_slice(&reasons));
		buf_release(&reasons);
	}
	buf_add_str(b, rule);
}

/* -- all there is -- */

static void put_results(struct buf *b, const struct site_patch *p)
{
	buf_add_str(b, "<h2>All results</h2>\n");
	result_table(b, RESULTS_OF_PATCH, p->results, p->n_results);
	if (p->more_results)
		buf_printf(b, "<p>And %zu older ones.</p>\n", p->more_results);
}

static void put_reports(struct buf *b, const struct site_patch *p)
{
	buf_add_str(b, "<h2>Reports</h2>\n<ul>\n");
	for (size_t i = 0; i < p->n_reports; i++) {
		const struct site_report *r = &p->reports[i];

		buf_add_str(b, "<li>");
		markup_time(b, r->when);
		buf_add_char(b, ' ');
		markup_link(b, r->url,
			    r->subject.len ? r->subject : S("report"));
		buf_add_str(b, " <span class=\"dim\">(");
		markup_text(b, slice_of(r->proof));
		buf_add_str(b, ")</span></li>\n");
	}
	buf_add_str(b, "</ul>\n");
}

static void put_hashes(struct buf *b, const struct site_patch *p)
{
	if (p->n_commits < 2)
		return;
	buf_add_str(b, "<h2>Its hashes</h2>\n<ul>\n");
	for (size_t i = 0; i < p->n_commits; i++) {
		buf_add_str(b, "<li><code>");
		markup_text(b, p->commits[i]);
		buf_add_str(b, "</code></li>\n");
	}
	buf_add_str(b, "</ul>\n");
}

/* -- what to do about it -- */

static void put_rerun(struct buf *b, const struct notice *n)
{
	if (!n->rerun_url.len)
		return;
	buf_add_str(b, "<h2>Run it again</h2>\n<p>");
	markup_link(b, n->rerun_url, n->rerun_url);
	buf_add_str(b, " has the kernel's configuration, the job and a script "
		       "that repeats it. With the robot's own tools:</p>\n"
		       "<pre>git clone https://github.com/intel/lkp-tests.git\n"
		       "cd lkp-tests\n"
		       "sudo bin/lkp install job.yaml\n"
		       "bin/lkp split-job --compatible job.yaml\n"
		       "sudo bin/lkp run GENERATED.yaml</pre>\n");
}

static void put_tags(struct buf *b, const struct notice *n)
{
	if (!n->with_tags || !n->closes.len)
		return;
	buf_add_str(b, "<h2>Tags</h2>\n<p>For a fix in a commit of its own, "
		       "not for a new version of this one:</p>\n<pre>");
	if (n->reported_by.len) {
		buf_add_str(b, "Reported-by: kernel test robot &lt;");
		markup_text(b, n->reported_by);
		buf_add_str(b, "&gt;\n");
	}
	buf_add_str(b, "Closes: ");
	markup_text(b, n->closes);
	buf_add_str(b, "</pre>\n");
}

void site_patch_page(const struct site_patch *p, struct buf *ret)
{
	const struct notice *n = p->notice;

	markup_open(ret, p->title.len ? p->title : p->id, "../", S(""));
	if (n && n->n_results)
		put_headline(ret, n);
	put_facts(ret, p);
	if (n)
		put_with(ret, n);
	put_results(ret, p);
	put_evidence(ret, n);
	put_reports(ret, p);
	put_hashes(ret, p);
	if (n) {
		put_rerun(ret, n);
		put_tags(ret, n);
	}
	markup_close(ret);
}
