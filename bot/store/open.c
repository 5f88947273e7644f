#include "bot/store/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/step.h"
#include "bot/store/pack.h"
#include "bot/store/sql.h"

/* "perf" read as a number: says in the file's header whose it is. */
#define APPLICATION_ID 0x70657266

#define BUSY_MS 10000

static enum status exec(struct store *s, const char *text, struct err *err)
{
	if (sqlite3_exec(s->db, text, NULL, NULL, NULL) != SQLITE_OK)
		return sql_fail(s, err);
	return PH_OK;
}

/* False: it is the root, or where we are. */
static bool folder_of(const char *path, char *ret, size_t size)
{
	char *slash;

	snprintf(ret, size, "%s", path);
	slash = strrchr(ret, '/');
	if (!slash || slash == ret)
		return false;
	*slash = '\0';
	return true;
}

/* What to do when the state cannot be reached, made or changed; SQLite tells no
 * reason. */
static const char *hint(const char *path)
{
	char folder[4096];

	if (access(path, R_OK | W_OK) != 0 && errno == EACCES)
		return "; run as the user whom it belongs to";
	if (!folder_of(path, folder, sizeof(folder)))
		return "";
	if (access(folder, F_OK) != 0 && errno == ENOENT)
		return "; make the state's folder first";
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		return "; its folder must be writable too";
	return "";
}

/* stat never opens the file: a close would drop another connection's locks. */
static enum status check_file(const char *path, bool create, struct err *err)
{
	struct stat st;

	if (stat(path, &st) != 0) {
		int error = errno;

		if (error == ENOENT && create)
			return PH_OK;
		return err_exit(err, PH_FATAL, EX_NOINPUT, "%s: %s%s", path,
				strerror(error),
				error == ENOENT ? "; nothing was read so far"
						: hint(path));
	}
	if (!S_ISREG(st.st_mode))
		return err_exit(err, PH_FATAL, EX_CONFIG,
				"%s: not a regular file", path);
	if (st.st_mode & 077)
		return err_exit(err, PH_FATAL, EX_CONFIG,
				"%s: others may use it; chmod 600 it", path);
	return PH_OK;
}

static enum status connect(const char *path, int flags, struct store **ret,
			   struct err *err)
{
	struct store *s = xcalloc(1, sizeof(*s));
	mode_t mask = umask(077);
	int code = sqlite3_open_v2(path, &s->db,
				   flags | SQLITE_OPEN_READWRITE |
					   SQLITE_OPEN_NOMUTEX |
					   SQLITE_OPEN_EXRESCODE,
				   NULL);

	umask(mask);
	s->path = xstrdup(path);
	if (!s->db)
		out_of_memory();
	if (code != SQLITE_OK) {
		enum status st =
			err_exit(err, PH_FATAL, flags ? EX_NOINPUT : EX_IOERR,
				 "%s: %s%s", path, sqlite3_errmsg(s->db),
				 hint(path));
		store_close(s);
		return st;
	}
	sqlite3_extended_result_codes(s->db, 0);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	*ret = s;
	return PH_OK;
}

/* WAL files are made at the first use, so that one has the mask too. A cache
 * of 4 MiB filled up as the state grew and made nothing faster that was
 * measured: the kernel has the pages anyway. */
static enum status set_up(struct store *s, struct err *err)
{
	mode_t mask = umask(077);
	enum status st = exec(s,
			      "PRAGMA journal_mode = WAL;"
			      "PRAGMA synchronous = FULL;"
			      "PRAGMA foreign_keys = ON;"
			      "PRAGMA trusted_schema = OFF;"
			      "PRAGMA cache_size = -1024;",
			      err);

	umask(mask);
	if (st == PH_FATAL) {
		struct err why = *err;

		err_exit(err, st, why.exit_code, "%s%s", why.text,
			 hint(s->path));
	}
	return st;
}

static enum status number(struct store *s, const char *text, int64_t *ret,
			  struct err *err)
{
	struct sql q = sql_start(s, text);

	return sql_one(&q, ret, err);
}

static enum status read_schema(struct store *s, int64_t *ret, struct err *err)
{
	int64_t application, tables;
	enum status st;

	st = number(s, "PRAGMA application_id", &application, err);
	if (st == PH_OK)
		st = number(s, "PRAGMA user_version", ret, err);
	if (st == PH_OK)
		st = number(s, "SELECT count(*) FROM sqlite_master", &tables,
			    err);
	if (st != PH_OK)
		return st;
	if (application != APPLICATION_ID && tables)
		return err_exit(err, PH_FATAL, EX_CONFIG,
				"%s: not a perfherald state", s->path);
	if (*ret > n_schema_steps)
		return err_exit(err, PH_FATAL, EX_CONFIG,
				"%s: made by a newer perfherald (schema %d, "
				"this one knows %d)",
				s->path, (int)*ret, n_schema_steps);
	return PH_OK;
}

static enum status run_steps(struct store *s, struct err *err)
{
	char mark[96];
	int64_t have;
	enum status st = read_schema(s, &have, err);

