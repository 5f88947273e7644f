#include "bot/weigh.h"

#include <math.h>

#define UNPRINTED 0.01 /* a deviation that the robot does not print */

static double deviation(int32_t printed)
{
	return printed < 0 ? UNPRINTED : (printed + 0.5) / 100;
}

bool weigh_effect(const struct weigh_pair *p, double *ret, bool *ret_at_least)
{
	double s0 = deviation(p->base_dev), s1 = deviation(p->value_dev);
	double change, noise;

	if (p->relative && p->base > 0 && p->value > 0) {
		change = fabs(log(p->value / p->base));
		noise = hypot(s0, s1);
	} else {
		change = fabs(p->value - p->base);
		noise = hypot(s0 * p->base, s1 * p->value);
	}
	if (!(noise > 0) || !isfinite(change / noise))
		return false;
	*ret = change / noise;
	*ret_at_least = p->base_dev < 0 || p->value_dev < 0;
	return true;
}

/* As said in words: the grade must not contradict the figure beside it. */
static double rounded(double effect)
{
	return effect < 5 ? round(effect * 10) / 10 : round(effect);
}

static bool is_small_count(double v)
{
	return v >= 0 && v < 100 && v == floor(v);
}

static enum evidence grade_of(const struct weigh_pair *p, double effect,
			      bool confirmed)
{
	enum evidence grade = EVIDENCE_D;

	if (effect >= 4)
		grade = confirmed ? EVIDENCE_A : EVIDENCE_B;
	else if (effect >= 2)
		grade = confirmed ? EVIDENCE_B : EVIDENCE_C;
	if (grade == EVIDENCE_A && is_small_count(p->base) &&
	    is_small_count(p->value))
		grade = EVIDENCE_B;
	return grade;
}

static enum evidence one_lower(enum evidence grade)
{
	return grade == EVIDENCE_NONE || grade == EVIDENCE_D ? grade
							     : grade + 1;
}

static void add_reason(struct weigh *w, char *text)
{
	w->reasons[w->n_reasons++] = slice_of(text);
}

static bool is_confirmed(const struct weigh_others *o)
{
	return o->other_test.len || o->other_host.len || o->still.len;
}

static void say_noise(struct weigh *w, const struct weigh_pair *p,
		      struct arena *arena)
{
	double shown = rounded(w->effect);

	if (w->grade == EVIDENCE_D && p->base_dev < 0 && p->value_dev < 0)
		add_reason(w, arena_printf(arena, "too small to judge"));
	else
		add_reason(w, arena_printf(arena,
					   "%s %.*f times the "
					   "run-to-run noise",
					   w->at_least ? "at least" : "about",
					   shown < 5 ? 1 : 0, shown));
}

static void say_others(struct weigh *w, const struct weigh_others *o,
		       struct arena *arena)
{
	if (o->other_test.len)
		add_reason(w, arena_printf(arena, "agrees with %.*s",
					   S_FMT(o->other_test)));
	if (o->other_host.len)
		add_reason(w, arena_printf(arena, "agrees on %.*s",
					   S_FMT(o->other_host)));
	if (o->still.len)
		add_reason(w, arena_printf(arena, "still so on %.*s",
					   S_FMT(o->still)));
	if (o->opposite_same)
		add_reason(w, arena_printf(arena, "the same test once said "
						  "the opposite"));
	if (o->opposite.len)
		add_reason(w, arena_printf(arena, "mixed: the opposite %.*s",
					   S_FMT(o->opposite)));
}

void weigh_result(const struct weigh_pair *pair,
		  const struct weigh_others *others, struct arena *arena,
		  struct weigh *ret)
{
	struct weigh w = { 0 };

	w.mixed = others->opposite.len > 0;
	w.has_effect = pair && weigh_effect(pair, &w.effect, &w.at_least);
	if (w.has_effect) {
		w.grade =
			grade_of(pair, rounded(w.effect), is_confirmed(others));
		if (others->opposite_same)
			w.grade = one_lower(w.grade);
		say_noise(&w, pair, arena);
	}
	say_others(&w, others, arena);
	*ret = w;
}
