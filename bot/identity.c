#include "bot/identity.h"

/* -- titles -- */

static bool take_tag(struct slice *s)
{
	const char *end;

	if (!s->len || *s->ptr != '[')
		return false;
	end = slice_chr(*s, ']');
	if (!end)
		return false;
	*s = slice_from(*s, (size_t)(end + 1 - s->ptr));
	slice_skip_blanks(s);
	return true;
}

/* git's own words for a merge, and the kernel maintainers' */
static bool is_merge(struct slice title)
{
	static const struct slice starts[] = {
		S_INIT("Merge branch "),
		S_INIT("Merge branches "),
		S_INIT("Merge tag "),
		S_INIT("Merge tags "),
		S_INIT("Merge commit "),
		S_INIT("Merge commits "),
		S_INIT("Merge remote-tracking branch "),
		S_INIT("Merge git://"),
		S_INIT("Merge https://"),
		S_INIT("Merge patch series "),
		S_INIT("Merge series "),
		S_INIT("Merge 0-day "),
		S_INIT("Merge "),
	};
	static const struct slice links[] = {
		S_INIT(" into "),
		S_INIT(" of git"),
		S_INIT(" of http"),
		S_INIT("'"),
	};

	for (size_t i = 0; i + 1 < ARRAY_LEN(starts); i++)
		if (slice_starts(title, starts[i]))
			return true;
	if (!slice_starts(title, starts[ARRAY_LEN(starts) - 1]))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		if (slice_find(title, links[i]))
			return true;
	return false;
}

struct slice identity_strip(struct slice title, struct arena *arena)
{
	struct slice word, ret;
	struct buf b;

	title = slice_trim(title);
	while (take_tag(&title) || slice_caseskip(&title, S("re:")))
		slice_skip_blanks(&title);
	buf_init(&b);
	while (slice_take_word(&title, &word)) {
		if (b.len)
			buf_add_char(&b, ' ');
		buf_add_slice(&b, word);
	}
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

struct slice identity_title(struct slice title, struct arena *arena)
{
	struct slice bare = identity_strip(title, arena);

	return is_merge(bare) ? (struct slice){ "", 0 } : bare;
}

static struct slice title_of(const struct report *r)
{
	return r->commit.title.len ? r->commit.title : r->posted.subject;
}

/* -- the ladder -- */

static enum status by_commit(struct store *s, const struct report *r,
			     struct identity *id, struct err *err)
{
	enum status st = patch_of_commit(s, r->commit.id, &id->patch, err);

	if (st == PH_OK) {
		id->rung = RUNG_COMMIT;
		id->new_hash = false;
		id->same_diff = true;
	}
	return st;
}

/* A commit that an operator has split off stays apart. */
static enum status is_apart(struct store *s, struct slice commit,
			    struct arena *arena, struct err *err)
{
	struct slice patch_id;
	int64_t patch;
	enum status st =
		patch_commit_get(s, commit, arena, &patch, &patch_id, err);

	if (st != PH_OK)
		return st;
	return slice_eq(patch_id, S("-")) ? PH_OK : PH_NONE;
}

static enum status by_patch_id(struct store *s, const struct report *r,
			       struct identity *id, struct arena *arena,
			       struct err *err)
{
	int64_t found;
	enum status st = is_apart(s, r->commit.id, arena, err);

	if (st != PH_NONE)
		return st;
	st = patch_twin(s, id->patch_id, id->patch, &found, err);
	if (st != PH_OK)
		return st;
	if (id->rung == RUNG_COMMIT) {
		id->also = found;
		return PH_OK;
	}
	id->rung = RUNG_PATCH_ID;
	id->patch = found;
	id->same_diff = true;
	return PH_OK;
}

static enum status by_title(struct store *s, struct identity *id, int *ret_n,
			    struct err *err)
{
	enum status st =
		patch_of_title(s, id->norm, id->author, &id->patch, ret_n, err);

