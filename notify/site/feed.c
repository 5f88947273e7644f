/*
 * Atom feeds, RFC 4287. Ids are UUIDs of version 8 (RFC 9562, section 5.8) made
 * of a hash, so that a patch keeps its entry wherever the site moves to.
 */
#include "ph/site.h"

#include <stdio.h>
#include "notify/site/markup.h"
#include "notify/words.h"
#include "ph/clock.h"
#include "ph/hash.h"

static void put_id(struct buf *b, const char *kind, struct slice seed,
		   struct slice name)
{
	const struct slice parts[] = { S("perfherald site"), slice_of(kind),
				       seed, name };
	char hash[65];

	hash_name(parts, ARRAY_LEN(parts), hash);
	hash[12] = '8';
	hash[16] = 'a'; /* the variant's two bits */
	buf_printf(b, "<id>urn:uuid:%.8s-%.4s-%.4s-%.4s-%.12s</id>", hash,
		   hash + 8, hash + 12, hash + 16, hash + 20);
}

static void put_time(struct buf *b, const char *name, int64_t t)
{
	char text[32];

	clock_rfc3339(t, text);
	buf_printf(b, "<%s>%s</%s>", name, text, name);
}

/* -- an entry -- */

static void put_title(struct buf *b, const struct site_entry *e)
{
	const struct notice_result r = { .metric = e->metric,
					 .verdict = e->verdict,
					 .has_percent = true,
					 .percent = e->percent,
					 .change_kind = CHANGE_RELATIVE };
	struct buf text;

	buf_init(&text);
	words_result(&text, &r);
	buf_add_str(b, "<title>");
	markup_text(b, buf_slice(&text));
	if (e->title.len) {
		buf_add_str(b, ": ");
		markup_text(b, e->title);
	}
	buf_add_str(b, "</title>");
	buf_release(&text);
}

static void put_part(struct buf *b, const char *before, struct slice part)
{
	if (!part.len)
		return;
	buf_add_str(b, before);
	markup_text(b, part);
}

static void put_summary(struct buf *b, const struct site_entry *e)
{
	char grade = words_grade(e->evidence);

	buf_add_str(b, "<summary>");
	markup_text(b, e->values);
	put_part(b, e->values.len ? " on " : "On ", e->host);
	if (grade)
		buf_printf(b, ", evidence %c", grade);
	put_part(b, ", ", e->state);
	buf_add_str(b, "</summary>");
}

void site_entry(const struct site_entry *e, struct buf *ret)
{
	buf_add_str(ret, "<entry>");
	put_id(ret, "patch", S(""), e->id);
	put_title(ret, e);
	buf_printf(ret, "<link href=\"%cpatch/", SITE_UP);
	markup_text(ret, e->id);
	buf_add_str(ret, ".html\"/>");
	put_time(ret, "published", e->published);
	put_time(ret, "updated", e->updated);
	if (e->subsystem.len) {
		buf_add_str(ret, "<category term=\"");
		markup_text(ret, e->subsystem);
		buf_add_str(ret, "\"/>");
	}
	put_summary(ret, e);
	buf_add_str(ret, "</entry>\n");
}

/* -- a feed -- */

static void put_link(struct buf *b, const char *rel, struct slice top,
		     struct slice page)
{
	buf_printf(b, "<link rel=\"%s\" href=\"", rel);
	markup_text(b, top);
	markup_text(b, page);
	buf_add_str(b, "\"/>\n");
}

void site_feed_page(const struct site_feed *f, struct buf *ret)
{
	struct slice top = f->base;

	if (!top.len && slice_chr(f->self, '/'))
		top = S("../");
	buf_add_str(ret, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
			 "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n");
	put_id(ret, "feed", f->seed, f->self);
	buf_add_str(ret, "\n<title>");
	markup_text(ret, f->title);
	buf_add_str(ret, "</title>\n"
			 "<author><name>perfherald</name></author>\n");
	put_link(ret, "self", top, f->self);
	put_link(ret, "alternate", top, f->home);
	put_time(ret, "updated", f->updated);
	buf_add_char(ret, '\n');
	for (size_t i = 0; i < f->n_entries; i++)
		markup_with_up(ret, f->entries[i], top);
	buf_add_str(ret, "</feed>\n");
}
