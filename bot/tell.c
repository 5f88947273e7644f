#include "bot/tell.h"

#include "bot/store/outbox.h"
#include "bot/target.h"
#include "ph/hash.h"

struct slice tell_json(const struct notice *n, struct arena *arena)
{
	struct slice ret;
	struct buf b;

	buf_init(&b);
	notice_to_json(n, &b);
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

static const char *kind_word(enum notice_kind kind)
{
	static const char *const word[] = {
		[NOTICE_FIRST] = "notice",	[NOTICE_UPDATE] = "notice",
		[NOTICE_FORWARD] = "forward",	[NOTICE_DIGEST] = "digest",
		[NOTICE_OPERATOR] = "operator", [NOTICE_DRILL] = "drill",
		[NOTICE_ANSWER] = "answer",
	};

	return word[kind];
}

enum status tell_target(struct desk *d, const struct config_channel *ch,
			struct slice target, struct slice key, int64_t patch,
			struct notice *n, int64_t now, int64_t *ret_id,
			struct err *err)
{
	struct slice parts[] = { slice_of(ch->name), target,
				 slice_of(kind_word(n->kind)), key };
	bool send = d->config->send;
	struct outbox_row row = { .kind = n->kind,
				  .channel = slice_of(ch->name),
				  .target = target,
				  .patch = patch,
				  .state = send ? OUTBOX_PENDING : OUTBOX_HELD,
				  .reason = send ? S("") : HELD_REASON,
				  .created = now,
				  .due = now };
	struct arena arena;
	char name[65];
	enum status st;

	arena_init(&arena);
	hash_name(parts, ARRAY_LEN(parts), name);
	row.key = n->key = arena_copy(&arena, slice_of(name));
	row.facts = tell_json(n, &arena);
	st = outbox_add(d->store, &row, ret_id, err);
	if (st == PH_OK)
		d->queued = true;
	arena_release(&arena);
	n->key = S("");
	return st;
}

static void split_lines(struct slice text, struct arena *arena,
			struct notice *n)
{
	struct slice line;
	size_t cap = 0;

	while (slice_take_line(&text, &line)) {
		n->lines = arena_grow(arena, n->lines, &cap, n->n_lines,
				      sizeof(*n->lines));
		n->lines[n->n_lines++] = line;
	}
}

enum status tell_operator(struct desk *d, struct slice key,
			  struct slice subject, struct slice text, int64_t now,
			  struct err *err)
{
	const struct config_channel *ch = d->config->operator_;
	struct notice n = { .kind = NOTICE_OPERATOR,
			    .made = now,
			    .title = subject };
	enum status st = PH_NONE;
	struct arena arena;
	int64_t id;

	if (!ch)
		return PH_NONE;
	arena_init(&arena);
	split_lines(text, &arena, &n);
	if (!ch->to.n)
		st = tell_target(d, ch, S(""), key, 0, &n, now, &id, err);
	for (size_t i = 0; i < ch->to.n; i++) {
		struct slice to = slice_of(ch->to.item[i]);

		if (target_is_people(ch, to))
			continue;
		st = tell_target(d, ch, to, key, 0, &n, now, &id, err);
		if (st != PH_OK && st != PH_NONE)
			break;
	}
	arena_release(&arena);
	return st;
}

enum status desk_tell_operator(struct desk *d, struct slice key,
			       struct slice subject, struct slice text,
			       int64_t now, struct err *err)
{
	enum status st;

	if (!d->config->operator_)
		return PH_NONE;
	st = store_begin(d->store, err);
	if (st != PH_OK)
		return st;
	return store_end(d->store,
			 tell_operator(d, key, subject, text, now, err), err);
}
