#include "config/match.h"

#define MAX_TOGETHER 64

const struct config_list *config_match_list(const struct config_match *m,
					    enum match_key key)
{
	switch (key) {
	case MATCH_TREE:
		return &m->tree;
	case MATCH_BRANCH:
		return &m->branch;
	case MATCH_LABEL:
		return &m->label;
	case MATCH_SUBSYSTEM:
		return &m->subsystem;
	case MATCH_FILES:
		return &m->files;
	case MATCH_AUTHOR:
		return &m->author;
	case MATCH_LIST:
		return &m->list;
	case MATCH_TESTCASE:
		return &m->testcase;
	case MATCH_METRIC:
		return &m->metric;
	case MATCH_HOST:
		return &m->host;
	case MATCH_VERDICT:
		return &m->verdict;
	case MATCH_EVIDENCE:
		return &m->evidence;
	default:
		return NULL;
	}
}

bool config_match_has(const struct config_match *m, enum match_key key)
{
	switch (key) {
	case MATCH_MIN_PERCENT:
		return m->has_min_percent;
	case MATCH_MIN_EFFECT:
		return m->has_min_effect;
	case MATCH_TOO_GOOD:
		return m->has_too_good;
	case MATCH_ALL:
		return m->n_all;
	case MATCH_ANY:
		return m->n_any;
	case MATCH_NOT:
		return m->not_;
	default:
		return config_match_list(m, key)->n;
	}
}

/* A patch touches many files, goes to many lists and may be for more than one
 * subsystem; of all else it, or one result, has a single value. */
static bool has_one_value(enum match_key key)
{
	return key != MATCH_FILES && key != MATCH_LIST &&
	       key != MATCH_SUBSYSTEM;
}

static bool is_glob(struct slice s)
{
	return slice_chr(s, '*') || slice_chr(s, '?');
}

/* Whether one text can fit both; for two globs that is taken for granted. */
static bool compatible(struct slice a, struct slice b)
{
	if (is_glob(a) && is_glob(b))
		return true;
	return is_glob(a) ? slice_caseglob(a, b) : slice_caseglob(b, a);
}

static bool lists_meet(const struct config_list *a, const struct config_list *b)
{
	if (!a->n || !b->n)
		return true;
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			if (compatible(slice_of(a->item[i]),
				       slice_of(b->item[j])))
				return true;
	return false;
}

static bool list_has(const struct config_list *l, const char *word)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->item[i], word))
			return true;
	return !l->n;
}

static bool is_empty(const struct config_match *m)
{
	for (enum match_key key = 0; key < MATCH_KEYS; key++)
		if (config_match_has(m, key))
			return false;
	return true;
}

/* Whether a holds for everything for which b holds. Says no when in doubt. */
static bool covers(const struct config_match *a, const struct config_match *b);

static bool list_covers(const struct config_list *a,
			const struct config_list *b)
{
	if (!a->n)
		return true;
	for (size_t j = 0; j < b->n; j++) {
		struct slice want = slice_of(b->item[j]);
		bool found = false;

		for (size_t i = 0; i < a->n && !found; i++) {
			struct slice have = slice_of(a->item[i]);

			found = slice_eq(have, want) ||
				slice_eq(have, S("*")) ||
				(!is_glob(want) && slice_glob(have, want));
		}
		if (!found)
			return false;
	}
	return b->n;
}

static bool keys_cover(const struct config_match *a,
		       const struct config_match *b)
{
	for (enum match_key key = 0; key < MATCH_KEYS; key++) {
		const struct config_list *la = config_match_list(a, key);

		if (la && !list_covers(la, config_match_list(b, key)))
			return false;
	}
	if (a->has_min_percent &&
	    !(b->has_min_percent && b->min_percent >= a->min_percent))
		return false;
	if (a->has_min_effect &&
	    !(b->has_min_effect && b->min_effect >= a->min_effect))
		return false;
	return !a->has_too_good ||
	       (b->has_too_good && a->too_good == b->too_good);
}

static bool covers(const struct config_match *a, const struct config_match *b)
{
	bool any = !a->n_any;

	if (a->not_ || !keys_cover(a, b))
		return false;
	for (size_t i = 0; i < a->n_all; i++)
		if (!covers(a->all[i], b))
			return false;
	for (size_t i = 0; i < a->n_any && !any; i++)
		any = covers(a->any[i], b);
	return any;
}

/* Adds m and all below its `all` to the matchers that must hold together. */
static size_t gather(const struct config_match *m,
		     const struct config_match **ret, size_t n)
{
	size_t i = n;

	if (n == MAX_TOGETHER)
		return n;
	for (ret[n++] = m; i < n; i++)
		for (size_t k = 0; k < ret[i]->n_all && n < MAX_TOGETHER; k++)
			ret[n++] = ret[i]->all[k];
	return n;
}

static bool pair_possible(const struct config_match *a,
			  const struct config_match *b, struct err *why)
{
	for (enum match_key key = 0; key < MATCH_KEYS; key++) {
		const struct config_list *la = config_match_list(a, key);

		if (!la || !has_one_value(key) ||
		    lists_meet(la, config_match_list(b, key)))
			continue;
		err_set(why, PH_BAD, "it asks for two values of %s at once",
			match_key_name(key));
		return false;
	}
	if (a->has_too_good && b->has_too_good && a->too_good != b->too_good) {
		err_set(why, PH_BAD,
			"it asks for two values of too_good at "
			"once");
		return false;
	}
	if (a->has_too_good && a->too_good &&
	    !list_has(&b->verdict, "improvement")) {
		err_set(why, PH_BAD, "only an improvement is too good");
		return false;
	}
	return true;
}

static bool together(const struct config_match *const *list, size_t n,
		     struct err *why)
{
	for (size_t i = 0; i < n; i++) {
		const struct config_match *no = list[i]->not_;

		if (no && is_empty(no)) {
			err_set(why, PH_BAD, "an empty not holds for nothing");
			return false;
		}
		for (size_t k = 0; k < n; k++) {
			if (!pair_possible(list[i], list[k], why))
				return false;
			if (no && covers(no, list[k])) {
				err_set(why, PH_BAD,
					"its not takes away all that the rest "
					"leaves");
				return false;
			}
		}
	}
	return true;
}

bool config_match_possible(const struct config_match *m, struct err *why)
{
	const struct config_match *list[MAX_TOGETHER];
	size_t n = gather(m, list, 0), more;

	if (!together(list, n, why))
		return false;
	for (size_t i = 0; i < n; i++) {
		bool any = !list[i]->n_any;

		for (size_t k = 0; k < list[i]->n_any && !any; k++) {
			more = gather(list[i]->any[k], list, n);
			any = together(list, more, why);
		}
		if (!any)
			return false;
	}
	return true;
}

static const struct config_route *taken_by(const struct config *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!c->routes[k].go_on &&
		    covers(&c->routes[k].match, &c->routes[i].match))
			return &c->routes[k];
	return NULL;
}

void match_warn(const struct config *c, struct notes *notes)
{
	for (size_t i = 0; i < c->n_routes; i++) {
		const struct config_route *r = &c->routes[i], *other;
		struct err why;

		if (!config_match_possible(&r->match, &why)) {
			notes_warning(notes, r->mark,
				      "this route can never match: %s",
				      why.text);
			continue;
		}
		other = taken_by(c, i);
		if (other)
			notes_warning(notes, r->mark,
				      "this route can never match: the one in "
				      "line %u takes all of it first",
				      other->mark.line);
	}
}
