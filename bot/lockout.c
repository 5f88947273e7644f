#include "bot/lockout.h"

#include <sys/stat.h>
#include "ph/clock.h"
#include "ph/log.h"

#define FIRST_MS PATIENCE(60 * 1000)
#define MOST_MS	 PATIENCE(60 * 60 * 1000)
/* Between the workers of one mailbox: by then the first one is in, or out. */
#define APART_MS PATIENCE(15 * 1000)

int64_t lockout_ms(unsigned refusals)
{
	int64_t ms = FIRST_MS;

	while (refusals-- && ms < MOST_MS)
		ms *= 2;
	return ms < MOST_MS ? ms : MOST_MS;
}

/* Zero where the secret is no file that can be seen. */
static struct secret_mark look(const struct child *c)
{
	struct secret_mark mark = { 0 };
	struct arena arena;
	struct stat st;
	const char *path;

	if (!c->duty.box)
		return mark;
	arena_init(&arena);
	path = secret_file(c->duty.box->password_file, &arena);
	if (path && stat(path, &st) == 0)
		mark = (struct secret_mark){ st.st_ino, st.st_ctim };
	arena_release(&arena);
	return mark;
}

static bool has_changed(const struct child *c)
{
	struct secret_mark now = look(c);

	return now.inode && (now.inode != c->secret.inode ||
			     now.changed.tv_sec != c->secret.changed.tv_sec ||
			     now.changed.tv_nsec != c->secret.changed.tv_nsec);
}

void lockout_begin(struct child *c)
{
	c->locked_out = false;
	c->secret = look(c);
}

static void wait_until(struct child *c, int64_t at)
{
	if (c->start_at < at)
		c->start_at = at;
	c->locked_out = true;
}

void lockout_refused(struct crew *crew, struct child *c, int64_t now)
{
	int64_t wait = lockout_ms(c->refusals++);
	int64_t at = now + wait;

	wait_until(c, at);
	for (size_t i = 0; i < crew->n; i++) {
		struct child *other = &crew->child[i];

		if (other == c || other->pid || other->duty.box != c->duty.box)
			continue;
		at += APART_MS;
		wait_until(other, at);
	}
	log_info("%s: the next login is tried in %lld s, or at once after "
		 "SIGHUP%s%s",
		 c->name, (long long)wait / 1000,
		 c->duty.box->password_file ? " or a change of " : "",
		 c->duty.box->password_file ? c->duty.box->password_file : "");
}

void lockout_over(struct child *c)
{
	c->refusals = 0;
}

void lockout_look(struct crew *crew, int64_t now)
{
	for (size_t i = 0; i < crew->n; i++) {
		struct child *c = &crew->child[i];

		if (!c->locked_out || c->start_at <= now || !has_changed(c))
			continue;
		c->start_at = now;
		lockout_over(c);
	}
}

bool lockout_watches(const struct crew *crew)
{
	for (size_t i = 0; i < crew->n; i++)
		if (crew->child[i].locked_out)
			return true;
	return false;
}
