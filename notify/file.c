/*
 * A file on this machine, and standard output: no service, no network.
 *
 * A path that ends in .json or .jsonl gets one JSON object a line (the facts),
 * any other the text and an empty line behind it.
 */
#include "notify/service.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool wants_json(const struct config_channel *ch)
{
	struct slice path = slice_of(ch->path);

	return slice_ends(path, S(".json")) || slice_ends(path, S(".jsonl"));
}

static enum status render(const struct saying *say, struct parcel *ret,
			  struct err *err)
{
	struct buf b;

	(void)err;
	buf_init(&b);
	if (wants_json(say->ch)) {
		service_put_facts(&b, say->n);
	} else if (say->body.len) {
		buf_add_slice(&b, say->body);
	} else {
		notice_text(say->n, &b);
	}
	ret->body = slice_trim(buf_slice(&b));
	ret->body = arena_copy(say->arena, ret->body);
	buf_release(&b);
	return PH_OK;
}

static struct slice with_end(const struct order *o, bool json)
{
	return slice_of(arena_printf(o->arena, json ? "%.*s\n" : "%.*s\n\n",
				     S_FMT(o->parcel->body)));
}

/* A full disk empties again; the rest wants a person. */
static enum delivery kind_of(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
	case EIO:
	case EINTR:
	case EMFILE:
	case ENFILE:
		return DELIVERY_LATER;
	default:
		return DELIVERY_CHANNEL;
	}
}

static void fail(struct delivery_result *ret, const char *path, int error)
{
	ret->what = kind_of(error);
	service_tell(ret, "%s: %s", path, strerror(error));
}

/* Appends all or nothing: what a full disk cut short is taken back. */
static void append(int fd, const char *path, struct slice text,
		   struct delivery_result *ret)
{
	struct stat before;

	if (flock(fd, LOCK_EX) != 0 || fstat(fd, &before) != 0) {
		fail(ret, path, errno);
		return;
	}
	if (!slice_write(fd, text) || fsync(fd) != 0) {
		fail(ret, path, errno);
		if (S_ISREG(before.st_mode) &&
		    ftruncate(fd, before.st_size) != 0)
			ret->what = DELIVERY_MAYBE;
		return;
	}
	ret->what = DELIVERY_SENT;
}

static void send_file(struct sender *s, const struct order *o,
		      struct delivery_result *ret)
{
	const char *path = o->ch->path;
	int fd;

	(void)s;
	if (!path) {
		ret->what = DELIVERY_CHANNEL;
		service_tell(ret, "no path is set");
		return;
	}
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
	if (fd < 0) {
		fail(ret, path, errno);
		return;
	}
	append(fd, path, with_end(o, wants_json(o->ch)), ret);
	close(fd);
}

const struct service service_file = {
	.title = "file",
	.type = CHANNEL_FILE,
	.limit = 60000,
	.unit = UNIT_BYTES,
	.render = render,
	.send = send_file,
};

static void send_stdout(struct sender *s, const struct order *o,
			struct delivery_result *ret)
{
	(void)s;
	ret->what = DELIVERY_SENT;
	if (!slice_write(STDOUT_FILENO, with_end(o, false)))
		fail(ret, "standard output", errno);
}

const struct service service_stdout = {
	.title = "standard output",
	.type = CHANNEL_STDOUT,
	.limit = 60000,
	.unit = UNIT_BYTES,
	.render = render,
	.send = send_stdout,
};
