#include "bot/store/sql.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* SQLite names a failed write or a full disk alike; the system knows which. */
static enum status io_failed(struct store *s, const char *says, struct err *err)
{
	int code = sqlite3_system_errno(s->db);

	if (code == ENOSPC || code == EDQUOT)
		return err_exit(err, PH_FATAL, EX_IOERR, "%s: the disk is full",
				s->path);
	if (code)
		return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s: %s", s->path,
				says, strerror(code));
	/* of a failed commit it keeps no errno */
	if (sqlite3_extended_errcode(s->db) == SQLITE_IOERR_FSYNC)
		says = "fsync failed: the disk or its connection is broken";
	return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s", s->path, says);
}

static enum status fail_with(struct store *s, int code, const char *says,
			     struct err *err)
{
	switch (code) {
	case SQLITE_NOMEM:
		out_of_memory();
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_exit(err, PH_RETRY, EX_TEMPFAIL,
				"%s: another process holds the state (%s)",
				s->path, says);
	case SQLITE_FULL:
		return err_exit(err, PH_FATAL, EX_IOERR, "%s: the disk is full",
				s->path);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_exit(err, PH_FATAL, EX_IOERR,
				"%s: damaged, or no perfherald state (%s); "
				"restore it from a backup",
				s->path, says);
	case SQLITE_IOERR:
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
		return io_failed(s, says, err);
	}
	return err_exit(err, PH_FATAL, EX_SOFTWARE, "%s: %s", s->path, says);
}

enum status sql_fail(struct store *s, struct err *err)
{
	return fail_with(s, sqlite3_errcode(s->db), sqlite3_errmsg(s->db), err);
}

/* Other statements may have run since it failed. */
static enum status never_prepared(const struct sql *q, struct err *err)
{
	if (sqlite3_errcode(q->store->db) == q->failed)
		return sql_fail(q->store, err);
	return fail_with(q->store, q->failed, sqlite3_errstr(q->failed), err);
}

/* A kept statement that is free; a busy one (a callback asks what its caller
 * is still reading) gets a second copy that is not kept. */
static bool find_kept(struct store *s, const char *text, struct sql *q)
{
	for (size_t i = 0; i < s->n_kept; i++) {
		if (s->kept[i].text != text)
			continue;
		if (s->kept[i].busy)
			return false;
		s->kept[i].busy = true;
		q->kept = i;
		q->stmt = s->kept[i].stmt;
		return true;
	}
	return false;
}

static bool is_kept(const struct store *s, const char *text)
{
	for (size_t i = 0; i < s->n_kept; i++)
		if (s->kept[i].text == text)
			return true;
	return false;
}

static void keep(struct store *s, const char *text, struct sql *q)
{
	if (s->n_kept == s->cap_kept) {
		s->cap_kept = s->cap_kept ? 2 * s->cap_kept : 32;
		s->kept = xrealloc(s->kept, s->cap_kept * sizeof(*s->kept));
	}
	q->kept = s->n_kept++;
	s->kept[q->kept] = (struct sql_kept){ text, q->stmt, true };
}

struct sql sql_start(struct store *s, const char *text)
{
	struct sql q = { .store = s, .kept = SIZE_MAX };

	if (find_kept(s, text, &q))
		return q;
	q.failed = sqlite3_prepare_v3(s->db, text, -1,
				      SQLITE_PREPARE_PERSISTENT, &q.stmt, NULL);
	if (q.failed)
		return q;
	if (!is_kept(s, text))
		keep(s, text, &q);
	return q;
}

void sql_stop(struct sql *q)
{
	if (!q->stmt)
		return;
	if (q->kept == SIZE_MAX) {
		sqlite3_finalize(q->stmt);
	} else {
		sqlite3_reset(q->stmt);
		sqlite3_clear_bindings(q->stmt);
		q->store->kept[q->kept].busy = false;
	}
	q->stmt = NULL;
}

void sql_forget(struct store *s)
{
	for (size_t i = 0; i < s->n_kept; i++)
		sqlite3_finalize(s->kept[i].stmt);
	free(s->kept);
	s->kept = NULL;
	s->n_kept = s->cap_kept = 0;
}

/* A failed bind is a wrong count of parameters: our own mistake. */
static void bound(int code)
{
	if (code == SQLITE_NOMEM)
		out_of_memory();
	assert(code == SQLITE_OK);
}

void sql_int(struct sql *q, int64_t value)
{
	if (q->stmt)
		bound(sqlite3_bind_int64(q->stmt, ++q->param, value));
}

void sql_double(struct sql *q, double value)
{
	if (q->stmt)
		bound(sqlite3_bind_double(q->stmt, ++q->param, value));
}

void sql_text(struct sql *q, struct slice value)
{
	if (q->stmt)
		bound(sqlite3_bind_text64(q->stmt, ++q->param,
					  value.len ? value.ptr : "", value.len,
					  SQLITE_TRANSIENT, SQLITE_UTF8));
}

void sql_blob(struct sql *q, struct slice value)
{
	if (q->stmt)
		bound(sqlite3_bind_blob64(q->stmt, ++q->param,
					  value.len ? value.ptr : "", value.len,
					  SQLITE_TRANSIENT));
}

void sql_null(struct sql *q)
{
	if (q->stmt)
		bound(sqlite3_bind_null(q->stmt, ++q->param));
}

void sql_id(struct sql *q, int64_t id)
{
	if (id)
		sql_int(q, id);
	else
		sql_null(q);
}

enum status sql_row(struct sql *q, struct err *err)
{
	enum status st;

	if (!q->stmt)
		return never_prepared(q, err);
	switch (sqlite3_step(q->stmt)) {
	case SQLITE_ROW:
		q->column = 0;
		return PH_OK;
	case SQLITE_DONE:
		st = PH_NONE;
		break;
	default:
		st = sql_fail(q->store, err);
	}
	sql_stop(q);
	return st;
}

enum status sql_run(struct sql *q, struct err *err)
{
	enum status st;

	while ((st = sql_row(q, err)) == PH_OK)
		;
	return st == PH_NONE ? PH_OK : st;
}

enum status sql_one(struct sql *q, int64_t *ret, struct err *err)
{
	enum status st = sql_row(q, err);

	if (st != PH_OK)
		return st;
	*ret = sql_take_int(q);
	sql_stop(q);
	return PH_OK;
}

int64_t sql_take_int(struct sql *q)
{
	return sqlite3_column_int64(q->stmt, q->column++);
}

double sql_take_double(struct sql *q)
{
	return sqlite3_column_double(q->stmt, q->column++);
}

struct slice sql_take_text(struct sql *q, struct arena *arena)
{
	int column = q->column++;
	const char *text = (const char *)sqlite3_column_text(q->stmt, column);

	if (!text)
		return (struct slice){ "", 0 };
	return arena_copy(arena,
			  (struct slice){
				  text, (size_t)sqlite3_column_bytes(q->stmt,
								     column) });
}

struct slice sql_take_blob(struct sql *q)
{
	int column = q->column++;
	const void *blob = sqlite3_column_blob(q->stmt, column);

	return (struct slice){ blob,
			       (size_t)sqlite3_column_bytes(q->stmt, column) };
}

bool sql_take_is_null(struct sql *q)
{
	return sqlite3_column_type(q->stmt, q->column) == SQLITE_NULL;
}

int64_t sql_changes(struct store *s)
{
	return sqlite3_changes64(s->db);
}

int64_t sql_new_id(struct store *s)
{
	return sqlite3_last_insert_rowid(s->db);
}
