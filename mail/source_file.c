#include "ph/source.h"
#include "mail/folder.h"
#include "mail/mail_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

struct source {
	char *path;
	struct folder *folder; /* NULL: path is one file */
	char *folder_path;
	bool then_new; /* a Maildir's new/ comes after this */

	char *file_path; /* the file in hand, or the next one; or NULL */
	int64_t file_time;
	struct mail_file *file; /* NULL: not open yet */
	int64_t file_count;	/* messages taken from it */

	int64_t index; /* of the next message */
	struct buf where;
};

static void close_file(struct source *s)
{
	mail_file_close(s->file);
	free(s->file_path);
	s->file = NULL;
	s->file_path = NULL;
	s->file_count = 0;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	close_file(s);
	folder_close(s->folder);
	free(s->folder_path);
	free(s->path);
	buf_release(&s->where);
	free(s);
}

static char *join(const char *folder, const char *name)
{
	size_t len = strlen(folder);
	struct buf b;

	buf_init(&b);
	buf_printf(&b, "%s%s%s", folder,
		   len && folder[len - 1] == '/' ? "" : "/", name);
	buf_str(&b);
	return b.ptr;
}

static bool is_folder(const char *path)
{
	struct stat sb;

	return stat(path, &sb) == 0 && S_ISDIR(sb.st_mode);
}

static bool is_maildir(const char *path)
{
	char *cur = join(path, "cur"), *new = join(path, "new");
	bool ret = is_folder(cur) && is_folder(new);

	free(cur);
	free(new);
	return ret;
}

/* Takes over path. */
static enum status open_folder(struct source *s, char *path, struct err *err)
{
	folder_close(s->folder);
	s->folder = NULL;
	free(s->folder_path);
	s->folder_path = path;
	return folder_open(path, &s->folder, err);
}

/* A Maildir's file name starts with the time of its delivery. */
static int64_t delivery_time(const char *name, int64_t otherwise)
{
	struct slice s = slice_of(name);
	uint64_t seconds;

	if (!slice_take_uint(&s, UINT32_MAX, &seconds) ||
	    !slice_starts(s, S(".")))
		return otherwise;
	return (int64_t)seconds;
}

/* Whether this entry of the folder is a file; then it is the one in hand. */
static bool take_entry(struct source *s, const char *name)
{
	char *path = join(s->folder_path, name);
	struct stat sb;

	if (stat(path, &sb) != 0 || !S_ISREG(sb.st_mode)) {
		free(path);
		return false;
	}
	s->file_path = path;
	s->file_time = delivery_time(name, sb.st_mtime);
	return true;
}

/* Finds the folder's next file. PH_NONE: no more. */
static enum status next_entry(struct source *s, struct err *err)
{
	const char *name;
	enum status st;

	for (;;) {
		st = folder_next(s->folder, &name, err);
		if (st == PH_OK && take_entry(s, name))
			return PH_OK;
		if (st == PH_NONE && s->then_new) {
			s->then_new = false;
			st = open_folder(s, join(s->path, "new"), err);
		}
		if (st != PH_OK)
			return st;
	}
}

static enum status start_folder(struct source *s, struct err *err)
{
	enum status st;

	s->then_new = is_maildir(s->path);
	st = open_folder(s,
			 s->then_new ? join(s->path, "cur") : xstrdup(s->path),
			 err);
	if (st == PH_OK)
		st = next_entry(s, err);
	if (st == PH_NONE)
		return err_set(err, PH_BAD, "%s: no mails in this folder",
			       s->path);
	return st;
}

static enum status start_file(struct source *s, int fd, struct err *err)
{
	struct stat sb;
	enum status st;

	s->file_time = fstat(fd, &sb) == 0 ? sb.st_mtime : 0;
	s->file_path = xstrdup(fd == STDIN_FILENO ? "standard input" : s->path);
	st = mail_file_open(fd, s->file_path, &s->file, err);
	if (st == PH_OK && mail_file_is_empty(s->file))
		return err_set(err, PH_BAD, "%s: empty", s->file_path);
	return st;
}

static enum status start(struct source *s, struct err *err)
{
	int fd;

	if (!strcmp(s->path, "-"))
		return start_file(s, STDIN_FILENO, err);
	if (is_folder(s->path))
		return start_folder(s, err);
	fd = open(s->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_exit(err, PH_FATAL, EX_NOINPUT, "%s: %s", s->path,
				strerror(errno));
	return start_file(s, fd, err);
}

enum status source_open(const char *path, struct source **ret, struct err *err)
{
	struct source *s = xcalloc(1, sizeof(*s));
	enum status st;

	s->path = xstrdup(path);
	buf_init(&s->where);
	st = start(s, err);
	if (st != PH_OK) {
		source_close(s);
		return st;
	}
	*ret = s;
	return PH_OK;
}

/* Says where the message in hand stands, and counts it. */
static void note_place(struct source *s, struct source_item *ret)
{
	bool mbox = s->file && mail_file_is_mbox(s->file);

	s->file_count++;
	buf_reset(&s->where);
	buf_add_str(&s->where, s->file_path);
	if (mbox)
		buf_printf(&s->where, ":%lld", (long long)s->file_count);
	buf_str(&s->where);
	ret->where = buf_slice(&s->where);
	ret->index = mbox || s->folder ? s->index : -1;
	ret->arrived = s->file_time;
	s->index++;
}

/* PH_BAD: this file of the folder cannot be opened; it is let go. */
static enum status open_entry(struct source *s, struct source_item *ret,
			      struct err *err)
{
	int fd = open(s->file_path, O_RDONLY | O_CLOEXEC);
	enum status st;

	if (fd >= 0)
		return mail_file_open(fd, s->file_path, &s->file, err);
	note_place(s, ret);
	st = err_exit(err, PH_BAD, EX_NOINPUT, "%s: %s", s->file_path,
		      strerror(errno));
	close_file(s);
	return st;
}

/* Has a file open, the one in hand or the next. PH_NONE: no more. */
static enum status need_file(struct source *s, struct source_item *ret,
			     struct err *err)
{
	enum status st;

	if (s->file)
		return PH_OK;
	if (!s->file_path) {
		st = s->folder ? next_entry(s, err) : PH_NONE;
		if (st != PH_OK)
			return st;
	}
	return open_entry(s, ret, err);
}

enum status source_next(struct source *s, struct source_item *ret,
			struct err *err)
{
	struct source_item item = { 0 };
	struct err why;
	enum status st;

	for (;;) {
		st = need_file(s, ret, err);
		if (st != PH_OK)
			return st;
		st = mail_file_next(s->file, &item.raw, &why);
		if (st != PH_NONE)
			break;
		close_file(s);
	}
	note_place(s, &item);
	if (st == PH_FATAL)
		return err_exit(err, st, why.exit_code, "%s", why.text);
	*ret = item;
	if (st == PH_BAD)
		err_set(err, st, "%.*s: %s", S_FMT(item.where), why.text);
	return st;
}