	if (st != PH_OK || have == n_schema_steps)
		return st;
	for (int i = (int)have; i < n_schema_steps && st == PH_OK; i++)
		st = exec(s, schema_steps[i], err);
	if (st != PH_OK)
		return st;
	sqlite3_snprintf(sizeof(mark), mark,
			 "PRAGMA application_id = %d; PRAGMA user_version = %d",
			 APPLICATION_ID, n_schema_steps);
	return exec(s, mark, err);
}

enum status store_migrate(const char *path, struct err *err)
{
	struct store *s = NULL;
	enum status st = check_file(path, true, err);

	if (st == PH_OK)
		st = connect(path, SQLITE_OPEN_CREATE, &s, err);
	if (st != PH_OK)
		return st;
	st = set_up(s, err);
	if (st == PH_OK)
		st = store_begin(s, err);
	if (st == PH_OK)
		st = store_end(s, run_steps(s, err), err);
	store_close(s);
	return st;
}

enum status store_open(const char *path, struct store **ret, struct err *err)
{
	struct store *s = NULL;
	int64_t have;
	enum status st = check_file(path, false, err);

	if (st == PH_OK)
		st = connect(path, 0, &s, err);
	if (st != PH_OK)
		return st;
	st = set_up(s, err);
	if (st == PH_OK)
		st = read_schema(s, &have, err);
	if (st == PH_OK && have < n_schema_steps)
		st = err_exit(err, PH_FATAL, EX_NOINPUT,
			      "%s: an older state (schema %d, now %d); run "
			      "`perfherald migrate-state`, or start the watch",
			      path, (int)have, n_schema_steps);
	if (st != PH_OK) {
		store_close(s);
		return st;
	}
	*ret = s;
	return PH_OK;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	sql_forget(s);
	pack_forget(s);
	sqlite3_close(s->db);
	free(s->path);
	free(s);
}

enum status store_in_place(struct store *s, struct err *err)
{
	int moved = 0;

	sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	if (!moved)
		return PH_OK;
	return err_exit(err, PH_FATAL, EX_IOERR,
			"%s: was removed or replaced while it was in use",
			s->path);
}

enum status store_begin(struct store *s, struct err *err)
{
	enum status st = store_in_place(s, err);
	struct sql q;

	if (st != PH_OK)
		return st;
	q = sql_start(s, "BEGIN IMMEDIATE");
	return sql_run(&q, err);
}

enum status store_commit(struct store *s, struct err *err)
{
	struct sql q = sql_start(s, "COMMIT");
	enum status st;

	step("commit");
	st = sql_run(&q, err);
	step("committed");
	return st;
}

void store_rollback(struct store *s)
{
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

enum status store_end(struct store *s, enum status body, struct err *err)
{
	enum status st = PH_OK;

	if (body == PH_OK || body == PH_NONE)
		st = store_commit(s, err);
	if (st != PH_OK || (body != PH_OK && body != PH_NONE))
		store_rollback(s);
	return st == PH_OK ? body : st;
}

enum status store_meta_get(struct store *s, const char *name, int64_t *ret,
			   struct err *err)
{
	struct sql q = sql_start(s, "SELECT value FROM meta WHERE name = ?");

	sql_text(&q, slice_of(name));
	return sql_one(&q, ret, err);
}

enum status store_meta_set(struct store *s, const char *name, int64_t value,
			   struct err *err)
{
	struct sql q = sql_start(s, "INSERT INTO meta VALUES(?, ?)"
				    " ON CONFLICT DO UPDATE SET"
				    " value = excluded.value");

	sql_text(&q, slice_of(name));
	sql_int(&q, value);
	return sql_run(&q, err);
}

enum status store_backup(struct store *s, const char *path, struct err *err)
{
	struct stat there;
	struct sql q;
	enum status st;
	mode_t mask;

	if (stat(path, &there) == 0)
		return err_exit(err, PH_FATAL, EX_CANTCREAT,
				"%s: exists already", path);
	mask = umask(077);
	q = sql_start(s, "VACUUM INTO ?");
	sql_text(&q, slice_of(path));
	st = sql_run(&q, err);
	umask(mask);
	return st;
}

static enum status first_finding(struct store *s, const char *text,
				 struct err *err)
{
	struct sql q = sql_start(s, text);
	enum status st = sql_row(&q, err);
	struct arena arena;
	struct slice says;

	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	arena_init(&arena);
	says = sql_take_text(&q, &arena);
	sql_stop(&q);
	if (!slice_eq(says, S("ok")))
		st = err_exit(err, PH_BAD, EX_IOERR, "%s: %.*s", s->path,
			      S_FMT(says));
	arena_release(&arena);
	return st;
}

enum status store_check(struct store *s, struct err *err)
{
	enum status st = first_finding(s, "PRAGMA integrity_check(1)", err);

	if (st == PH_OK)
		st = first_finding(s,
				   "SELECT 'a row of ' || \"table\" || "
				   "' belongs to nothing' "
				   "FROM pragma_foreign_key_check",
				   err);
	return st;
}
