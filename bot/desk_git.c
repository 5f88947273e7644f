#include "bot/desk_git.h"

#include <stdio.h>
#include <string.h>
#include "bot/learn.h"
#include "bot/store/gitfacts.h"
#include "ph/clock.h"
#include "ph/log.h"

void desk_git_init(struct desk_git_mail *g, int fd,
		   const struct config_git *config, struct store *store)
{
	*g = (struct desk_git_mail){ .config = config,
				     .store = store,
				     .wait_ms = LIMIT_GIT_WAIT * 1000,
				     .scan = { .first = fd >= 0 } };
	if (fd >= 0)
		g->helper = githelper_new(fd);
}

void desk_git_release(struct desk_git_mail *g)
{
	buf_release(&g->scan.claims);
	buf_release(&g->scan.tips);
	githelper_free(g->helper);
}

int desk_git_fd(const struct desk_git_mail *g)
{
	return g->helper ? githelper_fd(g->helper) : -1;
}

/* -- questions -- */

static struct desk_git_question *find(struct desk_git_mail *g, const char *hex)
{
	for (size_t i = 0; i < DESK_GIT_OPEN; i++)
		if (!strcmp(g->question[i].hex, hex))
			return &g->question[i];
	return NULL;
}

/* Free places; those of questions that no answer can come to any more too. */
static struct desk_git_question *free_place(struct desk_git_mail *g)
{
	int64_t now = clock_mono_ms();

	for (size_t i = 0; i < DESK_GIT_OPEN; i++) {
		struct desk_git_question *q = &g->question[i];

		if (!q->hex[0] || now - q->asked < DESK_GIT_LOST_MS)
			continue;
		githelper_forget(g->helper, q->id);
		*q = (struct desk_git_question){ 0 };
	}
	return find(g, "");
}

/* False: it has to wait until others are answered. */
static bool ask(struct desk_git_mail *g, const char *hex)
{
	struct desk_git_question *q = free_place(g);
	struct err err;

	if (!q || githelper_ask(g->helper, GITHELPER_COMMIT, slice_of(hex),
				&q->id, &err))
		return false;
	snprintf(q->hex, sizeof(q->hex), "%s", hex);
	q->asked = clock_mono_ms();
	q->given_up = g->slow;
	return true;
}

static enum status write_row(struct desk_git_mail *g, struct slice commit,
			     const struct gitfacts_row *row,
			     const struct commit_facts *facts, int64_t now,
			     struct arena *arena, struct err *err)
{
	enum status st = store_begin(g->store, err);

	if (st != PH_OK)
		return st;
	st = gitfacts_put(g->store, commit, row, err);
	if (st == PH_OK && facts)
		st = learn_commit(g->store, commit, facts, now, arena, err);
	return store_end(g->store, st, err);
}

/* Nobody waits any longer: not for this one, nor for those asked later, until
 * an answer comes. */
static void give_up(struct desk_git_mail *g)
{
	if (!g->slow)
		log_warn("git: no answer within %lld s; reports are told "
			 "without what the tree knows until one comes",
			 (long long)g->wait_ms / 1000);
	g->slow = true;
	for (size_t i = 0; i < DESK_GIT_OPEN; i++)
		g->question[i].given_up = true;
}

static bool waits_too_long(struct desk_git_mail *g)
{
	int64_t now = clock_mono_ms();

	for (size_t i = 0; i < DESK_GIT_OPEN; i++) {
		const struct desk_git_question *q = &g->question[i];

		if (q->hex[0] && !q->given_up && now - q->asked >= g->wait_ms)
			return true;
	}
	return false;
}

/* -- what the desk asks -- */

static bool is_fresh(const struct gitfacts_row *row)
{
	return row->answered && (row->settled || clock_wall() - row->answered <
							 DESK_GIT_FRESH_S);
}

static enum status known(const struct gitfacts_row *row, struct arena *arena,
			 struct commit_facts *ret, struct err *err)
{
	if (!row->answered || !row->json.len)
		return PH_NONE;
	/* written by a version that said it otherwise: ask again in time */
	return commit_from_json(row->json, arena, ret, err) == PH_OK ? PH_OK
								     : PH_NONE;
}

/* Remembered as asked for, so that it is asked for again in time. */
static enum status do_without(struct desk_git_mail *g, struct slice hex,
			      const struct gitfacts_row *row,
			      struct arena *arena, struct commit_facts *ret,
			      struct err *err)
{
	const struct gitfacts_row unanswered = { .asked = clock_wall() };
	enum status st = PH_OK;

	if (!row->asked)
		st = write_row(g, hex, &unanswered, NULL, 0, arena, err);
	/* another writer held the state: the next look finds the same */
	return st == PH_OK ? known(row, arena, ret, err) : st;
}

