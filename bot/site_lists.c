/* Lists, feeds and the front page, from the spool. */
#include "bot/site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#define PER_PAGE 100 /* at least, and twice that on the newest page */
#define FRONT	 20  /* patches in each part of the front page */

static const struct kind {
	const char *one, *all;
} kinds[] = {
	[SITE_TESTCASE] = { "Test", "Tests" },
	[SITE_HOST] = { "Host", "Hosts" },
	[SITE_SUBSYSTEM] = { "Subsystem", "Subsystems" },
	[SITE_TREE] = { "Tree", "Trees" },
};

static const struct own_list {
	const char *name, *title;
} own_lists[] = {
	{ "open", "Open regressions" },
	{ "better", "Improvements" },
	{ "all", "All patches" },
};

/* -- reading the spool -- */

static enum status read_back(struct site *s, int64_t at, size_t len,
			     struct slice *ret, struct err *err)
{
	char *text = arena_alloc(&s->arena, len + 1);

	if (fseeko(s->spool, at, SEEK_SET) != 0 ||
	    fread(text, 1, len, s->spool) != len)
		return err_exit(err, PH_FATAL, EX_IOERR, "temporary file: %s",
				strerror(errno));
	*ret = (struct slice){ text, len };
	return PH_OK;
}

/* Lines of these refs, in the arena. */
static enum status read_lines(struct site *s, const uint32_t *refs, size_t n,
			      struct slice **ret, struct err *err)
{
	struct slice *lines = arena_array(&s->arena, struct slice, n + 1);
	enum status st = PH_OK;

	for (size_t i = 0; i < n && st == PH_OK; i++)
		st = read_back(s, s->refs[refs[i]].at,
			       s->refs[refs[i]].line_len, &lines[i], err);
	*ret = lines;
	return st;
}

static enum status read_entries(struct site *s, const uint32_t *refs, size_t n,
				struct slice **ret, struct err *err)
{
	struct slice *entries = arena_array(&s->arena, struct slice, n + 1);
	enum status st = PH_OK;

	for (size_t i = 0; i < n && st == PH_OK; i++) {
		const struct site_ref *r = &s->refs[refs[i]];

		st = read_back(s, r->at + r->line_len, r->entry_len,
			       &entries[i], err);
	}
	*ret = entries;
	return st;
}

/* -- the pages of a list -- */

static struct slice title_of(struct site *s, const struct site_group *g)
{
	for (size_t i = 0; i < ARRAY_LEN(own_lists); i++)
		if (g->kind == SITE_LIST &&
		    slice_eq(slice_of(own_lists[i].name), g->name))
			return slice_of(own_lists[i].title);
	return slice_of(arena_printf(&s->arena, "%s %.*s", kinds[g->kind].one,
				     S_FMT(g->name)));
}

/*
 * Pages are counted from the oldest, so that a new patch changes the newest
 * page only: 1 to n are full, the newest has no number.
 */
static struct slice page_name(struct site *s, const struct site_group *g,
			      size_t page, size_t newest)
{
	if (page == newest)
		return slice_of(
			arena_printf(&s->arena, "%.*s.html", S_FMT(g->page)));
	return slice_of(arena_printf(&s->arena, "%.*s-%zu.html", S_FMT(g->page),
				     page + 1));
}

static struct slice feed_of(struct site *s, const struct site_group *g)
{
	if (g->kind != SITE_SUBSYSTEM)
		return S("");
	return slice_of(arena_printf(&s->arena, "%.*s.xml", S_FMT(g->page)));
}

static enum status put_page(struct site *s, const struct site_group *g,
			    size_t page, size_t newest, struct err *err)
{
	/* refs stand newest first */
	size_t end = g->n - page * PER_PAGE;
	size_t start = page == newest ? 0 : end - PER_PAGE;
	struct site_list list = { .n_lines = end - start };
	/* an empty list has none, and nothing may be added to a null pointer */
	const uint32_t *refs = start ? g->refs + start : g->refs;
	struct slice *lines, name;
	enum status st;

	arena_reset(&s->arena);
	st = read_lines(s, refs, end - start, &lines, err);
	if (st != PH_OK)
		return st;
	list.lines = lines;
	list.title = title_of(s, g);
	list.feed = feed_of(s, g);
	if (page < newest)
		list.newer = page_name(s, g, page + 1, newest);
	if (page > 0)
		list.older = page_name(s, g, page - 1, newest);
	name = page_name(s, g, page, newest);
	site_list_page(&list, &s->html);
	return site_put(s,
			slice_of(arena_printf(&s->arena, "%s/%.*s",
					      site_folders[g->kind],
					      S_FMT(name))),
			err);
}

static enum status put_group(struct site *s, const struct site_group *g,
			     struct err *err)
{
	size_t newest = g->n < 2 * PER_PAGE ? 0 : g->n / PER_PAGE - 1;
	enum status st = PH_OK;

	for (size_t page = 0; page <= newest && st == PH_OK; page++)
		st = put_page(s, g, page, newest, err);
	return st;
}

/* -- feeds -- */

static enum status put_feed(struct site *s, const uint32_t *refs, size_t n,
			    struct site_feed *feed, struct err *err)
{
	struct slice *entries;
	enum status st;

