#include "bot/route.h"

#include <assert.h>
#include "bot/route_words.h"
#include "ph/addr.h"

static bool fits_any(const struct config_list *l, struct slice value)
{
	for (size_t i = 0; i < l->n; i++)
		if (slice_glob(slice_of(l->item[i]), value))
			return true;
	return false;
}

static bool address_fits(const struct config_list *l, struct slice address)
{
	for (size_t i = 0; i < l->n; i++)
		if (addr_match(slice_of(l->item[i]), address))
			return true;
	return false;
}

static bool any_path_fits(const struct config_list *l,
			  const struct route_subject *s)
{
	for (size_t i = 0; i < s->n_files; i++)
		if (fits_any(l, s->files[i]))
			return true;
	return false;
}

static bool any_list_fits(const struct config_list *l,
			  const struct route_subject *s)
{
	for (size_t i = 0; i < s->n_lists; i++)
		if (address_fits(l, s->lists[i]))
			return true;
	return false;
}

/*
 * A tree is a URL in the report. People write its end ("next/linux-next.git",
 * "linux-next"), or the word before the colon of the label ("linus").
 */
static bool tree_fits(const struct config_list *l,
		      const struct route_subject *s)
{
	struct slice tail = s->tree, bare, label = s->label, name;

	if (slice_take_until(&label, ':', &name) && fits_any(l, name))
		return true;
	while (tail.len) {
		bare = tail;
		if (slice_ends(bare, S(".git")))
			bare.len -= 4;
		if (fits_any(l, tail) || fits_any(l, bare))
			return true;
		if (!slice_take_until(&tail, '/', &name))
			break;
	}
	return false;
}

static bool branch_fits(const struct config_list *l,
			const struct route_subject *s)
{
	struct slice label = s->label, tree;

	if (s->branch.len)
		return fits_any(l, s->branch);
	return slice_take_until(&label, ':', &tree) && fits_any(l, label);
}

static bool holds(const struct config_match *m, const struct route_subject *s,
		  const struct route_result *r, struct route_decider *ret);

static bool all_hold(const struct config_match *m,
		     const struct route_subject *s,
		     const struct route_result *r, struct route_decider *ret)
{
	for (size_t i = 0; i < m->n_all; i++)
		if (!holds(m->all[i], s, r, ret))
			return false;
	return true;
}

static bool any_holds(const struct config_match *m,
		      const struct route_subject *s,
		      const struct route_result *r)
{
	struct route_decider ignored;

	for (size_t i = 0; i < m->n_any; i++)
		if (holds(m->any[i], s, r, &ignored))
			return true;
	return false;
}

static bool not_holds(const struct config_match *m,
		      const struct route_subject *s,
		      const struct route_result *r)
{
	struct route_decider ignored;

	return !holds(m->not_, s, r, &ignored);
}

static bool patch_key_holds(const struct config_match *m, enum match_key key,
			    const struct route_subject *s)
{
	switch (key) {
	case MATCH_TREE:
		return tree_fits(&m->tree, s);
	case MATCH_BRANCH:
		return branch_fits(&m->branch, s);
	case MATCH_LABEL:
		return fits_any(&m->label, s->label);
	case MATCH_SUBSYSTEM:
		return fits_any(&m->subsystem, s->subsystem);
	case MATCH_FILES:
		return any_path_fits(&m->files, s);
	case MATCH_AUTHOR:
		return address_fits(&m->author, s->author);
	default:
		assert(key == MATCH_LIST);
		return any_list_fits(&m->list, s);
	}
}

static bool result_key_holds(const struct config_match *m, enum match_key key,
			     const struct route_result *r)
{
	switch (key) {
	case MATCH_TESTCASE:
		return fits_any(&m->testcase, r->testcase);
	case MATCH_METRIC:
		return fits_any(&m->metric, r->metric);
	case MATCH_HOST:
		return fits_any(&m->host, r->host);
	case MATCH_VERDICT:
		return fits_any(&m->verdict, route_verdict_word(r->verdict));
	case MATCH_MIN_PERCENT:
		return r->percent >= m->min_percent;
	case MATCH_MIN_EFFECT:
		return r->has_effect && r->effect >= m->min_effect;
	case MATCH_EVIDENCE:
		return fits_any(&m->evidence, route_evidence_word(r->evidence));
	default:
		assert(key == MATCH_TOO_GOOD);
		return r->too_good == m->too_good;
	}
}

/*
 * r is NULL where the patch has no new result: keys of results then hold for
 * nothing. Depth is bounded by LIMIT_CONFIG_NEST.
 */
static bool holds(const struct config_match *m, const struct route_subject *s,
		  const struct route_result *r, struct route_decider *ret)
{
	for (enum match_key key = 0; key < MATCH_KEYS; key++) {
		bool ok;

		if (!config_match_has(m, key))
			continue;
		if (key < MATCH_TESTCASE)
			ok = patch_key_holds(m, key, s);
		else if (key < MATCH_ALL)
			ok = r && result_key_holds(m, key, r);
		else if (key == MATCH_ALL && !all_hold(m, s, r, ret))
			return false; /* the inner key says more */
		else if (key == MATCH_ALL)
			ok = true;
		else
			ok = key == MATCH_ANY ? any_holds(m, s, r)
					      : not_holds(m, s, r);
		if (ok)
			continue;
		*ret = (struct route_decider){ m, key };
		return false;
	}
	return true;
}

