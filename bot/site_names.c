#include "bot/site_names.h"

#include <stdlib.h>
#include "ph/arena.h"
#include "ph/hash.h"

#define MARKS UINT64_C(7)
#define FIRST 1024

void site_names_init(struct site_names *s)
{
	*s = (struct site_names){ .n_slots = FIRST };
	s->slots = xcalloc(s->n_slots, sizeof(*s->slots));
}

void site_names_release(struct site_names *s)
{
	free(s->slots);
	s->slots = NULL;
}

uint64_t site_names_hash(struct slice text)
{
	uint8_t full[SHA256_LEN];
	uint64_t ret;

	hash_sha256(text, full);
	memcpy(&ret, full, sizeof(ret));
	ret &= ~MARKS;
	return ret ? ret : MARKS + 1; /* 0 is a free slot */
}

/* The slot of a hash, or the free one where it belongs. */
static uint64_t *slot_of(const struct site_names *s, uint64_t hash)
{
	size_t at = (size_t)(hash >> 3) & (s->n_slots - 1);

	while (s->slots[at] && (s->slots[at] & ~MARKS) != hash)
		at = (at + 1) & (s->n_slots - 1);
	return &s->slots[at];
}

static void grow(struct site_names *s)
{
	struct site_names larger = { .n_slots = 2 * s->n_slots,
				     .used = s->used };

	larger.slots = xcalloc(larger.n_slots, sizeof(*larger.slots));
	for (size_t i = 0; i < s->n_slots; i++)
		if (s->slots[i])
			*slot_of(&larger, s->slots[i] & ~MARKS) = s->slots[i];
	free(s->slots);
	*s = larger;
}

bool site_names_add(struct site_names *s, struct slice name, unsigned mark)
{
	uint64_t hash = site_names_hash(name), *slot;

	if (2 * s->used >= s->n_slots)
		grow(s);
	slot = slot_of(s, hash);
	if (!*slot) {
		*slot = hash;
		s->used++;
	}
	if (*slot & mark)
		return false;
	*slot |= mark;
	return true;
}

bool site_names_has(const struct site_names *s, struct slice name,
		    unsigned mark)
{
	return *slot_of(s, site_names_hash(name)) & mark;
}
