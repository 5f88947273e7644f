#include "bot/people.h"

#include "ph/addr.h"

struct search {
	const struct config_channel *channel;
	const struct people_facts *facts;
	struct arena *arena;
	struct people_target *list;
	size_t n, cap;
};

static bool is_listed(const struct slice *list, size_t n, struct slice address)
{
	for (size_t i = 0; i < n; i++)
		if (addr_eq(list[i], address))
			return true;
	return false;
}

bool people_spared(const struct config_channel *ch,
		   const struct people_facts *f, struct slice address)
{
	return ch->only_if_new && !f->adds &&
	       is_listed(f->mailed, f->n_mailed, address);
}

static void put(struct search *s, struct slice address, bool told,
		struct slice why)
{
	s->list = arena_grow(s->arena, s->list, &s->cap, s->n, sizeof(*s->list));
	s->list[s->n++] = (struct people_target){ address, why, told };
}

static bool is_private(const struct people_facts *f)
{
	return f->tree && tree_is_private(f->tree, f->branch);
}

static void add(struct search *s, struct slice address, struct slice why)
{
	bool is_list = addr_is_list(address) || s->channel->list_consent;

	for (size_t i = 0; i < s->n; i++)
		if (addr_eq(s->list[i].address, address))
			return;
	if (is_list && is_private(s->facts))
		put(s, address, false,
		    S("the tree's owner wants no list to hear of this branch "
		      "(private_report_branch)"));
	else if (people_spared(s->channel, s->facts, address))
		put(s, address, false,
		    S("the robot has mailed them, and there is nothing to add "
		      "(only_if_new)"));
	else
		put(s, address, true, why);
}

static void add_known(struct search *s, struct slice address, struct slice why,
		      struct slice unknown)
{
	struct person person = { .address = address };

	mailmap_apply(s->facts->mailmap, &person);
	if (addr_valid(person.address))
		add(s, person.address, why);
	else
		put(s, S(""), false, unknown);
}

static void add_reviewers(struct search *s)
{
	const struct people_facts *f = s->facts;
	bool any = false;

	for (size_t i = 0; i < f->n_trailers; i++) {
		const struct pair *t = &f->trailers[i];
		struct person person;
		struct err ignored;

		if ((!slice_caseeq(t->key, S("Reviewed-by")) &&
		     !slice_caseeq(t->key, S("Acked-by"))) ||
		    addr_parse(t->value, &person.name, &person.address,
			       &ignored) != PH_OK)
			continue;
		mailmap_apply(f->mailmap, &person);
		add(s, person.address,
		    slice_of(arena_printf(s->arena, "%.*s", S_FMT(t->key))));
		any = true;
	}
	if (!any)
		put(s, S(""), false, S("@reviewers: nobody has reviewed it"));
}

/* A list that stands under M: is for the list's own channel. */
static void add_maintainer(struct search *s, const struct maintainer *m,
			   size_t *n)
{
	const char *why =
		arena_printf(s->arena, "maintainer of %.*s", S_FMT(m->section));

	if (m->role != ROLE_MAINTAINER)
		return;
	if (addr_is_list(m->person.address))
		put(s, m->person.address, false,
		    S("a list, and @maintainers means people"));
	else if (++*n > PEOPLE_MAINTAINERS)
		put(s, m->person.address, false,
		    S("over eight maintainers: a patch across "
		      "the tree is nobody's in particular"));
	else
		add(s, m->person.address, slice_of(why));
}

static void add_maintainers(struct search *s)
{
	const struct people_facts *f = s->facts;
	struct maintainer_list list;
	size_t n = 0;

	if (!f->maintainers || !f->n_files) {
		put(s, S(""), false,
		    f->maintainers
			    ? S("@maintainers: the tree does not say which "
				"files "
				"it touches")
			    : S("@maintainers: there is no MAINTAINERS file"));
		return;
	}
	maintainers_find(f->maintainers, f->files, f->n_files, f->patch,
			 f->mailmap, s->arena, &list);
	for (size_t i = 0; i < list.n; i++)
		add_maintainer(s, &list.item[i], &n);
	if (!n)
		put(s, S(""), false,
		    S("@maintainers: MAINTAINERS names nobody for its files"));
}

static void add_target(struct search *s, struct slice target)
{
	const struct people_facts *f = s->facts;

	if (slice_eq(target, S("@author")))
		add_known(s, f->author, S("author"),
			  S("@author: nobody knows who wrote it"));
	else if (slice_eq(target, S("@committer")))
		add_known(s, f->committer, S("committer"),
			  S("@committer: the tree does not know it"));
	else if (slice_eq(target, S("@reviewers")))
		add_reviewers(s);
	else if (slice_eq(target, S("@maintainers")))
		add_maintainers(s);
	else
		add(s, target, S("named in the configuration"));
}

void people_find(const struct config_channel *ch, const struct people_facts *f,
		 struct arena *arena, struct people_target **ret, size_t *ret_n)
{
	struct search s = { .channel = ch, .facts = f, .arena = arena };

	for (size_t i = 0; i < ch->to.n; i++)
		add_target(&s, slice_of(ch->to.item[i]));
	*ret = s.list;
	*ret_n = s.n;
}