bool route_worse(const struct route_result *a, const struct route_result *b)
{
	if (a->verdict != b->verdict)
		return a->verdict == VERDICT_REGRESSION;
	return a->percent > b->percent;
}

struct answer {
	size_t n;		 /* results that match */
	size_t worst;		 /* of these */
	bool bare;		 /* holds although there is no result */
	struct route_decider no; /* of the result that came furthest */
	size_t no_result;
};

static bool ask(const struct config_match *m, const struct route_subject *s,
		bool *matched, struct answer *ret)
{
	struct answer a = { 0 };

	if (!s->n_results)
		a.bare = holds(m, s, NULL, &a.no);
	for (size_t i = 0; i < s->n_results; i++) {
		const struct route_result *r = &s->results[i];
		struct route_decider no = { 0 };
		bool ok = holds(m, s, r, &no);

		if (matched)
			matched[i] = ok;
		if (ok && (!a.n || route_worse(r, &s->results[a.worst])))
			a.worst = i;
		if (!ok && (!a.no.match || no.key > a.no.key)) {
			a.no = no;
			a.no_result = i;
		}
		a.n += ok;
	}
	*ret = a;
	return a.n || a.bare;
}

static void put_answer(struct buf *b, const struct config_match *m,
		       const struct route_subject *s, const struct answer *a)
{
	const struct route_result *results = s->results;

	if (a->n || a->bare)
		route_put_yes(b, m, s, a->n ? results + a->worst : NULL, a->n);
	else
		route_put_no(b, &a->no, s,
			     s->n_results ? results + a->no_result : NULL);
}

bool route_holds(const struct config_match *m, const struct route_subject *s,
		 struct arena *arena, bool *ret_results, struct slice *ret_why)
{
	struct answer a;
	bool yes = ask(m, s, ret_results, &a);
	struct buf why;

	if (!ret_why)
		return yes;
	buf_init(&why);
	put_answer(&why, m, s, &a);
	*ret_why = arena_copy(arena, buf_slice(&why));
	buf_release(&why);
	return yes;
}

static struct route_hit *hit_of(struct route_outcome *o,
				const struct config_channel *channel)
{
	for (size_t i = 0; i < o->n_hits; i++)
		if (o->hits[i].channel == channel)
			return &o->hits[i];
	return NULL;
}

/* Merges the results that this route adds; both lists rise. */
static void add_results(struct route_hit *hit, const struct route_subject *s,
			const bool *matched, struct arena *arena)
{
	size_t *list = arena_array(arena, size_t, s->n_results), n = 0;
	size_t old = 0;

	for (size_t i = 0; i < s->n_results; i++) {
		bool had = old < hit->n_results && hit->results[old] == i;

		old += had;
		if (!had && !matched[i])
			continue;
		if (!n ||
		    route_worse(&s->results[i], &s->results[hit->headline]))
			hit->headline = i;
		list[n++] = i;
	}
	hit->results = list;
	hit->n_results = n;
}

static void add_channels(struct route_outcome *o, const struct config_route *r,
			 const struct route_subject *s, const bool *matched,
			 struct arena *arena)
{
	for (size_t i = 0; i < r->n_to; i++) {
		struct route_hit *hit = hit_of(o, r->to[i]);

		if (!hit) {
			hit = &o->hits[o->n_hits++];
			hit->channel = r->to[i];
			hit->route = r;
		}
		add_results(hit, s, matched, arena);
	}
}

static struct slice trace_line(const struct config_route *r, bool yes,
			       struct slice why, struct arena *arena)
{
	struct buf b;
	struct slice line;

	buf_init(&b);
	buf_printf(&b, "route in line %u: %.*s", r->mark.line, S_FMT(why));
	if (yes) {
		buf_add_str(&b, "; to ");
		for (size_t i = 0; i < r->n_to; i++)
			buf_printf(&b, "%s%s", i ? ", " : "", r->to[i]->name);
		buf_add_str(&b, r->go_on ? "; goes on" : "; ends here");
	}
	line = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return line;
}

void route_match(const struct config *config, const struct route_subject *s,
		 struct arena *arena, struct route_outcome *ret)
{
	struct route_outcome o = { 0 };
	bool *matched = arena_array(arena, bool, s->n_results);

	o.hits = arena_array(arena, struct route_hit, config->n_channels);
	o.trace = arena_array(arena, struct slice, config->n_routes);
	for (size_t i = 0; i < config->n_routes; i++) {
		const struct config_route *r = &config->routes[i];
		struct slice why;
		bool yes = route_holds(&r->match, s, arena, matched, &why);

		o.trace[o.n_trace++] = trace_line(r, yes, why, arena);
		if (!yes)
			continue;
		add_channels(&o, r, s, matched, arena);
		if (!r->go_on)
			break;
	}
	*ret = o;
}
