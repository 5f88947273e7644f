#include "bot/maintainers_file.h"

#include <stdlib.h>
#include "ph/addr.h"
#include "ph/limits.h"

/* -- matching -- */

static size_t count_slashes(struct slice s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.ptr[i] == '/';
	return n;
}

/* Whether the glob fits the start of the path. */
static bool glob_starts(struct slice glob, struct slice path)
{
	char with_star[1024];

	if (glob.len >= sizeof(with_star))
		return false;
	memcpy(with_star, glob.ptr, glob.len);
	with_star[glob.len] = '*';
	return slice_glob((struct slice){ with_star, glob.len + 1 }, path);
}

static bool names_directory(struct slice value, struct slice path)
{
	return slice_starts(path, value) && path.len > value.len &&
	       path.ptr[value.len] == '/';
}

static bool path_fits(const struct maintainers_line *l, struct slice path)
{
	bool fits = l->pattern ? pattern_matches(l->pattern, path)
			       : glob_starts(l->value, path);

	if (!fits || slice_ends(l->value, S("/")))
		return fits;
	return names_directory(l->value, path) ||
	       count_slashes(l->value) == count_slashes(path);
}

static int depth_of(struct slice value, struct slice path)
{
	int depth = (int)count_slashes(value);

	if (slice_starts(value, S("*")))
		return -1;
	if (names_directory(value, path))
		return depth + 1; /* with the slash that it stands for */
	return slice_ends(value, S("/")) ? depth : depth + 1;
}

static const struct maintainers_line *
lines_of(const struct maintainers *m, const struct maintainers_section *s)
{
	return m->lines + s->first;
}

static bool section_fits(const struct maintainers *m,
			 const struct maintainers_section *s, struct slice path,
			 int *ret_depth)
{
	const struct maintainers_line *l = lines_of(m, s);
	bool fits = false;

	for (size_t i = 0; i < s->n; i++)
		if (l[i].letter == 'X' && path_fits(&l[i], path))
			return false;
	for (size_t i = 0; i < s->n; i++) {
		if (l[i].letter == 'F' && path_fits(&l[i], path))
			*ret_depth = depth_of(l[i].value, path);
		else if (l[i].letter == 'N' &&
			 pattern_matches(l[i].pattern, path))
			*ret_depth = 0;
		else
			continue;
		fits = true;
	}
	return fits;
}

static bool is_file_header(struct slice line)
{
	struct slice word;

	if (slice_starts(line, S("diff --git ")) ||
	    slice_starts(line, S("rename from ")) ||
	    slice_starts(line, S("rename to ")))
		return true;
	return (slice_skip(&line, S("+++ ")) || slice_skip(&line, S("--- "))) &&
	       slice_take_word(&line, &word);
}

static bool patch_fits(const struct pattern *p, struct slice patch)
{
	bool in_diff = false;
	struct slice line;

	while (slice_take_line(&patch, &line)) {
		bool changed =
			line.len && (*line.ptr == '+' || *line.ptr == '-');

		if (is_file_header(line)) {
			in_diff |= changed;
			continue;
		}
		if (slice_starts(line, S("@@ -")) || (in_diff && !changed))
			continue;
		if (pattern_matches(p, in_diff ? slice_from(line, 1) : line))
			return true;
	}
	return false;
}

/* -- collecting -- */

static bool named_before(const struct maintainer_list *list,
			 const struct person *p)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct person *q = &list->item[i].person;

		if (addr_eq(p->address, q->address) ||
		    (p->name.len && slice_caseeq(p->name, q->name)))
			return true;
	}
	return false;
}

static void add(struct maintainer_list *list, enum maintainer_role role,
		struct person person, struct slice section, struct arena *arena)
{
	if (named_before(list, &person))
		return;
	list->item = arena_grow(arena, list->item, &list->cap, list->n,
				sizeof(*list->item));
	list->item[list->n++] = (struct maintainer){ role, person, section };
}

/* Takes one of "Name <a@b>, Name <c@d>": what ends at the first comma behind
 * an "@", for a name may have commas too. */
static bool take_person(struct slice *s, struct person *ret)
{
	const char *at = slice_chr(*s, '@');
	struct slice one = *s, rest = slice_from(*s, s->len);
	struct err ignored;

	if (at) {
		struct slice behind = slice_between(at, s->ptr + s->len);
		const char *comma = slice_chr(behind, ',');

		if (comma) {
			one = slice_between(s->ptr, comma);
			rest = slice_between(comma + 1, s->ptr + s->len);
		}
	}
	*s = rest;
	return addr_parse(slice_trim(one), &ret->name, &ret->address,
			  &ignored) == PH_OK;
}

