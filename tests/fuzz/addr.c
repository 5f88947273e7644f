/*
 * Bytes as an address, as a person in a configuration, as a field of people
 * and as a glob: whatever is taken for an address can be handed to an SMTP
 * server as it is, and stood in the input.
 */
#include <stdint.h>
#include <stdlib.h>

#include "mail/people.h"
#include "ph/addr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct arena arena;

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Written from RFC 5321, not from addr.c. */
static void must_be_plain(struct slice a)
{
	size_t ats = 0;

	must(a.len >= 3 && a.len <= 64 + 1 + 255);
	for (size_t i = 0; i < a.len; i++) {
		unsigned char c = (unsigned char)a.ptr[i];

		must(c > ' ' && c < 0x7f && !strchr("<>()[]\\,;:\"", c));
		ats += c == '@';
	}
	must(ats == 1);
}

static void must_be_inside(struct slice part, struct slice whole)
{
	must(slice_find(whole, part) != NULL);
}

static void must_show(struct slice name)
{
	for (size_t i = 0; i < name.len; i++)
		must((unsigned char)name.ptr[i] >= ' ' && name.ptr[i] != 0x7f);
}

static void try_person(struct slice in)
{
	struct slice name, address;
	struct err err;

	if (addr_parse(in, &name, &address, &err) != PH_OK)
		return;
	must(addr_valid(address));
	must_be_plain(address);
	must_be_inside(address, in);
	must_show(name);
}

static void try_people(struct slice in)
{
	struct slice rest = in;
	struct person p;

	arena_reset(&arena);
	while (person_take(&rest, &arena, &p)) {
		must_show(p.name);
		if (!p.address.len)
			continue;
		must_be_plain(p.address);
		must_be_inside(p.address, in);
	}
}

/* The first half is a glob for the second. */
static void try_glob(struct slice in)
{
	struct slice glob = slice_head(in, in.len / 2);
	struct slice text = slice_from(in, in.len / 2);
	bool matches = addr_match(glob, text);

	if (!glob.len || !(slice_chr(glob, '*') || slice_chr(glob, '?')))
		must(matches == addr_eq(glob, text));
	must(addr_match(S("*"), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct slice in = { (const char *)data, len };

	if (addr_valid(in))
		must_be_plain(in);
	try_person(in);
	try_people(in);
	try_glob(in);
	return 0;
}