/* A fix that is in the tree is to stand in the first notice. */
static bool scans_first(const struct desk_git_mail *g)
{
	return g->scan.first && g->scan.asked && !g->slow &&
	       clock_mono_ms() - g->scan.since < g->wait_ms;
}

static enum status commit(void *arg, struct slice hex, struct arena *arena,
			  struct commit_facts *ret, struct err *err)
{
	struct desk_git_mail *g = arg;
	struct gitfacts_row row = { 0 };
	char name[GIT_HEX + 1];
	enum status st;

	if (!hex.len || hex.len > GIT_HEX)
		return PH_NONE;
	snprintf(name, sizeof(name), "%.*s", S_FMT(hex));
	st = gitfacts_get(g->store, hex, arena, &row, err);
	if (st != PH_OK && st != PH_NONE)
		return st;
	if (is_fresh(&row) && !scans_first(g))
		return known(&row, arena, ret, err);
	if (waits_too_long(g))
		give_up(g);
	if (!is_fresh(&row) && !find(g, name))
		ask(g, name);
	if (g->slow)
		return do_without(g, hex, &row, arena, ret, err);
	return err_set(err, PH_RETRY, "git: %s is looked up", name);
}

struct desk_git desk_git_asker(struct desk_git_mail *g)
{
	return (struct desk_git){ .commit = g->helper ? commit : NULL,
				  .arg = g };
}

static enum status commit_known(void *arg, struct slice hex,
				struct arena *arena, struct commit_facts *ret,
				struct err *err)
{
	struct gitfacts_row row;
	enum status st = gitfacts_get(arg, hex, arena, &row, err);

	return st == PH_OK ? known(&row, arena, ret, err) : st;
}

struct desk_git desk_git_known(struct store *store)
{
	return (struct desk_git){ .commit = commit_known, .arg = store };
}

/* -- answers -- */

/* Once for each thing that is wrong, not once for each question. */
static void say_trouble(struct desk_git_mail *g, struct slice why)
{
	char text[sizeof(g->trouble)];

	snprintf(text, sizeof(text), "%.*s", S_FMT(why));
	if (!strcmp(text, g->trouble))
		return;
	memcpy(g->trouble, text, sizeof(text));
	log_warn("%s", text);
}

static bool is_settled(const struct desk_git_mail *g,
		       const struct commit_facts *facts)
{
	return facts->n_merged >= g->config->merged.n;
}

static enum status keep(struct desk_git_mail *g, struct slice hex,
			const struct githelper_answer *a, int64_t now,
			struct arena *arena, struct err *err)
{
	struct gitfacts_row row = { .asked = now, .answered = now };
	struct commit_facts facts;

	if (a->status == PH_RETRY)
		say_trouble(g, a->text);
	if (a->status != PH_OK ||
	    commit_from_json(a->text, arena, &facts, err) != PH_OK)
		return write_row(g, hex, &row, NULL, now, arena, err);
	row.json = a->text;
	row.settled = is_settled(g, &facts);
	return write_row(g, hex, &row, &facts, now, arena, err);
}

/* Commits are answered in the order they were asked for, so earlier ones still
 * open went down with an earlier helper. */
static void drop_lost(struct desk_git_mail *g, uint64_t answered)
{
	for (size_t i = 0; i < DESK_GIT_OPEN; i++) {
		struct desk_git_question *q = &g->question[i];

		if (!q->hex[0] || q->id >= answered)
			continue;
		githelper_forget(g->helper, q->id);
		*q = (struct desk_git_question){ 0 };
	}
}

static enum status keep_commit(struct desk_git_mail *g,
			       const struct githelper_answer *a, int64_t now,
			       struct arena *arena, struct err *err)
{
	drop_lost(g, a->id);
	for (size_t i = 0; i < DESK_GIT_OPEN; i++) {
		struct desk_git_question *q = &g->question[i];
		struct slice hex;

		if (!q->hex[0] || q->id != a->id)
			continue;
		hex = arena_copy(arena, slice_of(q->hex));
		*q = (struct desk_git_question){ 0 };
		return keep(g, hex, a, now, arena, err);
	}
	return PH_OK;
}

static void refresh_before(struct desk_git_mail *g, int64_t before)
{
	if (g->refresh.before < before)
		g->refresh.before = before;
}

