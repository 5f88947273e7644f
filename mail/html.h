/*
 * html - the text of an HTML body, for mails that have no other.
 *
 * Not a page is laid out here: what comes back is what the plain text of the
 * same mail would have been, line by line, so that the same reader reads it.
 */
#ifndef MAIL_HTML_H
#define MAIL_HTML_H

#include "ph/slice.h"
#include "ph/utf8.h"

/*
 * Adds the text of html, both UTF-8: a line a paragraph, division, table row
 * or <br>; "> " before the lines of a <blockquote>; blanks as they stand
 * in <pre>, elsewhere a run of them is one and a no-break one stays. Broken
 * HTML is read as far as it goes.
 */
void html_text(struct slice html, struct buf *ret);

#endif
