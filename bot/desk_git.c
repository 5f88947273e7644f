#include "bot/desk_git.h"

#include <string.h>
#include "ph/clock.h"

void desk_git_init(struct desk_git_mail *g, int fd)
{
	*g = (struct desk_git_mail){ 0 };
	if (fd >= 0)
		g->helper = githelper_new(fd);
}

void desk_git_release(struct desk_git_mail *g)
{
	for (size_t i = 0; i < DESK_GIT_OPEN; i++)
		buf_release(&g->question[i].text);
	buf_release(&g->scan.claims);
	buf_release(&g->scan.tips);
	githelper_free(g->helper);
}

static void forget(struct desk_git_question *q)
{
	buf_release(&q->text);
	*q = (struct desk_git_question){ 0 };
}

static struct desk_git_question *find(struct desk_git_mail *g, const char *hex)
{
	for (size_t i = 0; i < DESK_GIT_OPEN; i++)
		if (!strcmp(g->question[i].hex, hex))
			return &g->question[i];
	return NULL;
}

static enum status ask(struct desk_git_mail *g, const char *hex, struct err *err)
{
	struct desk_git_question *q = find(g, "");

	if (!q || githelper_ask(g->helper, GITHELPER_COMMIT, slice_of(hex),
				&q->id, err))
		return err_set(err, PH_RETRY, "git: %s waits for others", hex);
	memcpy(q->hex, hex, strlen(hex) + 1);
	q->asked = clock_mono_ms();
	return err_set(err, PH_RETRY, "git: %s is looked up", hex);
}

static enum status commit(void *arg, struct slice hex, struct arena *arena,
			  struct commit_facts *ret, struct err *err)
{
	struct desk_git_mail *g = arg;
	struct desk_git_question *q;
	char name[GIT_HEX + 1];
	enum status s;

	if (!hex.len || hex.len > GIT_HEX)
		return PH_NONE;
	memcpy(name, hex.ptr, hex.len);
	name[hex.len] = '\0';
	q = find(g, name);
	if (!q)
		return ask(g, name, err);
	if (q->answered) {
		s = q->status;
		if (!s && commit_from_json(arena_copy(arena, buf_slice(&q->text)),
					   arena, ret, err))
			s = PH_NONE;
	} else if (clock_mono_ms() - q->asked < DESK_GIT_WAIT_MS) {
		return err_set(err, PH_RETRY, "git: %s is looked up", name);
	} else {
		githelper_forget(g->helper, q->id);
		s = PH_NONE;
	}
	forget(q);
	return s == PH_OK ? PH_OK : PH_NONE;
}

struct desk_git desk_git_asker(struct desk_git_mail *g)
{
	return (struct desk_git){ .commit = g->helper ? commit : NULL, .arg = g };
}

int desk_git_fd(const struct desk_git_mail *g)
{
	return g->helper ? githelper_fd(g->helper) : -1;
}

static void keep(struct desk_git_mail *g, const struct githelper_answer *a)
{
	for (size_t i = 0; i < DESK_GIT_OPEN; i++) {
		struct desk_git_question *q = &g->question[i];

		if (!q->hex[0] || q->id != a->id)
			continue;
		q->answered = true;
		q->status = a->status;
		buf_reset(&q->text);
		buf_add_slice(&q->text, a->text);
	}
}

void desk_git_ask_fixes(struct desk_git_mail *g, struct slice tips)
{
	struct desk_git_scan *scan = &g->scan;
	struct err err;

	if (!g->helper || scan->asked || clock_mono_ms() < scan->again)
		return;
	scan->asked = githelper_ask(g->helper, GITHELPER_FIXES, tips,
				    &scan->id, &err) == PH_OK;
}

/* A part of the scan. One that fails is asked for again in an hour. */
static void keep_fixes(struct desk_git_mail *g,
		       const struct githelper_answer *a)
{
	struct desk_git_scan *scan = &g->scan;

	if (!scan->asked || a->id != scan->id)
		return;
	if (a->status == PH_OK)
		buf_add_slice(&scan->claims, a->text);
	if (!a->last)
		return;
	scan->asked = false;
	scan->again = clock_mono_ms() + DESK_GIT_SCAN_MS;
	scan->done = a->status == PH_OK;
	buf_reset(&scan->tips);
	for (size_t i = 0; i < a->n_tips; i++)
		buf_printf(&scan->tips, "%s%.*s", i ? " " : "",
			   S_FMT(a->tips[i]));
}

void desk_git_take(struct desk_git_mail *g)
{
	struct githelper_answer a;
	struct arena arena;
	struct err err;

	if (!g->helper)
		return;
	arena_init(&arena);
	while (githelper_take(g->helper, 0, &arena, &a, &err) == PH_OK) {
		if (a.kind == GITHELPER_FIXES)
			keep_fixes(g, &a);
		else
			keep(g, &a);
		arena_reset(&arena);
	}
	arena_release(&arena);
}
