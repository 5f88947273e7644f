/*
 * page - lines of plain text with a label in front, wrapped or whole.
 *
 * Foreign text is cleaned on its way in (utf8_put_clean), and no line but the
 * signature's rule ends in a blank. LF line ends.
 */
#ifndef NOTIFY_PAGE_H
#define NOTIFY_PAGE_H

#include "ph/arena.h"
#include "ph/slice.h"

#define PAGE_COLUMNS 75
#define PAGE_LABEL   7 /* "commit " */

struct page {
	struct buf *out;
	size_t lines; /* ended so far */
	struct buf scratch;
};

void page_init(struct page *p, struct buf *out);
void page_release(struct page *p);

/* The scratch buffer, empty: to make the text of one line in. */
struct buf *page_scratch(struct page *p);

/* Ends the line that was written to p->out by hand. */
void page_end_line(struct page *p);
/* An empty line, except at the top. */
void page_blank(struct page *p);
/* One line as it is; empty text gives an empty line. */
void page_line(struct page *p, struct slice text);
/* "-- ", the rule before a signature (RFC 3676 section 4.3). */
void page_rule(struct page *p);

/*
 * Text behind a front, which is filled up to PAGE_LABEL columns. Empty text
 * gives no line at all.
 */
void page_whole(struct page *p, const char *front, struct slice text);
/* The same within PAGE_COLUMNS, on at most max lines; " ..." says that it was
 * cut. Further lines stand under the first. A word is never broken. */
void page_wrap(struct page *p, const char *front, struct slice text,
	       size_t max);

/* The words of a line that fit within columns; one that is longer is cut. */
struct slice page_cut(struct slice line, size_t columns);

#endif
