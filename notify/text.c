/*
 * The text of a mail. A page is built with some room for what may give way;
 * when it comes out too long it is built again with less.
 */
#include "ph/notice.h"

#include <stdio.h>
#include "notify/words.h"
#include "ph/utf8.h"

#define COLUMNS	      75
#define TITLE_COLUMNS 100 /* what mail programs still show; titles only */
#define MAX_LINES     25
#define LABEL	      7 /* "commit " */
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

struct page {
	const struct notice *n;
	const struct room *room;
	struct buf *out;
	size_t lines;
	struct buf scratch;
};

static void end_line(struct page *p)
{
	while (p->out->len && p->out->ptr[p->out->len - 1] == ' ')
		p->out->len--;
	buf_add_char(p->out, '\n');
	p->lines++;
}

static void put_blank(struct page *p)
{
	if (p->lines)
		end_line(p);
}

static void put_label(struct page *p, const char *label)
{
	buf_printf(p->out, "%-*s", LABEL, label);
}

/* One line that is never broken: titles, tags, links. */
static void put_whole(struct page *p, const char *label, struct slice text)
{
	if (!slice_trim(text).len)
		return;
	put_label(p, label);
	utf8_put_clean(p->out, text);
	end_line(p);
}

/*
 * Takes what fits into `columns` off *text, broken at a blank; a single word
 * that is longer is taken whole.
 */
static struct slice take_fitting(struct slice *text, size_t columns)
{
	struct slice start = slice_trim(*text), rest = start, word;
	size_t used = 0;
	const char *end = start.ptr;

	while (slice_take_word(&rest, &word)) {
		size_t gap = (size_t)(word.ptr - end);
		size_t width = gap + utf8_count(word);

		if (used && used + width > columns)
			break;
		used += width;
		end = word.ptr + word.len;
	}
	*text = slice_trim(slice_between(end, start.ptr + start.len));
	return slice_between(start.ptr, end);
}

/* Shortens a line to leave room for " ...". */
static struct slice cut_line(struct slice line, size_t columns)
{
	struct slice kept = utf8_cut_points(line, columns - 4);
	const char *blank;

	if (kept.len == line.len)
		return line;
	blank = slice_rchr(kept, ' ');
	return blank && blank > kept.ptr ? slice_between(kept.ptr, blank) : kept;
}

/*
 * Words within the columns, on at most max lines; " ..." says it was cut. The
 * front stands before the first line and its width, blank, before the others.
 */
static void put_wrapped(struct page *p, const char *front, struct slice text,
			size_t max)
{
	size_t indent = strlen(front) > LABEL ? strlen(front) : LABEL;

	text = slice_trim(text);
	for (size_t i = 0; text.len && i < max; i++) {
		struct slice line = take_fitting(&text, COLUMNS - indent);
		bool cut = text.len && i + 1 == max;

		if (cut)
			line = cut_line(line, COLUMNS - indent);
		buf_printf(p->out, "%-*s", (int)indent, i ? "" : front);
		utf8_put_clean(p->out, line);
		if (cut)
			buf_add_str(p->out, " ...");
		end_line(p);
	}
}

static struct buf *fresh(struct page *p)
{
	buf_reset(&p->scratch);
	return &p->scratch;
}

/* The text made in the scratch buffer, as a wrapped line. */
static void put_scratch(struct page *p, const char *label)
{
	put_wrapped(p, label, buf_slice(&p->scratch), p->room->wrap);
}

