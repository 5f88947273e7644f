#include "bot/route_words.h"

struct slice route_verdict_word(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_IMPROVEMENT:
		return S("improvement");
	case VERDICT_REGRESSION:
		return S("regression");
	case VERDICT_NONE:
		break;
	}
	return S("");
}

struct slice route_evidence_word(enum evidence grade)
{
	static const struct slice words[] = {
		[EVIDENCE_NONE] = S_INIT(""), [EVIDENCE_A] = S_INIT("A"),
		[EVIDENCE_B] = S_INIT("B"),   [EVIDENCE_C] = S_INIT("C"),
		[EVIDENCE_D] = S_INIT("D"),
	};

	return words[grade];
}

static void put_wanted(struct buf *b, const struct config_match *m,
		       enum match_key key)
{
	const struct config_list *l = config_match_list(m, key);

	if (key == MATCH_MIN_PERCENT)
		buf_printf(b, "%g", m->min_percent);
	else if (key == MATCH_MIN_EFFECT)
		buf_printf(b, "%g", m->min_effect);
	else if (key == MATCH_TOO_GOOD)
		buf_add_str(b, m->too_good ? "true" : "false");
	for (size_t i = 0; l && i < l->n; i++)
		buf_printf(b, "%s%s", i ? " or " : "", l->item[i]);
}

static void put_some(struct buf *b, const struct slice *list, size_t n)
{
	for (size_t i = 0; i < n && i < 3; i++)
		buf_printf(b, "%s%.*s", i ? ", " : "", S_FMT(list[i]));
	if (n > 3)
		buf_printf(b, " and %zu more", n - 3);
	if (!n)
		buf_add_str(b, "unknown");
}

static void put_text(struct buf *b, struct slice text)
{
	put_some(b, &text, text.len ? 1 : 0);
}

static void put_found(struct buf *b, enum match_key key,
		      const struct route_subject *s,
		      const struct route_result *r)
{
	switch (key) {
	case MATCH_TREE:
		put_text(b, s->tree);
		break;
	case MATCH_BRANCH:
		put_text(b, s->branch);
		break;
	case MATCH_LABEL:
		put_text(b, s->label);
		break;
	case MATCH_SUBSYSTEM:
		put_text(b, s->subsystem);
		break;
	case MATCH_FILES:
		put_some(b, s->files, s->n_files);
		break;
	case MATCH_AUTHOR:
		put_text(b, s->author);
		break;
	case MATCH_LIST:
		put_some(b, s->lists, s->n_lists);
		break;
	case MATCH_TESTCASE:
		put_text(b, r->testcase);
		break;
	case MATCH_METRIC:
		put_text(b, r->metric);
		break;
	case MATCH_HOST:
		put_text(b, r->host);
		break;
	case MATCH_VERDICT:
		put_text(b, route_verdict_word(r->verdict));
		break;
	case MATCH_MIN_PERCENT:
		buf_printf(b, "%g", r->percent);
		break;
	case MATCH_MIN_EFFECT:
		if (r->has_effect)
			buf_printf(b, "%.3g", r->effect);
		else
			buf_add_str(b, "unknown");
		break;
	case MATCH_EVIDENCE:
		put_text(b, route_evidence_word(r->evidence));
		break;
	default:
		buf_add_str(b, r->too_good ? "true" : "false");
	}
}

static void put_key(struct buf *b, const struct config_match *m,
		    enum match_key key)
{
	buf_add_str(b, match_key_name(key));
	if (m->where[key].line)
		buf_printf(b, " (line %u)", m->where[key].line);
}

void route_put_no(struct buf *b, const struct route_decider *d,
		  const struct route_subject *s, const struct route_result *r)
{
	buf_add_str(b, "no: ");
	put_key(b, d->match, d->key);
	if (d->key == MATCH_ANY) {
		buf_add_str(b, ": none of them holds");
	} else if (d->key == MATCH_NOT) {
		buf_add_str(b, ": what it excludes is the case");
	} else if (d->key >= MATCH_TESTCASE && !r) {
		buf_add_str(b, ": there is no new result");
	} else {
		buf_add_str(b, " asks for ");
		put_wanted(b, d->match, d->key);
		buf_add_str(b, ", and it is ");
		put_found(b, d->key, s, r);
	}
}

void route_put_yes(struct buf *b, const struct config_match *m,
		   const struct route_subject *s,
		   const struct route_result *worst, size_t n)
{
	unsigned keys = 0;

	buf_add_str(b, "yes: ");
	for (enum match_key key = 0; key < MATCH_KEYS; key++) {
		if (!config_match_has(m, key))
			continue;
		buf_add_str(b, keys++ ? ", " : "");
		put_key(b, m, key);
	}
	buf_add_str(b, !keys	   ? "it asks for nothing"
		       : keys == 1 ? " holds"
				   : " hold");
	if (worst)
		buf_printf(b,
			   ", for %zu of %zu new results, the worst %.*s on "
			   "%.*s",
			   n, s->n_results, S_FMT(worst->metric),
			   S_FMT(worst->host));
}
