#include "ph/archive.h"
#include "mail/header.h"
#include "ph/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

static enum status failed(const char *path, struct err *err)
{
	return err_exit(err, PH_RETRY, EX_IOERR, "archive: %s: %s", path,
			strerror(errno));
}

enum status archive_make(const char *path, struct err *err)
{
	static const char *const parts[] = { "", "/tmp", "/new", "/cur" };
	enum status st = PH_OK;
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; path && st == PH_OK && i < ARRAY_LEN(parts); i++) {
		buf_reset(&b);
		buf_printf(&b, "%s%s", path, parts[i]);
		if (mkdir(buf_str(&b), 0700) != 0 && errno != EEXIST)
			st = failed(buf_str(&b), err);
	}
	buf_release(&b);
	return st;
}

/* Of SHA-256 this much is enough to tell mails apart. */
#define PREFIX_LEN 32

/* "id-HASH.": how the names of all mails with this id start. */
static void add_prefix(struct buf *b, struct slice id)
{
	char hash[65];

	hash_name(&id, 1, hash);
	buf_printf(b, "id-%.*s.", PREFIX_LEN, hash);
}

static struct slice id_of(struct slice raw)
{
	struct slice header, body, id = { NULL, 0 };
	struct header_field f;

	header_split(raw, &header, &body);
	while (header_take(&header, &f))
		if (header_is(&f, S("Message-ID")) &&
		    header_take_id(&f.value, &id) && id.len)
			break;
	return id;
}

static void add_name(struct buf *b, struct slice raw)
{
	char hash[65];

	hash_name(&raw, 1, hash);
	add_prefix(b, id_of(raw));
	buf_printf(b, "%.*s", PREFIX_LEN, hash);
}

static enum status write_file(const char *path, struct slice raw,
			      int64_t arrived, struct err *err)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { .tv_sec = (time_t)arrived } };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	enum status st = PH_OK;

	if (fd < 0)
		return failed(path, err);
	if (!slice_write(fd, raw) || futimens(fd, times) != 0 || fsync(fd) != 0)
		st = failed(path, err);
	if (close(fd) != 0 && st == PH_OK)
		st = failed(path, err);
	return st;
}

/* A new name is safe only when its folder is on the disk, too. */
static enum status sync_folder(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum status st = PH_OK;

	if (fd < 0)
		return failed(path, err);
	if (fsync(fd) != 0)
		st = failed(path, err);
	close(fd);
	return st;
}

/* Where a mail goes, and where it is written first. */
struct place {
	struct buf tmp, new, folder;
};

static void place_init(struct place *p, const char *path, struct slice raw)
{
	*p = (struct place){ 0 };
	buf_printf(&p->folder, "%s/new", path);
	buf_printf(&p->new, "%s/new/", path);
	add_name(&p->new, raw);
	buf_printf(&p->tmp, "%s/tmp/", path);
	add_name(&p->tmp, raw);
	/* two workers may hold the same mail */
	buf_printf(&p->tmp, ".%ld", (long)getpid());
}

static void place_release(struct place *p)
{
	buf_release(&p->tmp);
	buf_release(&p->new);
	buf_release(&p->folder);
}

/* maildir(5): whole and on the disk in tmp, then at once in new. */
static enum status deliver(struct place *p, struct slice raw, int64_t arrived,
			   struct err *err)
{
	const char *tmp = buf_str(&p->tmp), *new = buf_str(&p->new);
	enum status st = write_file(tmp, raw, arrived, err);

	if (st == PH_OK && rename(tmp, new) != 0)
		st = failed(new, err);
	if (st != PH_OK)
		unlink(tmp);
	return st == PH_OK ? sync_folder(buf_str(&p->folder), err) : st;
}

enum status archive_put(const char *path, struct slice raw, int64_t arrived,
			struct err *err)
{
	enum status st = PH_OK;
	struct place p;

	if (!path)
		return PH_OK;
	place_init(&p, path, raw);
	if (access(buf_str(&p.new), F_OK) != 0)
		st = deliver(&p, raw, arrived, err);
	place_release(&p);
	return st;
}

/* Adds the files of path/sub whose names start with prefix. */
static enum status find_in(const char *path, const char *sub,
			   struct slice prefix, struct arena *arena,
			   const char **list, size_t *n, struct err *err)
{
	const char *folder = arena_printf(arena, "%s/%s", path, sub);
	DIR *dir = opendir(folder);
	struct dirent *d;

	if (!dir && errno == ENOENT)
		return PH_OK;
	if (!dir)
		return failed(folder, err);
	while (*n < ARCHIVE_COPIES && (d = readdir(dir)))
		if (slice_starts(slice_of(d->d_name), prefix))
			list[(*n)++] =
				arena_printf(arena, "%s/%s", folder, d->d_name);
	closedir(dir);
	return PH_OK;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum status archive_find(const char *path, struct slice id, struct arena *arena,
			 const char **ret, size_t *ret_n, struct err *err)
{
	struct buf prefix;
	enum status st;
	size_t n = 0;

	if (!path)
		return err_set(err, PH_NONE, "no archive is kept");
	buf_init(&prefix);
	add_prefix(&prefix, id);
	st = find_in(path, "cur", buf_slice(&prefix), arena, ret, &n, err);
	if (st == PH_OK)
		st = find_in(path, "new", buf_slice(&prefix), arena, ret, &n,
			     err);
	buf_release(&prefix);
	if (st != PH_OK)
		return st;
	qsort(ret, n, sizeof(*ret), by_name);
	*ret_n = n;
	return n ? PH_OK
		 : err_set(err, PH_NONE, "%.*s is not in %s", S_FMT(id), path);
}
