/*
 * text - the page of a mail about one patch, between its parts: text.c has its
 * order and what gives way, text_results.c what is said of its results.
 */
#ifndef NOTIFY_TEXT_H
#define NOTIFY_TEXT_H

#include "notify/page.h"
#include "ph/notice.h"

/* What may give way, from a page's full room to the least. */
struct room {
	size_t wrap; /* lines of one wrapped text */
	size_t note; /* lines of a person's note */
	size_t also; /* further results */
	size_t with; /* rows that explain, the profile among them */
	bool build, base, blanks;
	bool rest; /* tree, rerun, the last blank line */
};

struct text {
	const struct notice *n;
	const struct room *room;
	struct page page;
};

/* The page's scratch buffer, emptied, for one text ... */
struct buf *text_fresh(struct text *t);
/* ... and that text as wrapped lines behind a label, or as one whole line. */
void text_put(struct text *t, const char *label);
void text_put_whole(struct text *t, const char *label);

/* The headline: verdict, values, reasons, what speaks against it. */
void text_put_results(struct text *t);
/* The further results, a line each. */
void text_put_also(struct text *t);

/* Adds clean text behind a "; " when something stands there already. */
void text_add_detail(struct buf *b, struct slice text);

#endif
