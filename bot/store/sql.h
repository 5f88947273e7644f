/*
 * sql - one statement at a time, in few words. For bot/store only.
 *
 *	struct sql q = sql_start(s, "SELECT a, b FROM t WHERE c = ? AND d = ?");
 *
 *	sql_int(&q, c);			binds the parameters in order
 *	sql_text(&q, d);
 *	while ((st = sql_row(&q, err)) == PH_OK) {
 *		a = sql_take_int(&q);	takes the columns in order
 *		b = sql_take_text(&q, arena);
 *	}
 *
 * A statement that was started ends with sql_row's PH_NONE or failure, with
 * sql_run, sql_one, or sql_stop. Texts of SQL are constants: their address
 * names the prepared statement, which is kept and used again.
 */
#ifndef BOT_STORE_SQL_H
#define BOT_STORE_SQL_H

#include <stdbool.h>
#include <stdint.h>
#include <sqlite3.h>
#include "bot/store/open.h"
#include "ph/arena.h"
#include "ph/slice.h"

/* A patch and all that were merged into it; root has no pointer of its own. */
#define PATCH_GROUP(root)                                        \
	"(SELECT " root " UNION ALL SELECT id FROM patch WHERE " \
	"merged_into = " root ")"

struct sql_kept {
	const char *text;
	sqlite3_stmt *stmt;
	bool busy;
};

struct store {
	sqlite3 *db;
	char *path;
	struct sql_kept *kept;
	size_t n_kept, cap_kept;
	struct ZSTD_CCtx_s *packer; /* pack.h's; NULL before its first use */
};

struct sql {
	struct store *store;
	sqlite3_stmt *stmt; /* NULL: it could not be prepared ... */
	int failed;	    /* ... and this is SQLite's code for why */
	size_t kept;	    /* place in store->kept; SIZE_MAX: its own */
	int param, column;
};

struct sql sql_start(struct store *s, const char *text);

void sql_int(struct sql *q, int64_t value);
void sql_double(struct sql *q, double value);
/* An empty slice is stored as '', so columns are never NULL by accident. */
void sql_text(struct sql *q, struct slice value);
void sql_blob(struct sql *q, struct slice value);
void sql_null(struct sql *q);
/* NULL for 0, so that "none" stays out of indexes and foreign rows. */
void sql_id(struct sql *q, int64_t id);

/* PH_OK: a row is there. PH_NONE: no more; the statement has ended. */
enum status sql_row(struct sql *q, struct err *err);
/* Runs to the end; rows are thrown away. */
enum status sql_run(struct sql *q, struct err *err);
/* For at most one row of one number. PH_NONE: no row. */
enum status sql_one(struct sql *q, int64_t *ret, struct err *err);
void sql_stop(struct sql *q);

int64_t sql_take_int(struct sql *q); /* NULL gives 0 */
double sql_take_double(struct sql *q);
/* Copied to the arena with a NUL behind; NULL gives an empty slice. */
struct slice sql_take_text(struct sql *q, struct arena *arena);
/* Borrowed until the next call on q. */
struct slice sql_take_blob(struct sql *q);
bool sql_take_is_null(struct sql *q); /* looks, takes nothing */

int64_t sql_changes(struct store *s); /* rows of the last statement */
int64_t sql_new_id(struct store *s);  /* of the last insert */

/* Writes what the database says about its last failure. */
enum status sql_fail(struct store *s, struct err *err);

/* Drops all kept statements, before closing. */
void sql_forget(struct store *s);

/* bot/store/schema.c: migrations in order; the schema is their number. */
extern const char *const schema_steps[];
extern const int n_schema_steps;

#endif
