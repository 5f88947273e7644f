#include "bot/facts_parts.h"

#include <math.h>
#include <stdlib.h>
#include "ph/utf8.h"

/* Said in the host, build or test line, or the same in every report. */
static const struct slice said_elsewhere[] = {
	S_INIT("test"),	      S_INIT("testcase"), S_INIT("cpufreq_governor"),
	S_INIT("tbox_group"), S_INIT("kconfig"),  S_INIT("compiler"),
	S_INIT("rootfs"),     S_INIT("ucode"),	  S_INIT("debug-setup"),
};

struct slice facts_param(const struct result *result, struct slice key)
{
	for (size_t i = 0; i < result->n_params; i++)
		if (slice_eq(result->params[i].key, key))
			return result->params[i].value;
	return (struct slice){ NULL, 0 };
}

static bool is_said_elsewhere(struct slice key)
{
	for (size_t i = 0; i < ARRAY_LEN(said_elsewhere); i++)
		if (slice_eq(said_elsewhere[i], key))
			return true;
	return false;
}

static int by_key(const void *a, const void *b)
{
	return slice_cmp(((const struct pair *)a)->key,
			 ((const struct pair *)b)->key);
}

/* Mails list parameters in any order; sorted, the same test reads the same. */
static size_t kept_params(const struct result *result, struct pair *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < result->n_params; i++)
		if (!is_said_elsewhere(result->params[i].key))
			ret[n++] = result->params[i];
	qsort(ret, n, sizeof(*ret), by_key);
	return n;
}

struct slice facts_params(const struct result *r, struct arena *arena)
{
	struct pair *kept = arena_array(arena, struct pair, r->n_params);
	size_t n = kept_params(r, kept);
	struct slice ret;
	struct buf b;

	buf_init(&b);
	buf_add_slice(&b, facts_param(r, S("test")));
	for (size_t i = 0; i < n; i++) {
		if (b.len)
			buf_add_str(&b, i ? " " : ", ");
		buf_add_slice(&b, kept[i].key);
		buf_add_char(&b, '=');
		buf_add_slice(&b, kept[i].value);
	}
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static void add_part(struct buf *b, struct slice part)
{
	if (part.len && b->len)
		buf_add_str(b, ", ");
	buf_add_slice(b, part);
}

static struct slice host_words(const struct result *result, struct arena *arena)
{
	const struct machine *m = &result->machine;
	struct slice cpu = m->codename.len ? m->codename : host_cpu(m->host);
	struct slice ret;
	struct buf b;

	buf_init(&b);
	if (m->threads)
		buf_printf(&b, "%lld threads", (long long)m->threads);
	if (m->sockets)
		buf_printf(&b, "%s%lld socket%s", b.len ? ", " : "",
			   (long long)m->sockets, m->sockets == 1 ? "" : "s");
	if (m->threads || m->sockets || cpu.len)
		add_part(&b, cpu);
	else
		add_part(&b, m->description);
	add_part(&b, m->memory);
	add_part(&b, facts_param(result, S("cpufreq_governor")));
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static const struct cell *last_cell(const struct report *r,
				    const struct result *result)
{
	const struct table *t = &r->tables[result->table];

	return row_cells(r, &r->rows[result->row]) + t->n_columns - 1;
}

bool facts_pair(const struct report *r, const struct result *result,
		struct weigh_pair *ret)
{
	const struct cell *first, *last;

	if (result->table < 0 || result->row < 0 ||
	    r->tables[result->table].n_columns < 2)
		return false;
	first = row_cells(r, &r->rows[result->row]);
	last = last_cell(r, result);
	*ret = (struct weigh_pair){
		.base = first->value,
		.value = last->value,
		.base_dev = first->dev_pct,
		.value_dev = last->dev_pct,
		.relative = last->kind != CHANGE_ABSOLUTE,
	};
	return true;
}

/* The verdict that a move deserves by the metric's known direction. */
static enum verdict deserved(enum better better, double move)
{
	if (better == BETTER_UNKNOWN || move == 0)
		return VERDICT_NONE;
	return (move > 0) == (better == BETTER_HIGHER) ? VERDICT_IMPROVEMENT
						       : VERDICT_REGRESSION;
}

/* The headline's figure is the row's, printed with the same one decimal;
 * above 1000 both are rounded too coarsely to compare. */
static bool figures_differ(const struct result *result,
			   const struct notice_result *n)
{
	return n->has_percent && n->change_kind == CHANGE_RELATIVE &&
	       result->percent < 1000 &&
	       fabs(result->percent - n->percent) > 0.15;
}

static bool contradicts(const struct result *result,
			const struct notice_result *n)
{
	enum verdict due = deserved(n->better, n->value - n->base);

	return (due != VERDICT_NONE && n->verdict != VERDICT_NONE &&
		due != n->verdict) ||
	       figures_differ(result, n);
}

/* A latency that fell to 0 has not stopped, it is too small to print. */
static bool has_stopped(const struct notice_result *n)
{
	return n->value == 0 && n->base != 0 &&
	       !(n->verdict == VERDICT_IMPROVEMENT &&
		 n->better == BETTER_LOWER);
}

static void set_values(const struct report *r, const struct result *result,
		       const struct weigh_pair *pair, struct notice_result *n)
{
	const struct cell *last = last_cell(r, result);

	n->has_values = true;
	n->base = pair->base;
	n->value = pair->value;
	n->base_dev = pair->base_dev;
	n->value_dev = pair->value_dev;
	n->from_nothing = pair->base == 0 && pair->relative;
	n->stopped = has_stopped(n);
	n->change_kind = last->kind;
	n->has_percent = last->kind != CHANGE_NONE && !n->from_nothing &&
			 isfinite(last->change);
	n->percent = n->has_percent ? fabs(last->change) : 0;
	n->contradiction = contradicts(result, n);
}

void facts_result(const struct report *r, const struct result *result,
		  struct arena *arena, struct notice_result *ret)
{
	struct weigh_pair pair;

	*ret = (struct notice_result){
		.testcase = result->testcase,
		.metric = result->metric,
		.params = facts_params(result, arena),
		.host = result->machine.host,
		.host_words = host_words(result, arena),
		.verdict = result->verdict,
		.base_dev = -1,
		.value_dev = -1,
		.better = result->better,
		.unit = metric_unit(result->metric),
	};
	if (facts_pair(r, result, &pair)) {
		set_values(r, result, &pair, ret);
	} else {
		ret->has_percent = true;
		ret->percent = result->percent;
		ret->change_kind = CHANGE_RELATIVE;
	}
}
