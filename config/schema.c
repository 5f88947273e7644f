/*
 * schema - the table of keys as JSON Schema (2020-12), for editors.
 */
#include <stdio.h>
#include <stdlib.h>
#include "config/keys.h"
#include "ph/config.h"
#include "ph/json.h"

#define MAX_SECTIONS 16

static const struct {
	enum key_type type;
	const char *pattern; /* NULL: any text */
} texts[] = {
	{ KEY_SPAN, "^([0-9]+[smhdw]|0)$" },
	{ KEY_TIME, "^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$" },
	{ KEY_PATH, "^/" },
	{ KEY_FILE, "^/" },
	{ KEY_SECRET, "^(/|credential:)" },
	{ KEY_DIGEST, "^(off|(daily|weekly (mon|tue|wed|thu|fri|sat|sun)) "
		      "[0-2][0-9]:[0-5][0-9])$" },
	{ KEY_HOURS, "[0-2][0-9]:[0-5][0-9]-[0-2][0-9]:[0-5][0-9]" },
	{ KEY_DONE, "^(nothing|seen|move:.+)$" },
	{ KEY_ADDRESS, "^[^@ ]+@[^@ ]+$" },
	{ KEY_ADDRESSES, "^[^@ ]+@[^@ ]+$" },
	{ KEY_ADDRESS_GLOBS, "^([^ ]*@[^ ]*|\\*)$" },
	{ KEY_DOMAINS, "^[A-Za-z0-9.-]+\\.[A-Za-z0-9-]+$" },
};

static void put_text(struct json *j, const char *key, const char *pattern)
{
	json_open_object(j, key);
	json_put_cstr(j, "type", "string");
	if (pattern)
		json_put_cstr(j, "pattern", pattern);
	json_close_object(j);
}

static const char *pattern_of(enum key_type type)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].type == type)
			return texts[i].pattern;
	return NULL;
}

static void put_words(struct json *j, const char *const *words)
{
	json_open_object(j, NULL);
	json_open_array(j, "enum");
	for (; *words; words++)
		json_put_cstr(j, NULL, *words);
	json_close_array(j);
	json_close_object(j);
}

static void put_url(struct json *j, const char *const *schemes)
{
	struct buf pattern;

	buf_init(&pattern);
	buf_add_str(&pattern, "^(");
	for (size_t i = 0; schemes[i]; i++)
		buf_printf(&pattern, "%s%s", i ? "|" : "", schemes[i]);
	buf_add_str(&pattern, ")://");
	put_text(j, NULL, buf_str(&pattern));
	buf_release(&pattern);
}

/* "20" or "20%". */
static void put_number(struct json *j, const struct key *k)
{
	json_open_object(j, NULL);
	json_put_cstr(j, "type", k->type == KEY_COUNT ? "integer" : "number");
	json_put_int(j, "minimum", k->min);
	if (k->max)
		json_put_int(j, "maximum", k->max);
	json_close_object(j);
	put_text(j, NULL, "^[0-9.]+ ?%$");
}

/* What one value may be: the members of an anyOf. */
static void put_forms(struct json *j, const struct key *k)
{
	switch (k->type) {
	case KEY_BOOL:
	case KEY_FLAG:
		json_open_object(j, NULL);
		json_put_cstr(j, "type", "boolean");
		json_close_object(j);
		break;
	case KEY_COUNT:
	case KEY_NUMBER:
		put_number(j, k);
		break;
	case KEY_WORD:
	case KEY_WORDS:
	case KEY_PROOFS:
		put_words(j, k->words);
		break;
	case KEY_URL:
	case KEY_URL_TEXT:
		put_url(j, k->words);
		break;
	default:
		put_text(j, NULL, pattern_of(k->type));
	}
	if (k->type != KEY_SPAN)
		return;
	json_open_object(j, NULL);
	json_put_int(j, "const", 0);
	json_close_object(j);
	if (k->words)
		put_words(j, k->words);
}

