#include "ph/hash.h"
#include "ph/site.h"

#define READABLE 40 /* bytes that are for people */
#define TELLING	 10 /* hex digits that tell names apart */

struct slice site_name(struct slice text, struct arena *arena)
{
	char readable[READABLE + 1], hash[65];
	size_t n = 0;

	for (size_t i = 0; i < text.len && n < READABLE; i++) {
		char c = to_lower(text.ptr[i]);
		bool plain = is_digit(c) || (c >= 'a' && c <= 'z');

		if (plain)
			readable[n++] = c;
		else if (n && readable[n - 1] != '-')
			readable[n++] = '-';
	}
	while (n && readable[n - 1] == '-')
		n--;
	hash_name(&text, 1, hash);
	return slice_of(arena_printf(arena, "%.*s%s%.*s", (int)n, readable,
				     n ? "-" : "", TELLING, hash));
}
