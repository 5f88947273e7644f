/*
 * The text of a mail. A page is built with some room for what may give way;
 * when it comes out too long it is built again with less.
 */
#include "ph/notice.h"

#include <stdio.h>
#include "notify/page.h"
#include "notify/words.h"
#include "ph/utf8.h"

#define TITLE_COLUMNS 100 /* what mail programs still show; titles only */
#define MAX_LINES     25
#define GRADE_COLUMN  56

/* What may give way, from a page's full room to the least. */
struct room {
	size_t wrap; /* lines of one wrapped text */
	size_t note; /* lines of a person's note */
	size_t also; /* further results */
	size_t with; /* rows that explain, the profile among them */
	bool build, base, blanks;
	bool rest; /* tree, rerun, the last blank line */
};

static const struct room rooms[] = {
	{ 2, 8, 4, 5, true, true, true, true },
	{ 2, 8, 3, 4, true, true, true, true },
	{ 2, 8, 2, 3, true, true, true, true },
	{ 1, 8, 2, 2, false, true, true, true },
	{ 1, 8, 1, 2, false, false, true, true },
	{ 1, 6, 1, 2, false, false, false, true },
	{ 1, 3, 1, 1, false, false, false, true },
	{ 1, 1, 1, 0, false, false, false, false },
};

struct text {
	const struct notice *n;
	const struct room *room;
	struct page page;
};

/* The text made in the scratch buffer, as wrapped lines. */
static void put_scratch(struct text *t, const char *front)
{
	page_wrap(&t->page, front, buf_slice(&t->page.scratch), t->room->wrap);
}

static void put_scratch_whole(struct text *t, const char *front)
{
	page_whole(&t->page, front, buf_slice(&t->page.scratch));
}

static struct buf *fresh(struct text *t)
{
	return page_scratch(&t->page);
}

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

static void put_move(struct buf *b, const struct notice_result *r)
{
	buf_add_str(b, words_verdict(r));
	if (r->stopped)
		return;
	if (r->from_nothing) {
		buf_add_str(b, "  from nothing");
	} else if (r->has_percent) {
		buf_add_str(b, "  ");
		words_change(b, r);
	}
}

/* The verdict, the metric and, at the right, the grade. A metric that is too
 * long stands on a line of its own. */
