/*
 * arena - memory that is dropped all at once; buf - bytes that grow.
 *
 * One arena a message: everything read from it points into the raw bytes or
 * the arena and dies with arena_reset or arena_release. Out of memory ends the
 * program with exit 71; callers never see NULL.
 */
#ifndef PH_ARENA_H
#define PH_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include "ph/slice.h"

struct arena {
	struct arena_block *first, *cur;
	size_t used; /* bytes handed out since the last reset */
	size_t kept; /* bytes held from the system */
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);
/* Empties it; keeps the first blocks (up to 1 MiB) for the next message. */
void arena_reset(struct arena *a);

/* Zeroed, aligned for any type, alive until reset. len 0 is allowed. */
void *arena_alloc(struct arena *a, size_t len);
#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, count) \
	((type *)arena_alloc_array((a), (count), sizeof(type)))
void *arena_alloc_array(struct arena *a, size_t count, size_t size);

/* Copies with a NUL behind, so .ptr is a C string too. */
struct slice arena_copy(struct arena *a, struct slice s);
char *arena_str(struct arena *a, struct slice s);
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Room for one more element of a growing array: when *n stands at *cap the
 * array moves to a doubled place in the arena. Use as
 *	list = arena_grow(a, list, &cap, n, sizeof(*list));
 */
void *arena_grow(struct arena *a, void *list, size_t *cap, size_t n,
		 size_t size);

/* malloc and friends that end the program with 71 instead of failing. */
void *xmalloc(size_t len);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *ptr, size_t len);
char *xstrdup(const char *str);
/* Ends the program with 71 and a line on standard error. */
_Noreturn void out_of_memory(void);

struct buf {
	char *ptr;
	size_t len, cap;
	size_t max; /* ceiling: what would pass it is dropped ... */
	bool full;  /* ... and this says so. max 0: no ceiling */
};

void buf_init(struct buf *b);
void buf_release(struct buf *b);
void buf_reset(struct buf *b);
void buf_add(struct buf *b, const void *ptr, size_t len);
void buf_add_slice(struct buf *b, struct slice s);
void buf_add_str(struct buf *b, const char *str);
void buf_add_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* A C string (a NUL is kept behind the bytes); "" when empty. */
const char *buf_str(struct buf *b);
struct slice buf_slice(const struct buf *b);

#endif
