#include "notify/chat.h"

#include "notify/words.h"
#include "ph/utf8.h"

/* Ceilings of single fields, in code points: a hostile title may fill its own
 * line but leaves room for the others on every service. */
#define MAX_TITLE  200
#define MAX_METRIC 150
#define MAX_WORDS  250

struct writer {
	struct arena *arena;
	struct chat *chat;
	size_t max_lines;
	struct buf words; /* of the span that is being made */
};

/* One clean line, blanks squeezed and trimmed, at most max code points. */
static struct slice clean(struct arena *arena, struct slice s, size_t max)
{
	struct slice all, cut, word, rest;
	struct buf b;

	buf_init(&b);
	utf8_put_clean(&b, s);
	rest = arena_copy(arena, buf_slice(&b));
	buf_reset(&b);
	while (slice_take_word(&rest, &word)) {
		if (b.len)
			buf_add_char(&b, ' ');
		buf_add_slice(&b, word);
	}
	all = arena_copy(arena, buf_slice(&b));
	cut = utf8_cut_points(all, max);
	if (cut.len < all.len) {
		buf_reset(&b);
		buf_add_slice(&b, utf8_cut_points(all, max - (sizeof(CHAT_CUT) -
							      1)));
		buf_add_str(&b, CHAT_CUT);
		all = arena_copy(arena, buf_slice(&b));
	}
	buf_release(&b);
	return all;
}

bool chat_url_fit(struct slice url)
{
	struct slice rest = url;

	if (!slice_skip(&rest, S("https://")) &&
	    !slice_skip(&rest, S("http://")))
		return false;
	if (!rest.len || url.len > 1000)
		return false;
	for (size_t i = 0; i < url.len; i++) {
		unsigned char c = (unsigned char)url.ptr[i];

		if (c <= 0x20 || c >= 0x7f || strchr("<>\"'`|\\^{}()[]*", c))
			return false;
	}
	return true;
}

static struct chat_line *new_line(struct writer *w)
{
	if (w->chat->n >= w->max_lines)
		return NULL;
	w->chat->line[w->chat->n].n = 0;
	return &w->chat->line[w->chat->n++];
}

/* A line that got no span is taken back. */
static void end_line(struct writer *w)
{
	if (w->chat->n && !w->chat->line[w->chat->n - 1].n)
		w->chat->n--;
}

/* Span text keeps its outer blanks when it is ours; foreign text has none. */
static void add(struct chat_line *l, enum span_kind kind, struct slice text,
		struct slice url)
{
	if (!l || !text.len || l->n >= CHAT_SPANS)
		return;
	l->span[l->n++] = (struct chat_span){ kind, text, url };
}

/* Our own words; at the start of a line without what would join them. */
static void say(struct chat_line *l, const char *ours)
{
	if (l && !l->n)
		ours += strspn(ours, " ;,");
	add(l, SPAN_TEXT, slice_of(ours), S(""));
}

/* Foreign text behind its lead; no text, no lead. */
static void part(struct writer *w, struct chat_line *l, const char *lead,
		 enum span_kind kind, struct slice text, size_t max)
{
	struct slice s = clean(w->arena, text, max);

	if (!s.len)
		return;
	say(l, lead);
	add(l, kind, s, S(""));
}

/* The same of what the words_* functions have put into w->words. */
static void words(struct writer *w, struct chat_line *l, const char *lead,
		  enum span_kind kind)
{
	part(w, l, lead, kind, buf_slice(&w->words), MAX_WORDS);
	buf_reset(&w->words);
}

static void line_verdict(struct writer *w, const struct notice *n)
{
	const struct notice_result *r = &n->results[0];
	struct chat_line *l = new_line(w);
	char grade = words_grade(n->evidence);

	if (n->kind == NOTICE_DRILL)
		add(l, SPAN_STRONG, S("DRILL"), S(""));
	words_move(&w->words, r, " ");
	words(w, l, " ", SPAN_STRONG);
	part(w, l, " ", SPAN_CODE, r->metric.len ? r->metric : r->testcase,
	     MAX_METRIC);
	if (grade)
		say(l, arena_printf(w->arena, "  evidence %c", grade));
	if (n->mixed)
		say(l, "  mixed");
	if (n->kind == NOTICE_UPDATE)
		say(l, "  update");
	part(w, l, "  now ", SPAN_STRONG, n->state, 40);
	end_line(w);
}

static void line_values(struct writer *w, const struct notice *n)
{
	struct chat_line *l = new_line(w);

	words_values(&w->words, &n->results[0]);
	words(w, l, "", SPAN_TEXT);
	if (n->results[0].contradiction)
		say(l, "; the table does not agree with the verdict");
	words_reasons(&w->words, n);
	words(w, l, "; ", SPAN_TEXT);
	end_line(w);
}

static void put_link(struct writer *w, struct chat_line *l, const char *label,
		     struct slice url)
{
	struct slice u = clean(w->arena, url, 1000);

	if (!chat_url_fit(u)) {
		part(w, l, arena_printf(w->arena, "  %s ", label), SPAN_CODE, u,
		     MAX_WORDS);
		return;
	}
	say(l, "  ");
	add(l, SPAN_LINK, slice_of(label), u);
}

static void line_commit(struct writer *w, const struct notice *n)
{
	struct chat_line *l = new_line(w);

	part(w, l, "commit ", SPAN_CODE, slice_head(n->commit, 12), 12);
	part(w, l, " ", SPAN_TEXT, n->title, MAX_TITLE);
	if (n->posted_link.len)
		put_link(w, l, "patch", n->posted_link);
	end_line(w);
}

