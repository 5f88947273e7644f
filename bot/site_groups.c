/* Which patch belongs to which lists, and the spool of their lines. */
#include "bot/site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include "bot/site_names.h"
#include "ph/hash.h"

const char *const site_folders[SITE_KINDS] = {
	[SITE_LIST] = "list", [SITE_TESTCASE] = "testcase",
	[SITE_HOST] = "host", [SITE_SUBSYSTEM] = "subsystem",
	[SITE_TREE] = "tree",
};

static bool is_group(const struct site_group *g, enum site_kind kind,
		     struct slice name)
{
	return g->kind == kind && slice_eq(g->name, name);
}

static size_t hash_of(enum site_kind kind, struct slice name)
{
	return (size_t)(site_names_hash(name) >> 3) + (size_t)kind;
}

/* The place in the table of a group, or the free one where it belongs. */
static uint32_t *find(struct site *s, enum site_kind kind, struct slice name)
{
	size_t mask = s->n_table - 1;
	size_t at = hash_of(kind, name) & mask;

	while (s->table[at] &&
	       !is_group(&s->groups[s->table[at] - 1], kind, name))
		at = (at + 1) & mask;
	return &s->table[at];
}

static void grow_table(struct site *s)
{
	free(s->table);
	s->n_table = s->n_table ? 2 * s->n_table : 256;
	s->table = xcalloc(s->n_table, sizeof(*s->table));
	for (size_t i = 0; i < s->n_groups; i++)
		*find(s, s->groups[i].kind, s->groups[i].name) =
			(uint32_t)i + 1;
}

static struct site_group *add(struct site *s, enum site_kind kind,
			      struct slice name)
{
	struct site_group *g;

	if (s->n_groups == s->cap_groups) {
		s->cap_groups = s->cap_groups ? 2 * s->cap_groups : 64;
		s->groups =
			xrealloc(s->groups, s->cap_groups * sizeof(*s->groups));
	}
	g = &s->groups[s->n_groups++];
	*g = (struct site_group){ .kind = kind,
				  .name = arena_copy(&s->names, name) };
	/* lists of our own have the names that menus know */
	g->page = kind == SITE_LIST ? g->name : site_name(name, &s->names);
	return g;
}

struct site_group *site_group(struct site *s, enum site_kind kind,
			      struct slice name)
{
	uint32_t *place;

	if (2 * s->n_groups >= s->n_table)
		grow_table(s);
	place = find(s, kind, name);
	if (*place)
		return &s->groups[*place - 1];
	*place = (uint32_t)s->n_groups + 1;
	return add(s, kind, name);
}

/* The newest comes last: a patch has several results of one test case. */
void site_group_add(struct site *s, struct site_group *g)
{
	uint32_t ref = (uint32_t)s->n_refs - 1;

	if (g->n && g->refs[g->n - 1] == ref)
		return;
	if (g->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 4;
		g->refs = xrealloc(g->refs, g->cap * sizeof(*g->refs));
	}
	g->refs[g->n++] = ref;
	g->open += s->refs[ref].flags & REF_OPEN ? 1 : 0;
}

struct slice site_group_page(struct site *s, const struct site_group *g)
{
	return slice_of(arena_printf(&s->arena, "%s/%.*s.html",
				     site_folders[g->kind], S_FMT(g->page)));
}

void site_groups_release(struct site *s)
{
	for (size_t i = 0; i < s->n_groups; i++)
		free(s->groups[i].refs);
	free(s->groups);
	free(s->table);
	arena_release(&s->names);
}

/* -- the spool -- */

enum status site_spool(struct site *s, const struct site_ref *ref,
		       struct slice line, struct slice entry, struct err *err)
{
	if (s->n_refs == s->cap_refs) {
		s->cap_refs = s->cap_refs ? 2 * s->cap_refs : 256;
		s->refs = xrealloc(s->refs, s->cap_refs * sizeof(*s->refs));
	}
	if (fwrite(line.ptr, 1, line.len, s->spool) != line.len ||
	    (entry.len &&
	     fwrite(entry.ptr, 1, entry.len, s->spool) != entry.len))
		return err_exit(err, PH_FATAL, EX_IOERR, "temporary file: %s",
				strerror(errno));
	s->refs[s->n_refs] = *ref;
	s->refs[s->n_refs].at = s->spooled;
	s->refs[s->n_refs].line_len = (uint32_t)line.len;
	s->refs[s->n_refs].entry_len = (uint32_t)entry.len;
	s->n_refs++;
	s->spooled += (int64_t)(line.len + entry.len);
	return PH_OK;
}
