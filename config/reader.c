#include "ph/node.h"

#include <assert.h>
#include <yaml.h>
#include "ph/limits.h"

struct reader {
	yaml_parser_t parser;
	struct arena *arena;
	struct notes *notes;
	struct slice yaml;
	struct node *open[LIMIT_CONFIG_NEST]; /* lists and maps around us */
	size_t depth;
	const char *key; /* of the map's member that comes next */
	struct config_mark key_mark;
	struct node *root;
};

static struct config_mark mark_of(yaml_mark_t m)
{
	return (struct config_mark){ (unsigned)m.line + 1,
				     (unsigned)m.column + 1 };
}

/* libyaml gives no mark for a byte that is no UTF-8, only its offset. */
static struct config_mark mark_at(struct slice yaml, size_t offset)
{
	struct config_mark m = { 1, 1 };

	for (size_t i = 0; i < offset && i < yaml.len; i++) {
		m.column++;
		if (yaml.ptr[i] == '\n')
			m = (struct config_mark){ m.line + 1, 1 };
	}
	return m;
}

/* A tab among the blanks before the text of a line, which YAML forbids. */
static bool is_indented_by_tab(struct slice yaml, size_t line)
{
	struct slice text = { 0 };

	for (size_t i = 0; i <= line; i++)
		if (!slice_take_line(&yaml, &text))
			return false;
	while (text.len && *text.ptr == ' ')
		text = slice_from(text, 1);
	return text.len && *text.ptr == '\t';
}

static enum status note_syntax(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;

	if (p->error == YAML_READER_ERROR)
		notes_mistake(r->notes, mark_at(r->yaml, p->problem_offset),
			      "not UTF-8 text: %s", p->problem);
	else if (is_indented_by_tab(r->yaml, p->problem_mark.line))
		notes_mistake(r->notes, mark_of(p->problem_mark),
			      "not YAML: a tab before the text; indent with "
			      "spaces");
	else
		notes_mistake(r->notes, mark_of(p->problem_mark),
			      "not YAML: %s%s%s", p->context ? p->context : "",
			      p->context ? ", " : "", p->problem);
	return PH_BAD;
}

static struct node *top(const struct reader *r)
{
	return r->depth ? r->open[r->depth - 1] : NULL;
}

static bool wants_key(const struct reader *r)
{
	return top(r) && top(r)->kind == NODE_MAP && !r->key;
}

static struct node *add_node(struct reader *r, enum node_kind kind,
			     struct config_mark mark)
{
	struct node *n = arena_new(r->arena, struct node);
	struct node *parent = top(r);

	n->kind = kind;
	n->mark = mark;
	n->key = r->key;
	n->key_mark = r->key_mark;
	r->key = NULL;
	if (!parent)
		r->root = n;
	else if (parent->last)
		parent->last->next = n;
	else
		parent->first = n;
	if (parent)
		parent->last = n;
	return n;
}

static bool note_decoration(struct reader *r, struct config_mark mark,
			    const yaml_char_t *anchor, const yaml_char_t *tag)
{
	if (anchor)
		notes_mistake(r->notes, mark,
			      "anchor \"&%s\": write the value out where it is "
			      "needed, anchors are not read",
			      anchor);
	if (tag)
		notes_mistake(r->notes, mark,
			      "tag \"%s\": types are known here, leave it out",
			      tag);
	return anchor || tag;
}