static void line_tree(struct writer *w, const struct notice *n)
{
	struct chat_line *l = new_line(w);

	words_tree(&w->words, n);
	words(w, l, "tree ", SPAN_TEXT);
	part(w, l, "  base ", SPAN_CODE, slice_head(n->base, 12), 12);
	end_line(w);
}

static void line_test(struct writer *w, const struct notice *n)
{
	struct chat_line *l = new_line(w);

	words_test(&w->words, &n->results[0]);
	words(w, l, "test ", SPAN_TEXT);
	end_line(w);
}

static void line_host(struct writer *w, const struct notice *n)
{
	struct chat_line *l = new_line(w);

	words_host(&w->words, &n->results[0]);
	words(w, l, "host ", SPAN_TEXT);
	part(w, l, "  build ", SPAN_TEXT, n->build, 80);
	end_line(w);
}

static void line_also(struct writer *w, const struct notice *n)
{
	struct chat_line *l = new_line(w);

	for (size_t i = 1; i < n->n_results && i < 4; i++) {
		words_move(&w->words, &n->results[i], " ");
		words(w, l, i == 1 ? "also " : ", ", SPAN_TEXT);
		part(w, l, " ", SPAN_CODE, n->results[i].metric, 100);
	}
	if (n->n_results > 4)
		say(l,
		    arena_printf(w->arena, " and %zu more", n->n_results - 4));
	end_line(w);
}

static void line_with(struct writer *w, const struct notice *n)
{
	struct chat_line *l = new_line(w);

	for (size_t i = 0; i < n->n_with && i < 4; i++)
		part(w, l, l && l->n ? "; " : "with ", SPAN_TEXT,
		     n->with[i].text, 120);
	end_line(w);
}

/* What a reader must not miss, each only where it is known. */
static void line_remarks(struct writer *w, const struct notice *n)
{
	struct chat_line *l = new_line(w);

	part(w, l, "", SPAN_TEXT, n->fix, MAX_WORDS);
	part(w, l, "  failures ", SPAN_TEXT, n->failures, 120);
	part(w, l, "  before ", SPAN_TEXT, n->before, MAX_WORDS);
	if (n->n_results)
		part(w, l, "  ", SPAN_TEXT, n->results[0].before, MAX_WORDS);
	if (n->too_good)
		say(l, "  check that it still does the work");
	part(w, l, "  note ", SPAN_TEXT, n->note, 500);
	end_line(w);
}

static void line_links(struct writer *w, const struct notice *n)
{
	struct chat_line *l = new_line(w);

	if (n->report_url.len)
		put_link(w, l, "report", n->report_url);
	if (n->rerun_url.len)
		put_link(w, l, "rerun", n->rerun_url);
	end_line(w);
}

static void patch_lines(struct writer *w, const struct notice *n)
{
	if (n->n_results) {
		line_verdict(w, n);
		line_values(w, n);
	}
	line_commit(w, n);
	line_tree(w, n);
	if (n->n_results) {
		line_test(w, n);
		line_host(w, n);
		line_also(w, n);
	}
	line_with(w, n);
	line_remarks(w, n);
	line_links(w, n);
}

static void list_lines(struct writer *w, const struct notice *n)
{
	struct chat_line *l = new_line(w);
	size_t room = w->max_lines - 1;

	part(w, l, "", SPAN_STRONG, w->chat->subject, MAX_WORDS);
	end_line(w);
	if (n->n_lines > room)
		room--;
	for (size_t i = 0; i < n->n_lines && i < room; i++) {
		l = new_line(w);
		part(w, l, "", SPAN_TEXT, n->lines[i], MAX_WORDS);
		end_line(w);
	}
	if (n->n_lines > room) {
		l = new_line(w);
		say(l, arena_printf(w->arena, "and %zu more lines",
				    n->n_lines - room));
	}
}

static enum chat_tone tone(const struct notice *n)
{
	if (!n->n_results || n->state.len)
		return TONE_PLAIN;
	switch (n->results[0].verdict) {
	case VERDICT_REGRESSION:
		return TONE_BAD;
	case VERDICT_IMPROVEMENT:
		return TONE_GOOD;
	case VERDICT_NONE:
		break;
	}
	return TONE_PLAIN;
}

void chat_from_notice(const struct notice *n, struct arena *arena,
		      struct chat *ret)
{
	bool list = n->kind == NOTICE_DIGEST || n->kind == NOTICE_OPERATOR ||
		    n->kind == NOTICE_ANSWER;
	struct writer w = { arena, ret, list ? CHAT_LIST : CHAT_LINES, { 0 } };

	notice_subject(n, &w.words);
	*ret = (struct chat){ .tone = tone(n) };
	ret->subject = clean(arena, buf_slice(&w.words), MAX_WORDS);
	ret->line = arena_array(arena, struct chat_line, w.max_lines);
	buf_reset(&w.words);
	if (list)
		list_lines(&w, n);
	else
		patch_lines(&w, n);
	buf_release(&w.words);
}

void chat_reword(struct chat *c, struct slice subject, struct slice body,
		 struct arena *arena)
{
	struct writer w = { arena, c, CHAT_LIST, { 0 } };
	struct slice line;

	if (subject.len)
		c->subject = clean(arena, subject, MAX_WORDS);
	if (!body.len)
		return;
	c->n = 0;
	c->line = arena_array(arena, struct chat_line, CHAT_LIST);
	while (slice_take_line(&body, &line)) {
		struct chat_line *l = new_line(&w);

		part(&w, l, "", SPAN_TEXT, line, 1000);
		end_line(&w);
	}
}
