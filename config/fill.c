#include "config/fill.h"

#include <assert.h>
#include "config/nearest.h"
#include "config/set.h"

struct config_mark fill_mark(const struct node *map, const char *key)
{
	const struct node *n = node_get(map, key);

	if (n)
		return n->mark;
	if (!map)
		return (struct config_mark){ 1, 1 };
	return map->key ? map->key_mark : map->mark;
}

/* A person sees these texts in mails and terminals. */
static bool has_control(const struct key *k, struct slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (k->type == KEY_TEMPLATE && (c == '\n' || c == '\t'))
			continue;
		if (c < 0x20 || c == 0x7f)
			return true;
	}
	return false;
}

static bool text_ok(struct fill *f, const struct key *k, const struct node *n)
{
	if (n->kind == NODE_BAD)
		return false;
	if (n->kind != NODE_TEXT)
		notes_mistake(f->notes, n->mark, "%s must be %s, not %s",
			      k->name,
			      key_is_list(k->type) ? "texts" : "a single value",
			      node_kind_name(n->kind));
	else if (!n->text.len || (n->plain && (slice_eq(n->text, S("~")) ||
					       slice_eq(n->text, S("null")))))
		notes_mistake(f->notes, n->mark, "%s has no value", k->name);
	else if (has_control(k, n->text))
		notes_mistake(f->notes, n->mark, "%s holds a control character",
			      k->name);
	else
		return true;
	return false;
}

static void fill_list(struct fill *f, const struct key *k, const struct node *n,
		      void *at, void *beside)
{
	const struct node *item = n->kind == NODE_LIST ? n->first : n;
	size_t room = 0;
	struct err err;

	if (!item) {
		notes_mistake(f->notes, n->mark,
			      "%s is an empty list: leave the key out, or "
			      "name something",
			      k->name);
		return;
	}
	for (const struct node *i = item; i; i = i->next)
		room++;
	for (; item; item = n->kind == NODE_LIST ? item->next : NULL) {
		if (text_ok(f, k, item) &&
		    set_item(f, k, item->text, at, beside, room, &err) != PH_OK)
			notes_mistake(f->notes, item->mark, "%s %s", k->name,
				      err.text);
	}
}

static bool kind_ok(struct fill *f, const struct key *k, const struct node *n,
		    enum node_kind kind)
{
	if (n->kind == kind)
		return true;
	if (n->kind != NODE_BAD)
		notes_mistake(f->notes, n->mark, "%s must be %s, not %s",
			      k->name, node_kind_name(kind),
			      node_kind_name(n->kind));
	return false;
}

static size_t count_children(const struct node *n)
{
	size_t count = 0;

	for (n = n->first; n; n = n->next)
		count++;
	return count;
}

/* Names stand in file names, log lines and Message-IDs. */
static bool name_ok(struct fill *f, const struct node *n)
{
	struct slice name = slice_of(n->key);
	bool ok = name.len && name.len <= 64;

	for (size_t i = 0; i < name.len; i++)
		ok &= is_alpha(name.ptr[i]) || is_digit(name.ptr[i]) ||
		      (i && slice_chr(S("-_."), name.ptr[i]));
	if (!ok)
		notes_mistake(f->notes, n->key_mark,
			      "the name \"%s\" must be 1 to 64 letters, "
			      "digits, hyphens, dots or underscores",
			      n->key);
	return ok;
}

static bool is_repeated(struct fill *f, const struct node *map,
			const struct node *n)
{
	const struct node *first = node_get(map, n->key);

	if (first == n)
		return false;
	notes_mistake(f->notes, n->key_mark,
		      "\"%s\" is given twice, first in line %u", n->key,
		      first->key_mark.line);
	return true;
}

static void set_mark(const struct section *section, const struct node *n,
		     void *ret)
{
	if (section->mark != NO_MARK)
		*(struct config_mark *)((char *)ret + section->mark) =
			n->key ? n->key_mark : n->mark;
}

/* The array is complete before its members are read: routes point into it. */
static void fill_named(struct fill *f, const struct key *k,
		       const struct node *map, void *at, size_t *ret_n)
{
	size_t size = k->below->size;
	char *array = arena_alloc_array(f->arena, count_children(map), size);
	void **array_at = at;

	assert(ret_n);
	*array_at = array;
	for (const struct node *n = map->first; n; n = n->next) {
		char *one = array + *ret_n * size;

		if (is_repeated(f, map, n) || !name_ok(f, n) ||
		    !kind_ok(f, k, n, NODE_MAP))
			continue;
		*(const char **)one = n->key; /* name is the first member */
		fill_section(f, k->below, n, one);
		++*ret_n;
	}
}

