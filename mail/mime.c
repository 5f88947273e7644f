#include "mail/mime.h"
#include "mail/charset.h"
#include "mail/html.h"
#include "ph/limits.h"

#include <gmime/gmime.h>
#include <stdlib.h>

/* A digest nests twice where its type is named once. */
#define LIMIT_WALK (2 * LIMIT_MAIL_NEST)

/*
 * GLib ends the program by abort when memory ends: for us that is exit 71.
 * Its warnings about odd mails are of no use to anyone.
 */
static void glib_says(const char *domain, GLogLevelFlags level,
		      const char *text, void *arg)
{
	(void)domain;
	(void)text;
	(void)arg;
	if (level & (G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL))
		out_of_memory();
}

static GLogWriterOutput glib_writes(GLogLevelFlags level,
				    const GLogField *fields, gsize n, void *arg)
{
	(void)fields;
	(void)n;
	glib_says(NULL, level, NULL, arg);
	return G_LOG_WRITER_HANDLED;
}

static void ready(void)
{
	static bool done; /* g_log_set_writer_func allows one call */

	if (done)
		return;
	done = true;
	g_log_set_writer_func(glib_writes, NULL, NULL);
	g_log_set_default_handler(glib_says, NULL);
	g_mime_init();
}

/* For GMime's calls that want a C string: from a field within its ceiling. */
static char *c_string(struct slice s)
{
	s = slice_head(s, LIMIT_MAIL_TYPE);
	return memcpy(xcalloc(1, s.len + 1), s.len ? s.ptr : "", s.len);
}

/* A body of no type, or of one that is no type, is plain text (RFC 2045 5.2). */
static GMimeContentType *parse_type(struct slice value)
{
	bool typed = slice_chr(value, '/') != NULL;
	char *str = c_string(typed ? value : S("text/plain"));
	GMimeContentType *type;

	ready();
	type = g_mime_content_type_parse(NULL, str);
	free(str);
	return type;
}

static bool has_word(struct slice s, struct slice word)
{
	for (; s.len >= word.len; s = slice_from(s, 1))
		if (slice_caseeq(slice_head(s, word.len), word))
			return true;
	return false;
}

static bool is_message(GMimeContentType *type)
{
	return g_mime_content_type_is_type(type, "message", "rfc822") ||
	       g_mime_content_type_is_type(type, "message", "news") ||
	       g_mime_content_type_is_type(type, "message", "global");
}

static enum status read_container(GMimeContentType *type, struct arena *arena,
				  struct mime_container *ret)
{
	const char *boundary, *report;

	if (is_message(type)) {
		ret->is_message = true;
		return PH_OK;
	}
	boundary = g_mime_content_type_get_parameter(type, "boundary");
	if (!boundary || !g_mime_content_type_is_type(type, "multipart", "*"))
		return PH_NONE;
	ret->boundary = arena_copy(arena, slice_of(boundary));
	while (ret->boundary.len &&
	       is_blank(ret->boundary.ptr[ret->boundary.len - 1]))
		ret->boundary.len--;
	ret->is_digest =
		g_mime_content_type_is_type(type, "multipart", "digest");
	report = g_mime_content_type_get_parameter(type, "report-type");
	ret->is_bounce =
		report &&
		g_mime_content_type_is_type(type, "multipart", "report") &&
		slice_caseeq(slice_of(report), S("delivery-status"));
	return PH_OK;
}

enum status mime_container(struct slice value, struct arena *arena,
			   struct mime_container *ret, struct err *err)
{
	struct mime_container c = { 0 };
	GMimeContentType *type;
	enum status st;

	if (!has_word(value, S("multipart")) && !has_word(value, S("message")))
		return PH_NONE;
	if (value.len > LIMIT_MAIL_TYPE)
		return err_set(err, PH_BAD, "Content-Type is over %zu KiB",
			       LIMIT_MAIL_TYPE / KIB);
	type = parse_type(value);
	st = read_container(type, arena, &c);
	g_object_unref(type);
	if (st == PH_OK)
		*ret = c;
	return st;
}

/*
 * RFC 2045 section 6.7: blanks at a line's end were put there on the way, even
 * those between the "=" of a soft break and the line's end. GMime does not take
 * the latter for one.
 */
static void drop_padding(struct slice s, struct buf *ret)
{
	struct slice line;

	while (slice_take_line(&s, &line)) {
		while (line.len && (is_blank(line.ptr[line.len - 1]) ||
				    line.ptr[line.len - 1] == '\r'))
			line.len--;
		buf_add_slice(ret, line);
		buf_add_char(ret, '\n');
	}
}

