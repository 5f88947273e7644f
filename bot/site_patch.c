/* The page of one patch, and what the lists need to know of it. */
#include "bot/site.h"

#include <stdio.h>
#include "bot/facts.h"
#include "bot/store/message.h"
#include "bot/summary.h"
#include "notify/words.h"
#include "ph/hash.h"
#include "ph/report.h"

#define RESULTS_SHOWN 300
#define REPORTS_SHOWN 100
#define HASHES_SHOWN  100

/* A patch as far as everybody may see it. */
struct view {
	struct site *site;
	const struct patch_row *patch;
	struct result_row *rows; /* oldest first */
	size_t n;
	struct site_report *reports; /* newest first */
	int64_t *messages;	     /* their ids */
	size_t n_reports;
	struct slice commits[HASHES_SHOWN];
	size_t n_commits;
	struct notice *notice;
};

uint64_t site_series_of(const struct result_row *row)
{
	const struct slice parts[] = { row->testcase, row->params, row->host,
				       row->metric };
	char hash[65];
	uint64_t ret = 0;

	hash_name(parts, ARRAY_LEN(parts), hash);
	for (size_t i = 0; i < 16; i++)
		ret = ret << 4 | (uint64_t)hex_value(hash[i]);
	return ret;
}

struct slice site_series_name(uint64_t series, struct arena *arena)
{
	return slice_of(
		arena_printf(arena, "%016llx", (unsigned long long)series));
}

void site_fill_result(struct site *s, const struct result_row *row,
		      const struct patch_row *patch, struct slice report_url,
		      struct site_result *ret)
{
	*ret = (struct site_result){
		.when = row->arrived,
		.patch = patch->hex,
		.series = site_series_name(site_series_of(row), &s->arena),
		.title = patch->title,
		.commit = row->commit,
		.tree = row->tree,
		.testcase = row->testcase,
		.params = row->params,
		.host = row->host,
		.metric = row->metric,
		.report_url = report_url,
		.verdict = row->verdict,
		.percent = row->percent,
		.has_values = row->has_values,
		.base = row->base,
		.value = row->value,
		.base_dev = row->base_dev,
		.value_dev = row->value_dev,
		.has_effect = row->has_effect,
		.effect = row->effect,
		.evidence = row->evidence,
		.news = row->news,
	};
}

/* -- what is there -- */

static enum status read_results(struct view *v, struct err *err)
{
	struct site *s = v->site;
	struct result_row *rows;
	size_t n;
	enum status st = result_list(s->ask.store, 0, v->patch->id, 0,
				     &s->arena, &rows, &n, err);

	if (st != PH_OK)
		return st;
	v->rows = rows;
	for (size_t i = 0; i < n; i++)
		if (!site_is_private(s, v->patch->label, rows[i].tree,
				     rows[i].branch))
			v->rows[v->n++] = rows[i];
	return v->n ? PH_OK : PH_NONE;
}

static enum status add_report(struct view *v, int64_t message, struct err *err)
{
	struct site *s = v->site;
	struct message_row row;
	enum status st =
		message_get(s->ask.store, message, &s->arena, &row, err);

	if (st != PH_OK)
		return st;
	v->messages[v->n_reports] = message;
	v->reports[v->n_reports] = (struct site_report){
		.when = row.arrived,
		.subject = row.subject,
		.url = facts_report_url(row.msgid, &s->arena),
		.proof = proven_name(row.proven),
	};
	v->n_reports++;
	return PH_OK;
}

/* Those of the results, which are sorted by them. */
static enum status read_reports(struct view *v, struct err *err)
{
	struct arena *arena = &v->site->arena;
	int64_t last = 0;
	enum status st = PH_OK;

	v->reports = arena_array(arena, struct site_report, REPORTS_SHOWN);
	v->messages = arena_array(arena, int64_t, REPORTS_SHOWN);
	for (size_t i = v->n;
	     i-- && v->n_reports < REPORTS_SHOWN && st == PH_OK;) {
		if (v->rows[i].message != last)
			st = add_report(v, v->rows[i].message, err);
		last = v->rows[i].message;
	}
	return st;
}

static void take_commit(void *arg, struct slice commit, struct slice patchid,
			int64_t first)
{
	struct view *v = arg;

	(void)patchid;
	(void)first;
	if (v->n_commits < HASHES_SHOWN)
		v->commits[v->n_commits++] = commit;
}

/* Hashes of private branches stand with none of the results left. */
static void keep_seen_commits(struct view *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->n_commits; i++) {
		bool seen = false;

		for (size_t k = 0; k < v->n && !seen; k++)
			seen = slice_starts(v->commits[i], v->rows[k].commit);
		if (seen)
			v->commits[kept++] = v->commits[i];
	}
	v->n_commits = kept;
}

