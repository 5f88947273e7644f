#include "bot/rank.h"

#include <assert.h>
#include <math.h>
#include "bot/profile.h"
#include "bot/weigh.h"
#include "notify/words.h"
#include "ph/utf8.h"

#define LEAST_SHOWN 0.1 /* two decimals of less are mostly rounding */

enum theme {
	THEME_NONE, /* never shown */
	THEME_TEST,
	THEME_CPU,
	THEME_SCHEDULING,
	THEME_CACHE,
	THEME_MEMORY,
	THEME_IO,
	THEME_NETWORK,
	THEME_POWER,
	THEMES,
};

static const struct slice theme_names[THEMES] = {
	S_INIT(""),	 S_INIT("test"),    S_INIT("cpu"),
	S_INIT("sched"), S_INIT("cache"),   S_INIT("memory"),
	S_INIT("io"),	 S_INIT("network"), S_INIT("power"),
};

/* The first glob that matches decides; what matches none is the test's own. */
static const struct {
	struct slice glob;
	enum theme theme;
} themes[] = {
	{ S_INIT("perf-profile.*"), THEME_NONE },
	{ S_INIT("perf-sched.*"), THEME_NONE },
	{ S_INIT("sched_debug.*"), THEME_NONE },
	{ S_INIT("latency_stats.*"), THEME_NONE },
	{ S_INIT("slabinfo.*"), THEME_NONE },
	{ S_INIT("boot-*"), THEME_NONE },
	{ S_INIT("uptime.*"), THEME_NONE },
	{ S_INIT("interrupts.CPU*"), THEME_NONE },
	{ S_INIT("softirqs.CPU*"), THEME_NONE },
	{ S_INIT("interrupts.*MSI*"), THEME_NONE },
	{ S_INIT("interrupts.*APIC*"), THEME_NONE },
	{ S_INIT("numa-*"), THEME_NONE },
	{ S_INIT("fxmark.*_util"), THEME_NONE },
	{ S_INIT("fxmark.*_sec"), THEME_NONE },
	{ S_INIT("*mlock*"), THEME_NONE },
	{ S_INIT("*Mlocked*"), THEME_NONE },
	{ S_INIT("*nevictable*"), THEME_NONE },
	{ S_INIT("*stddev%"), THEME_NONE },
	{ S_INIT("*.metric.*/sec"), THEME_NONE },
	{ S_INIT("*elapsed_time*"), THEME_NONE },
	{ S_INIT("*.workload"), THEME_NONE },

	{ S_INIT("*context_switches"), THEME_SCHEDULING },
	{ S_INIT("*.time.*page_faults"), THEME_MEMORY },
	{ S_INIT("*.time.maximum_resident*"), THEME_MEMORY },
	{ S_INIT("*.time.file_system_*"), THEME_IO },
	{ S_INIT("*.time.*"), THEME_CPU },
	{ S_INIT("time.*"), THEME_CPU },

	{ S_INIT("perf-c2c.*"), THEME_CACHE },
	{ S_INIT("perf-mem.*"), THEME_CACHE },
	{ S_INIT("perf-stat.*context-switches"), THEME_SCHEDULING },
	{ S_INIT("perf-stat.*cpu-migrations"), THEME_SCHEDULING },
	{ S_INIT("perf-stat.*faults"), THEME_MEMORY },
	{ S_INIT("perf-stat.*iTLB*"), THEME_NONE },
	{ S_INIT("perf-stat.*TLB*"), THEME_MEMORY },
	{ S_INIT("perf-stat.*node-*"), THEME_MEMORY },
	{ S_INIT("perf-stat.*cache*"), THEME_CACHE },
	{ S_INIT("perf-stat.*LLC*"), THEME_CACHE },
	{ S_INIT("perf-stat.*MPKI*"), THEME_CACHE },
	{ S_INIT("perf-stat.*"), THEME_CPU },

	{ S_INIT("mpstat.*"), THEME_CPU },
	{ S_INIT("iostat.cpu.*"), THEME_CPU },
	{ S_INIT("vmstat.cpu.*"), THEME_CPU },
	{ S_INIT("vmstat.system.*"), THEME_SCHEDULING },
	{ S_INIT("vmstat.procs.*"), THEME_SCHEDULING },
	{ S_INIT("vmstat.io.*"), THEME_IO },
	{ S_INIT("vmstat.*"), THEME_MEMORY },

	{ S_INIT("interrupts.TLB*"), THEME_MEMORY },
	{ S_INIT("interrupts.*"), THEME_SCHEDULING },
	{ S_INIT("softirqs.NET*"), THEME_NETWORK },
	{ S_INIT("softirqs.BLOCK"), THEME_IO },
	{ S_INIT("softirqs.*"), THEME_SCHEDULING },

	{ S_INIT("iostat.*"), THEME_IO },
	{ S_INIT("diskstats.*"), THEME_IO },
	{ S_INIT("nfsstat.*"), THEME_IO },
	{ S_INIT("proc-vmstat.*dirt*"), THEME_IO },
	{ S_INIT("proc-vmstat.*writ*"), THEME_IO },
	{ S_INIT("proc-vmstat.pgpg*"), THEME_IO },
	{ S_INIT("meminfo.Dirty"), THEME_IO },
	{ S_INIT("meminfo.Writeback"), THEME_IO },
	{ S_INIT("proc-vmstat.*"), THEME_MEMORY },
	{ S_INIT("meminfo.*"), THEME_MEMORY },

	{ S_INIT("turbostat.IPC"), THEME_CPU },
	{ S_INIT("turbostat.IRQ"), THEME_SCHEDULING },
	{ S_INIT("turbostat.*"), THEME_POWER },
	{ S_INIT("cpuidle.*"), THEME_POWER },
	{ S_INIT("pmeter.*"), THEME_POWER },
	{ S_INIT("energy.*"), THEME_POWER },
};

