#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/child.h"
#include "bot/health.h"
#include "bot/sandbox.h"
#include "ph/channel.h"
#include "ph/clock.h"
#include "ph/limits.h"
#include "ph/log.h"

/*
 * The monitor tells machines how things stand: once a minute it writes
 * status_file, and fetches ping_url when nothing needs a person. Whoever waits
 * for that ping hears of our end by its absence.
 */

#define EVERY_MS       60000
#define MONITOR_MEMORY (64 * MIB)

struct monitor {
	const struct config *config;
	struct store *store;
	struct pinger *pinger;
	bool file_failed, ping_failed; /* that has been logged */
};

/* Beside the old one, so that a reader finds one of them whole, and a file of
 * our own, whatever lies there: others may write to a folder that is read for
 * many programs. For anyone to read: whoever watches machines is another user. */
static enum status replace_file(const char *path, struct slice text,
				struct err *err)
{
	char fresh[4096];
	bool ok;
	int fd;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	unlink(fresh);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_set(err, PH_RETRY, "status_file: %s: %s", fresh,
			       strerror(errno));
	ok = slice_write(fd, text) && fchmod(fd, 0644) == 0;
	close(fd);
	if (ok && rename(fresh, path) == 0)
		return PH_OK;
	err_set(err, PH_RETRY, "status_file: %s: %s", path, strerror(errno));
	unlink(fresh);
	return PH_RETRY;
}

/* Says once that something fails, and once that it works again. */
static void note(bool *failed, enum status st, const struct err *err,
		 const char *what)
{
	if (st != PH_OK && !*failed)
		log_warn("%s", err->text);
	if (st == PH_OK && *failed)
		log_info("%s works again", what);
	*failed = st != PH_OK;
}

static enum status look(struct monitor *m, struct buf *ret, bool *ret_needs,
			struct err *err)
{
	struct arena arena;
	struct health h = { .config = m->config,
			    .store = m->store,
			    .arena = &arena,
			    .now = clock_wall() };
	enum status st;

	arena_init(&arena);
	st = health_json(&h, true, ret, err);
	*ret_needs = h.needs;
	arena_release(&arena);
	return st;
}

static enum status tell(struct monitor *m, struct err *err)
{
	const struct config *c = m->config;
	struct err why;
	struct buf text;
	bool needs;
	enum status st;

	buf_init(&text);
	st = look(m, &text, &needs, err);
	if (st == PH_OK && c->status_file)
		note(&m->file_failed,
		     replace_file(c->status_file, buf_slice(&text), &why), &why,
		     "status_file");
	if (st == PH_OK && c->ping_url && !needs)
		note(&m->ping_failed,
		     pinger_fetch(m->pinger, c->ping_url, &why), &why,
		     "ping_url");
	buf_release(&text);
	return st;
}

static enum status shut_in(const struct config *config, struct err *err)
{
	struct arena arena;
	enum status s;

	arena_init(&arena);
	const struct sandbox_path paths[] = {
		{ sandbox_folder_of(&arena, config->state), true },
		{ config->status_file
			  ? sandbox_folder_of(&arena, config->status_file)
			  : NULL,
		  true },
	};
	const struct sandbox sandbox = { .memory = MONITOR_MEMORY,
					 .paths = paths,
					 .n_paths = ARRAY_LEN(paths),
					 .network = config->ping_url };

	s = sandbox_enter(&sandbox, err);
	arena_release(&arena);
	return s;
}

int monitor_run(const struct duty *duty)
{
	struct monitor m = { .config = duty->config };
	struct err err;
	enum status s = shut_in(duty->config, &err);

	if (!s)
		s = store_open(duty->config->state, &m.store, &err);
	if (!s && duty->config->ping_url)
		m.pinger = pinger_new();
	while (!s && !duty_stopped(duty)) {
		s = store_in_place(m.store, &err);
		if (!s)
			s = tell(&m, &err);
		if (!s)
			duty_wait(duty, -1, EVERY_MS);
	}
	if (s)
		log_error("%s", err.text);
	pinger_free(m.pinger);
	store_close(m.store);
	return s ? err_exit_code(&err, s) : EX_OK;
}