	if (n > SITE_FEED)
		n = SITE_FEED;
	st = read_entries(s, refs, n, &entries, err);
	if (st != PH_OK)
		return st;
	feed->base = s->base;
	feed->seed = s->seed;
	feed->entries = entries;
	feed->n_entries = n;
	for (size_t i = 0; i < n; i++)
		if (s->refs[refs[i]].updated > feed->updated)
			feed->updated = s->refs[refs[i]].updated;
	site_feed_page(feed, &s->html);
	return site_put(s, feed->self, err);
}

static enum status put_group_feed(struct site *s, const struct site_group *g,
				  struct err *err)
{
	struct site_feed feed = { 0 };
	struct slice name;

	arena_reset(&s->arena);
	name = feed_of(s, g);
	if (!name.len)
		return PH_OK;
	feed.title = title_of(s, g);
	feed.home = site_group_page(s, g);
	feed.self = slice_of(arena_printf(&s->arena, "%s/%.*s",
					  site_folders[g->kind], S_FMT(name)));
	return put_feed(s, g->refs, g->n, &feed, err);
}

static enum status put_whole_feed(struct site *s, struct err *err)
{
	const struct site_group *all = site_group(s, SITE_LIST, S("all"));
	struct site_feed feed = { .title = S("Performance of the kernel"),
				  .self = S("feed.xml"),
				  .home = S("index.html") };

	arena_reset(&s->arena);
	return put_feed(s, all->refs, all->n, &feed, err);
}

/* -- lists of lists -- */

static int by_name(const void *a, const void *b)
{
	const struct site_link *x = a, *y = b;

	return slice_cmp(x->name, y->name);
}

static enum status put_names(struct site *s, enum site_kind kind,
			     struct err *err)
{
	struct site_link *links;
	size_t n = 0;

	arena_reset(&s->arena);
	links = arena_array(&s->arena, struct site_link, s->n_groups + 1);
	for (size_t i = 0; i < s->n_groups; i++) {
		const struct site_group *g = &s->groups[i];

		if (g->kind != kind || !g->n)
			continue;
		links[n++] = (struct site_link){
			.name = g->name,
			.page = page_name(s, g, 0, 0),
			.patches = (int64_t)g->n,
			.worse = g->open,
		};
	}
	qsort(links, n, sizeof(*links), by_name);
	site_names_page(slice_of(kinds[kind].all), links, n, &s->html);
	return site_put(s,
			slice_of(arena_printf(&s->arena, "%s/index.html",
					      site_folders[kind])),
			err);
}

/* -- the front page -- */

/* The worst of a list, worst first; at most FRONT of them. Newer ones stand
 * first among equals. */
static size_t find_worst(const struct site *s, const struct site_group *g,
			 uint32_t ret[FRONT])
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		double percent = s->refs[g->refs[i]].percent;
		size_t at = n;

		while (at && s->refs[ret[at - 1]].percent < percent)
			at--;
		if (at == FRONT)
			continue;
		if (n < FRONT)
			n++;
		memmove(ret + at + 1, ret + at, (n - at - 1) * sizeof(*ret));
		ret[at] = g->refs[i];
	}
	return n;
}

static size_t at_most(size_t n, size_t max)
{
	return n < max ? n : max;
}

/* Its lists are there already: to make one would move the others. */
static enum status put_front(struct site *s, struct err *err)
{
	const struct site_group *open, *better;
	struct site_front f = { .patches = (int64_t)s->n_refs,
				.newest = s->newest };
	uint32_t worst[FRONT];
	struct slice *lines[3];
	enum status st;

	arena_reset(&s->arena);
	open = site_group(s, SITE_LIST, S("open"));
	better = site_group(s, SITE_LIST, S("better"));
	f.open = (int64_t)open->n;
	f.latest.n = at_most(open->n, FRONT);
	f.worst.n = find_worst(s, open, worst);
	f.better.n = at_most(better->n, FRONT);
	st = read_lines(s, open->refs, f.latest.n, &lines[0], err);
	if (st == PH_OK)
		st = read_lines(s, worst, f.worst.n, &lines[1], err);
	if (st == PH_OK)
		st = read_lines(s, better->refs, f.better.n, &lines[2], err);
	if (st != PH_OK)
		return st;
	f.latest.lines = lines[0];
	f.worst.lines = lines[1];
	f.better.lines = lines[2];
	site_front_page(&f, &s->html);
	return site_put(s, S("index.html"), err);
}

enum status site_lists(struct site *s, struct err *err)
{
	enum status st = PH_OK;

	/* menus name these, whether there is anything in them or not */
	for (size_t i = 0; i < ARRAY_LEN(own_lists); i++)
		site_group(s, SITE_LIST, slice_of(own_lists[i].name));
	for (size_t i = 0; i < s->n_groups && st == PH_OK; i++) {
		st = put_group(s, &s->groups[i], err);
		if (st == PH_OK)
			st = put_group_feed(s, &s->groups[i], err);
	}
	for (enum site_kind kind = SITE_TESTCASE;
	     kind < SITE_KINDS && st == PH_OK; kind++)
		st = put_names(s, kind, err);
	if (st == PH_OK)
		st = put_whole_feed(s, err);
	return st == PH_OK ? put_front(s, err) : st;
}