static void fill_row(struct fill *f, const struct key *k,
		     const struct node *list, void *at, size_t *ret_n)
{
	size_t size = k->below->size;
	char *array = arena_alloc_array(f->arena, count_children(list), size);
	void **array_at = at;

	assert(ret_n);
	*array_at = array;
	for (const struct node *n = list->first; n; n = n->next) {
		if (!kind_ok(f, k, n, NODE_MAP))
			continue;
		fill_section(f, k->below, n, array + *ret_n * size);
		++*ret_n;
	}
}

static void fill_pointed_row(struct fill *f, const struct key *k,
			     const struct node *list, void *at, size_t *ret_n)
{
	void **array = arena_array(f->arena, void *, count_children(list));
	void **array_at = at;

	assert(ret_n);
	*array_at = array;
	for (const struct node *n = list->first; n; n = n->next) {
		if (!kind_ok(f, k, n, NODE_MAP))
			continue;
		array[*ret_n] = arena_alloc(f->arena, k->below->size);
		fill_section(f, k->below, n, array[*ret_n]);
		++*ret_n;
	}
}

static void set_flag(bool *flag)
{
	assert(flag); /* keys.c says where */
	*flag = true;
}

static void fill_below(struct fill *f, const struct key *k,
		       const struct node *n, void *at, void *beside)
{
	void **pointer = at;

	switch (k->type) {
	case KEY_NAMED:
		if (kind_ok(f, k, n, NODE_MAP))
			fill_named(f, k, n, at, beside);
		break;
	case KEY_ROW:
		if (kind_ok(f, k, n, NODE_LIST))
			fill_row(f, k, n, at, beside);
		break;
	case KEY_POINTED_ROW:
		if (kind_ok(f, k, n, NODE_LIST))
			fill_pointed_row(f, k, n, at, beside);
		break;
	case KEY_POINTED:
		if (!kind_ok(f, k, n, NODE_MAP))
			break;
		*pointer = arena_alloc(f->arena, k->below->size);
		fill_section(f, k->below, n, *pointer);
		break;
	default:
		assert(k->type == KEY_SECTION);
		if (!kind_ok(f, k, n, NODE_MAP))
			n = NULL;
		else if (beside)
			set_flag(beside);
		fill_section(f, k->below, n, at);
	}
}

static void fill_key(struct fill *f, const struct key *k,
		     const struct node *map, const struct node *n, char *base)
{
	void *at = base + k->offset;
	void *beside = k->beside ? base + k->beside : NULL;
	struct err err;

	if (k->usual && !(n && key_is_list(k->type)))
		set_usual(f, k, at, beside);
	if (k->type == KEY_SECTION && !n) {
		if (!beside)
			fill_section(f, k->below, NULL, at);
	} else if (k->type >= KEY_SECTION) {
		if (n)
			fill_below(f, k, n, at, beside);
	} else if (!n) {
		if (k->required)
			notes_mistake(f->notes, fill_mark(map, k->name),
				      "%s is missing", k->name);
	} else if (key_is_list(k->type)) {
		fill_list(f, k, n, at, beside);
	} else if (text_ok(f, k, n)) {
		if (set_value(f, k, n->text, at, beside, &err) != PH_OK)
			notes_mistake(f->notes, n->mark, "%s %s", k->name,
				      err.text);
		else if (k->type == KEY_NUMBER || k->type == KEY_TIME ||
			 k->type == KEY_FLAG)
			set_flag(beside);
	}
}

static void note_unknown(struct fill *f, const struct section *section,
			 const struct node *n)
{
	struct nearest near;

	nearest_init(&near, n->key);
	for (size_t i = 0; i < section->n; i++)
		nearest_offer(&near, section->keys[i].name);
	if (near.found)
		notes_mistake(f->notes, n->key_mark,
			      "unknown key \"%s\" in %s; did you mean \"%s\"?",
			      n->key, section->title, near.found);
	else
		notes_mistake(f->notes, n->key_mark, "unknown key \"%s\" in %s",
			      n->key, section->title);
}

void fill_section(struct fill *f, const struct section *section,
		  const struct node *map, void *ret)
{
	for (const struct node *n = map ? map->first : NULL; n; n = n->next)
		if (!is_repeated(f, map, n) && !section_key(section, n->key))
			note_unknown(f, section, n);
	if (map)
		set_mark(section, map, ret);
	for (size_t i = 0; i < section->n; i++)
		fill_key(f, &section->keys[i], map,
			 node_get(map, section->keys[i].name), ret);
	if (section->check)
		section->check(f, map, ret);
}