static enum theme theme_of(struct slice metric)
{
	for (size_t i = 0; i < ARRAY_LEN(themes); i++)
		if (slice_glob(themes[i].glob, metric))
			return themes[i].theme;
	return THEME_TEST;
}

/* stress-ng.shm.ops and stress-ng.shm.ops_per_sec are one thing. */
static struct slice without_rate(struct slice metric)
{
	static const struct slice ends[] = {
		S_INIT("_per_sec"),
		S_INIT("/sec"),
		S_INIT("/s"),
	};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (slice_ends(metric, ends[i]))
			return slice_head(metric, metric.len - ends[i].len);
	return metric;
}

static struct weigh_pair pair_of(const struct report *r, const struct row *row,
				 size_t n_columns)
{
	const struct cell *first = row_cells(r, row);
	const struct cell *last = first + n_columns - 1;

	return (struct weigh_pair){
		.base = first->value,
		.value = last->value,
		.base_dev = first->dev_pct,
		.value_dev = last->dev_pct,
		.relative = last->kind != CHANGE_ABSOLUTE,
	};
}

static bool is_near_one(double ratio)
{
	return ratio > 0.9 && ratio < 1.1;
}

/* The test's own times are rates turned over: they echo upside down. */
static bool is_echo(const struct weigh_pair *p, const struct weigh_pair *head,
		    enum theme theme)
{
	double own, other;

	if (!p->relative || !head || !head->relative || p->base <= 0 ||
	    p->value <= 0 || head->base <= 0 || head->value <= 0)
		return false;
	own = p->value / p->base;
	other = head->value / head->base;
	return is_near_one(own / other) ||
	       (theme == THEME_TEST && is_near_one(own * other));
}

static bool prints_alike(const struct weigh_pair *p, struct buf *a,
			 struct buf *b)
{
	buf_reset(a);
	buf_reset(b);
	words_number(a, p->base);
	words_number(b, p->value);
	return slice_eq(buf_slice(a), buf_slice(b));
}

static double size_of(const struct weigh_pair *p)
{
	if (p->base <= 0 || p->value <= 0)
		return 2.3;
	return fmin(fabs(log(p->value / p->base)), 2.3);
}

/*
 * The robot's root file system lies in memory, so what its monitors write
 * counts here too. Where a memory test moves these, it moves others as well.
 */