/* -- what a notice says -- */

/* Results of the newest report stand last. */
static enum status make_notice(struct view *v, struct err *err)
{
	struct site *s = v->site;
	size_t n_past = v->n;
	struct summary_of of = { .patch = v->patch,
				 .message = v->messages[0],
				 .past = v->rows,
				 .alone = s->has_private };
	const struct facts_ask ask = { .kind = NOTICE_FORWARD };
	struct notice *notice = arena_new(&s->arena, struct notice);
	enum status st;

	while (n_past && v->rows[n_past - 1].message == of.message)
		n_past--;
	of.n_past = n_past;
	of.now = v->rows + n_past;
	of.n_now = v->n - n_past;
	st = summary_make(s->ask.store, &of, &ask, &s->arena, notice, err);
	if (st == PH_OK)
		v->notice = notice;
	/* the page has all the rest */
	return st == PH_NONE || st == PH_BAD ? PH_OK : st;
}

/* -- lists it belongs to -- */

/* "linus" of "linus:master"; without a label, what tells its URL. */
static struct slice tree_name(struct site *s, const struct patch_row *patch)
{
	struct slice rest = patch->label, name;
	struct buf b;

	if (slice_take_until(&rest, ':', &name))
		return name;
	if (patch->label.len)
		return patch->label;
	buf_init(&b);
	words_place(&b, patch->tree);
	name = arena_copy(&s->arena, buf_slice(&b));
	buf_release(&b);
	return name;
}

static void join(struct site *s, enum site_kind kind, struct slice name)
{
	if (name.len)
		site_group_add(s, site_group(s, kind, name));
}

static void join_groups(struct view *v, const struct site_ref *ref)
{
	struct site *s = v->site;

	join(s, SITE_LIST, S("all"));
	if (ref->flags & REF_OPEN)
		join(s, SITE_LIST, S("open"));
	if (ref->flags & REF_BETTER)
		join(s, SITE_LIST, S("better"));
	join(s, SITE_SUBSYSTEM, v->patch->subsystem);
	join(s, SITE_TREE, tree_name(s, v->patch));
	for (size_t i = 0; i < v->n; i++) {
		join(s, SITE_TESTCASE, v->rows[i].testcase);
		join(s, SITE_HOST, v->rows[i].host);
	}
}

static struct slice page_of(struct site *s, enum site_kind kind,
			    struct slice name)
{
	if (!name.len)
		return name;
	return site_group_page(s, site_group(s, kind, name));
}

/* -- the page -- */

static struct slice url_of(const struct view *v, int64_t message)
{
	for (size_t i = 0; i < v->n_reports; i++)
		if (v->messages[i] == message)
			return v->reports[i].url;
	return S("");
}

static const struct site_result *shown_results(const struct view *v, size_t n)
{
	struct site_result *ret =
		arena_array(&v->site->arena, struct site_result, n + 1);

	for (size_t i = 0; i < n; i++) {
		const struct result_row *row = &v->rows[v->n - 1 - i];

		site_fill_result(v->site, row, v->patch,
				 url_of(v, row->message), &ret[i]);
	}
	return ret;
}

static enum status put_page(struct view *v, struct err *err)
{
	struct site *s = v->site;
	const struct patch_row *p = v->patch;
	const struct result_row *last = &v->rows[v->n - 1];
	size_t n = v->n < RESULTS_SHOWN ? v->n : RESULTS_SHOWN;
	struct site_patch page = {
		.id = p->hex,
		.title = p->title,
		.state = slice_of(patch_life_name(p->life)),
		.reason = p->life_reason,
		.commit = last->commit,
		.tree = last->tree,
		.branch = last->branch,
		.label = p->label,
		.subsystem = p->subsystem,
		.posted = p->posted_link,
		.subsystem_page = page_of(s, SITE_SUBSYSTEM, p->subsystem),
		.tree_page = page_of(s, SITE_TREE, tree_name(s, p)),
		.first_seen = v->rows[0].arrived,
		.last_seen = last->arrived,
		.state_since = p->life == LIFE_OPEN ? 0 : p->life_since,
		.notice = v->notice,
		.commits = v->commits,
		.n_commits = v->n_commits,
		.results = shown_results(v, n),
		.n_results = n,
		.more_results = v->n - n,
		.reports = v->reports,
		.n_reports = v->n_reports,
	};

	site_patch_page(&page, &s->html);
	return site_put(s,
			slice_of(arena_printf(&s->arena, "patch/%.*s.html",
					      S_FMT(p->hex))),
			err);
}

/* -- its line -- */

