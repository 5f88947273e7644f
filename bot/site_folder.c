#include "bot/site_folder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/site_names.h"
#include "ph/arena.h"

#define MANIFEST     ".perfherald-site"
#define MANIFEST_NEW ".perfherald-site.new"
#define BESIDE	     ".perfherald-new" /* a file before it has its name */

#define NAME_MAX_LEN 120
#define ROOMS	     16 /* folders inside */

struct room {
	char name[NAME_MAX_LEN];
	int fd;
};

struct site_folder {
	char *path;
	int fd;
	FILE *manifest; /* appended to */
	struct site_names names;
	struct room rooms[ROOMS];
	size_t n_rooms;
	struct site_counts counts;
};

static enum status failed(const struct site_folder *f, const char *name,
			  struct err *err)
{
	return err_exit(err, PH_FATAL, EX_IOERR, "%s/%s: %s", f->path, name,
			strerror(errno));
}

/* -- names -- */

static bool is_plain(struct slice part)
{
	for (size_t i = 0; i < part.len; i++) {
		char c = part.ptr[i];

		if (!is_digit(c) && !(c >= 'a' && c <= 'z') && c != '-' &&
		    c != '.')
			return false;
	}
	return part.len && part.ptr[0] != '.';
}

/* A manifest may have been tampered with: nothing it says leads out of the
 * folder. */
static bool split(struct slice name, struct slice *ret_room,
		  struct slice *ret_file)
{
	*ret_room = (struct slice){ NULL, 0 };
	if (name.len >= NAME_MAX_LEN)
		return false;
	if (slice_take_until(&name, '/', ret_room) && !is_plain(*ret_room))
		return false;
	*ret_file = name;
	return is_plain(name);
}

/* -- folders inside -- */

static struct room *find_room(struct site_folder *f, struct slice name)
{
	for (size_t i = 0; i < f->n_rooms; i++)
		if (slice_eq(slice_of(f->rooms[i].name), name))
			return &f->rooms[i];
	return NULL;
}

/* A link in the place of a folder would lead out of it. */
static enum status enter(struct site_folder *f, struct slice name, int *ret,
			 struct err *err)
{
	struct room *room = name.len ? find_room(f, name) : NULL;

	if (!name.len || room) {
		*ret = room ? room->fd : f->fd;
		return PH_OK;
	}
	if (f->n_rooms == ROOMS)
		return err_exit(err, PH_BAD, EX_DATAERR,
				"%s/" MANIFEST ": names more than %d folders, "
				"which no site has; remove what the site wrote "
				"and write it anew",
				f->path, ROOMS);
	room = &f->rooms[f->n_rooms];
	snprintf(room->name, sizeof(room->name), "%.*s", S_FMT(name));
	if (mkdirat(f->fd, room->name, 0777) != 0 && errno != EEXIST)
		return failed(f, room->name, err);
	room->fd = openat(f->fd, room->name,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (room->fd < 0)
		return failed(f, room->name, err);
	f->n_rooms++;
	*ret = room->fd;
	return PH_OK;
}

/* -- the manifest -- */

static void read_manifest(struct site_folder *f)
{
	char line[NAME_MAX_LEN + 2];

	rewind(f->manifest);
	while (fgets(line, sizeof(line), f->manifest)) {
		struct slice room, file, name = slice_trim(slice_of(line));

		if (split(name, &room, &file))
			site_names_add(&f->names, name, SITE_NAME_OLD);
	}
}

/* Written before the file is: what a run leaves behind is always known. */
static enum status note(struct site_folder *f, struct slice name,
			struct err *err)
{
	if (fseek(f->manifest, 0, SEEK_END) != 0 ||
	    fprintf(f->manifest, "%.*s\n", S_FMT(name)) < 0 ||
	    fflush(f->manifest) != 0)
		return failed(f, MANIFEST, err);
	return PH_OK;
}

static enum status open_manifest(struct site_folder *f, struct err *err)
{
	int fd = openat(f->fd, MANIFEST,
			O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
			0666);