static void put_scratch_whole(struct page *p, const char *label)
{
	put_whole(p, label, buf_slice(&p->scratch));
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
static void put_verdict(struct page *p, const struct notice_result *r,
			const char *grade)
{
	struct buf *b = fresh(p);
	size_t start, width;
	bool fits;

	put_move(b, r);
	start = b->len;
	buf_add_str(b, "  ");
	utf8_put_clean(b, r->metric);
	width = utf8_count(buf_slice(b));
	fits = width + 2 + strlen(grade) <= COLUMNS;
	if (!fits)
		width = b->len = start;
	if (*grade)
		buf_printf(b, "%*s%s",
			   width + 2 < GRADE_COLUMN ? GRADE_COLUMN - (int)width
						    : 2,
			   "", grade);
	buf_add_slice(p->out, buf_slice(b));
	end_line(p);
	if (!fits)
		put_whole(p, "", r->metric);
}

static void put_head(struct page *p)
{
	const struct notice *n = p->n;
	const struct notice_result *r = n->results;
	char grade[32];

	if (!n->n_results)
		return;
	put_verdict(p, r, grade_words(n, grade));
	words_values(fresh(p), r);
	put_scratch(p, "");
	words_reasons(fresh(p), n);
	put_wrapped(p, "", buf_slice(&p->scratch), p->room->rest ? 2 : 1);
	if (r->contradiction)
		put_whole(p, "",
			  S("but its row, or the metric's usual direction, "
			    "says otherwise"));
	put_wrapped(p, "", r->before, p->room->rest ? 2 : 1);
	if (n->too_good)
		put_whole(p, "",
			  S("check that it still does the work: such gains "
			    "were lost flushes"));
}

static void put_note(struct page *p)
{
	if (!p->n->note.len)
		return;
	put_blank(p);
	put_wrapped(p, "note", p->n->note, p->room->note);
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
	size_t used = LABEL + utf8_count(buf_slice(line)) + 3;
	size_t columns = used < COLUMNS ? COLUMNS - used : 0;
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

static void put_also(struct page *p)
{
	const struct notice *n = p->n;
	size_t further = n->n_results ? n->n_results - 1 : 0;
	size_t shown = further < p->room->also ? further : p->room->also;

	for (size_t i = 1; i <= shown; i++) {
		struct buf *b = fresh(p);

		words_result(b, &n->results[i]);
		if (i == shown && further > shown)
			buf_printf(b, " and %zu more", further - shown);
		else
			put_details(b, &n->results[i], &n->results[0]);
		put_scratch_whole(p, i == 1 ? "also" : "");
	}
}

static void put_state(struct page *p)
{
	struct buf *b = fresh(p);

	if (!p->n->fix.len || !slice_eq(p->n->state, S("fixed")))
		put_detail(b, p->n->state);
	put_detail(b, p->n->fix);
	put_scratch_whole(p, "state");
}

/* Titles are not broken; one that no mail program would show whole is cut. */
static void put_commit(struct page *p, const char *label, struct slice commit,
		       struct slice title)
{
	size_t columns = TITLE_COLUMNS - LABEL - strlen("0123456789ab (\"\")");
	struct buf cut;

	buf_init(&cut);
	if (utf8_count(title) > columns) {
		buf_add_slice(&cut, cut_line(title, columns));
		buf_add_str(&cut, " ...");
		title = buf_slice(&cut);
	}
	words_commit(fresh(p), commit, title);
	put_scratch_whole(p, label);
	buf_release(&cut);
}

static void put_patch(struct page *p)
{
	const struct notice *n = p->n;

	if (p->room->rest)
		put_blank(p);
	put_commit(p, "commit", n->commit, n->title);
	if (p->room->base)
		put_commit(p, "base", n->base, n->base_title);
	if (p->room->rest) {
		words_tree(fresh(p), n);
		put_scratch(p, "tree");
	}
	put_whole(p, "posted", n->posted_link);
	if (n->n_results) {
		words_test(fresh(p), n->results);
		put_scratch(p, "test");
		words_host(fresh(p), n->results);
		put_scratch(p, "host");
	}
	if (p->room->build)
		put_wrapped(p, "build", n->build, 1);
	put_also(p);
	put_state(p);
	put_whole(p, "before", n->before);
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
static bool shows_row(const struct page *p, size_t i)
{
	size_t room = p->room->with, n = p->n->n_with;

	return n <= room || (room && (i + 1 < room || i + 1 == n));
}

/* When a row is too long for one line, its numbers go to the next together. */
static void put_row(struct page *p, const struct notice_line *row, int width,
		    bool first)
{
	size_t columns = (size_t)(COLUMNS - LABEL - width);
	struct slice rest = row->text, name;
	char front[64];

	snprintf(front, sizeof(front), "%-*s%-*.*s", LABEL, first ? "with" : "",
		 width, S_FMT(row->theme));
	if (utf8_count(row->text) <= columns) {
		put_whole(p, front, row->text);
		return;
	}
	slice_take_word(&rest, &name);
	put_whole(p, front, name);
	snprintf(front, sizeof(front), "%*s", LABEL + width, "");
	put_whole(p, front, slice_trim(rest));
}

static void put_with(struct page *p)
{
	const struct notice *n = p->n;
	int width = (int)theme_width(n);
	bool first = true;

	if (p->room->blanks && (n->failures.len || n->n_with))
		put_blank(p);
	put_wrapped(p, "fails", n->failures, 1);
	for (size_t i = 0; i < n->n_with; i++) {
		if (!shows_row(p, i))
			continue;
		put_row(p, &n->with[i], width, first);
		first = false;
	}
}

static void put_tags(struct page *p)
{
	const struct notice *n = p->n;
	struct buf *b;

	if (!n->with_tags || !n->closes.len)
		return;
	put_whole(p, "tags",
		  S("for a fix in a commit of its own, not for a new "
		    "version of this one:"));
	if (n->reported_by.len) {
		b = fresh(p);
		buf_add_str(b, "Reported-by: kernel test robot <");
		utf8_put_clean(b, n->reported_by);
		buf_add_char(b, '>');
		put_scratch_whole(p, "");
	}
	b = fresh(p);
	buf_add_str(b, "Closes: ");
	utf8_put_clean(b, n->closes);
	put_scratch_whole(p, "");
}

static void put_links(struct page *p)
{
	const struct notice *n = p->n;

	if (p->room->blanks)
		put_blank(p);
	put_whole(p, "report", n->report_url);
	if (p->room->rest)
		put_whole(p, "rerun", n->rerun_url);
	put_tags(p);
}

/* regzbot wants a paragraph of its own that starts in the first column. */
static void put_regzbot(struct page *p)
{
	if (!p->n->regzbot.len)
		return;
	put_blank(p);
	utf8_put_clean(p->out, p->n->regzbot);
	end_line(p);
	put_blank(p);
}

static void put_line(struct page *p, const char *text)
{
	buf_add_str(p->out, text);
	end_line(p);
}

/* RFC 3676 section 4.3: the one line that ends in a blank. */
static void put_signature_rule(struct page *p)
{
	buf_add_str(p->out, "-- \n");
	p->lines++;
}

static void put_footer(struct page *p)
{
	put_signature_rule(p);
	put_line(p, p->n->kind == NOTICE_FORWARD
			    ? "perfherald, a bot, sent by a person's hand; "
			      "numbers by Intel's robot."
			    : "perfherald, a bot; numbers by Intel's kernel "
			      "test robot.");
	put_line(p, "Reply with a line \"#perfherald stop\" and it never mails "
		    "you again.");
}

static void put_drill(struct page *p)
{
	if (p->n->kind == NOTICE_DRILL)
		put_line(p, "DRILL: a test of this channel; none of this "
			    "happened.");
}

static void put_page(struct page *p)
{
	put_drill(p);
	put_head(p);
	put_note(p);
	put_patch(p);
	put_with(p);
	put_links(p);
	put_regzbot(p);
	put_footer(p);
}

static void patch_text(const struct notice *n, struct buf *ret)
{
	struct page p = { .n = n, .out = ret };
	size_t start = ret->len;

	buf_init(&p.scratch);
	for (size_t i = 0; i < ARRAY_LEN(rooms); i++) {
		ret->len = start;
		p.lines = 0;
		p.room = &rooms[i];
		put_page(&p);
		if (p.lines <= MAX_LINES)
			break;
	}
	buf_release(&p.scratch);
}

/* Own lines of a digest or a word to the operator, as they are. */
static void list_text(const struct notice *n, struct buf *ret)
{
	struct page p = { .n = n, .out = ret };

	put_drill(&p);
	utf8_put_clean(ret, n->title);
	if (n->period.len) {
		buf_add_str(ret, n->title.len ? ", " : "");
		utf8_put_clean(ret, n->period);
	}
	end_line(&p);
	if (n->n_lines)
		put_blank(&p);
	for (size_t i = 0; i < n->n_lines && i < NOTICE_LINES; i++) {
		utf8_put_clean(ret, n->lines[i]);
		end_line(&p);
	}
	if (n->n_lines > NOTICE_LINES) {
		buf_printf(ret, "and %zu more", n->n_lines - NOTICE_LINES);
		end_line(&p);
	}
	put_blank(&p);
	if (n->kind == NOTICE_DIGEST) {
		put_footer(&p);
	} else {
		put_signature_rule(&p);
		put_line(&p, "perfherald, a bot.");
	}
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