static void take_scalar(struct reader *r, const yaml_event_t *e)
{
	struct config_mark mark = mark_of(e->start_mark);
	struct slice text = { (const char *)e->data.scalar.value,
			      e->data.scalar.length };
	bool bad = note_decoration(r, mark, e->data.scalar.anchor,
				   e->data.scalar.tag);
	struct node *n;

	if (slice_chr(text, '\0')) {
		notes_mistake(r->notes, mark, "a NUL in a text");
		bad = true;
	}
	if (wants_key(r)) {
		r->key = arena_str(r->arena, text);
		r->key_mark = mark;
		return;
	}
	n = add_node(r, bad ? NODE_BAD : NODE_TEXT, mark);
	n->text = arena_copy(r->arena, text);
	n->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static void take_alias(struct reader *r, const yaml_event_t *e)
{
	struct config_mark mark = mark_of(e->start_mark);

	notes_mistake(r->notes, mark,
		      "alias \"*%s\": write the value out, aliases are not "
		      "read (a glob that starts with * needs quotes)",
		      e->data.alias.anchor);
	if (wants_key(r)) {
		r->key = "";
		r->key_mark = mark;
		return;
	}
	add_node(r, NODE_BAD, mark);
}

static enum status open_node(struct reader *r, enum node_kind kind,
			     struct config_mark mark)
{
	if (wants_key(r)) {
		notes_mistake(r->notes, mark, "a key must be a plain word");
		return PH_BAD;
	}
	if (r->depth == LIMIT_CONFIG_NEST) {
		notes_mistake(r->notes, mark,
			      "nested over %d levels (LIMIT_CONFIG_NEST)",
			      LIMIT_CONFIG_NEST);
		return PH_BAD;
	}
	r->open[r->depth] = add_node(r, kind, mark);
	r->depth++;
	return PH_OK;
}

static enum status take_event(struct reader *r, const yaml_event_t *e)
{
	struct config_mark mark = mark_of(e->start_mark);

	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (r->root) {
			notes_mistake(r->notes, mark,
				      "a second document: one file holds one "
				      "configuration");
			return PH_BAD;
		}
		return PH_OK;
	case YAML_ALIAS_EVENT:
		take_alias(r, e);
		return PH_OK;
	case YAML_SCALAR_EVENT:
		take_scalar(r, e);
		return PH_OK;
	case YAML_SEQUENCE_START_EVENT:
		note_decoration(r, mark, e->data.sequence_start.anchor,
				e->data.sequence_start.tag);
		return open_node(r, NODE_LIST, mark);
	case YAML_MAPPING_START_EVENT:
		note_decoration(r, mark, e->data.mapping_start.anchor,
				e->data.mapping_start.tag);
		return open_node(r, NODE_MAP, mark);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		assert(r->depth);
		r->depth--;
		return PH_OK;
	default:
		return PH_OK;
	}
}

static enum status read_events(struct reader *r)
{
	yaml_event_t event;
	yaml_event_type_t type;
	enum status s;

	do {
		if (!yaml_parser_parse(&r->parser, &event)) {
			if (r->parser.error == YAML_MEMORY_ERROR)
				out_of_memory();
			return note_syntax(r);
		}
		type = event.type;
		s = take_event(r, &event);
		yaml_event_delete(&event);
	} while (s == PH_OK && type != YAML_STREAM_END_EVENT);
	return s;
}

enum status node_read(struct slice yaml, struct arena *arena,
		      struct notes *notes, struct node **ret)
{
	struct reader r = { .arena = arena, .notes = notes, .yaml = yaml };
	enum status s;

	if (!yaml_parser_initialize(&r.parser))
		out_of_memory();
	yaml_parser_set_input_string(&r.parser,
				     (const yaml_char_t *)(yaml.len ? yaml.ptr
								    : ""),
				     yaml.len);
	s = read_events(&r);
	yaml_parser_delete(&r.parser);
	if (s == PH_OK)
		*ret = r.root;
	return s;
}

const struct node *node_get(const struct node *map, const char *key)
{
	for (const struct node *n = map ? map->first : NULL; n; n = n->next)
		if (!strcmp(n->key, key))
			return n;
	return NULL;
}

const char *node_kind_name(enum node_kind kind)
{
	switch (kind) {
	case NODE_LIST:
		return "a list";
	case NODE_MAP:
		return "a map of keys";
	case NODE_TEXT:
	case NODE_BAD:
		break;
	}
	return "a single value";
}
