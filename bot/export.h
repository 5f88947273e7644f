/*
 * export - results for other programs: JSON lines, CSV and KCIDB.
 *
 * All that is known of one result are named cells, in one order; the man page
 * lists them. JSON lines and CSV have these cells, and so has --match.
 */
#ifndef BOT_EXPORT_H
#define BOT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include "bot/store/finding.h"
#include "ph/arena.h"
#include "ph/slice.h"

enum cell_kind {
	CELL_NONE,   /* not known: left out, or empty */
	CELL_TEXT,   /* foreign text, anything a mail can hold */
	CELL_WORD,   /* our own: letters and digits, or a time */
	CELL_NUMBER, /* finite */
	CELL_BOOL,
};

struct export_cell {
	enum cell_kind kind;
	struct slice text;
	double number;
	bool yes;
};

/*
 * The addresses of authors come last and only when asked for: exports are put
 * where everybody reads them, and git's address may be in no mail of the robot.
 */
extern const char *const export_names[];
extern const size_t n_export_names; /* without the author's */
#define EXPORT_AUTHOR n_export_names

/* n-th cell of a finding; memory of the arena, or the finding's. */
struct export_cell export_cell(const struct finding *f, size_t n,
			       struct arena *arena);

struct export_options {
	bool authors;
	struct slice origin; /* KCIDB's name of who submits: [a-z0-9_]+ */
};

/*
 * A format. All findings are walked `passes` times, since KCIDB has its
 * checkouts, builds and tests in a list each. Text goes to the end of *b. open
 * and close may be NULL: nothing stands there.
 */
struct export_form {
	const char *name;
	unsigned passes;
	void (*open)(const struct export_options *o, unsigned pass,
		     struct buf *b);
	/* before: the finding that was put last in this pass; NULL: none. */
	void (*put)(const struct export_options *o, unsigned pass,
		    const struct finding *f, const struct finding *before,
		    struct arena *arena, struct buf *b);
	void (*close)(const struct export_options *o, unsigned pass,
		      struct buf *b);
};

extern const struct export_form export_json, export_csv, export_kcidb;

#endif