/* (test case, parameters, host, metric) of one verdict, each once. */
static int64_t count_keys(const struct view *v, enum verdict verdict)
{
	int64_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		bool again = v->rows[i].verdict != verdict;

		for (size_t k = 0; k < i && !again; k++)
			again = v->rows[k].verdict == verdict &&
				result_same(&v->rows[i], &v->rows[k]);
		n += !again;
	}
	return n;
}

static void put_entry(struct view *v, const struct result_row *worst,
		      int64_t updated, struct buf *ret)
{
	const struct notice_result r = { .has_values = worst->has_values,
					 .base = worst->base,
					 .value = worst->value,
					 .unit = metric_unit(worst->metric),
					 .better =
						 metric_better(worst->metric) };
	struct site_entry e = {
		.id = v->patch->hex,
		.title = v->patch->title,
		.state = slice_of(patch_life_name(v->patch->life)),
		.metric = worst->metric,
		.host = worst->host,
		.subsystem = v->patch->subsystem,
		.verdict = worst->verdict,
		.percent = worst->percent,
		.evidence = worst->evidence,
		.published = v->rows[0].arrived,
		.updated = updated,
	};
	struct buf values;

	buf_init(&values);
	words_values(&values, &r);
	e.values = buf_slice(&values);
	site_entry(&e, ret);
	buf_release(&values);
}

/* Patches come newest first: a feed has the first of them. */
static bool is_in_a_feed(struct view *v)
{
	struct site *s = v->site;
	struct slice name = v->patch->subsystem;

	return s->n_refs < SITE_FEED ||
	       (name.len && site_group(s, SITE_SUBSYSTEM, name)->n < SITE_FEED);
}

static unsigned flags_of(const struct view *v, const struct site_line *line)
{
	bool alive = v->patch->life == LIFE_OPEN || v->patch->life == LIFE_ACK;

	if (line->worse)
		return alive ? REF_OPEN : 0;
	return line->better ? REF_BETTER : 0;
}

static enum status put_line(struct view *v, struct err *err)
{
	const struct result_row *worst = &v->rows[summary_worst(v->rows, v->n)];
	struct site_line line = {
		.id = v->patch->hex,
		.title = v->patch->title,
		.state = slice_of(patch_life_name(v->patch->life)),
		.metric = worst->metric,
		.host = worst->host,
		.verdict = worst->verdict,
		.percent = worst->percent,
		.better = count_keys(v, VERDICT_IMPROVEMENT),
		.worse = count_keys(v, VERDICT_REGRESSION),
		.last_seen = v->rows[v->n - 1].arrived,
	};
	struct site_ref ref = { .flags = flags_of(v, &line),
				.percent = worst->percent,
				.updated = line.last_seen };
	struct buf text, entry;
	enum status st;

	if (v->patch->life_since > ref.updated)
		ref.updated = v->patch->life_since;
	buf_init(&text);
	buf_init(&entry);
	site_line(&line, &text);
	if (is_in_a_feed(v))
		put_entry(v, worst, ref.updated, &entry);
	st = site_spool(v->site, &ref, buf_slice(&text), buf_slice(&entry),
			err);
	if (st == PH_OK)
		join_groups(v, &ref);
	buf_release(&text);
	buf_release(&entry);
	return st;
}

static void put_places(struct view *v)
{
	struct site *s = v->site;

	for (size_t i = 0; i < v->n; i++) {
		if (s->n_places == s->cap_places) {
			s->cap_places =
				s->cap_places ? 2 * s->cap_places : 1024;
			s->places =
				xrealloc(s->places,
					 s->cap_places * sizeof(*s->places));
		}
		s->places[s->n_places++] =
			(struct site_place){ site_series_of(&v->rows[i]),
					     v->rows[i].id };
	}
}

static void note_newest(struct site *s, int64_t arrived)
{
	if (arrived > s->newest)
		s->newest = arrived;
}

enum status site_one_patch(struct site *s, const struct patch_row *patch,
			   struct err *err)
{
	struct view v = { .site = s, .patch = patch };
	enum status st = read_results(&v, err);

	if (st == PH_OK)
		st = read_reports(&v, err);
	if (st == PH_OK)
		st = patch_commit_each(s->ask.store, patch->id, &s->arena,
				       take_commit, &v, err);
	if (st == PH_OK)
		st = make_notice(&v, err);
	if (st != PH_OK)
		return st;
	keep_seen_commits(&v);
	st = put_page(&v, err);
	if (st == PH_OK)
		st = put_line(&v, err);
	if (st != PH_OK)
		return st;
	put_places(&v);
	note_newest(s, v.rows[v.n - 1].arrived);
	return PH_OK;
}
