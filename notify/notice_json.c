/*
 * The frozen form of a notice. Two tables say which key holds which field, and
 * both directions walk them: what is written can be read, and a new field is
 * one row.
 */
#include "ph/notice.h"

#include <jansson.h>
#include <stddef.h>
#include "ph/json.h"

enum field_type {
	FIELD_TEXT,
	FIELD_BOOL,
	FIELD_DOUBLE,
	FIELD_INT64,
	FIELD_INT32,
	FIELD_WORD, /* an enum, as the word at its index */
};

struct words {
	const char *const *word;
	size_t n;
};

struct field {
	const char *key;
	enum field_type type;
	size_t offset;
	const struct words *words;
	size_t present; /* offset of the bool that says it is there; 0: always */
};

#define WORDS(name, ...)                                          \
	static const char *const name##_list[] = { __VA_ARGS__ }; \
	static const struct words name = { name##_list, ARRAY_LEN(name##_list) }

WORDS(kind_words, "first", "update", "forward", "digest", "operator", "drill",
      "answer");
WORDS(verdict_words, "none", "improvement", "regression");
WORDS(change_words, "none", "relative", "absolute");
WORDS(better_words, "unknown", "higher", "lower");
WORDS(evidence_words, "none", "A", "B", "C", "D");

/* The words stand in the order of the enums, and an enum is an int. */
_Static_assert(NOTICE_ANSWER == 6 && EVIDENCE_D == 4, "words by index");
_Static_assert(VERDICT_REGRESSION == 2 && CHANGE_ABSOLUTE == 2 &&
		       BETTER_LOWER == 2,
	       "words by index");
_Static_assert(sizeof(enum notice_kind) == sizeof(int) &&
		       sizeof(enum evidence) == sizeof(int),
	       "enums stored as int");

#define N(member) offsetof(struct notice, member)
#define R(member) offsetof(struct notice_result, member)

static const struct field notice_fields[] = {
	{ "kind", FIELD_WORD, N(kind), &kind_words, 0 },
	{ "patch", FIELD_TEXT, N(patch), NULL, 0 },
	{ "key", FIELD_TEXT, N(key), NULL, 0 },
	{ "made", FIELD_INT64, N(made), NULL, 0 },
	{ "title", FIELD_TEXT, N(title), NULL, 0 },
	{ "commit", FIELD_TEXT, N(commit), NULL, 0 },
	{ "base", FIELD_TEXT, N(base), NULL, 0 },
	{ "base_title", FIELD_TEXT, N(base_title), NULL, 0 },
	{ "tree", FIELD_TEXT, N(tree), NULL, 0 },
	{ "branch", FIELD_TEXT, N(branch), NULL, 0 },
	{ "label", FIELD_TEXT, N(label), NULL, 0 },
	{ "subsystem", FIELD_TEXT, N(subsystem), NULL, 0 },
	{ "author", FIELD_TEXT, N(author), NULL, 0 },
	{ "posted_link", FIELD_TEXT, N(posted_link), NULL, 0 },
	{ "build", FIELD_TEXT, N(build), NULL, 0 },
	{ "evidence", FIELD_WORD, N(evidence), &evidence_words, 0 },
	{ "mixed", FIELD_BOOL, N(mixed), NULL, 0 },
	{ "effect", FIELD_DOUBLE, N(effect), NULL, N(has_effect) },
	{ "effect_at_least", FIELD_BOOL, N(effect_at_least), NULL, 0 },
	{ "failures", FIELD_TEXT, N(failures), NULL, 0 },
	{ "before", FIELD_TEXT, N(before), NULL, 0 },
	{ "fix", FIELD_TEXT, N(fix), NULL, 0 },
	{ "too_good", FIELD_BOOL, N(too_good), NULL, 0 },
	{ "state", FIELD_TEXT, N(state), NULL, 0 },
	{ "note", FIELD_TEXT, N(note), NULL, 0 },
	{ "report_id", FIELD_TEXT, N(report_id), NULL, 0 },
	{ "report_url", FIELD_TEXT, N(report_url), NULL, 0 },
	{ "rerun_url", FIELD_TEXT, N(rerun_url), NULL, 0 },
	{ "with_tags", FIELD_BOOL, N(with_tags), NULL, 0 },
	{ "reported_by", FIELD_TEXT, N(reported_by), NULL, 0 },
	{ "closes", FIELD_TEXT, N(closes), NULL, 0 },
	{ "regzbot", FIELD_TEXT, N(regzbot), NULL, 0 },
	{ "track", FIELD_TEXT, N(track), NULL, 0 },
	{ "period", FIELD_TEXT, N(period), NULL, 0 },
	{ "thread", FIELD_TEXT, N(thread), NULL, 0 },
	{ "thread_remote", FIELD_TEXT, N(thread_remote), NULL, 0 },
};

static const struct field result_fields[] = {
	{ "testcase", FIELD_TEXT, R(testcase), NULL, 0 },
	{ "metric", FIELD_TEXT, R(metric), NULL, 0 },
	{ "params", FIELD_TEXT, R(params), NULL, 0 },
	{ "host", FIELD_TEXT, R(host), NULL, 0 },
	{ "host_words", FIELD_TEXT, R(host_words), NULL, 0 },
	{ "verdict", FIELD_WORD, R(verdict), &verdict_words, 0 },
	{ "percent", FIELD_DOUBLE, R(percent), NULL, R(has_percent) },
	{ "change_kind", FIELD_WORD, R(change_kind), &change_words, 0 },
	{ "base", FIELD_DOUBLE, R(base), NULL, R(has_values) },
	{ "value", FIELD_DOUBLE, R(value), NULL, R(has_values) },
	{ "base_dev", FIELD_INT32, R(base_dev), NULL, R(has_values) },
	{ "value_dev", FIELD_INT32, R(value_dev), NULL, R(has_values) },
	{ "better", FIELD_WORD, R(better), &better_words, 0 },
	{ "unit", FIELD_TEXT, R(unit), NULL, 0 },
	{ "stopped", FIELD_BOOL, R(stopped), NULL, 0 },
	{ "from_nothing", FIELD_BOOL, R(from_nothing), NULL, 0 },
	{ "contradiction", FIELD_BOOL, R(contradiction), NULL, 0 },
	{ "repeat", FIELD_BOOL, R(repeat), NULL, 0 },
	{ "before", FIELD_TEXT, R(before), NULL, 0 },
};

static const struct field line_fields[] = {
	{ "theme", FIELD_TEXT, offsetof(struct notice_line, theme), NULL, 0 },
	{ "text", FIELD_TEXT, offsetof(struct notice_line, text), NULL, 0 },
};

static void put_field(struct json *j, const struct field *f, const char *base)
{
	const char *at = base + f->offset;

	if (f->present && !*(const bool *)(base + f->present))
		return;
	switch (f->type) {
	case FIELD_TEXT:
		json_put_opt(j, f->key, *(const struct slice *)at);
		break;
	case FIELD_BOOL:
		if (*(const bool *)at)
			json_put_bool(j, f->key, true);
		break;
	case FIELD_DOUBLE:
		json_put_double(j, f->key, *(const double *)at);
		break;
	case FIELD_INT64:
		json_put_int(j, f->key, *(const int64_t *)at);
		break;
	case FIELD_INT32:
		json_put_int(j, f->key, *(const int32_t *)at);
		break;
	case FIELD_WORD:
		json_put_cstr(j, f->key, f->words->word[*(const int *)at]);
		break;
	}
}

static void put_fields(struct json *j, const struct field *fields, size_t n,
		       const void *base)
{
	for (size_t i = 0; i < n; i++)
		put_field(j, &fields[i], base);
}

static void put_objects(struct json *j, const char *key,
			const struct field *fields, size_t n_fields,
			const void *list, size_t n, size_t size)
{
	if (!n)
		return;
	json_open_array(j, key);
	for (size_t i = 0; i < n; i++) {
		json_open_object(j, NULL);
		put_fields(j, fields, n_fields, (const char *)list + i * size);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_texts(struct json *j, const char *key, const struct slice *list,
		      size_t n)
{
	if (!n)
		return;
	json_open_array(j, key);
	for (size_t i = 0; i < n; i++)
		json_put_str(j, NULL, list[i]);
	json_close_array(j);
}

void notice_to_json(const struct notice *n, struct buf *ret)
{
	struct json j;

	json_begin(&j, ret);
	json_open_object(&j, NULL);
	json_put_int(&j, "version", NOTICE_VERSION);
	put_fields(&j, notice_fields, ARRAY_LEN(notice_fields), n);
	put_objects(&j, "results", result_fields, ARRAY_LEN(result_fields),
		    n->results, n->n_results, sizeof(*n->results));
	put_texts(&j, "reasons", n->reasons, n->n_reasons);
	put_objects(&j, "with", line_fields, ARRAY_LEN(line_fields), n->with,
		    n->n_with, sizeof(*n->with));
	put_texts(&j, "lines", n->lines, n->n_lines);
	json_close_object(&j);
}

struct reading {
	struct arena *arena;
	struct err *err;
};

static enum status wrong(struct reading *in, const char *key,
			 const char *wanted)
{
	return err_set(in->err, PH_BAD, "notice: \"%s\" is not %s", key,
		       wanted);
}

static enum status take_text(struct reading *in, const char *key, json_t *v,
			     struct slice *ret)
{
	if (!json_is_string(v))
		return wrong(in, key, "text");
	*ret = arena_copy(in->arena, (struct slice){ json_string_value(v),
						     json_string_length(v) });
	return PH_OK;
}

static enum status take_int(struct reading *in, const char *key, json_t *v,
			    int64_t max, int64_t *ret)
{
	json_int_t got = json_integer_value(v);

	if (!json_is_integer(v) || got > max || got < -max)
		return wrong(in, key, "a whole number in range");
	*ret = got;
	return PH_OK;
}

static enum status take_word(struct reading *in, const struct field *f,
			     json_t *v, int *ret)
{
	for (size_t i = 0; json_is_string(v) && i < f->words->n; i++)
		if (!strcmp(json_string_value(v), f->words->word[i])) {
			*ret = (int)i;
			return PH_OK;
		}
	return wrong(in, f->key, "a known word");
}

static enum status take_value(struct reading *in, const struct field *f,
			      json_t *v, char *at)
{
	enum status s;
	int64_t number = 0;

	switch (f->type) {
	case FIELD_TEXT:
		return take_text(in, f->key, v, (struct slice *)at);
	case FIELD_BOOL:
		if (!json_is_boolean(v))
			return wrong(in, f->key, "true or false");
		*(bool *)at = json_is_true(v);
		return PH_OK;
	case FIELD_DOUBLE:
		if (!json_is_number(v))
			return wrong(in, f->key, "a number");
		*(double *)at = json_number_value(v);
		return PH_OK;
	case FIELD_INT64:
		return take_int(in, f->key, v, INT64_MAX, (int64_t *)at);
	case FIELD_INT32:
		s = take_int(in, f->key, v, INT32_MAX, &number);
		if (s == PH_OK)
			*(int32_t *)at = (int32_t)number;
		return s;
	case FIELD_WORD:
		return take_word(in, f, v, (int *)at);
	}
	return wrong(in, f->key, "of a known type");
}

static enum status take_fields(struct reading *in, const struct field *fields,
			       size_t n, json_t *object, void *base)
{
	for (size_t i = 0; i < n; i++) {
		const struct field *f = &fields[i];
		json_t *v = json_object_get(object, f->key);
		enum status s;

		if (!v)
			continue;
		s = take_value(in, f, v, (char *)base + f->offset);
		if (s != PH_OK)
			return s;
		if (f->present)
			*(bool *)((char *)base + f->present) = true;
	}
	return PH_OK;
}

/* A list of n zeroed elements; a missing list is an empty one. */
static enum status take_array(struct reading *in, json_t *array,
			      const char *key, size_t size, void **ret_list,
			      size_t *ret_n)
{
	if (array && !json_is_array(array))
		return wrong(in, key, "a list");
	*ret_n = json_array_size(array);
	*ret_list = *ret_n ? arena_alloc_array(in->arena, *ret_n, size) : NULL;
	return PH_OK;
}

static enum status take_objects(struct reading *in, json_t *root,
				const char *key, const struct field *fields,
				size_t n_fields, size_t size, void **ret_list,
				size_t *ret_n)
{
	json_t *array = json_object_get(root, key);
	enum status s = take_array(in, array, key, size, ret_list, ret_n);

	for (size_t i = 0; s == PH_OK && i < *ret_n; i++) {
		json_t *v = json_array_get(array, i);

		if (!json_is_object(v))
			return wrong(in, key, "a list of objects");
		s = take_fields(in, fields, n_fields, v,
				(char *)*ret_list + i * size);
	}
	return s;
}

static enum status take_texts(struct reading *in, json_t *root, const char *key,
			      struct slice **ret_list, size_t *ret_n)
{
	json_t *array = json_object_get(root, key);
	void *list = NULL;
	enum status s =
		take_array(in, array, key, sizeof(struct slice), &list, ret_n);

	*ret_list = list;
	for (size_t i = 0; s == PH_OK && i < *ret_n; i++)
		s = take_text(in, key, json_array_get(array, i),
			      &(*ret_list)[i]);
	return s;
}

static enum status take_results(struct reading *in, json_t *root,
				struct notice *ret)
{
	void *list = NULL;
	enum status s =
		take_objects(in, root, "results", result_fields,
			     ARRAY_LEN(result_fields), sizeof(*ret->results),
			     &list, &ret->n_results);

	ret->results = list;
	return s;
}

static enum status take_with(struct reading *in, json_t *root,
			     struct notice *ret)
{
	void *list = NULL;
	enum status s = take_objects(in, root, "with", line_fields,
				     ARRAY_LEN(line_fields), sizeof(*ret->with),
				     &list, &ret->n_with);

	ret->with = list;
	return s;
}

static enum status take_notice(struct reading *in, json_t *root,
			       struct notice *ret)
{
	json_t *version = json_object_get(root, "version");
	enum status s;

	if (!json_is_integer(version) || json_integer_value(version) < 1)
		return wrong(in, "version", "a number from 1");
	if (json_integer_value(version) > NOTICE_VERSION)
		return err_set(in->err, PH_BAD,
			       "notice: version %lld is newer than ours (%d)",
			       (long long)json_integer_value(version),
			       NOTICE_VERSION);
	s = take_fields(in, notice_fields, ARRAY_LEN(notice_fields), root, ret);
	if (s == PH_OK)
		s = take_results(in, root, ret);
	if (s == PH_OK)
		s = take_texts(in, root, "reasons", &ret->reasons,
			       &ret->n_reasons);
	if (s == PH_OK)
		s = take_with(in, root, ret);
	if (s == PH_OK)
		s = take_texts(in, root, "lines", &ret->lines, &ret->n_lines);
	return s;
}

void notice_init(void)
{
	json_set_alloc_funcs(xmalloc, free);
}

enum status notice_from_json(struct slice json, struct arena *arena,
			     struct notice *ret, struct err *err)
{
	struct reading in = { .arena = arena, .err = err };
	struct notice got = { 0 };
	json_error_t why;
	json_t *root =
		json_loadb(json.ptr ? json.ptr : "", json.len,
			   JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
	enum status s;

	if (!json_is_object(root)) {
		s = err_set(err, PH_BAD, "notice: %s",
			    root ? "no JSON object" : why.text);
		goto out;
	}
	s = take_notice(&in, root, &got);
	if (s == PH_OK)
		*ret = got;
out:
	json_decref(root);
	return s;
}