	if (st == PH_OK)
		id->rung = RUNG_TITLE;
	return st;
}

static const char *why_no_title(const struct identity *id, int candidates)
{
	if (!id->norm.len)
		return "a merge or no title, so titles are not compared";
	if (!id->author.len)
		return "its author is not known, so titles are not compared";
	if (candidates > 1)
		return "several patches have this title and author, so none "
		       "is taken";
	return "no other patch has this title and author";
}

static struct slice words_of(const struct report *r, const struct identity *id,
			     int candidates, struct arena *arena)
{
	const char *text;

	switch (id->rung) {
	case RUNG_COMMIT:
		text = arena_printf(arena, "the same commit %.*s%s",
				    S_FMT(r->commit.id),
				    id->also ? "; another patch has the same "
					       "patch id and is merged with it"
					     : "");
		break;
	case RUNG_PATCH_ID:
		text = arena_printf(arena, "the same patch id %.*s",
				    S_FMT(id->patch_id));
		break;
	case RUNG_TITLE:
		text = arena_printf(arena, "the same title and author (%.*s)",
				    S_FMT(id->author));
		break;
	default:
		text = arena_printf(arena,
				    "commit %.*s was not seen before; "
				    "%s",
				    S_FMT(r->commit.id),
				    why_no_title(id, candidates));
	}
	return slice_of(text);
}

static bool is_next(struct slice ref)
{
	struct slice part;

	while (slice_take_until(&ref, '/', &part))
		if (slice_starts(part, S("next")) ||
		    slice_starts(part, S("linux-next")))
			return true;
	return slice_starts(ref, S("next")) ||
	       slice_starts(ref, S("linux-next"));
}

enum tree_rank identity_merged(const struct commit_facts *facts)
{
	enum tree_rank rank = TREE_POSTED;

	for (size_t i = 0; i < facts->n_merged; i++) {
		if (!is_next(facts->merged[i]))
			return TREE_MAINLINE;
		rank = TREE_NEXT;
	}
	return rank;
}

static void take_facts(const struct commit_facts *facts, struct slice author,
		       struct identity *id, struct arena *arena)
{
	id->author = arena_copy(arena, author);
	if (!facts)
		return;
	id->patch_id = arena_copy(arena, slice_of(facts->patch_id));
	if (facts->author.address.len)
		id->author = arena_copy(arena, facts->author.address);
	if (facts->n_parents > 1)
		id->norm = S("");
	if ((int)identity_merged(facts) > id->rank)
		id->rank = (int)identity_merged(facts);
}

enum status identity_find(struct store *s, const struct report *r,
			  struct slice author, const struct commit_facts *facts,
			  struct arena *arena, struct identity *ret,
			  struct err *err)
{
	struct identity id = { .new_hash = true,
			       .rank = (int)facts_tree_rank(r) };
	enum status st;
	int candidates = 0;

	id.norm = identity_title(title_of(r), arena);
	take_facts(facts, author, &id, arena);
	st = by_commit(s, r, &id, err);
	if (st == PH_OK || st == PH_NONE)
		st = by_patch_id(s, r, &id, arena, err);
	if (st == PH_NONE && id.rung == RUNG_NONE)
		st = by_title(s, &id, &candidates, err);
	if (st != PH_OK && st != PH_NONE)
		return st;
	id.words = words_of(r, &id, candidates, arena);
	*ret = id;
	return PH_OK;
}

/* -- writing it down -- */

static void set(struct slice *field, struct slice value)
{
	if (value.len)
		*field = value;
}

static void update_row(struct patch_row *row, const struct report *r,
		       const struct identity *id, int64_t arrived,
		       struct arena *arena)
{
	set(&row->title, identity_strip(title_of(r), arena));
	set(&row->norm, id->norm);
	set(&row->commit, r->commit.id);
	set(&row->author, id->author);
	set(&row->tree, r->commit.tree);
	set(&row->branch, r->commit.branch);
	set(&row->label, r->commit.label);
	set(&row->subsystem, r->commit.subsystem);
	set(&row->posted_link, r->posted.link);
	if (id->rank > row->rank)
		row->rank = id->rank;
	if (arrived > row->last_seen)
		row->last_seen = arrived;
}

static enum status find_or_make(struct store *s, const struct report *r,
				const struct identity *id, int64_t arrived,
				struct arena *arena, struct patch_row *ret,
				struct err *err)
{
	int64_t patch = id->patch;
	enum status st = PH_OK;

	if (id->rung == RUNG_NONE) {
		struct patch_row row = { .rank = -1,
					 .first_seen = arrived,
					 .life_since = arrived };

		update_row(&row, r, id, arrived, arena);
		st = patch_add(s, &row, &patch, err);
	} else if (id->also) {
		st = patch_merge(s, id->patch, id->also, &patch, err);
	}
	return st == PH_OK ? patch_get(s, patch, arena, ret, err) : st;
}

enum status identity_settle(struct store *s, const struct report *r,
			    const struct identity *id, int64_t arrived,
			    struct arena *arena, struct patch_row *ret,
			    struct err *err)
{
	enum status st = find_or_make(s, r, id, arrived, arena, ret, err);

	if (st != PH_OK)
		return st;
	update_row(ret, r, id, arrived, arena);
	st = patch_update(s, ret, err);
	if (st == PH_OK)
		st = patch_commit_add(s, ret->id, r->commit.id, id->patch_id,
				      arrived, err);
	return st;
}
