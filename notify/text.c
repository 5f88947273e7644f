/*
 * The text of a mail. A page is built with some room for what may give way;
 * when it comes out too long it is built again with less.
 */
#include "notify/text.h"

#include <stdio.h>
#include "notify/words.h"
#include "ph/utf8.h"

#define TITLE_COLUMNS 100 /* what mail programs still show; titles only */
#define MAX_LINES     25

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

void text_put(struct text *t, const char *label)
{
	page_wrap(&t->page, label, buf_slice(&t->page.scratch), t->room->wrap);
}

void text_put_whole(struct text *t, const char *label)
{
	page_whole(&t->page, label, buf_slice(&t->page.scratch));
}

struct buf *text_fresh(struct text *t)
{
	return page_scratch(&t->page);
}

static void put_note(struct text *t)
{
	if (!t->n->note.len)
		return;
	page_blank(&t->page);
	page_wrap(&t->page, "note", t->n->note, t->room->note);
}

static void put_state(struct text *t)
{
	struct buf *b = text_fresh(t);

	if (!t->n->fix.len || !slice_eq(t->n->state, S("fixed")))
		text_add_detail(b, t->n->state);
	text_add_detail(b, t->n->fix);
	text_put_whole(t, "state");
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
	words_commit(text_fresh(t), commit, title);
	text_put_whole(t, label);
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
		words_tree(text_fresh(t), n);
		text_put(t, "tree");
	}
	page_whole(&t->page, "posted", n->posted_link);
	if (n->n_results) {
		words_test(text_fresh(t), n->results);
		text_put(t, "test");
		words_host(text_fresh(t), n->results);
		text_put(t, "host");
	}
	if (t->room->build)
		page_wrap(&t->page, "build", n->build, 1);
	text_put_also(t);
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
		b = text_fresh(t);
		buf_add_str(b, "Reported-by: kernel test robot <");
		utf8_put_clean(b, n->reported_by);
		buf_add_char(b, '>');
		text_put_whole(t, "");
	}
	b = text_fresh(t);
	buf_add_str(b, "Closes: ");
	utf8_put_clean(b, n->closes);
	text_put_whole(t, "");
}

/* Not at the front of a line: there the tracker would act on it. */
static void put_track(struct text *t)
{
	struct buf *b;

	if (!t->n->track.len)
		return;
	b = text_fresh(t);
	buf_add_str(b, "reply ");
	utf8_put_clean(b, t->n->track);
	text_put_whole(t, "track");
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
	text_put_results(t);
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
	struct buf *b = text_fresh(t);

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
		buf_printf(text_fresh(t), "and %zu more",
			   n->n_lines - NOTICE_LINES);
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
