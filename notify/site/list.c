/* Lists of patches, lists of such lists, and the front page. */
#include "ph/site.h"

#include "notify/site/markup.h"

/* -- a patch -- */

void site_line(const struct site_line *line, struct buf *ret)
{
	buf_add_str(ret, "<tr><td>");
	markup_move(ret, line->verdict, line->percent);
	buf_printf(ret, "</td><td><a href=\"%cpatch/", SITE_UP);
	markup_text(ret, line->id);
	buf_add_str(ret, ".html\">");
	markup_text(ret, line->title.len ? line->title : line->id);
	buf_add_str(ret, "</a></td><td>");
	markup_text(ret, line->metric);
	buf_add_str(ret, "</td><td>");
	markup_text(ret, line->host);
	buf_printf(ret, "</td><td class=\"number\">%lld</td>",
		   (long long)line->worse);
	buf_printf(ret, "<td class=\"number\">%lld</td><td>",
		   (long long)line->better);
	markup_text(ret, line->state);
	buf_add_str(ret, "</td><td>");
	markup_time(ret, line->last_seen);
	buf_add_str(ret, "</td></tr>\n");
}

static void put_lines(struct buf *b, const struct slice *lines, size_t n,
		      const char *up)
{
	if (!n) {
		buf_add_str(b, "<p>None.</p>\n");
		return;
	}
	buf_add_str(b, "<div class=\"wide\"><table>\n");
	markup_head_row(b, "Change", "Patch", "Metric", "Host", "Worse",
			"Better", "State", "Seen", (char *)NULL);
	buf_add_str(b, "<tbody>\n");
	for (size_t i = 0; i < n; i++)
		markup_with_up(b, lines[i], slice_of(up));
	buf_add_str(b, "</tbody></table></div>\n");
}

/* -- a list -- */

static void put_page_link(struct buf *b, struct slice page, const char *rel,
			  const char *name)
{
	if (!page.len)
		return;
	buf_add_str(b, "<li><a href=\"");
	markup_text(b, page);
	buf_printf(b, "\" rel=\"%s\">%s</a></li>\n", rel, name);
}

static void put_neighbours(struct buf *b, const struct site_list *l)
{
	if (!l->newer.len && !l->older.len)
		return;
	buf_add_str(b, "<nav aria-label=\"Pages\"><ul>\n");
	put_page_link(b, l->newer, "prev", "Newer");
	put_page_link(b, l->older, "next", "Older");
	buf_add_str(b, "</ul></nav>\n");
}

void site_list_page(const struct site_list *l, struct buf *ret)
{
	markup_open(ret, l->title, "../", l->feed);
	if (l->feed.len) {
		buf_add_str(ret, "<p><a href=\"");
		markup_text(ret, l->feed);
		buf_add_str(ret, "\">Feed (Atom)</a></p>\n");
	}
	put_lines(ret, l->lines, l->n_lines, "../");
	put_neighbours(ret, l);
	markup_close(ret);
}

/* -- a list of lists -- */

static void put_name(struct buf *b, const struct site_link *link)
{
	buf_add_str(b, "<tr><td><a href=\"");
	markup_text(b, link->page);
	buf_add_str(b, "\">");
	markup_text(b, link->name);
	buf_printf(b,
		   "</a></td><td class=\"number\">%lld</td>"
		   "<td class=\"number\">%lld</td></tr>\n",
		   (long long)link->patches, (long long)link->worse);
}

void site_names_page(struct slice title, const struct site_link *links,
		     size_t n, struct buf *ret)
{
	markup_open(ret, title, "../", S(""));
	buf_add_str(ret, "<div class=\"wide\"><table>\n");
	markup_head_row(ret, "Name", "Patches", "Open regressions",
			(char *)NULL);
	buf_add_str(ret, "<tbody>\n");
	for (size_t i = 0; i < n; i++)
		put_name(ret, &links[i]);
	buf_add_str(ret, "</tbody></table></div>\n");
	markup_close(ret);
}

/* -- the front page -- */

static void put_counts(struct buf *b, const struct site_front *f)
{
	buf_printf(b, "<p>%lld patch%s, %lld with open regressions. ",
		   (long long)f->patches, f->patches == 1 ? "" : "es",
		   (long long)f->open);
	if (f->newest) {
		buf_add_str(b, "The newest report is of ");
		markup_time(b, f->newest);
		buf_add_str(b, ". ");
	}
	buf_add_str(b, "<a href=\"feed.xml\">Feed (Atom)</a></p>\n");
}

void site_front_page(const struct site_front *f, struct buf *ret)
{
	markup_open(ret, S("Performance of the kernel"), "", S(""));
	put_counts(ret, f);
	buf_add_str(ret, "<h2>Newest open regressions</h2>\n");
	put_lines(ret, f->latest.lines, f->latest.n, "");
	buf_add_str(ret, "<h2>Worst open regressions</h2>\n");
	put_lines(ret, f->worst.lines, f->worst.n, "");
	buf_add_str(ret, "<h2>Newest improvements</h2>\n");
	put_lines(ret, f->better.lines, f->better.n, "");
	markup_close(ret);
}
