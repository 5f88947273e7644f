/*
 * chat - a notice as a few lines of marked spans, and their dialects.
 *
 * chat_from_notice says what is said; a dialect says how one service writes
 * it. Every span may hold text from a mail, so a dialect treats all of them as
 * foreign: whatever it writes is shown as it stands, is no markup and mentions
 * nobody.
 */
#ifndef NOTIFY_CHAT_H
#define NOTIFY_CHAT_H

#include <stdbool.h>
#include <stddef.h>
#include "ph/arena.h"
#include "ph/json.h"
#include "ph/notice.h"
#include "ph/slice.h"

#define CHAT_LINES 10 /* of a notice about one patch */
#define CHAT_LIST  30 /* of a digest or a word to the operator */
#define CHAT_SPANS 16 /* in a line */
#define CHAT_CUT   "..."

enum span_kind {
	SPAN_TEXT,
	SPAN_STRONG,
	SPAN_CODE, /* identifiers: shown in a fixed font */
	SPAN_LINK, /* text over url */
};

struct chat_span {
	enum span_kind kind;
	struct slice text; /* one clean line, never empty */
	struct slice url;  /* of a link: http(s), no blanks or quotes */
};

struct chat_line {
	struct chat_span span[CHAT_SPANS];
	size_t n;
};

enum chat_tone { TONE_PLAIN, TONE_GOOD, TONE_BAD };

struct chat {
	struct slice subject; /* one clean line */
	enum chat_tone tone;
	struct chat_line *line; /* the first names the change */
	size_t n;
};

/* All memory is the arena's, or the notice's. */
void chat_from_notice(const struct notice *n, struct arena *arena,
		      struct chat *ret);

/*
 * Puts a template's words in place of the usual: each line of body one span of
 * text. An empty subject or body leaves what is there.
 */
void chat_reword(struct chat *c, struct slice subject, struct slice body,
		 struct arena *arena);

/* Whether the text may stand as a link's target on every service. */
bool chat_url_fit(struct slice url);

/* dialect.c: in what a service counts its limits. */
enum chat_unit { UNIT_BYTES, UNIT_POINTS, UNIT_UTF16 };

size_t chat_count(struct slice s, enum chat_unit unit);

/* How a service writes spans; s is clean text. */
struct chat_dialect {
	void (*text)(struct buf *b, struct slice s);
	void (*strong)(struct buf *b, struct slice s);
	void (*code)(struct buf *b, struct slice s);
	void (*link)(struct buf *b, struct slice s, struct slice url);
	const char *line_end;
};

/*
 * Adds all lines, within limit units counted after escaping. What does not fit
 * is cut on a code point border and ends in "...".
 */
void chat_write(const struct chat *c, const struct chat_dialect *d,
		size_t limit, enum chat_unit unit, struct buf *ret);

/* The text cut to limit units of its escaped form, "..." included. */
void chat_put_cut(struct buf *ret, struct slice s,
		  void (*escape)(struct buf *b, struct slice s), size_t limit,
		  enum chat_unit unit);

/* No markup at all: text as it is, a link as its URL in angle brackets. */
extern const struct chat_dialect chat_plain;

/* & < > and the double quote as HTML entities. */
void chat_put_html(struct buf *b, struct slice s);

/*
 * A CommonMark code span: a fence longer than any run of backticks inside, and
 * blanks between where the text touches it. What a parser that pairs backticks
 * otherwise could take for a mention is broken up; "lseek@plt" is not.
 */
void chat_put_fenced(struct buf *b, struct slice s);

/*
 * Whether text can be no markup in any Markdown even unescaped: letters,
 * digits, blanks and harmless punctuation. For dialects without an escape,
 * which show all else as code.
 */
bool chat_is_bare(struct slice s);

/* U+200B, which breaks what a service would take for a mention. */
#define CHAT_BREAK "\xe2\x80\x8b"

#endif
