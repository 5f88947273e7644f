#include "bot/intake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/hash.h"

struct place {
	char tmp[4096], new[4096];
};

static enum status failed(const char *path, struct err *err)
{
	return err_exit(err, PH_RETRY, EX_IOERR, "archive: %s: %s", path,
			strerror(errno));
}

static enum status name_place(const char *maildir, struct slice raw,
			      struct place *ret, struct err *err)
{
	uint8_t hash[SHA256_LEN];
	char hex[2 * SHA256_LEN + 1];
	int n;

	hash_sha256(raw, hash);
	hash_hex(hash, sizeof(hash), hex);
	n = snprintf(ret->tmp, sizeof(ret->tmp), "%s/tmp/%s.%ld", maildir, hex,
		     (long)getpid());
	if (n < 0 || (size_t)n >= sizeof(ret->tmp)) {
		errno = ENAMETOOLONG;
		return failed(maildir, err);
	}
	snprintf(ret->new, sizeof(ret->new), "%s/new/%s", maildir, hex);
	return PH_OK;
}

enum status intake_archive_make(const struct config *config, struct err *err)
{
	static const char *const parts[] = { "", "/tmp", "/new", "/cur" };
	char path[4096];

	for (size_t i = 0; config->archive && i < ARRAY_LEN(parts); i++) {
		snprintf(path, sizeof(path), "%s%s", config->archive, parts[i]);
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return failed(path, err);
	}
	return PH_OK;
}

static int write_whole(int fd, struct slice s)
{
	while (s.len) {
		ssize_t n = write(fd, s.ptr, s.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		s = slice_from(s, (size_t)n);
	}
	return 0;
}

/* maildir(5): whole and on the disk in tmp, then at once in new. */
static enum status deliver(const struct place *p, struct slice raw,
			   struct err *err)
{
	int fd = open(p->tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	enum status s = PH_OK;

	if (fd < 0)
		return failed(p->tmp, err);
	if (write_whole(fd, raw) != 0 || fsync(fd) != 0)
		s = failed(p->tmp, err);
	if (close(fd) != 0 && !s)
		s = failed(p->tmp, err);
	if (!s && rename(p->tmp, p->new) != 0)
		s = failed(p->new, err);
	if (s)
		unlink(p->tmp);
	return s;
}

/* The new name is safe only when its folder is on the disk too. */
static enum status sync_folder(const char *maildir, struct err *err)
{
	char path[4096];
	enum status s = PH_OK;
	int fd;

	snprintf(path, sizeof(path), "%s/new", maildir);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return failed(path, err);
	if (fsync(fd) != 0)
		s = failed(path, err);
	close(fd);
	return s;
}

enum status intake_archive(const struct config *config, struct slice raw,
			   struct err *err)
{
	struct place p;
	struct stat st;
	enum status s;

	if (!config->archive)
		return PH_OK;
	s = name_place(config->archive, raw, &p, err);
	if (s)
		return s;
	if (stat(p.new, &st) == 0)
		return PH_OK;
	s = deliver(&p, raw, err);
	return s ? s : sync_folder(config->archive, err);
}
