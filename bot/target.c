#include "bot/target.h"

#include "ph/addr.h"

bool target_is_people(const struct config_channel *ch, struct slice spec)
{
	return ch->type == CHANNEL_MAIL && spec.len && *spec.ptr == '@';
}

bool target_is_list(const struct config_channel *ch, struct slice target)
{
	return ch->type == CHANNEL_MAIL &&
	       (ch->list_consent || addr_is_list(target));
}

struct list {
	struct slice *item;
	size_t n, cap;
	struct arena *arena;
};

static void add(struct list *l, struct slice address)
{
	for (size_t i = 0; i < l->n; i++)
		if (addr_eq(l->item[i], address))
			return;
	if (!address.len)
		return;
	l->item =
		arena_grow(l->arena, l->item, &l->cap, l->n, sizeof(*l->item));
	l->item[l->n++] = address;
}

/* Who has put a name to the commit besides its author and committer. */
static bool is_review(struct slice key)
{
	return slice_caseeq(key, S("Reviewed-by")) ||
	       slice_caseeq(key, S("Acked-by")) ||
	       slice_caseeq(key, S("Tested-by"));
}

static void add_reviewers(struct list *l, const struct commit_facts *git)
{
	for (size_t i = 0; i < git->n_trailers; i++) {
		struct slice name, address;

		if (is_review(git->trailers[i].key) &&
		    addr_parse(git->trailers[i].value, &name, &address, NULL) ==
			    PH_OK)
			add(l, address);
	}
}

/* A patch across the tree is nobody's in particular. */
#define MAX_MAINTAINERS 8

static void add_maintainers(struct list *l, const struct commit_facts *git)
{
	for (size_t i = 0; i < git->n_maintainers && i < MAX_MAINTAINERS; i++)
		add(l, git->maintainers[i].key);
}

static void add_persons(struct list *l, const struct person *persons, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(l, persons[i].address);
}

static void add_owner(struct list *l, const struct branch *branch)
{
	const struct tree *tree = branch->tree;

	if (!tree)
		return;
	add_persons(l, tree->owners, tree->n_owners);
	if (!branch->is_private)
		add_persons(l, tree->cc, tree->n_cc);
}

void target_expand(const struct config_channel *ch, struct slice spec,
		   const struct target_known *known, struct arena *arena,
		   struct slice **ret, size_t *ret_n)
{
	const struct commit_facts *git = known->git;
	struct list l = { .arena = arena };

	if (!target_is_people(ch, spec))
		add(&l, spec);
	else if (slice_eq(spec, S("@author")))
		add(&l, known->author);
	else if (slice_eq(spec, S("@owner")))
		add_owner(&l, &known->branch);
	else if (git && slice_eq(spec, S("@committer")))
		add(&l, git->committer.address);
	else if (git && slice_eq(spec, S("@reviewers")))
		add_reviewers(&l, git);
	else if (git && slice_eq(spec, S("@maintainers")))
		add_maintainers(&l, git);
	*ret = l.item;
	*ret_n = l.n;
}