static void put_verdict(struct text *t, const struct notice_result *r,
			const char *grade)
{
	struct buf *b = fresh(t);
	size_t start, width;
	bool fits;

	put_move(b, r);
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

static void put_head(struct text *t)
{
	const struct notice *n = t->n;
	const struct notice_result *r = n->results;
	char grade[32];

	if (!n->n_results)
		return;
	put_verdict(t, r, grade_words(n, grade));
	words_values(fresh(t), r);
	put_scratch(t, "");
	words_reasons(fresh(t), n);
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

static void put_note(struct text *t)
{
	if (!t->n->note.len)
		return;
	page_blank(&t->page);
	page_wrap(&t->page, "note", t->n->note, t->room->note);
}

static bool same(struct slice a, struct slice b)
{
	return !a.len || slice_eq(a, b);
}

static void put_detail(struct buf *b, struct slice text)
{
	if (!text.len)
		return;
	buf_add_str(b, b->len ? "; " : "");
	utf8_put_clean(b, text);
}

/* As put_detail, when the line has room for it with two parentheses. */
static void put_fitting(struct buf *b, struct slice text, size_t columns)
{
	if (utf8_count(buf_slice(b)) + 2 + utf8_count(text) <= columns)
		put_detail(b, text);
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

static void put_also(struct text *t)
{
	const struct notice *n = t->n;
	size_t further = n->n_results ? n->n_results - 1 : 0;
	size_t shown = further < t->room->also ? further : t->room->also;

	for (size_t i = 1; i <= shown; i++) {
		struct buf *b = fresh(t);

		words_result(b, &n->results[i]);
		if (i == shown && further > shown)
			buf_printf(b, " and %zu more", further - shown);
		else
			put_details(b, &n->results[i], &n->results[0]);
		put_scratch_whole(t, i == 1 ? "also" : "");
	}
}

static void put_state(struct text *t)
{
	struct buf *b = fresh(t);

	if (!t->n->fix.len || !slice_eq(t->n->state, S("fixed")))
		put_detail(b, t->n->state);
	put_detail(b, t->n->fix);
	put_scratch_whole(t, "state");
}

/* Titles are not broken; one that no mail program would show whole is cut. */
static void put_commit(struct text *t, const char *label, struct slice commit,
		       struct slice title)
{
	size_t columns =
		TITLE_COLUMNS - PAGE_LABEL - strlen("0123456789ab (\"\")");
	struct buf cut;

	buf_init(&cut);
	if (utf8_count(title) > columns) {
		buf_add_slice(&cut, page_cut(title, columns - 4));
		buf_add_str(&cut, " ...");
		title = buf_slice(&cut);
	}
	words_commit(fresh(t), commit, title);
	put_scratch_whole(t, label);
	buf_release(&cut);
}

static void put_patch(struct text *t)
{
	const struct notice *n = t->n;

	if (t->room->rest)
		page_blank(&t->page);
	put_commit(t, "commit", n->commit, n->title);
	if (t->room->base)
		put_commit(t, "base", n->base, n->base_title);
	if (t->room->rest) {
		words_tree(fresh(t), n);
		put_scratch(t, "tree");
	}
	page_whole(&t->page, "posted", n->posted_link);
	if (n->n_results) {
		words_test(fresh(t), n->results);
		put_scratch(t, "test");
		words_host(fresh(t), n->results);
		put_scratch(t, "host");
	}
	if (t->room->build)
		page_wrap(&t->page, "build", n->build, 1);
	put_also(t);
	put_state(t);
	page_whole(&t->page, "before", n->before);
}

static size_t theme_width(const struct notice *n)
{
	size_t width = 7;

	for (size_t i = 0; i < n->n_with; i++)
		if (n->with[i].theme.len > width)
			width = n->with[i].theme.len;
	return width + 2;
}

/* The first rows, and always the last: the profile stands there. */
static bool shows_row(const struct text *t, size_t i)
{
	size_t room = t->room->with, n = t->n->n_with;

	return n <= room || (room && (i + 1 < room || i + 1 == n));
}

/* When a row is too long for one line, its numbers go to the next together. */
static void put_row(struct text *t, const struct notice_line *row, int width,
		    bool first)
{
	size_t columns = (size_t)(PAGE_COLUMNS - PAGE_LABEL - width);
	struct slice rest = row->text, name;
	char front[64];

	snprintf(front, sizeof(front), "%-*s%-*.*s", PAGE_LABEL,
		 first ? "with" : "", width, S_FMT(row->theme));
	if (utf8_count(row->text) <= columns) {
		page_whole(&t->page, front, row->text);
		return;
	}
	slice_take_word(&rest, &name);
	page_whole(&t->page, front, name);
	snprintf(front, sizeof(front), "%*s", PAGE_LABEL + width, "");
	page_whole(&t->page, front, slice_trim(rest));
}

static void put_with(struct text *t)
{
	const struct notice *n = t->n;
	int width = (int)theme_width(n);
	bool first = true;

	if (t->room->blanks && (n->failures.len || n->n_with))
		page_blank(&t->page);
	page_wrap(&t->page, "fails", n->failures, 1);
	for (size_t i = 0; i < n->n_with; i++) {
		if (!shows_row(t, i))
			continue;
		put_row(t, &n->with[i], width, first);
		first = false;
	}
}

static void put_tags(struct text *t)
{
	const struct notice *n = t->n;
	struct buf *b;

	if (!n->with_tags || !n->closes.len)
		return;
	page_whole(&t->page, "tags",
		   S("for a fix in a commit of its own, not for a new "
		     "version of this one:"));
	if (n->reported_by.len) {
		b = fresh(t);
		buf_add_str(b, "Reported-by: kernel test robot <");
		utf8_put_clean(b, n->reported_by);
		buf_add_char(b, '>');
		put_scratch_whole(t, "");
	}
	b = fresh(t);
	buf_add_str(b, "Closes: ");
	utf8_put_clean(b, n->closes);
	put_scratch_whole(t, "");
}

/* Not at the front of a line: there the tracker would act on it. */
static void put_track(struct text *t)
{
	struct buf *b;

	if (!t->n->track.len)
		return;
	b = fresh(t);
	buf_add_str(b, "reply ");
	utf8_put_clean(b, t->n->track);
	put_scratch_whole(t, "track");
}

static void put_links(struct text *t)
{
	const struct notice *n = t->n;

	if (t->room->blanks)
		page_blank(&t->page);
	page_whole(&t->page, "report", n->report_url);
	if (t->room->rest)
		page_whole(&t->page, "rerun", n->rerun_url);
	put_tags(t);
	put_track(t);
}

/* regzbot wants a paragraph of its own that starts in the first column. */
static void put_regzbot(struct text *t)
{
	if (!t->n->regzbot.len)
		return;
	page_blank(&t->page);
	utf8_put_clean(t->page.out, t->n->regzbot);
	page_end_line(&t->page);
	page_blank(&t->page);
}

static const char *who_speaks(enum notice_kind kind)
{
	if (kind == NOTICE_FORWARD)
		return "perfherald, a bot, sent by a person's hand; numbers by "
		       "Intel's robot.";
	if (kind == NOTICE_DRILL)
		return "perfherald, a bot, tried by a person's hand.";
	return "perfherald, a bot; numbers by Intel's kernel test robot.";
}

static void put_footer(struct text *t)
{
	page_rule(&t->page);
	page_line(&t->page, slice_of(who_speaks(t->n->kind)));
	if (t->n->may_reply && t->n->kind != NOTICE_DRILL)
		page_line(&t->page,
			  S("Reply with a line \"#perfherald stop\" and it "
			    "never mails you again."));
}

static void put_drill(struct text *t)
{
	if (t->n->kind == NOTICE_DRILL)
		page_line(&t->page,
			  S("DRILL: a test of this channel; none of this "
			    "happened."));
}

static void put_page(struct text *t)
{
	put_drill(t);
	put_head(t);
	put_note(t);
	put_patch(t);
	put_with(t);
	put_links(t);
	put_regzbot(t);
	put_footer(t);
}

static void patch_text(const struct notice *n, struct buf *ret)
{
	struct text t = { .n = n };
	size_t start = ret->len;

	page_init(&t.page, ret);
	for (size_t i = 0; i < ARRAY_LEN(rooms); i++) {
		ret->len = start;
		t.page.lines = 0;
		t.room = &rooms[i];
		put_page(&t);
		if (t.page.lines <= MAX_LINES)
			break;
	}
	page_release(&t.page);
}

static void put_heading(struct text *t)
{
	struct buf *b = fresh(t);

	utf8_put_clean(b, t->n->title);
	if (t->n->title.len && t->n->period.len)
		buf_add_str(b, ", ");
	utf8_put_clean(b, t->n->period);
	page_line(&t->page, buf_slice(b));
}

/* Lines of a digest or a word to the operator, as they are. */
static void put_lines(struct text *t)
{
	const struct notice *n = t->n;

	if (n->n_lines)
		page_blank(&t->page);
	for (size_t i = 0; i < n->n_lines && i < NOTICE_LINES; i++)
		page_line(&t->page, n->lines[i]);
	if (n->n_lines > NOTICE_LINES) {
		buf_printf(fresh(t), "and %zu more", n->n_lines - NOTICE_LINES);
		page_line(&t->page, buf_slice(&t->page.scratch));
	}
}

static void list_text(const struct notice *n, struct buf *ret)
{
	struct text t = { .n = n };

	page_init(&t.page, ret);
	put_drill(&t);
	put_heading(&t);
	put_lines(&t);
	page_blank(&t.page);
	if (n->kind == NOTICE_DIGEST) {
		put_footer(&t);
	} else {
		page_rule(&t.page);
		page_line(&t.page, S("perfherald, a bot."));
	}
	page_release(&t.page);
}

void notice_text(const struct notice *n, struct buf *ret)
{
	switch (n->kind) {
	case NOTICE_FIRST:
	case NOTICE_UPDATE:
	case NOTICE_FORWARD:
		patch_text(n, ret);
		break;
	case NOTICE_DRILL:
		if (n->n_results)
			patch_text(n, ret);
		else
			list_text(n, ret);
		break;
	case NOTICE_DIGEST:
	case NOTICE_OPERATOR:
	case NOTICE_ANSWER:
		list_text(n, ret);
		break;
	}
}
