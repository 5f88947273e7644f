/*
 * CSV by RFC 4180: a header line, a line a result, CR LF, UTF-8.
 *
 * Spreadsheets run a cell as a formula that begins with = + - or @ (and with
 * their full-width forms, where a keyboard has those). Foreign text that does
 * gets an apostrophe in front, which they take for "this is text". Our own
 * numbers do not.
 */
#include "bot/export.h"
#include "ph/json.h"
#include "ph/utf8.h"

static bool starts_formula(struct slice s)
{
	uint32_t point;

	if (!utf8_take(&s, &point, NULL))
		return false;
	/* what a control character was is a blank now, and may be skipped */
	while (point == ' ' && utf8_take(&s, &point, NULL))
		;
	switch (point) {
	case '=':
	case '+':
	case '-':
	case '@':
	case 0xff1d:
	case 0xff0b:
	case 0xff0d:
	case 0xff20:
		return true;
	default:
		return false;
	}
}

static void put_quoted(struct buf *b, struct slice s, bool guard)
{
	buf_add_char(b, '"');
	if (guard)
		buf_add_char(b, '\'');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"')
			buf_add_char(b, '"');
		buf_add_char(b, s.ptr[i]);
	}
	buf_add_char(b, '"');
}

static bool wants_quotes(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (slice_chr(S("\", "), s.ptr[i]))
			return true;
	return false;
}

static void put_text(struct buf *b, struct slice s)
{
	bool guard;
	struct buf clean;

	buf_init(&clean);
	utf8_put_clean(&clean, s);
	s = buf_slice(&clean);
	guard = starts_formula(s);
	if (guard || wants_quotes(s))
		put_quoted(b, s, guard);
	else
		buf_add_slice(b, s);
	buf_release(&clean);
}

static void put_cell(struct buf *b, const struct export_cell *c)
{
	struct json number;

	switch (c->kind) {
	case CELL_NONE:
		break;
	case CELL_TEXT:
		put_text(b, c->text);
		break;
	case CELL_WORD:
		buf_add_slice(b, c->text);
		break;
	case CELL_NUMBER:
		json_begin(&number, b);
		json_put_double(&number, NULL, c->number);
		break;
	case CELL_BOOL:
		buf_add_str(b, c->yes ? "true" : "false");
		break;
	}
}

static void put_header(const struct export_options *o, unsigned pass,
		       struct buf *b)
{
	(void)pass;
	for (size_t i = 0; i < n_export_names + o->authors; i++)
		buf_printf(b, "%s%s", i ? "," : "", export_names[i]);
	buf_add_str(b, "\r\n");
}

static void put(const struct export_options *o, unsigned pass,
		const struct finding *f, const struct finding *before,
		struct arena *arena, struct buf *b)
{
	(void)pass;
	(void)before;
	for (size_t i = 0; i < n_export_names + o->authors; i++) {
		struct export_cell c = export_cell(f, i, arena);

		if (i)
			buf_add_char(b, ',');
		put_cell(b, &c);
	}
	buf_add_str(b, "\r\n");
}

const struct export_form export_csv = {
	.name = "csv",
	.passes = 1,
	.open = put_header,
	.put = put,
};
