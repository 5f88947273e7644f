#include "ph/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#define BLOCK_MIN  ((size_t)64 * 1024 - 64)
#define KEEP_BYTES ((size_t)1024 * 1024)

struct arena_block {
	struct arena_block *next;
	size_t cap, used;
	alignas(max_align_t) char data[];
};

void out_of_memory(void)
{
	static const char text[] = "perfherald: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EX_OSERR);
	_exit(EX_OSERR);
}

void *xmalloc(size_t len)
{
	void *p = malloc(len ? len : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xrealloc(void *ptr, size_t len)
{
	void *p = realloc(ptr, len ? len : 1);

	if (!p)
		out_of_memory();
	return p;
}

char *xstrdup(const char *str)
{
	size_t len = strlen(str) + 1;

	return memcpy(xmalloc(len), str, len);
}

void arena_init(struct arena *a)
{
	*a = (struct arena){ 0 };
}

static void free_blocks(struct arena *a, struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;

		a->kept -= b->cap;
		free(b);
		b = next;
	}
}

void arena_release(struct arena *a)
{
	free_blocks(a, a->first);
	*a = (struct arena){ 0 };
}

void arena_reset(struct arena *a)
{
	struct arena_block **link = &a->first;
	size_t kept = 0;

	while (*link && kept + (*link)->cap <= KEEP_BYTES) {
		kept += (*link)->cap;
		(*link)->used = 0;
		link = &(*link)->next;
	}
	free_blocks(a, *link);
	*link = NULL;
	a->cur = a->first;
	a->used = 0;
}

static struct arena_block *next_block(struct arena *a, size_t len)
{
	struct arena_block *b;
	size_t cap = len > BLOCK_MIN ? len : BLOCK_MIN;

	while (a->cur && a->cur->next) {
		a->cur = a->cur->next;
		if (a->cur->cap - a->cur->used >= len)
			return a->cur;
	}
	b = xmalloc(sizeof(*b) + cap);
	b->next = NULL;
	b->cap = cap;
	b->used = 0;
	if (a->cur)
		a->cur->next = b;
	else
		a->first = b;
	a->cur = b;
	a->kept += cap;
	return b;
}

static void *take(struct arena *a, size_t len)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *b = a->cur;
	void *p;

	if (len > SIZE_MAX / 2)
		out_of_memory();
	len = (len + align - 1) & ~(align - 1);
	if (!b || b->cap - b->used < len)
		b = next_block(a, len);
	p = b->data + b->used;
	b->used += len;
	a->used += len;
	return p;
}

void *arena_alloc(struct arena *a, size_t len)
{
	void *p = take(a, len);

	if (len)
		memset(p, 0, len);
	return p;
}

void *arena_alloc_array(struct arena *a, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / 2 / size)
		out_of_memory();
	return arena_alloc(a, count * size);
}

struct slice arena_copy(struct arena *a, struct slice s)
{
	char *p = take(a, s.len + 1);

	if (s.len)
		memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return (struct slice){ p, s.len };
}

char *arena_str(struct arena *a, struct slice s)
{
	return (char *)arena_copy(a, s).ptr;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	int n;
	char *p;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	assert(n >= 0);
	p = take(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void *arena_grow(struct arena *a, void *list, size_t *cap, size_t n,
		 size_t size)
{
	size_t new_cap;
	char *p;

	if (n < *cap)
		return list;
	new_cap = *cap ? *cap * 2 : 8;
	if (new_cap > SIZE_MAX / 2 / size)
		out_of_memory();
	p = take(a, new_cap * size);
	if (n)
		memcpy(p, list, n * size);
	memset(p + n * size, 0, (new_cap - n) * size);
	*cap = new_cap;
	return p;
}

void buf_init(struct buf *b)
{
	*b = (struct buf){ 0 };
}

void buf_release(struct buf *b)
{
	free(b->ptr);
	*b = (struct buf){ .max = b->max };
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->full = false;
}

static void buf_reserve(struct buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 256;

	if (more > SIZE_MAX / 4 - b->len)
		out_of_memory();
	if (b->len + more < b->cap)
		return;
	while (cap <= b->len + more)
		cap *= 2;
	b->ptr = xrealloc(b->ptr, cap);
	b->cap = cap;
}

void buf_add(struct buf *b, const void *ptr, size_t len)
{
	if (b->max && len > b->max - b->len) {
		b->full = true;
		len = b->max - b->len;
	}
	if (!len)
		return;
	buf_reserve(b, len);
	memcpy(b->ptr + b->len, ptr, len);
	b->len += len;
}

void buf_add_slice(struct buf *b, struct slice s)
{
	buf_add(b, s.ptr, s.len);
}

void buf_add_str(struct buf *b, const char *str)
{
	buf_add(b, str, strlen(str));
}

void buf_add_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	char small[256];
	char *big;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	assert(n >= 0);
	if ((size_t)n < sizeof(small)) {
		buf_add(b, small, (size_t)n);
	} else {
		big = xmalloc((size_t)n + 1);
		vsnprintf(big, (size_t)n + 1, fmt, again);
		buf_add(b, big, (size_t)n);
		free(big);
	}
	va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

const char *buf_str(struct buf *b)
{
	buf_reserve(b, 1);
	b->ptr[b->len] = '\0';
	return b->ptr;
}

struct slice buf_slice(const struct buf *b)
{
	return (struct slice){ b->ptr, b->len };
}
