#include "bot/replay.h"

#include "bot/desk.h"
#include "bot/store/message.h"
#include "bot/store/query.h"

/* Whom one configuration tells of one report. */
struct telling {
	struct slice channel, target, subject;
};

struct tellings {
	struct telling *list;
	size_t n, cap;
	struct arena *arena;
};

static void note(void *arg, const struct config_channel *ch,
		 struct slice target, const struct notice *n)
{
	struct tellings *t = arg;
	struct buf subject;

	buf_init(&subject);
	notice_subject(n, &subject);
	t->list =
		arena_grow(t->arena, t->list, &t->cap, t->n, sizeof(*t->list));
	t->list[t->n++] = (struct telling){
		.channel = arena_copy(t->arena, slice_of(ch->name)),
		.target = arena_copy(t->arena, target),
		.subject = arena_copy(t->arena, buf_slice(&subject)),
	};
	buf_release(&subject);
}

static bool has(const struct tellings *t, const struct telling *one)
{
	for (size_t i = 0; i < t->n; i++)
		if (slice_eq(t->list[i].channel, one->channel) &&
		    slice_eq(t->list[i].target, one->target))
			return true;
	return false;
}

struct runner {
	struct replay *ret;
	struct arena *arena;
	size_t cap_targets, cap_changes;
	int64_t arrived; /* of the report in hand */
};

static struct replay_target *target_of(struct runner *r,
				       const struct telling *one)
{
	struct replay *ret = r->ret;

	for (size_t i = 0; i < ret->n_targets; i++)
		if (slice_eq(ret->targets[i].channel, one->channel) &&
		    slice_eq(ret->targets[i].target, one->target))
			return &ret->targets[i];
	ret->targets = arena_grow(r->arena, ret->targets, &r->cap_targets,
				  ret->n_targets, sizeof(*ret->targets));
	ret->targets[ret->n_targets] = (struct replay_target){
		.channel = arena_copy(r->arena, one->channel),
		.target = arena_copy(r->arena, one->target),
	};
	return &ret->targets[ret->n_targets++];
}

static void add_change(struct runner *r, const struct telling *one, bool added)
{
	struct replay *ret = r->ret;

	ret->changes = arena_grow(r->arena, ret->changes, &r->cap_changes,
				  ret->n_changes, sizeof(*ret->changes));
	ret->changes[ret->n_changes++] = (struct replay_change){
		.added = added,
		.channel = arena_copy(r->arena, one->channel),
		.target = arena_copy(r->arena, one->target),
		.subject = arena_copy(r->arena, one->subject),
		.arrived = r->arrived,
	};
}

/* One side; true when the other lacks something of it. */
static bool count(struct runner *r, const struct tellings *mine,
		  const struct tellings *other, bool added)
{
	bool changed = false;

	for (size_t i = 0; i < mine->n; i++) {
		struct replay_target *t = target_of(r, &mine->list[i]);

		*(added ? &t->after : &t->before) += 1;
		if (has(other, &mine->list[i]))
			continue;
		t->changed++;
		add_change(r, &mine->list[i], added);
		changed = true;
	}
	return changed;
}

/* A configuration with the table of trees that it names. */
struct side {
	const struct config *config;
	struct trees trees;
};

static enum status decide(struct store *s, const struct side *side,
			  int64_t message, int64_t now, struct tellings *ret,
			  struct err *err)
{
	struct rehearsal rehearsal = { .told = note, .arg = ret };
	struct desk desk;

	desk_init(&desk, side->config, s, NULL);
	desk.trees = &side->trees;
	desk.rehearsal = &rehearsal;
	return desk_rehearse(&desk, message, now, err);
}

static enum status compare(struct store *s, const struct side *before,
			   const struct side *after, int64_t message,
			   int64_t now, struct runner *r, struct arena *arena,
			   struct err *err)
{
	struct tellings a = { .arena = arena }, b = { .arena = arena };
	enum status st = decide(s, before, message, now, &a, err);
	bool changed;

	if (st == PH_OK)
		st = decide(s, after, message, now, &b, err);
	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	changed = count(r, &a, &b, false);
	changed = count(r, &b, &a, true) || changed;
	r->ret->reports++;
	r->ret->affected += changed;
	return PH_OK;
}

static enum status compare_all(struct runner *r, struct store *s,
			       const struct side sides[2], int64_t since,
			       int64_t now,
			       void (*progress)(void *arg, int64_t done),
			       void *arg, struct err *err)
{
	struct arena one;
	int64_t id = 0;
	enum status st;

	arena_init(&one);
	while ((st = query_next_report(s, since, &r->arrived, &id, err)) ==
	       PH_OK) {
		arena_reset(&one);
		st = compare(s, &sides[0], &sides[1], id, now, r, &one, err);
		if (st != PH_OK)
			break;
		if (progress)
			progress(arg, r->ret->reports);
	}
	arena_release(&one);
	return st == PH_NONE ? PH_OK : st;
}

enum status replay_run(struct store *s, const struct config *before,
		       const struct config *after, int64_t since, int64_t now,
		       void (*progress)(void *arg, int64_t done), void *arg,
		       struct arena *arena, struct replay *ret, struct err *err)
{
	struct runner r = { .ret = ret, .arena = arena };
	struct side sides[2] = { { .config = before }, { .config = after } };
	enum status st = PH_OK;

	*ret = (struct replay){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(sides); i++)
		trees_init(&sides[i].trees);
	for (size_t i = 0; i < ARRAY_LEN(sides) && st == PH_OK; i++)
		st = trees_read(&sides[i].trees, sides[i].config->git.trees,
				NULL, err);
	if (st == PH_OK)
		st = compare_all(&r, s, sides, since, now, progress, arg, err);
	for (size_t i = 0; i < ARRAY_LEN(sides); i++)
		trees_release(&sides[i].trees);
	return st;
}