static void decode_bytes(GMimeContentEncoding encoding, struct slice s,
			 struct buf *ret)
{
	GMimeEncoding state;
	char *out;
	size_t len;

	g_mime_encoding_init_decode(&state, encoding);
	out = xmalloc(g_mime_encoding_outlen(&state, s.len));
	len = g_mime_encoding_flush(&state, s.ptr, s.len, out);
	buf_add(ret, out, len);
	free(out);
}

static void decode(GMimeContentEncoding encoding, struct slice s,
		   struct buf *ret)
{
	struct buf clean;

	if (encoding != GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE) {
		decode_bytes(encoding, s, ret);
		return;
	}
	buf_init(&clean);
	drop_padding(s, &clean);
	decode_bytes(encoding, buf_slice(&clean), ret);
	buf_release(&clean);
}

static bool changes_bytes(GMimeContentEncoding e)
{
	return e == GMIME_CONTENT_ENCODING_BASE64 ||
	       e == GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE ||
	       e == GMIME_CONTENT_ENCODING_UUENCODE;
}

static GMimeContentEncoding encoding_of(struct slice name)
{
	char *str = c_string(slice_trim(name));
	GMimeContentEncoding e = g_mime_content_encoding_from_string(str);

	free(str);
	return e;
}

void mime_decode(struct slice encoding, struct slice s, struct buf *ret)
{
	GMimeContentEncoding e = encoding_of(encoding);

	if (changes_bytes(e) && s.len)
		decode(e, s, ret);
	else
		buf_add_slice(ret, s);
}

/* A multipart that does not say where its parts are is read as one text. */
static bool is_text(GMimeContentType *type)
{
	return g_mime_content_type_is_type(type, "text", "plain") ||
	       g_mime_content_type_is_type(type, "multipart", "*");
}

/* A part's text begins on a line of its own. */
static void begin_part(struct buf *text)
{
	if (text->len && text->ptr[text->len - 1] != '\n')
		buf_add_char(text, '\n');
}

static void add_text(GMimeContentType *type, GMimeContentEncoding encoding,
		     struct slice body, struct buf *text)
{
	const char *label = g_mime_content_type_get_parameter(type, "charset");
	enum charset charset = charset_of(slice_of(label));
	struct buf plain;

	begin_part(text);
	if (!changes_bytes(encoding) || !body.len) {
		charset_put(text, charset, body);
		return;
	}
	buf_init(&plain);
	decode(encoding, body, &plain);
	charset_put(text, charset, buf_slice(&plain));
	buf_release(&plain);
}

static void add_html(GMimeContentType *type, GMimeContentEncoding encoding,
		     struct slice body, struct buf *text)
{
	struct buf html = { .max = LIMIT_TEXT };

	add_text(type, encoding, body, &html);
	begin_part(text);
	html_text(buf_slice(&html), text);
	text->full |= html.full;
	buf_release(&html);
}

/* What is read of a mail; each only where those before it gave no text. */
enum reading {
	READ_PLAIN,    /* what was written to be read */
	READ_HTML,     /* its only form */
	READ_ATTACHED, /* plain text, attached */
	N_READINGS,
};

static bool found_text(const struct buf *text)
{
	return slice_trim(buf_slice(text)).len > 0;
}

static void add_leaf(enum reading reading, GMimeContentType *type,
		     GMimeContentEncoding encoding, struct slice disposition,
		     struct slice body, struct buf *text)
{
	bool attached = slice_caseskip(&disposition, S("attachment"));

	if (attached != (reading == READ_ATTACHED))
		return;
	if (reading != READ_HTML && is_text(type))
		add_text(type, encoding, body, text);
	else if (reading == READ_HTML &&
		 g_mime_content_type_is_type(type, "text", "html"))
		add_html(type, encoding, body, text);
}

void mime_leaf(const struct mime_fields *f, struct slice body, struct buf *text)
{
	GMimeContentType *type = parse_type(f->type);

	for (int r = READ_PLAIN; r < N_READINGS && !found_text(text); r++)
		add_leaf((enum reading)r, type, encoding_of(f->encoding),
			 f->disposition, body, text);
	g_object_unref(type);
}

/* The part's bytes where they stand in the mail: GMime keeps a window on the
 * stream that it was given. */
