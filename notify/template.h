/*
 * template - a channel's subject and body in the operator's words.
 *
 *	{{field}}		the field's text; nothing when it is unknown
 *	{{#field}}...{{/field}}	only when the field has a text
 *	{{^field}}...{{/field}}	only when it has none
 *	{{! words}}		nothing
 *
 * A line with nothing but such signs ({{#...}}, {{^...}}, {{/...}}, {{!...}})
 * leaves no line behind. There is no other sign, no loop, no file and no code.
 * A field is one clean line (`text` may have more), put in as it is: whoever
 * writes the result for a service escapes the whole.
 */
#ifndef NOTIFY_TEMPLATE_H
#define NOTIFY_TEMPLATE_H

#include "ph/arena.h"
#include "ph/err.h"
#include "ph/notice.h"
#include "ph/slice.h"

/*
 * PH_BAD: an unknown field (the nearest known one is named), a sign without its
 * end, sections that do not nest or go deeper than 8. err says which line.
 */
enum status template_check(struct slice text, struct err *err);

/* Adds the text for n. Returns as template_check; *ret is then of no use. */
enum status template_render(struct slice text, const struct notice *n,
			    struct buf *ret, struct err *err);

/* The i-th field's name and what it holds, for manuals; NULL at the end. */
const char *template_field(size_t i, const char **ret_help);

#endif