	if (fd < 0)
		return failed(f, MANIFEST, err);
	f->manifest = fdopen(fd, "r+");
	if (!f->manifest)
		out_of_memory();
	read_manifest(f);
	return PH_OK;
}

/* -- opening -- */

/* What a new site would write over. */
static const char *const ours[] = { "index.html", "style.css", "feed.xml",
				    "list",	  "patch",     "series",
				    "testcase",	  "host",      "subsystem",
				    "tree" };

static enum status check_foreign(const struct site_folder *f, struct err *err)
{
	struct stat st;

	if (fstatat(f->fd, MANIFEST, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return PH_OK;
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		if (fstatat(f->fd, ours[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			return err_exit(err, PH_BAD, EX_CANTCREAT,
					"%s: holds %s, which perfherald did "
					"not write and would overwrite; give "
					"it a folder of its own",
					f->path, ours[i]);
	return PH_OK;
}

static enum status open_folder(struct site_folder *f, struct err *err)
{
	if (mkdir(f->path, 0777) != 0 && errno != EEXIST)
		return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s", f->path,
				strerror(errno));
	f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->fd < 0)
		return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s", f->path,
				strerror(errno));
	if (flock(f->fd, LOCK_EX | LOCK_NB) != 0)
		return err_exit(err, PH_RETRY, EX_TEMPFAIL,
				"%s: another `site` is writing it", f->path);
	return PH_OK;
}

static void release(struct site_folder *f)
{
	for (size_t i = 0; i < f->n_rooms; i++)
		close(f->rooms[i].fd);
	if (f->manifest)
		fclose(f->manifest);
	if (f->fd >= 0)
		close(f->fd);
	site_names_release(&f->names);
	free(f->path);
	free(f);
}

enum status site_folder_open(const char *path, struct site_folder **ret,
			     struct err *err)
{
	struct site_folder *f = xcalloc(1, sizeof(*f));
	enum status st;

	f->path = xstrdup(path);
	f->fd = -1;
	site_names_init(&f->names);
	st = open_folder(f, err);
	if (st == PH_OK)
		st = check_foreign(f, err);
	if (st == PH_OK)
		st = open_manifest(f, err);
	if (st != PH_OK) {
		release(f);
		return st;
	}
	*ret = f;
	return PH_OK;
}

/* -- writing -- */

enum there { THERE_NOTHING, THERE_SAME, THERE_OTHER };

/* A file that cannot be read counts as another. */
static enum there compare(int dir, const char *file, struct slice bytes)
{
	char block[16384];
	enum there ret = THERE_OTHER;
	struct stat st;
	ssize_t n;
	int fd = openat(dir, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? THERE_NOTHING : THERE_OTHER;
	if (fstat(fd, &st) != 0 || (size_t)st.st_size != bytes.len)
		goto out;
	while ((n = read(fd, block, sizeof(block))) > 0) {
		if ((size_t)n > bytes.len ||
		    memcmp(block, bytes.ptr, (size_t)n) != 0)
			goto out;
		bytes = slice_from(bytes, (size_t)n);
	}
	if (n == 0 && !bytes.len)
		ret = THERE_SAME;
out:
	close(fd);
	return ret;
}

/* Not made sure of on the disk: a file that a power cut spoils is unlike its
 * bytes at the next run, which writes it again. */
static bool replace(int dir, const char *file, struct slice bytes)
{
	bool ok;
	int fd;

	unlinkat(dir, BESIDE, 0);
	fd = openat(dir, BESIDE,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	ok = slice_write(fd, bytes);
	ok = close(fd) == 0 && ok;
	ok = ok && renameat(dir, BESIDE, dir, file) == 0;
	if (!ok) {
		int error = errno;

		unlinkat(dir, BESIDE, 0);
		errno = error;
	}
	return ok;
}

static enum status write_new(struct site_folder *f, int dir, const char *file,
			     struct slice name, struct slice bytes,
			     struct err *err)
{
	enum there there = compare(dir, file, bytes);
	bool known = site_names_has(&f->names, name, SITE_NAME_OLD);

	if (!known && there != THERE_NOTHING)
		return err_exit(err, PH_BAD, EX_CANTCREAT,
				"%s/%.*s: perfherald did not write it and "
				"would overwrite it",
				f->path, S_FMT(name));
	if (there == THERE_SAME)
		return PH_OK;
	if (!known && note(f, name, err) != PH_OK)
		return PH_FATAL;
	if (!replace(dir, file, bytes))
		return failed(f, file, err);
	f->counts.changed++;
	return PH_OK;
}

enum status site_folder_put(struct site_folder *f, struct slice name,
			    struct slice bytes, struct err *err)
{
	char terminated[NAME_MAX_LEN];
	struct slice room, file;
	bool plain = split(name, &room, &file);
	enum status st;
	int dir;

	assert(plain);
	snprintf(terminated, sizeof(terminated), "%.*s", S_FMT(file));
	st = enter(f, room, &dir, err);
	if (st == PH_OK)
		st = write_new(f, dir, terminated, name, bytes, err);
	if (st != PH_OK)
		return st;
	site_names_add(&f->names, name, SITE_NAME_NOW);
	f->counts.files++;
	return PH_OK;
}

/* -- the end -- */

static enum status drop(struct site_folder *f, struct slice name,
			struct err *err)
{
	char terminated[NAME_MAX_LEN];
	struct slice room, file;
	enum status st;
	int dir;

	if (!split(name, &room, &file))
		return PH_OK;
	st = enter(f, room, &dir, err);
	if (st != PH_OK)
		return st;
	snprintf(terminated, sizeof(terminated), "%.*s", S_FMT(file));
	if (unlinkat(dir, terminated, 0) == 0)
		f->counts.removed++;
	else if (errno != ENOENT)
		return failed(f, terminated, err);
	return PH_OK;
}

/* Keeps a name once that was written in this run; removes the file of any
 * other. */
static enum status sort_out(struct site_folder *f, FILE *keep, struct err *err)
{
	char line[NAME_MAX_LEN + 2];
	enum status st = PH_OK;

	rewind(f->manifest);
	while (st == PH_OK && fgets(line, sizeof(line), f->manifest)) {
		struct slice name = slice_trim(slice_of(line));

		if (!site_names_has(&f->names, name, SITE_NAME_NOW))
			st = drop(f, name, err);
		else if (site_names_add(&f->names, name, SITE_NAME_KEPT))
			fprintf(keep, "%.*s\n", S_FMT(name));
	}
	return st;
}

static enum status finish(struct site_folder *f, struct err *err)
{
	int fd = openat(f->fd, MANIFEST_NEW,
			O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			0666);
	FILE *keep = fd < 0 ? NULL : fdopen(fd, "w");
	enum status st;

	if (!keep)
		return failed(f, MANIFEST_NEW, err);
	st = sort_out(f, keep, err);
	if ((fflush(keep) != 0 || ferror(keep) || fsync(fd) != 0) &&
	    st == PH_OK)
		st = failed(f, MANIFEST_NEW, err);
	fclose(keep);
	if (st == PH_OK && renameat(f->fd, MANIFEST_NEW, f->fd, MANIFEST) != 0)
		st = failed(f, MANIFEST, err);
	if (st != PH_OK)
		unlinkat(f->fd, MANIFEST_NEW, 0);
	return st;
}

enum status site_folder_close(struct site_folder *f, enum status st,
			      struct site_counts *ret, struct err *err)
{
	if (st == PH_OK)
		st = finish(f, err);
	*ret = f->counts;
	release(f);
	return st;
}
