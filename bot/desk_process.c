#include <poll.h>
#include <stdlib.h>
#include <sysexits.h>
#include "bot/child.h"
#include "bot/desk.h"
#include "bot/desk_git.h"
#include "bot/fixes.h"
#include "bot/resolve.h"
#include "bot/sandbox.h"
#include "bot/step.h"
#include "bot/store/fix.h"
#include "bot/wake.h"
#include "ph/clock.h"
#include "ph/limits.h"
#include "ph/log.h"

#define RESCAN_MS   1000
#define DESK_MEMORY (192 * MIB)

struct desk_process {
	const struct duty *duty;
	struct store *store;
	struct desk_git_mail git;
	struct desk desk;
	struct desk_git asker;
	struct trees trees;
};

static void tell_courier(struct desk_process *p)
{
	if (!p->desk.queued)
		return;
	p->desk.queued = false;
	step("queued");
	wake_ring(p->duty->courier_bell);
}

/* Decides all that can be decided. The courier is woken at each notice: the
 * first must not wait for the last. */
static enum status decide_all(struct desk_process *p, struct err *err)
{
	enum status s = PH_OK;

	p->desk.waits = false;
	while (!s && !duty_stopped(p->duty)) {
		s = desk_step(&p->desk, clock_wall(), err);
		tell_courier(p);
	}
	return s == PH_NONE ? PH_OK : s;
}

static enum status timers(struct desk_process *p, int64_t *ret_ms,
			  struct err *err)
{
	int64_t now = clock_wall(), next = now + 1;
	enum status s = desk_timers(&p->desk, now, &next, err);

	tell_courier(p);
	*ret_ms = RESCAN_MS;
	if (!s && next <= now)
		*ret_ms = 0;
	return s;
}

static enum status wait_for_news(struct desk_process *p, int64_t ms,
				 struct err *err)
{
	struct pollfd fd[] = {
		{ .fd = p->duty->stop, .events = POLLIN },
		{ .fd = p->duty->desk_bell, .events = POLLIN },
		{ .fd = p->duty->knock, .events = POLLIN },
		{ .fd = desk_git_fd(&p->git), .events = POLLIN },
	};

	poll(fd, ARRAY_LEN(fd), (int)ms);
	if (fd[1].revents)
		wake_drain(p->duty->desk_bell);
	if (fd[2].revents) {
		/* What a command changed may be the courier's business. */
		wake_drain(p->duty->knock);
		wake_ring(p->duty->courier_bell);
		desk_git_hurry(&p->git);
	}
	return desk_git_take(&p->git, clock_wall(), err);
}

static enum status keep_claims(struct desk_process *p, struct arena *arena,
			       struct err *err)
{
	struct slice left = buf_slice(&p->git.scan.claims), line;
	struct fix_claim claim;
	enum status s = PH_OK;

	while (!s && slice_take_line(&left, &line))
		if (fix_from_json(line, arena, &claim, err) == PH_OK)
			s = fixes_take(&p->desk, &claim, clock_wall(), err);
	if (!s && p->git.scan.done)
		s = fix_set_tips(p->store, buf_slice(&p->git.scan.tips), err);
	return s;
}

/* What the scan of the tree has found so far, and the next scan. */
static enum status take_fixes(struct desk_process *p, struct err *err)
{
	struct desk_git_scan *scan = &p->git.scan;
	struct arena arena;
	struct slice tips;
	enum status s = PH_OK;

	if (!p->git.helper)
		return PH_OK;
	arena_init(&arena);
	if (scan->claims.len || scan->done) {
		s = store_begin(p->store, err);
		if (!s)
			s = store_end(p->store, keep_claims(p, &arena, err),
				      err);
		buf_reset(&scan->claims);
		scan->done = false;
	}
	if (!s)
		s = fix_tips(p->store, &arena, &tips, err);
	if (!s)
		desk_git_ask_fixes(&p->git, tips);
	arena_release(&arena);
	return s;
}

static bool is_done(const struct desk_process *p)
{
	return p->duty->once && !p->desk.waits && !desk_git_scans(&p->git) &&
	       !p->git.scan.done && !p->git.scan.claims.len;
}

static enum status work(struct desk_process *p, struct err *err)
{
	enum status s;
	int64_t ms;

	for (;;) {
		s = store_in_place(p->store, err);
		if (!s)
			s = take_fixes(p, err);
		if (!s)
			s = decide_all(p, err);
		if (!s)
			s = resolve_alerts(&p->desk, clock_wall(), err);
		if (!s)
			s = timers(p, &ms, err);
		if (!s)
			s = desk_git_refresh(&p->git, clock_wall(), err);
		if (s || duty_stopped(p->duty) || is_done(p))
			return s;
		s = wait_for_news(p, ms, err);
		if (s)
			return s;
	}
}

static enum status shut_in(const struct config *config, struct err *err)
{
	struct arena arena;
	enum status s;

	arena_init(&arena);
	const struct sandbox_path paths[] = {
		{ sandbox_folder_of(&arena, config->state), true },
	};
	const struct sandbox sandbox = { .memory = DESK_MEMORY,
					 .paths = paths,
					 .n_paths = ARRAY_LEN(paths) };

	s = sandbox_enter(&sandbox, err);
	arena_release(&arena);
	return s;
}

/* Before the sandbox. A table that cannot be read would tell lists of branches
 * that are not for them. */
static enum status read_trees(struct trees *t, const struct config *config,
			      struct err *err)
{
	enum status s;
	size_t bad;

	trees_init(t);
	s = trees_read(t, config->git.trees, &bad, err);
	if (s == PH_OK && bad)
		log_warn("trees: %zu files left out, the first: %s", bad,
			 err->text);
	return s;
}

int desk_run(const struct duty *duty)
{
	struct desk_process p = { .duty = duty };
	struct err err;
	enum status s = read_trees(&p.trees, duty->config, &err);

	if (!s)
		s = shut_in(duty->config, &err);
	if (!s)
		s = store_open(duty->config->state, &p.store, &err);
	if (!s) {
		desk_git_init(&p.git, duty->git, &duty->config->git, p.store);
		p.asker = desk_git_asker(&p.git);
		desk_init(&p.desk, duty->config, p.store,
			  duty->git >= 0 ? &p.asker : NULL);
		p.desk.trees = &p.trees;
		s = work(&p, &err);
		desk_git_release(&p.git);
	}
	if (s)
		log_error("%s", err.text);
	store_close(p.store);
	trees_release(&p.trees);
	return s ? err_exit_code(&err, s) : EX_OK;
}
