/* What the text of a mail says of a patch's results. */
#include "notify/text.h"

#include <stdio.h>
#include "notify/words.h"
#include "ph/utf8.h"

#define GRADE_COLUMN 56

/* "evidence A", "evidence B, mixed"; empty without a grade. */
static const char *grade_words(const struct notice *n, char ret[32])
{
	char grade = words_grade(n->evidence);

	ret[0] = '\0';
	if (grade)
		snprintf(ret, 32, "evidence %c%s", grade,
			 n->mixed ? ", mixed" : "");
	return ret;
}

/* The verdict, the metric and, at the right, the grade. A metric that is too
 * long stands on a line of its own. */
static void put_verdict(struct text *t, const struct notice_result *r,
			const char *grade)
{
	struct buf *b = text_fresh(t);
	size_t start, width;
	bool fits;

	words_move(b, r, "  ");
	start = b->len;
	buf_add_str(b, "  ");
	utf8_put_clean(b, r->metric);
	width = utf8_count(buf_slice(b));
	fits = width + 2 + strlen(grade) <= PAGE_COLUMNS;
	if (!fits)
		width = b->len = start;
	if (*grade)
		buf_printf(b, "%*s%s",
			   width + 2 < GRADE_COLUMN ? GRADE_COLUMN - (int)width
						    : 2,
			   "", grade);
	buf_add_slice(t->page.out, buf_slice(b));
	page_end_line(&t->page);
	if (!fits)
		page_whole(&t->page, "", r->metric);
}

void text_put_results(struct text *t)
{
	const struct notice *n = t->n;
	const struct notice_result *r = n->results;
	char grade[32];

	if (!n->n_results)
		return;
	put_verdict(t, r, grade_words(n, grade));
	words_values(text_fresh(t), r);
	text_put(t, "");
	words_reasons(text_fresh(t), n);
	page_wrap(&t->page, "", buf_slice(&t->page.scratch),
		  t->room->rest ? 2 : 1);
	if (r->contradiction)
		page_whole(&t->page, "",
			   S("but its row, or the metric's usual direction, "
			     "says otherwise"));
	page_wrap(&t->page, "", r->before, t->room->rest ? 2 : 1);
	if (n->too_good)
		page_whole(&t->page, "",
			   S("check that it still does the work: such gains "
			     "may skip part of it"));
}

static bool same(struct slice a, struct slice b)
{
	return !a.len || slice_eq(a, b);
}

void text_add_detail(struct buf *b, struct slice text)
{
	if (!text.len)
		return;
	buf_add_str(b, b->len ? "; " : "");
	utf8_put_clean(b, text);
}

/* As text_add_detail, when the line has room for it with two parentheses. */
static void put_fitting(struct buf *b, struct slice text, size_t columns)
{
	if (utf8_count(buf_slice(b)) + 2 + utf8_count(text) <= columns)
		text_add_detail(b, text);
}

static bool has_word(struct slice text, struct slice word)
{
	struct slice w;

	while (slice_take_word(&text, &w))
		if (slice_eq(w, word))
			return true;
	return false;
}

/* The parameters that the other does not have: "nr_task=50%". */
static void put_unlike(struct buf *b, struct slice params, struct slice other,
		       size_t columns)
{
	struct slice word;

	while (slice_take_word(&params, &word)) {
		if (has_word(other, word))
			continue;
		if (word.ptr[word.len - 1] == ',')
			word.len--;
		put_fitting(b, word, columns);
	}
}

/* What tells a further result from the headline, in parentheses, as far as
 * the line has room. */
static void put_details(struct buf *line, const struct notice_result *r,
			const struct notice_result *head)
{
	size_t used = PAGE_LABEL + utf8_count(buf_slice(line)) + 3;
	size_t columns = used < PAGE_COLUMNS ? PAGE_COLUMNS - used : 0;
	struct buf b;

	buf_init(&b);
	if (r->repeat)
		put_fitting(&b, S("told before"), columns);
	if (!same(r->host, head->host))
		put_fitting(&b, r->host, columns);
	put_unlike(&b, r->params, head->params, columns);
	if (b.len)
		buf_printf(line, " (%.*s)", S_FMT(buf_slice(&b)));
	buf_release(&b);
}

void text_put_also(struct text *t)
{
	const struct notice *n = t->n;
	size_t further = n->n_results ? n->n_results - 1 : 0;
	size_t shown = further < t->room->also ? further : t->room->also;

	for (size_t i = 1; i <= shown; i++) {
		struct buf *b = text_fresh(t);

		words_result(b, &n->results[i]);
		if (i == shown && further > shown)
			buf_printf(b, " and %zu more", further - shown);
		else
			put_details(b, &n->results[i], &n->results[0]);
		text_put_whole(t, i == 1 ? "also" : "");
	}
}
