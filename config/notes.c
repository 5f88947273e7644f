#include "ph/node.h"

#include <stdio.h>
#include <stdlib.h>
#include "ph/limits.h"

void config_errors_init(struct config_errors *e)
{
	*e = (struct config_errors){ 0 };
	arena_init(&e->arena);
}

void config_errors_release(struct config_errors *e)
{
	arena_release(&e->arena);
	*e = (struct config_errors){ 0 };
}

static void add(struct config_errors *e, const char *file,
		struct config_mark mark, const char *fmt, va_list ap)
{
	char text[1024];
	struct config_error *line;

	if (e->n == LIMIT_CONFIG_ERRORS) {
		e->more++;
		return;
	}
	vsnprintf(text, sizeof(text), fmt, ap);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	e->line =
		arena_grow(&e->arena, e->line, &e->cap, e->n, sizeof(*e->line));
	line = &e->line[e->n++];
	line->mark = mark;
	line->text = arena_printf(&e->arena, "%s:%u:%u: %s", file, mark.line,
				  mark.column, text);
}

void notes_mistake(struct notes *notes, struct config_mark mark,
		   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(notes->errors, notes->file, mark, fmt, ap);
	va_end(ap);
}

void notes_warning(struct notes *notes, struct config_mark mark,
		   const char *fmt, ...)
{
	va_list ap;

	if (!notes->warnings)
		return;
	va_start(ap, fmt);
	add(notes->warnings, notes->file, mark, fmt, ap);
	va_end(ap);
}

static int by_place(const void *va, const void *vb)
{
	const struct config_error *a = va, *b = vb;

	if (a->mark.line != b->mark.line)
		return a->mark.line < b->mark.line ? -1 : 1;
	if (a->mark.column != b->mark.column)
		return a->mark.column < b->mark.column ? -1 : 1;
	return 0;
}

void notes_sort(struct config_errors *e)
{
	if (e->n)
		qsort(e->line, e->n, sizeof(*e->line), by_place);
}
