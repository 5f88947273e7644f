#include "mail/people.h"
#include "mail/header.h"
#include "ph/addr.h"

struct nest {
	bool quoted;
	unsigned comment; /* depth: comments nest */
};

/* Follows quotes and comments. True: c stands outside of both. */
static bool stands_outside(struct nest *n, char c)
{
	if (c == '"' && !n->comment) {
		n->quoted = !n->quoted;
		return false;
	}
	if (n->quoted)
		return false;
	if (c == '(')
		n->comment++;
	else if (c == ')' && n->comment)
		n->comment--;
	else
		return !n->comment;
	return false;
}

/*
 * Takes what stands up to the next comma or semicolon outside of quotes,
 * comments and angle brackets. A group's "name:" in front is dropped.
 */
static bool take_item(struct slice *in, struct slice *ret)
{
	const char *start = in->ptr, *p = start, *end = in->ptr + in->len;
	struct nest nest = { 0 };
	bool angled = false;

	if (!in->len)
		return false;
	for (; p < end; p++) {
		if (*p == '\\' && (nest.quoted || nest.comment) && p + 1 < end)
			p++;
		else if (!stands_outside(&nest, *p))
			continue;
		else if (*p == '<' || *p == '>')
			angled = *p == '<';
		else if (*p == ':' && !slice_chr(slice_between(start, p), '<'))
			start = p + 1;
		else if ((*p == ',' && !angled) || *p == ';')
			break;
	}
	*ret = slice_trim(slice_between(start, p));
	*in = slice_between(p < end ? p + 1 : end, end);
	return true;
}

/* Takes quotes and their backslashes off a name. */
static struct slice unquote(struct slice s, struct arena *arena)
{
	char *out = arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\\' && i + 1 < s.len)
			out[n++] = s.ptr[++i];
		else if (s.ptr[i] != '"')
			out[n++] = s.ptr[i];
	}
	return (struct slice){ out, n };
}

/* "address (name)", as mailers wrote it before RFC 822 had phrases. */
static bool take_comment(struct slice *s, struct slice *ret_comment)
{
	const char *open = slice_chr(*s, '(');

	if (!open || s->ptr[s->len - 1] != ')')
		return false;
	*ret_comment = slice_between(open + 1, s->ptr + s->len - 1);
	*s = slice_trim(slice_between(s->ptr, open));
	return true;
}

static bool has_outside(struct slice s, char c)
{
	struct nest nest = { 0 };

	for (size_t i = 0; i < s.len; i++)
		if (stands_outside(&nest, s.ptr[i]) && s.ptr[i] == c)
			return true;
	return false;
}

/*
 * "name <address> (comment)". False: there is more than that, and which of two
 * addresses is meant must not depend on who reads it.
 */
static bool take_angled(struct slice s, struct slice *ret_name,
			struct slice *ret_address)
{
	const char *open = slice_rchr(s, '<'), *close;
	struct slice rest;

	*ret_name = slice_between(s.ptr, open);
	*ret_address = slice_between(open + 1, s.ptr + s.len);
	close = slice_chr(*ret_address, '>');
	if (!close)
		return false;
	rest = slice_trim(slice_between(close + 1, s.ptr + s.len));
	*ret_address = slice_between(open + 1, close);
	return !has_outside(*ret_name, '<') && (!rest.len || *rest.ptr == '(');
}

static void read_item(struct slice item, struct arena *arena,
		      struct person *ret)
{
	struct slice name = { NULL, 0 }, address = item;
	bool clear = true;

	if (slice_chr(item, '<'))
		clear = take_angled(item, &name, &address);
	else
		take_comment(&address, &name);
	address = slice_trim(address);
	if (!clear || !addr_valid(address))
		address.len = 0;
	ret->name = header_text(unquote(slice_trim(name), arena), arena);
	ret->address = address;
}

bool person_take(struct slice *in, struct arena *arena, struct person *ret)
{
	struct slice item;

	do {
		if (!take_item(in, &item))
			return false;
	} while (!item.len);
	read_item(item, arena, ret);
	return true;
}