static void add_people(struct maintainer_list *people,
		       const struct maintainers_line *l,
		       const struct maintainers_section *s, struct arena *arena)
{
	enum maintainer_role role =
		l->letter == 'M' ? ROLE_MAINTAINER : ROLE_REVIEWER;
	struct slice value = l->value;
	struct person person;

	while (value.len)
		if (take_person(&value, &person))
			add(people, role, person, s->title, arena);
}

static void add_list(struct maintainer_list *lists,
		     const struct maintainers_line *l,
		     const struct maintainers_section *s, struct arena *arena)
{
	struct slice rest = l->value, address;

	if (!slice_take_word(&rest, &address) || !addr_valid(address) ||
	    slice_find(rest, S("subscribers-only")))
		return;
	add(lists, ROLE_LIST, (struct person){ .address = address }, s->title,
	    arena);
}

struct collection {
	struct maintainer_list people, lists;
	struct arena *arena;
};

static void add_section_people(struct collection *c,
			       const struct maintainers *m,
			       const struct maintainers_section *s)
{
	const struct maintainers_line *l = lines_of(m, s);

	for (size_t i = 0; i < s->n; i++) {
		if (l[i].letter == 'M' || l[i].letter == 'R')
			add_people(&c->people, &l[i], s, c->arena);
		else if (l[i].letter == 'L')
			add_list(&c->lists, &l[i], s, c->arena);
	}
}

struct hit {
	const struct maintainers_section *section;
	int depth;
};

/* Equal depths keep the order of the file. */
static int deepest_first(const void *va, const void *vb)
{
	const struct hit *a = va, *b = vb;

	if (a->depth != b->depth)
		return a->depth > b->depth ? -1 : 1;
	return (a->section > b->section) - (a->section < b->section);
}

static void add_file(struct collection *c, const struct maintainers *m,
		     struct slice path, struct hit *hits)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_sections; i++) {
		hits[n].section = &m->sections[i];
		n += section_fits(m, &m->sections[i], path, &hits[n].depth);
	}
	qsort(hits, n, sizeof(*hits), deepest_first);
	for (size_t i = 0; i < n; i++)
		add_section_people(c, m, hits[i].section);
}

static void add_keywords(struct collection *c, const struct maintainers *m,
			 struct slice patch)
{
	for (size_t i = 0; i < m->n_sections; i++) {
		const struct maintainers_section *s = &m->sections[i];
		const struct maintainers_line *l = lines_of(m, s);
		bool fits = false;

		for (size_t k = 0; k < s->n && !fits; k++)
			fits = l[k].letter == 'K' &&
			       patch_fits(l[k].pattern, patch);
		if (fits)
			add_section_people(c, m, s);
	}
}

static bool is_torvalds(const struct person *p)
{
	return addr_eq(p->address, S("torvalds@linux-foundation.org"));
}

/* The map may make one of two. */
static void finish(struct collection *c, const struct mailmap *map,
		   struct maintainer_list *ret)
{
	struct maintainer_list all = { 0 };

	for (size_t i = 0; i < c->people.n; i++) {
		struct maintainer one = c->people.item[i];

		mailmap_apply(map, &one.person);
		if (!is_torvalds(&one.person))
			add(&all, one.role, one.person, one.section, c->arena);
	}
	for (size_t i = 0; i < c->lists.n; i++)
		add(&all, ROLE_LIST, c->lists.item[i].person,
		    c->lists.item[i].section, c->arena);
	*ret = all;
}

static int by_bytes(const void *a, const void *b)
{
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

void maintainers_find(const struct maintainers *m, const struct slice *files,
		      size_t n_files, struct slice patch,
		      const struct mailmap *map, struct arena *arena,
		      struct maintainer_list *ret)
{
	struct collection c = { .arena = arena };
	struct hit *hits = arena_array(arena, struct hit, m->n_sections + 1);
	struct slice *sorted = arena_array(arena, struct slice, n_files);

	if (n_files)
		memcpy(sorted, files, n_files * sizeof(*files));
	qsort(sorted, n_files, sizeof(*sorted), by_bytes);
	for (size_t i = 0; i < n_files && i < LIMIT_MAINTAINED_FILES; i++)
		add_file(&c, m, sorted[i], hits);
	add_keywords(&c, m, patch);
	finish(&c, map, ret);
}
