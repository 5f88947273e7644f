/* MAINTAINERS from its text. */
#include "bot/maintainers_file.h"

#include <stdlib.h>
#include "ph/limits.h"

/* The script turns a glob into an expression and leaves these as they are. */
static bool is_expression(struct slice glob)
{
	for (size_t i = 0; i < glob.len; i++)
		if (slice_chr(S("[](){}+|^$\\"), glob.ptr[i]))
			return true;
	return false;
}

static struct slice glob_as_expression(struct slice glob, struct arena *arena)
{
	char *out = arena_alloc(arena, glob.len * 2 + 1);
	size_t n = 0;

	for (size_t i = 0; i < glob.len; i++) {
		char c = glob.ptr[i];

		if (c == '.')
			out[n++] = '\\';
		if (c == '*')
			out[n++] = '.';
		out[n++] = c == '?' ? '.' : c;
	}
	return (struct slice){ out, n };
}

static void compile(struct maintainers *m, struct maintainers_line *l)
{
	enum pattern_kind kind = PATTERN_SPACED;
	struct slice text = l->value;
	struct err why;

	if (l->letter == 'F' || l->letter == 'X') {
		if (!is_expression(text))
			return;
		text = glob_as_expression(text, &m->arena);
		kind = PATTERN_START;
	} else if (l->letter != 'N' && l->letter != 'K') {
		return;
	}
	if (pattern_new(text, kind, &l->pattern, &why) != PH_OK) {
		l->letter = ' ';
		m->n_bad++;
	}
}

static void add_line(struct maintainers *m, struct slice line)
{
	struct maintainers_line l = { .letter = *line.ptr,
				      .value =
					      slice_trim(slice_from(line, 2)) };

	compile(m, &l);
	m->lines = arena_grow(&m->arena, m->lines, &m->cap_lines, m->n_lines,
			      sizeof(*m->lines));
	m->lines[m->n_lines++] = l;
	m->sections[m->n_sections - 1].n++;
}

static void add_section(struct maintainers *m, struct slice title)
{
	m->sections = arena_grow(&m->arena, m->sections, &m->cap_sections,
				 m->n_sections, sizeof(*m->sections));
	m->sections[m->n_sections++] =
		(struct maintainers_section){ title, m->n_lines, 0 };
}

static bool is_typed(struct slice line)
{
	return line.len >= 2 && line.ptr[0] >= 'A' && line.ptr[0] <= 'Z' &&
	       line.ptr[1] == ':';
}

static void read_lines(struct maintainers *m, struct slice text)
{
	struct slice line, title = { 0 };
	bool open = false;

	while (slice_take_line(&text, &line)) {
		struct slice bare = slice_trim(line);

		if (is_typed(line)) {
			if (!open)
				add_section(m, title);
			open = true;
			add_line(m, line);
		} else if (bare.len && *bare.ptr != '#') {
			title = bare;
			open = false;
		}
	}
}

enum status maintainers_new(struct slice text, struct maintainers **ret,
			    struct err *err)
{
	struct maintainers *m;

	if (text.len > LIMIT_MAINTAINERS)
		return err_set(err, PH_BAD,
			       "MAINTAINERS: over 8 MiB "
			       "(LIMIT_MAINTAINERS)");
	m = xcalloc(1, sizeof(*m));
	arena_init(&m->arena);
	read_lines(m, arena_copy(&m->arena, text));
	if (!m->n_sections) {
		maintainers_free(m);
		return err_set(err, PH_BAD, "MAINTAINERS: no section in it");
	}
	*ret = m;
	return PH_OK;
}

void maintainers_free(struct maintainers *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_lines; i++)
		pattern_free(m->lines[i].pattern);
	arena_release(&m->arena);
	free(m);
}

size_t maintainers_bad(const struct maintainers *m)
{
	return m->n_bad;
}
