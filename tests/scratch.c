#include "tests/scratch.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[256];
static pid_t owner;

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	return remove(path);
}

void scratch_remove(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
	if (getpid() == owner)
		scratch_remove(folder);
}

const char *scratch_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	if (folder[0])
		return folder;
	snprintf(folder, sizeof(folder), "%s/perfherald-test.XXXXXX",
		 tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(folder));
	owner = getpid();
	atexit(remove_folder);
	return folder;
}

const char *scratch_path(const char *name)
{
	static char path[8][1024];
	static unsigned turn;
	char *ret = path[turn++ % 8];

	snprintf(ret, sizeof(path[0]), "%s/%s", scratch_dir(), name);
	return ret;
}

const char *scratch_file(const char *name, const char *text, mode_t mode)
{
	const char *path = scratch_path(name);
	FILE *f;

	unlink(path); /* the one before may not let itself be written */
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

struct store *scratch_store(const char *name)
{
	static const char *const beside[] = { "", "-wal", "-shm" };
	const char *path = scratch_path(name);
	struct store *s = NULL;
	struct err err = { 0 };
	char old[128];

	for (size_t i = 0; i < 3; i++) {
		snprintf(old, sizeof(old), "%s%s", name, beside[i]);
		unlink(scratch_path(old));
	}
	if (store_migrate(path, &err) != PH_OK ||
	    store_open(path, &s, &err) != PH_OK)
		fail_msg("%s", err.text);
	return s;
}
