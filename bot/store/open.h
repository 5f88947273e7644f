/*
 * store - the state: one SQLite file, opened by bot/store/open.c and by
 * nothing else.
 *
 * A connection belongs to one process: a child opens its own after the fork,
 * and the supervisor never has one (locks of POSIX belong to the process, and
 * a plain close of the file drops them all). Journal mode is WAL, synchronous
 * is FULL, and every transaction begins IMMEDIATE. No transaction stays open
 * while anything is waited for.
 *
 * Errors of every call in bot/store:
 * PH_RETRY: another writer held the lock too long (exit 75).
 * PH_FATAL: disk full, I/O error or a damaged file (exit 74), else our own
 *           mistake (exit 70). After it the transaction is to be rolled back.
 */
#ifndef BOT_STORE_OPEN_H
#define BOT_STORE_OPEN_H

#include <stdint.h>
#include "ph/err.h"

struct store;

/*
 * Creates the file (owner-only) where there is none, and brings its tables to
 * this program's schema. Safe beside running processes. A process that will
 * fork runs it in a child.
 * PH_FATAL: its folder is missing or unwritable (66), the file is readable by
 *           others (78), made by a newer perfherald (78), damaged, or the disk
 *           is full (74).
 */
enum status store_migrate(const char *path, struct err *err);

/*
 * Opens a state that store_migrate has prepared.
 * PH_OK: *ret is to be closed with store_close.
 * PH_FATAL: as store_migrate; a missing file or an older schema is exit 66.
 */
enum status store_open(const char *path, struct store **ret, struct err *err);
void store_close(struct store *s); /* NULL is fine */

/*
 * Whether the path still leads to the file that is open. Who stays for long
 * asks now and then: reading another file than everyone else shows nothing new.
 * PH_FATAL: it was removed or replaced; close it and open it anew.
 */
enum status store_in_place(struct store *s, struct err *err);

/*
 * store_begin takes the write lock, waiting at most 10 s, of a file that is in
 * place. Every call that writes wants a transaction around it; reading needs
 * none.
 */
enum status store_begin(struct store *s, struct err *err);
enum status store_commit(struct store *s, struct err *err);
void store_rollback(struct store *s); /* without a transaction: nothing */

/*
 * Ends a transaction by how its body went: commits on PH_OK and PH_NONE, else
 * rolls back. Returns the body's status, or the failed commit's.
 */
enum status store_end(struct store *s, enum status body, struct err *err);

/* Small values by name ("drift.told"). PH_NONE: not set. */
enum status store_meta_get(struct store *s, const char *name, int64_t *ret,
			   struct err *err);
enum status store_meta_set(struct store *s, const char *name, int64_t value,
			   struct err *err);

/* A whole, compact copy in a new file (VACUUM INTO). PH_FATAL: it exists. */
enum status store_backup(struct store *s, const char *path, struct err *err);

/* PH_BAD: the file's pages or rows are damaged; err holds the first finding. */
enum status store_check(struct store *s, struct err *err);

#endif
