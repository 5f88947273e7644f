#include "notify/site/result.h"

#include "notify/site/markup.h"
#include "notify/words.h"

void result_value(struct buf *b, double value, int32_t dev)
{
	words_number(b, value);
	if (dev >= 0)
		buf_printf(b, " ± %d%%", dev);
}

static void put_number(struct buf *b, bool has, double value, int32_t dev)
{
	buf_add_str(b, "<td class=\"number\">");
	if (has)
		result_value(b, value, dev);
	buf_add_str(b, "</td>");
}

static void put_text(struct buf *b, struct slice s)
{
	buf_add_str(b, "<td>");
	markup_text(b, s);
	buf_add_str(b, "</td>");
}

/* The metric, linked to its series, and what it was measured with. */
static void put_measure(struct buf *b, const struct site_result *r)
{
	buf_add_str(b, "<td><a href=\"../series/");
	markup_text(b, r->series);
	buf_add_str(b, ".html\">");
	markup_text(b, r->metric);
	buf_add_str(b, "</a>");
	if (r->params.len) {
		buf_add_str(b, "<br/><span class=\"dim\">");
		markup_text(b, r->params);
		buf_add_str(b, "</span>");
	}
	buf_add_str(b, "</td>");
	put_text(b, r->host);
}

static void put_patch(struct buf *b, const struct site_result *r)
{
	buf_add_str(b, "<td><a href=\"../patch/");
	markup_text(b, r->patch);
	buf_add_str(b, ".html\">");
	markup_text(b, r->title.len ? r->title : r->patch);
	buf_add_str(b, "</a></td>");
}

/* How many times the noise it is, and the grade. */
static void put_evidence(struct buf *b, const struct site_result *r)
{
	char grade = words_grade(r->evidence);

	buf_add_str(b, "<td class=\"number\">");
	if (r->has_effect)
		buf_printf(b, "%.1f", r->effect);
	buf_add_str(b, "</td><td>");
	if (grade)
		buf_add_char(b, grade);
	buf_add_str(b, "</td>");
}

static void put_row(struct buf *b, enum result_columns columns,
		    const struct site_result *r)
{
	buf_add_str(b, "<tr><td>");
	markup_time(b, r->when);
	buf_add_str(b, "</td><td>");
	markup_move(b, r->verdict, r->percent);
	buf_add_str(b, "</td>");
	if (columns == RESULTS_OF_PATCH)
		put_measure(b, r);
	else
		put_patch(b, r);
	put_number(b, r->has_values, r->base, r->base_dev);
	put_number(b, r->has_values, r->value, r->value_dev);
	put_evidence(b, r);
	buf_add_str(b, "<td>");
	markup_commit(b, r->commit, r->tree);
	buf_add_str(b, "</td><td>");
	markup_link(b, r->report_url, S("report"));
	buf_printf(b, "</td><td>%s</td></tr>\n", r->news ? "news" : "repeat");
}

void result_table(struct buf *b, enum result_columns columns,
		  const struct site_result *results, size_t n)
{
	buf_add_str(b, "<div class=\"wide\"><table>\n");
	if (columns == RESULTS_OF_PATCH)
		markup_head_row(b, "Seen", "Change", "Measured", "Host",
				"Before", "With", "Effect", "Evidence",
				"Commit", "Mail", "News?", (char *)NULL);
	else
		markup_head_row(b, "Seen", "Change", "Patch", "Before", "With",
				"Effect", "Evidence", "Commit", "Mail", "News?",
				(char *)NULL);
	buf_add_str(b, "<tbody>\n");
	for (size_t i = 0; i < n; i++)
		put_row(b, columns, &results[i]);
	buf_add_str(b, "</tbody></table></div>\n");
}
