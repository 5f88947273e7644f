/*
 * markup - text as HTML that is XML too, so that one way of escaping serves
 * pages, drawings and feeds.
 */
#ifndef NOTIFY_SITE_MARKUP_H
#define NOTIFY_SITE_MARKUP_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/report.h"
#include "ph/slice.h"

/*
 * Text between tags or in a quoted attribute. & < > " and ' become references;
 * bad bytes and what XML has no character for, U+FFFD; control characters a
 * blank.
 */
void markup_text(struct buf *b, struct slice s);

/* Ready markup, with the way to the top where it has SITE_UP (ph/site.h). */
void markup_with_up(struct buf *b, struct slice markup, struct slice up);

/* A link where url is one that a browser fetches (http, https) and nothing in
 * it could mean more than that; else the text alone. */
void markup_link(struct buf *b, struct slice url, struct slice text);

/* <time> with the day; nothing for 0. */
void markup_time(struct buf *b, int64_t t);

/* A commit: its first twelve digits, linked where the tree's web pages have a
 * known form. */
void markup_commit(struct buf *b, struct slice commit, struct slice tree);

/* "WORSE 11.9%" in its colour, which never is the only sign. */
void markup_move(struct buf *b, enum verdict verdict, double percent);
const char *markup_verdict(enum verdict verdict); /* "WORSE" */
const char *markup_class(enum verdict verdict);	  /* its colour's class */

/* A <dt> with this name and its <dd>; nothing for an empty value. */
void markup_field(struct buf *b, const char *name, struct slice value);

/* <th> for each, up to a NULL. */
void markup_head_row(struct buf *b, const char *first, ...);

/*
 * Everything up to the page's heading, which is its title. up: the way to the
 * top, "" or "../". feed: relative to the page; empty: the site's.
 */
void markup_open(struct buf *b, struct slice title, const char *up,
		 struct slice feed);
void markup_close(struct buf *b);

#endif
