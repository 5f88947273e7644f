#include "ph/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "ph/utf8.h"

void json_begin(struct json *j, struct buf *out)
{
	*j = (struct json){ .out = out };
}

static void put_string(struct buf *b, struct slice s)
{
	const char *run = s.ptr;

	buf_add_char(b, '"');
	while (s.len) {
		const char *at = s.ptr;
		uint32_t point;
		bool bad = false;

		utf8_take(&s, &point, &bad);
		if (!bad && point >= 0x20 && point != '"' && point != '\\' &&
		    point != 0x7f)
			continue;
		buf_add(b, run, (size_t)(at - run));
		run = s.ptr;
		if (bad)
			buf_add_str(b, UTF8_REPLACEMENT);
		else if (point == '"' || point == '\\')
			buf_printf(b, "\\%c", (char)point);
		else if (point == '\n')
			buf_add_str(b, "\\n");
		else if (point == '\t')
			buf_add_str(b, "\\t");
		else
			buf_printf(b, "\\u%04x", (unsigned)point);
	}
	buf_add(b, run, (size_t)(s.ptr - run));
	buf_add_char(b, '"');
}

static void start(struct json *j, const char *key)
{
	uint32_t bit = UINT32_C(1) << j->depth;

	if (j->more & bit)
		buf_add_char(j->out, ',');
	j->more |= bit;
	if (!key)
		return;
	put_string(j->out, slice_of(key));
	buf_add_char(j->out, ':');
}

static void open(struct json *j, const char *key, char c)
{
	start(j, key);
	buf_add_char(j->out, c);
	assert(j->depth < 31);
	j->depth++;
	j->more &= ~(UINT32_C(1) << j->depth);
}

static void close(struct json *j, char c)
{
	assert(j->depth);
	j->depth--;
	buf_add_char(j->out, c);
}

void json_open_object(struct json *j, const char *key)
{
	open(j, key, '{');
}

void json_close_object(struct json *j)
{
	close(j, '}');
}

void json_open_array(struct json *j, const char *key)
{
	open(j, key, '[');
}

void json_close_array(struct json *j)
{
	close(j, ']');
}

void json_put_str(struct json *j, const char *key, struct slice value)
{
	start(j, key);
	put_string(j->out, value);
}

void json_put_cstr(struct json *j, const char *key, const char *value)
{
	json_put_str(j, key, slice_of(value));
}

void json_put_opt(struct json *j, const char *key, struct slice value)
{
	if (value.len)
		json_put_str(j, key, value);
}

void json_put_int(struct json *j, const char *key, int64_t value)
{
	start(j, key);
	buf_printf(j->out, "%" PRId64, value);
}

void json_put_bool(struct json *j, const char *key, bool value)
{
	start(j, key);
	buf_add_str(j->out, value ? "true" : "false");
}

void json_put_null(struct json *j, const char *key)
{
	start(j, key);
	buf_add_str(j->out, "null");
}

void json_put_double(struct json *j, const char *key, double value)
{
	char text[40];

	assert(isfinite(value));
	start(j, key);
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	buf_add_str(j->out, text);
}

void json_put_raw(struct json *j, const char *key, struct slice value)
{
	start(j, key);
	buf_add_slice(j->out, value);
}
