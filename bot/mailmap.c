#include "bot/mailmap.h"

#include "ph/addr.h"

/* Takes [name] "<" address ">" off *s. */
static bool take_person(struct slice *s, struct person *ret)
{
	struct slice rest = *s, name, address;

	if (!slice_take_until(&rest, '<', &name) ||
	    !slice_take_until(&rest, '>', &address))
		return false;
	*ret = (struct person){ slice_trim(name), slice_trim(address) };
	*s = rest;
	return ret->address.len > 0;
}

/* False for a line that maps nothing. */
static bool read_line(struct slice line, struct mailmap_line *ret)
{
	struct person new, old;
	struct slice comment;

	if (slice_take_until(&line, '#', &comment))
		line = comment;
	if (!take_person(&line, &new))
		return false;
	if (take_person(&line, &old)) {
		*ret = (struct mailmap_line){ new.name, new.address, old.name,
					      old.address };
		return true;
	}
	*ret = (struct mailmap_line){ .name = new.name,
				      .old_address = new.address };
	return new.name.len > 0;
}

void mailmap_parse(struct slice text, struct arena *arena, struct mailmap *ret)
{
	struct mailmap map = { 0 };
	struct mailmap_line one;
	struct slice line;

	while (slice_take_line(&text, &line)) {
		if (!read_line(line, &one))
			continue;
		map.line = arena_grow(arena, map.line, &map.cap, map.n,
				      sizeof(*map.line));
		map.line[map.n++] = one;
	}
	*ret = map;
}

void mailmap_apply(const struct mailmap *map, struct person *person)
{
	const struct mailmap_line *named = NULL, *any = NULL;

	for (size_t i = 0; map && i < map->n; i++) {
		const struct mailmap_line *l = &map->line[i];

		if (!addr_eq(l->old_address, person->address))
			continue;
		if (!l->old_name.len)
			any = l;
		else if (slice_caseeq(l->old_name, person->name))
			named = l;
	}
	if (!named)
		named = any;
	if (!named)
		return;
	if (named->name.len)
		person->name = named->name;
	if (named->address.len)
		person->address = named->address;
}
