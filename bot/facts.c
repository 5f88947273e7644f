#include "bot/facts.h"

#include <assert.h>
#include "bot/facts_parts.h"
#include "bot/rank.h"
#include "notify/words.h"
#include "ph/clock.h"
#include "ph/utf8.h"

/* The robot's branches for posted patches end in "/YYYYMMDD-HHMMSS". */
static bool is_review_branch(struct slice branch)
{
	const char *slash = slice_rchr(branch, '/');
	struct slice stamp =
		slash ? slice_between(slash + 1, branch.ptr + branch.len)
		      : branch;

	if (!slash || stamp.len != 15)
		return false;
	for (size_t i = 0; i < stamp.len; i++)
		if (i == 8 ? stamp.ptr[i] != '-' : !is_digit(stamp.ptr[i]))
			return false;
	return true;
}

enum tree_rank facts_tree_rank(const struct report *r)
{
	struct slice tree = r->commit.tree, label = r->commit.label;

	if (r->posted.link.len || r->posted.url.len ||
	    is_review_branch(r->commit.branch))
		return TREE_POSTED;
	if (slice_find(tree, S("torvalds/linux")) ||
	    slice_starts(label, S("linus:")) ||
	    slice_eq(label, S("linus/master")))
		return TREE_MAINLINE;
	if (slice_find(tree, S("next/linux-next")) ||
	    slice_starts(label, S("linux-next:")) ||
	    slice_starts(label, S("linux-next/")))
		return TREE_NEXT;
	return TREE_MAINTAINER;
}

struct slice facts_unmask(struct slice text, struct arena *arena)
{
	const char *at = slice_rchr(text, '@');
	struct slice domain;

	if (!at)
		return text;
	domain = slice_between(at + 1, text.ptr + text.len);
	for (size_t i = 0; i < domain.len; i++)
		if (domain.ptr[i] != 'x' && domain.ptr[i] != '.')
			return text;
	if (domain.len < 3)
		return text;
	return slice_of(arena_printf(arena, "%.*s@intel.com",
				     (int)(at - text.ptr), text.ptr));
}

/* A slash in an id would end it there. */
struct slice facts_report_url(struct slice id, struct arena *arena)
{
	struct slice ret;
	struct buf b;

	if (!id.len)
		return id;
	id = facts_unmask(id, arena);
	buf_init(&b);
	buf_add_str(&b, "https://lore.kernel.org/r/");
	for (size_t i = 0; i < id.len; i++) {
		char c = id.ptr[i];

		if (c > ' ' && c <= '~' && !slice_chr(S("/?#%<>\"\\"), c))
			buf_add_char(&b, c);
		else
			buf_printf(&b, "%%%02X", (unsigned char)c);
	}
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

/* Of the test block, else of the table's axes. */
static struct slice build_part(const struct report *r,
			       const struct result *result, struct slice key,
			       struct slice said)
{
	struct slice value = facts_param(result, key);

	if (result->table >= 0) {
		const struct table *t = &r->tables[result->table];

		for (size_t i = 0; i < t->n_axes; i++)
			if (slice_eq(t->axes[i].key, key))
				value = t->axes[i].value;
	}
	return value.len ? value : said;
}

static struct slice build_words(const struct report *r,
				const struct result *result,
				struct arena *arena)
{
	struct slice compiler =
		build_part(r, result, S("compiler"), r->compiler);
	struct slice kconfig = build_part(r, result, S("kconfig"), r->kconfig);

	if (!compiler.len || !kconfig.len)
		return compiler.len ? compiler : kconfig;
	return slice_of(arena_printf(arena, "%.*s, %.*s", S_FMT(compiler),
				     S_FMT(kconfig)));
}

/* Tests whose gains have more than once been work left undone. */
static bool writes_or_encrypts(const struct result *result)
{
	static const struct slice tests[] = {
		S_INIT("fio*"),	     S_INIT("fsmark"),	 S_INIT("fxmark"),
		S_INIT("filebench"), S_INIT("iozone"),	 S_INIT("dbench"),
		S_INIT("postmark"),  S_INIT("*fileio"),	 S_INIT("blogbench"),
		S_INIT("ior*"),	     S_INIT("mdtest"),	 S_INIT("*crypt*"),
		S_INIT("openssl*"),  S_INIT("blktests"),
	};
	struct slice class = facts_param(result, S("class"));
	struct slice test = facts_param(result, S("test"));

	for (size_t i = 0; i < ARRAY_LEN(tests); i++)
		if (slice_glob(tests[i], result->testcase))
			return true;
	return facts_param(result, S("fs")).len ||
	       facts_param(result, S("disk")).len ||
	       slice_eq(class, S("filesystem")) || slice_eq(class, S("io")) ||
	       slice_find(test, S("crypt")) || slice_find(test, S("af-alg"));
}

static bool is_too_good(const struct result *result,
			const struct notice_result *n)
{
	if (n->verdict != VERDICT_IMPROVEMENT || !n->has_percent ||
	    n->change_kind != CHANGE_RELATIVE)
		return false;
	return n->percent >= 100 ||
	       (n->percent >= 20 && writes_or_encrypts(result));
}

static struct slice before_words(const struct facts_opposite *o,
				 struct arena *arena)
{
	struct notice_result n = { .verdict = o->verdict,
				   .has_percent = o->has_percent,
				   .percent = o->percent,
				   .change_kind = CHANGE_RELATIVE };
	struct slice ret;
	struct buf b;
	char date[16];

