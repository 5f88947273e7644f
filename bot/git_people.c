#include "bot/git_people.h"

#include <string.h>
#include "bot/maintainers.h"
#include "ph/addr.h"
#include "ph/hash.h"

void gitpeople_release(struct gitpeople *p)
{
	maintainers_free(p->maintainers);
	*p = (struct gitpeople){ 0 };
}

static void read_maintainers(struct gitpeople *p, struct slice text)
{
	uint8_t digest[sizeof(p->digest)];
	struct err ignored; /* a file without sections names nobody */

	hash_sha256(text, digest);
	if (p->maintainers && !memcmp(digest, p->digest, sizeof(digest)))
		return;
	gitpeople_release(p);
	if (maintainers_new(text, &p->maintainers, &ignored) == PH_OK)
		memcpy(p->digest, digest, sizeof(digest));
}

static void map_trailers(const struct mailmap *map, struct arena *arena,
			 struct commit_facts *facts)
{
	for (size_t i = 0; i < facts->n_trailers; i++) {
		struct slice *value = &facts->trailers[i].value;
		struct person is, was;
		struct err ignored;

		if (addr_parse(*value, &was.name, &was.address, &ignored) !=
		    PH_OK)
			continue;
		is = was;
		mailmap_apply(map, &is);
		if (!slice_eq(is.name, was.name) ||
		    !slice_eq(is.address, was.address))
			*value = slice_of(arena_printf(arena, "%.*s <%.*s>",
						       S_FMT(is.name),
						       S_FMT(is.address)));
	}
}

/* Reviewers come from the commit itself, and lists have channels of their
 * own. */
static void put_maintainers(const struct maintainer_list *list,
			    struct arena *arena, struct commit_facts *facts)
{
	facts->maintainers = arena_array(arena, struct pair, list->n);
	for (size_t i = 0; i < list->n; i++) {
		const struct maintainer *m = &list->item[i];

		if (m->role == ROLE_MAINTAINER &&
		    !addr_is_list(m->person.address))
			facts->maintainers[facts->n_maintainers++] =
				(struct pair){ m->person.address, m->section };
	}
}

void gitpeople_fill(struct gitpeople *p, struct gittree *tree,
		    struct arena *arena, struct commit_facts *facts)
{
	struct mailmap map = { 0 };
	struct maintainer_list list;
	struct slice text, patch = S("");
	struct err ignored; /* what the tree does not have is nobody's fault */

	if (gittree_file(tree, ".mailmap", arena, &text, &ignored) == PH_OK)
		mailmap_parse(text, arena, &map);
	map_trailers(&map, arena, facts);
	if (!facts->n_files || !gittree_config(tree)->maintainers ||
	    gittree_file(tree, "MAINTAINERS", arena, &text, &ignored) != PH_OK)
		return;
	read_maintainers(p, text);
	if (!p->maintainers)
		return;
	if (gittree_patch(tree, slice_of(facts->id), arena, &patch, &ignored) !=
	    PH_OK)
		patch = S("");
	maintainers_find(p->maintainers, facts->files, facts->n_files, patch,
			 &map, arena, &list);
	put_maintainers(&list, arena, facts);
}
