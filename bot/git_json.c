#include "bot/git_helper.h"

#include <jansson.h>
#include <stdio.h>
#include "ph/json.h"

static void put_person(struct json *j, const char *key, struct person p)
{
	json_open_object(j, key);
	json_put_opt(j, "name", p.name);
	json_put_opt(j, "address", p.address);
	json_close_object(j);
}

static void put_list(struct json *j, const char *key, const struct slice *list,
		     size_t n)
{
	json_open_array(j, key);
	for (size_t i = 0; i < n; i++)
		json_put_str(j, NULL, list[i]);
	json_close_array(j);
}

static void put_pairs(struct json *j, const char *key, const struct pair *list,
		      size_t n)
{
	json_open_array(j, key);
	for (size_t i = 0; i < n; i++) {
		json_open_array(j, NULL);
		json_put_str(j, NULL, list[i].key);
		json_put_str(j, NULL, list[i].value);
		json_close_array(j);
	}
	json_close_array(j);
}

void commit_to_json(const struct commit_facts *c, struct buf *ret)
{
	struct json j;

	json_begin(&j, ret);
	json_open_object(&j, NULL);
	json_put_cstr(&j, "id", c->id);
	json_put_opt(&j, "title", c->title);
	put_person(&j, "author", c->author);
	put_person(&j, "committer", c->committer);
	json_put_int(&j, "authored", c->authored);
	json_put_int(&j, "committed", c->committed);
	json_put_int(&j, "parents", (int64_t)c->n_parents);
	json_put_opt(&j, "patch_id", slice_of(c->patch_id));
	put_list(&j, "files", c->files, c->n_files);
	put_list(&j, "symbols", c->symbols, c->n_symbols);
	put_list(&j, "merged", c->merged, c->n_merged);
	put_pairs(&j, "trailers", c->trailers, c->n_trailers);
	put_pairs(&j, "maintainers", c->maintainers, c->n_maintainers);
	json_close_object(&j);
}

static struct slice text_of(const json_t *value, struct arena *a)
{
	if (!json_is_string(value))
		return S("");
	return arena_copy(a, (struct slice){ json_string_value(value),
					     json_string_length(value) });
}

static struct person person_of(const json_t *value, struct arena *a)
{
	return (struct person){ text_of(json_object_get(value, "name"), a),
				text_of(json_object_get(value, "address"), a) };
}

static struct slice *list_of(const json_t *value, struct arena *a,
			     size_t *ret_n)
{
	size_t n = json_array_size(value);
	struct slice *list = arena_array(a, struct slice, n);

	for (size_t i = 0; i < n; i++)
		list[i] = text_of(json_array_get(value, i), a);
	*ret_n = n;
	return list;
}

static struct pair *pairs_of(const json_t *value, struct arena *a,
			     size_t *ret_n)
{
	size_t n = json_array_size(value);
	struct pair *list = arena_array(a, struct pair, n);

	for (size_t i = 0; i < n; i++) {
		const json_t *pair = json_array_get(value, i);

		list[i].key = text_of(json_array_get(pair, 0), a);
		list[i].value = text_of(json_array_get(pair, 1), a);
	}
	*ret_n = n;
	return list;
}

static void hex_of(const json_t *value, char ret[GIT_HEX + 1])
{
	const char *text = json_string_value(value);

	snprintf(ret, GIT_HEX + 1, "%s", text ? text : "");
}

static json_t *load(struct slice text, struct err *err)
{
	json_error_t e;
	json_t *root =
		json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, &e);

	if (root && json_is_object(root))
		return root;
	json_decref(root);
	err_set(err, PH_BAD, "git helper: answer is not JSON: %s", e.text);
	return NULL;
}

enum status commit_from_json(struct slice text, struct arena *arena,
			     struct commit_facts *ret, struct err *err)
{
	json_t *root = load(text, err);

	if (!root)
		return PH_BAD;
	*ret = (struct commit_facts){ 0 };
	hex_of(json_object_get(root, "id"), ret->id);
	ret->title = text_of(json_object_get(root, "title"), arena);
	ret->author = person_of(json_object_get(root, "author"), arena);
	ret->committer = person_of(json_object_get(root, "committer"), arena);
	ret->authored = json_integer_value(json_object_get(root, "authored"));
	ret->committed = json_integer_value(json_object_get(root, "committed"));
	ret->n_parents =
		(size_t)json_integer_value(json_object_get(root, "parents"));
	hex_of(json_object_get(root, "patch_id"), ret->patch_id);
	ret->files =
		list_of(json_object_get(root, "files"), arena, &ret->n_files);
	ret->symbols = list_of(json_object_get(root, "symbols"), arena,
			       &ret->n_symbols);
	ret->merged =
		list_of(json_object_get(root, "merged"), arena, &ret->n_merged);
	ret->trailers = pairs_of(json_object_get(root, "trailers"), arena,
				 &ret->n_trailers);
	ret->maintainers = pairs_of(json_object_get(root, "maintainers"), arena,
				    &ret->n_maintainers);
	json_decref(root);
	return PH_OK;
}

enum status fix_from_json(struct slice line, struct arena *arena,
			  struct fix_claim *ret, struct err *err)
{
	json_t *root = load(line, err);

	if (!root)
		return PH_BAD;
	hex_of(json_object_get(root, "fix"), ret->fix);
	ret->title = text_of(json_object_get(root, "title"), arena);
	ret->commit = text_of(json_object_get(root, "commit"), arena);
	ret->report = text_of(json_object_get(root, "report"), arena);
	json_decref(root);
	return PH_OK;
}