static void put_value(struct json *j, const struct key *k)
{
	json_open_array(j, "anyOf");
	put_forms(j, k);
	if (key_is_list(k->type)) {
		json_open_object(j, NULL);
		json_put_cstr(j, "type", "array");
		json_put_int(j, "minItems", 1);
		json_open_object(j, "items");
		json_open_array(j, "anyOf");
		put_forms(j, k);
		json_close_array(j);
		json_close_object(j);
		json_close_object(j);
	}
	json_close_array(j);
}

/* "a match" is "match" in a reference. */
static const char *name_of(const struct section *s)
{
	struct slice name = slice_of(s->title);

	slice_skip(&name, S("a "));
	slice_skip(&name, S("the "));
	return name.ptr;
}

static void put_reference(struct json *j, const struct section *s)
{
	char ref[64];

	snprintf(ref, sizeof(ref), "#/$defs/%s", name_of(s));
	json_put_cstr(j, "$ref", ref);
}

static void put_section_key(struct json *j, const struct key *k)
{
	switch (k->type) {
	case KEY_NAMED:
		json_put_cstr(j, "type", "object");
		json_open_object(j, "propertyNames");
		json_put_cstr(j, "pattern",
			      "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$");
		json_close_object(j);
		json_open_object(j, "additionalProperties");
		put_reference(j, k->below);
		json_close_object(j);
		break;
	case KEY_ROW:
	case KEY_POINTED_ROW:
		json_put_cstr(j, "type", "array");
		json_open_object(j, "items");
		put_reference(j, k->below);
		json_close_object(j);
		break;
	default:
		put_reference(j, k->below);
	}
}

static void put_usual(struct json *j, const struct key *k)
{
	if (k->type == KEY_BOOL)
		json_put_bool(j, "default", *k->usual == 't');
	else if (k->type == KEY_COUNT)
		json_put_raw(j, "default", slice_of(k->usual));
	else if (!key_is_list(k->type))
		json_put_cstr(j, "default", k->usual);
}

static void put_key(struct json *j, const struct key *k)
{
	json_open_object(j, k->name);
	json_put_cstr(j, "description", k->help);
	if (k->usual)
		put_usual(j, k);
	if (k->below)
		put_section_key(j, k);
	else
		put_value(j, k);
	json_close_object(j);
}

static void put_section(struct json *j, const struct section *s)
{
	json_put_cstr(j, "type", "object");
	json_put_bool(j, "additionalProperties", false);
	json_open_object(j, "properties");
	for (size_t i = 0; i < s->n; i++)
		put_key(j, &s->keys[i]);
	json_close_object(j);
	json_open_array(j, "required");
	for (size_t i = 0; i < s->n; i++)
		if (s->keys[i].required)
			json_put_cstr(j, NULL, s->keys[i].name);
	json_close_array(j);
}

/* Adds the sections below list[0] to it; each once, for they may lie in
 * themselves. */
static size_t gather(const struct section **list)
{
	size_t n = 1;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < list[i]->n; k++) {
			const struct section *below = list[i]->keys[k].below;
			size_t at = 0;

			while (at < n && list[at] != below)
				at++;
			if (below && at == n && n < MAX_SECTIONS)
				list[n++] = below;
		}
	return n;
}

void config_schema(struct buf *ret)
{
	const struct section *list[MAX_SECTIONS] = { &section_top };
	size_t n = gather(list);
	struct json j;

	json_begin(&j, ret);
	json_open_object(&j, NULL);
	json_put_cstr(&j, "$schema",
		      "https://json-schema.org/draft/2020-12/schema");
	json_put_cstr(&j, "title", "perfherald.yaml");
	put_section(&j, list[0]);
	json_open_object(&j, "$defs");
	for (size_t i = 1; i < n; i++) {
		json_open_object(&j, name_of(list[i]));
		put_section(&j, list[i]);
		json_close_object(&j);
	}
	json_close_object(&j);
	json_close_object(&j);
	buf_add_char(ret, '\n');
}