	clock_date(o->when, date);
	buf_init(&b);
	words_move(&b, &n, " ");
	buf_printf(&b, " on %s at ", date);
	words_commit(&b, o->commit, o->title);
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static struct slice fix_words(const struct facts_history *h,
			      struct arena *arena)
{
	struct slice ret;
	struct buf b;

	if (!h->fix_commit.len)
		return h->fix_commit;
	buf_init(&b);
	buf_add_str(&b, "fixed by ");
	words_commit(&b, h->fix_commit, h->fix_title);
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

/* The commit list has ten digits of a hash, the column's heading more. */
static void fill_base(const struct column *c, struct notice *n)
{
	n->base = slice_starts(c->heading, c->id) ? c->heading : c->id;
	n->base_title = c->title;
}

static void fill_patch(const struct report *r, const struct result *head,
		       struct arena *arena, struct notice *n)
{
	n->commit = r->commit.id;
	n->title = r->commit.title.len ? r->commit.title : r->posted.subject;
	n->tree = r->commit.tree;
	n->branch = r->commit.branch;
	n->label = r->commit.label;
	n->subsystem = r->commit.subsystem;
	n->posted_link = facts_unmask(r->posted.link, arena);
	n->build = build_words(r, head, arena);
	if (head->table >= 0 && r->tables[head->table].n_columns)
		fill_base(&r->tables[head->table].columns[0], n);
}

/* The asked headline first, the others in the report's order. */
static void fill_results(const struct report *r, const struct facts_history *h,
			 size_t headline, struct arena *arena, struct notice *n)
{
	n->results = arena_array(arena, struct notice_result, r->n_results);
	n->n_results = r->n_results;
	for (size_t i = 0; i < r->n_results; i++) {
		size_t to = i == headline ? 0 : i < headline ? i + 1 : i;

		facts_result(r, &r->results[i], arena, &n->results[to]);
		n->results[to].repeat = h && h->repeat && h->repeat[i];
		n->results[to].before =
			facts_seen(r, h, i, i == headline, arena);
	}
}

static void fill_weight(const struct report *r, const struct facts_history *h,
			size_t headline, struct arena *arena, struct notice *n)
{
	const struct result *head = &r->results[headline];
	struct weigh_others others;
	struct weigh_pair pair;
	struct weigh w;

	facts_others(r, h, headline, arena, &others);
	weigh_result(facts_pair(r, head, &pair) ? &pair : NULL, &others, arena,
		     &w);
	n->evidence = w.grade;
	n->has_effect = w.has_effect;
	n->effect = w.effect;
	n->effect_at_least = w.at_least;
	n->mixed = w.mixed;
	n->n_reasons = w.n_reasons;
	n->reasons = arena_array(arena, struct slice, w.n_reasons);
	memcpy(n->reasons, w.reasons, w.n_reasons * sizeof(*w.reasons));
	n->too_good = is_too_good(head, &n->results[0]);
}

static void fill_history(const struct facts_history *h, struct arena *arena,
			 struct notice *n)
{
	n->state = h->state;
	n->fix = fix_words(h, arena);
	if (h->opposite)
		n->before = before_words(h->opposite, arena);
}

/* Empty for a hash that is too short for the tracker. */
static struct slice regzbot_line(const struct report *r, struct arena *arena)
{
	if (r->commit.id.len < 8)
		return S("");
	return slice_of(arena_printf(arena, "#regzbot introduced: %.*s",
				     S_FMT(r->commit.id)));
}

/* Tags ask for a fix, so only a regression has them; the kernel's rule for
 * Reported-by is a commit that others build on. */
static void fill_tags(const struct report *r, const struct facts_history *h,
		      const struct facts_ask *ask, struct arena *arena,
		      struct notice *n)
{
	enum tree_rank rank = facts_tree_rank(r);

	if (h->merged > rank)
		rank = h->merged;
	if (n->results[0].verdict != VERDICT_REGRESSION || rank == TREE_POSTED)
		return;
	n->with_tags = true;
	n->closes = facts_unmask(r->closes, arena);
	if (rank < TREE_NEXT)
		return;
	n->reported_by = facts_unmask(r->reported_by, arena);
	if (ask->regzbot == REGZBOT_SEND)
		n->regzbot = regzbot_line(r, arena);
	else if (ask->regzbot == REGZBOT_PRINT)
		n->track = regzbot_line(r, arena);
}

void facts_fill(const struct report *r, const struct facts_history *history,
		const struct facts_ask *ask, struct arena *arena,
		struct notice *ret)
{
	static const struct facts_history nothing;
	const struct facts_history *h = history ? history : &nothing;
	const struct result *head;
	struct notice n = { .kind = ask->kind,
			    .made = ask->made,
			    .author = ask->author,
			    .note = ask->note };

	assert(ask->headline < r->n_results);
	head = &r->results[ask->headline];
	fill_patch(r, head, arena, &n);
	fill_results(r, h, ask->headline, arena, &n);
	fill_weight(r, h, ask->headline, arena, &n);
	n.failures = facts_failures(r, arena);
	n.with = arena_array(arena, struct notice_line, RANK_ROWS + 1);
	n.n_with = rank_rows(r, head, h->symbols, h->n_symbols, arena, n.with);
	fill_history(h, arena, &n);
	n.report_id = facts_unmask(r->id, arena);
	n.report_url = facts_report_url(n.report_id, arena);
	n.rerun_url = facts_unmask(r->archive, arena);
	fill_tags(r, h, ask, arena, &n);
	*ret = n;
}
