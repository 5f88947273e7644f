#include "notify/page.h"

#include "ph/utf8.h"

void page_init(struct page *p, struct buf *out)
{
	*p = (struct page){ .out = out };
	buf_init(&p->scratch);
}

void page_release(struct page *p)
{
	buf_release(&p->scratch);
}

struct buf *page_scratch(struct page *p)
{
	buf_reset(&p->scratch);
	return &p->scratch;
}

void page_end_line(struct page *p)
{
	while (p->out->len && p->out->ptr[p->out->len - 1] == ' ')
		p->out->len--;
	buf_add_char(p->out, '\n');
	p->lines++;
}

void page_blank(struct page *p)
{
	if (p->lines)
		page_end_line(p);
}

void page_line(struct page *p, struct slice text)
{
	utf8_put_clean(p->out, text);
	page_end_line(p);
}

void page_rule(struct page *p)
{
	buf_add_str(p->out, "-- \n");
	p->lines++;
}

static size_t indent_of(const char *front)
{
	size_t len = strlen(front);

	return len > PAGE_LABEL ? len : PAGE_LABEL;
}

static void put_front(struct page *p, const char *front, size_t indent)
{
	buf_printf(p->out, "%-*s", (int)indent, front);
}

void page_whole(struct page *p, const char *front, struct slice text)
{
	if (!slice_trim(text).len)
		return;
	put_front(p, front, PAGE_LABEL);
	page_line(p, text);
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

struct slice page_cut(struct slice line, size_t columns)
{
	struct slice kept = utf8_cut_points(line, columns);
	const char *blank = slice_rchr(kept, ' ');

	if (kept.len < line.len && blank && blank > kept.ptr)
		kept = slice_between(kept.ptr, blank);
	while (kept.len && slice_chr(S(",; "), kept.ptr[kept.len - 1]))
		kept.len--;
	return kept;
}

void page_wrap(struct page *p, const char *front, struct slice text, size_t max)
{
	size_t indent = indent_of(front), columns = PAGE_COLUMNS - indent;

	text = slice_trim(text);
	for (size_t i = 0; text.len && i < max; i++) {
		struct slice line = take_fitting(&text, columns);
		bool cut = text.len && i + 1 == max;

		if (cut)
			line = page_cut(line, columns - strlen(" ..."));
		put_front(p, i ? "" : front, indent);
		utf8_put_clean(p->out, line);
		if (cut)
			buf_add_str(p->out, " ...");
		page_end_line(p);
	}
}