static bool is_shared_memory(struct slice metric)
{
	static const struct slice names[] = {
		S_INIT("*nr_shmem"),	    S_INIT("meminfo.Shmem"),
		S_INIT("*nr_*active_anon"), S_INIT("meminfo.*ctive(anon)"),
		S_INIT("meminfo.*ctive"),
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (slice_glob(names[i], metric))
			return true;
	return false;
}

/* 0: not to be shown. */
static double score(struct slice metric, const struct weigh_pair *p)
{
	double effect;
	bool at_least;

	if (!weigh_effect(p, &effect, &at_least) || effect < 2)
		return 0;
	if (!p->relative && fabs(p->value - p->base) < 1)
		return 0;
	if (fabs(p->base) < LEAST_SHOWN && fabs(p->value) < LEAST_SHOWN)
		return 0;
	return fmin(effect, 10) * size_of(p) *
	       (is_shared_memory(metric) ? 0.5 : 1);
}

struct pick {
	enum theme theme;
	const struct row *row;
	struct weigh_pair pair;
	double printed; /* its change, as the report has it */
	double score;
};

static double printed(const struct report *r, const struct row *row,
		      const struct table *t)
{
	return row_cells(r, row)[t->n_columns - 1].change;
}

/* The best row of each theme; picks without a row have no score. */
static void pick_rows(const struct report *r, const struct result *result,
		      struct pick best[THEMES])
{
	const struct table *t = &r->tables[result->table];
	struct slice own = without_rate(result->metric);
	struct weigh_pair head_pair, *head = NULL;
	struct buf a, b;

	if (result->row >= 0) {
		head_pair = pair_of(r, &r->rows[result->row], t->n_columns);
		head = &head_pair;
	}
	buf_init(&a);
	buf_init(&b);
	for (uint32_t i = 0; i < t->n_rows; i++) {
		const struct row *row = &r->rows[t->first_row + i];
		struct weigh_pair p = pair_of(r, row, t->n_columns);
		enum theme theme = theme_of(row->metric);
		double points = score(row->metric, &p);

		if (theme == THEME_NONE || points <= best[theme].score ||
		    slice_eq(without_rate(row->metric), own) ||
		    is_echo(&p, head, theme) || prints_alike(&p, &a, &b))
			continue;
		best[theme] = (struct pick){ theme, row, p, printed(r, row, t),
					     points };
	}
	buf_release(&a);
	buf_release(&b);
}

/* The report's own number: it was made from more digits than are printed. */
static void put_move(struct buf *b, const struct pick *pick)
{
	const struct weigh_pair *p = &pick->pair;
	double change = pick->printed;

	words_number(b, p->base);
	buf_add_str(b, " -> ");
	words_number(b, p->value);
	if (!p->relative)
		buf_printf(b, " (%+.1f points)", change);
	else if (p->base <= 0 || p->value <= 0)
		buf_add_str(b, "");
	else if (change < 1000)
		buf_printf(b, " (%+.*f%%)", fabs(change) < 10 ? 1 : 0, change);
	else
		buf_printf(b, " (%.0f times)", p->value / p->base);
}

/* As the report has it, without what is said already: the test's name before
 * its time rows, the description behind an interrupt's. */
static struct slice row_name(struct slice metric)
{
	const char *cut = slice_find(metric, S(".time."));
	struct slice name;

	if (cut)
		return slice_between(cut + 1, metric.ptr + metric.len);
	if (slice_starts(metric, S("interrupts.")) &&
	    slice_take_until(&metric, ':', &name))
		return name;
	return metric;
}

static struct slice row_text(const struct pick *pick, struct arena *arena)
{
	struct slice ret;
	struct buf b;

	assert(pick->row);
	buf_init(&b);
	utf8_put_clean(&b, row_name(pick->row->metric));
	buf_add_char(&b, ' ');
	put_move(&b, pick);
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static size_t best_of(const struct pick picks[THEMES])
{
	size_t best = 0;

	for (size_t i = 1; i < THEMES; i++)
		if (picks[i].score > picks[best].score)
			best = i;
	return best;
}

size_t rank_rows(const struct report *r, const struct result *result,
		 const struct slice *symbols, size_t n_symbols,
		 struct arena *arena, struct notice_line *ret)
{
	struct pick picks[THEMES] = { 0 };
	struct slice profile;
	size_t n = 0, best;

	if (result->table < 0)
		return 0;
	assert((size_t)result->table < r->n_tables);
	if (r->tables[result->table].n_columns < 2)
		return 0;
	pick_rows(r, result, picks);
	while (n < RANK_ROWS && (best = best_of(picks)) != 0) {
		ret[n].theme = theme_names[picks[best].theme];
		ret[n].text = row_text(&picks[best], arena);
		picks[best].score = 0;
		n++;
	}
	profile = profile_line(r, &r->tables[result->table], symbols, n_symbols,
			       arena);
	if (profile.len) {
		ret[n].theme = S("profile");
		ret[n].text = profile;
		n++;
	}
	return n;
}