static void end_scan(struct desk_git_mail *g, const struct githelper_answer *a,
		     int64_t now)
{
	struct desk_git_scan *scan = &g->scan;
	struct buf tips;
	int64_t before = 1;

	scan->asked = scan->first = false;
	scan->again = clock_mono_ms() + DESK_GIT_SCAN_MS;
	scan->done = a->status == PH_OK;
	if (!scan->done) {
		say_trouble(g, a->text);
		return;
	}
	buf_init(&tips);
	for (size_t i = 0; i < a->n_tips; i++)
		buf_printf(&tips, "%s%.*s", i ? " " : "", S_FMT(a->tips[i]));
	/* at a start too: something may have been left unanswered */
	if (!slice_eq(buf_slice(&tips), buf_slice(&scan->tips)))
		before = now;
	refresh_before(g, before);
	buf_release(&scan->tips);
	scan->tips = tips;
}

static void keep_fixes(struct desk_git_mail *g,
		       const struct githelper_answer *a, int64_t now)
{
	struct desk_git_scan *scan = &g->scan;

	if (!scan->asked || a->id != scan->id)
		return;
	scan->heard = clock_mono_ms();
	if (a->status == PH_OK)
		buf_add_slice(&scan->claims, a->text);
	if (a->last)
		end_scan(g, a, now);
}

/* It is there again: what is still open may be waited for, and what was given
 * up is asked for again. */
static void hear(struct desk_git_mail *g, int64_t now)
{
	if (!g->slow)
		return;
	g->slow = false;
	log_info("git: answers again");
	refresh_before(g, now);
	for (size_t i = 0; i < DESK_GIT_OPEN; i++) {
		g->question[i].given_up = false;
		g->question[i].asked = clock_mono_ms();
	}
}

enum status desk_git_take(struct desk_git_mail *g, int64_t now, struct err *err)
{
	struct githelper_answer a;
	struct arena arena;
	struct err ignored; /* it is gone: its successor answers */
	enum status st = PH_OK;

	if (!g->helper)
		return PH_OK;
	arena_init(&arena);
	while (st == PH_OK &&
	       githelper_take(g->helper, 0, &arena, &a, &ignored) == PH_OK) {
		hear(g, now);
		if (a.kind == GITHELPER_FIXES)
			keep_fixes(g, &a, now);
		else
			st = keep_commit(g, &a, now, &arena, err);
		arena_reset(&arena);
	}
	arena_release(&arena);
	return st;
}

/* -- the scan, and what is asked anew -- */

void desk_git_ask_fixes(struct desk_git_mail *g, struct slice tips)
{
	struct desk_git_scan *scan = &g->scan;
	int64_t now = clock_mono_ms();
	struct err err;

	if (scan->asked && now - scan->heard >= DESK_GIT_LOST_MS) {
		githelper_forget(g->helper, scan->id);
		scan->asked = false;
	}
	if (!g->helper || scan->asked || now < scan->again)
		return;
	scan->since = scan->heard = now;
	scan->asked = githelper_ask(g->helper, GITHELPER_FIXES, tips, &scan->id,
				    &err) == PH_OK;
}

bool desk_git_scans(const struct desk_git_mail *g)
{
	return g->scan.asked && clock_mono_ms() - g->scan.heard < g->wait_ms;
}

void desk_git_hurry(struct desk_git_mail *g)
{
	int64_t soon = g->scan.since + DESK_GIT_KNOCK_MS;

	if (g->scan.again > soon)
		g->scan.again = soon;
}

static enum status fill_refresh(struct desk_git_mail *g, int64_t now,
				struct err *err)
{
	struct desk_git_refresh *r = &g->refresh;
	struct slice list[DESK_GIT_REFRESH];
	struct arena arena;
	enum status st;

	arena_init(&arena);
	st = gitfacts_unsettled(g->store, r->before, now - DESK_GIT_RECENT_S,
				DESK_GIT_REFRESH, &arena, list, &r->n, err);
	for (size_t i = 0; st == PH_OK && i < r->n; i++)
		snprintf(r->hex[i], sizeof(r->hex[i]), "%.*s", S_FMT(list[i]));
	if (st != PH_OK)
		r->n = 0;
	else if (!r->n)
		r->before = 0;
	arena_release(&arena);
	return st;
}

static bool is_idle(const struct desk_git_mail *g)
{
	for (size_t i = 0; i < DESK_GIT_OPEN; i++)
		if (g->question[i].hex[0])
			return false;
	return !g->slow;
}

enum status desk_git_refresh(struct desk_git_mail *g, int64_t now,
			     struct err *err)
{
	struct desk_git_refresh *r = &g->refresh;
	enum status st = PH_OK;

	if (!g->helper || !r->before || !is_idle(g))
		return PH_OK;
	if (!r->n)
		st = fill_refresh(g, now, err);
	if (st == PH_OK && r->n && ask(g, r->hex[r->n - 1]))
		r->n--;
	return st;
}