static struct slice part_bytes(GMimeStream *stream)
{
	GByteArray *all;

	if (!stream || !GMIME_IS_STREAM_MEM(stream))
		return (struct slice){ NULL, 0 };
	all = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
	if (!all || stream->bound_start < 0 ||
	    stream->bound_end < stream->bound_start ||
	    stream->bound_end > (gint64)all->len)
		return (struct slice){ NULL, 0 };
	return slice_between((char *)all->data + stream->bound_start,
			     (char *)all->data + stream->bound_end);
}

static void walk_leaf(enum reading reading, GMimeObject *part, struct buf *text)
{
	GMimeDataWrapper *content;

	if (!GMIME_IS_PART(part))
		return;
	content = g_mime_part_get_content(GMIME_PART(part));
	if (!content)
		return;
	add_leaf(reading, g_mime_object_get_content_type(part),
		 g_mime_data_wrapper_get_encoding(content),
		 slice_of(g_mime_object_get_disposition(part)),
		 part_bytes(g_mime_data_wrapper_get_stream(content)), text);
}

/* A multipart on the way down. */
struct level {
	GMimeMultipart *parts;
	int next;
	bool choose;	 /* multipart/alternative */
	size_t text_len; /* of the text before it */
};

struct walk {
	struct level level[LIMIT_WALK];
	size_t depth;
};

static enum status enter(struct walk *w, GMimeObject *part, size_t text_len,
			 struct err *err)
{
	GMimeContentType *type = g_mime_object_get_content_type(part);

	if (w->depth == LIMIT_WALK)
		return err_set(err, PH_BAD, "MIME parts nested over %d deep",
			       LIMIT_WALK);
	w->level[w->depth++] = (struct level){
		.parts = GMIME_MULTIPART(part),
		.choose = g_mime_content_type_is_type(type, "multipart",
						      "alternative"),
		.text_len = text_len,
	};
	return PH_OK;
}

static GMimeObject *next_part(struct walk *w, size_t text_len)
{
	while (w->depth) {
		struct level *l = &w->level[w->depth - 1];
		bool chosen = l->choose && text_len > l->text_len;

		if (!chosen && l->next < g_mime_multipart_get_count(l->parts))
			return g_mime_multipart_get_part(l->parts, l->next++);
		w->depth--;
	}
	return NULL;
}

/* A forwarded mail stands for the part inside it. */
static GMimeObject *unwrap(GMimeObject *part)
{
	size_t depth = 0;

	while (part && GMIME_IS_MESSAGE_PART(part) && depth++ < LIMIT_WALK) {
		GMimeMessage *m = g_mime_message_part_get_message(
			(GMimeMessagePart *)part);

		part = m ? g_mime_message_get_mime_part(m) : NULL;
	}
	return part;
}

static enum status walk(enum reading reading, GMimeObject *root,
			struct buf *text, struct err *err)
{
	struct walk w = { .depth = 0 };
	GMimeObject *part = root;
	enum status st;

	while (part) {
		GMimeObject *inner = unwrap(part);

		if (inner && GMIME_IS_MULTIPART(inner)) {
			st = enter(&w, inner, text->len, err);
			if (st != PH_OK)
				return st;
		} else if (inner) {
			walk_leaf(reading, inner, text);
		}
		part = next_part(&w, text->len);
	}
	return PH_OK;
}

/* Lends the bytes to GMime: nothing is copied, nothing is freed by it. */
static GMimeStream *lend(struct slice raw, GByteArray **ret_array)
{
	GMimeStream *stream;

	*ret_array = g_byte_array_new_take((guint8 *)raw.ptr, raw.len);
	stream = g_mime_stream_mem_new_with_byte_array(*ret_array);
	g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(stream), FALSE);
	return stream;
}

enum status mime_parts(struct slice raw, struct buf *text, struct err *err)
{
	GByteArray *array;
	GMimeStream *stream;
	GMimeParser *parser;
	GMimeObject *root;
	enum status st = PH_OK;

	ready();
	stream = lend(raw, &array);
	parser = g_mime_parser_new_with_stream(stream);
	root = g_mime_parser_construct_part(parser, NULL);
	for (int r = READ_PLAIN;
	     root && st == PH_OK && r < N_READINGS && !found_text(text); r++)
		st = walk((enum reading)r, root, text, err);
	if (root)
		g_object_unref(root);
	g_object_unref(parser);
	g_object_unref(stream);
	g_byte_array_free(array, FALSE);
	return st;
}
