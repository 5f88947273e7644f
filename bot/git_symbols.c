#include "bot/git_symbols.h"

static bool is_name(char c)
{
	return is_alpha(c) || is_digit(c) || c == '_';
}

/* "static int foo(struct x *y)" -> "foo"; empty: no definition. */
static struct slice name_in(struct slice line)
{
	const char *paren = slice_chr(line, '('), *start = paren;
	struct slice name;

	line = slice_trim(line);
	if (!paren || !line.len || !is_name(*line.ptr) ||
	    slice_ends(line, S(";")))
		return S("");
	while (start > line.ptr && is_name(start[-1]))
		start--;
	name = slice_between(start, paren);
	/* a macro that makes something names it otherwise */
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z')
			return S("");
	return name;
}

void symbols_find(struct slice text, struct slice *ret_list, size_t *n)
{
	struct slice line, name;

	while (*n < SYMBOLS_MAX && slice_take_line(&text, &line)) {
		if (!line.len || !is_name(*line.ptr))
			continue;
		name = name_in(line);
		if (name.len)
			ret_list[(*n)++] = name;
	}
}

void gitsymbols_fill(struct gittree *tree, struct arena *arena,
		     struct commit_facts *facts)
{
	struct err ignored; /* a file that was removed, or a partial clone */
	struct slice text;

	if (facts->n_files > SYMBOL_FILES)
		return;
	facts->symbols = arena_array(arena, struct slice, SYMBOLS_MAX);
	for (size_t i = 0; i < facts->n_files; i++) {
		const char *path = arena_str(arena, facts->files[i]);

		if ((slice_ends(facts->files[i], S(".c")) ||
		     slice_ends(facts->files[i], S(".h"))) &&
		    gittree_file_of(tree, facts->id, path, arena, &text,
				    &ignored) == PH_OK)
			symbols_find(text, facts->symbols, &facts->n_symbols);
	}
}
