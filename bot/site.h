/*
 * site - what the parts of `site` share; for the site_*.c files and cmd_site.c
 * only.
 *
 * One walk over all patches, newest first, writes a page each and remembers
 * little of it: where its line for the lists stands in a spool, in which lists
 * it belongs, and to which series each of its results belongs. From these the
 * lists, the feeds and the series are written.
 */
#ifndef BOT_SITE_H
#define BOT_SITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "bot/ask.h"
#include "bot/progress.h"
#include "bot/site_folder.h"
#include "bot/store/patch.h"
#include "bot/trees.h"
#include "ph/arena.h"
#include "ph/site.h"

enum {
	REF_OPEN = 1,	/* a regression that nobody has closed */
	REF_BETTER = 2, /* improvements, and no regression */
};

/* A patch in the spool. */
struct site_ref {
	int64_t at; /* of its line; its entry for feeds stands behind */
	uint32_t line_len, entry_len;
	unsigned flags;
	double percent; /* of its worst result */
	int64_t updated;
};

/* A list of patches: those of a test case, a host, ... */
enum site_kind {
	SITE_LIST,
	SITE_TESTCASE,
	SITE_HOST,
	SITE_SUBSYSTEM,
	SITE_TREE,
	SITE_KINDS,
};

/* Where each kind lies: "host". */
extern const char *const site_folders[SITE_KINDS];

struct site_group {
	enum site_kind kind;
	struct slice name; /* as people know it */
	struct slice page; /* without folder and ending */
	uint32_t *refs;	   /* places in site.refs, newest patch first */
	size_t n, cap;
	int64_t open; /* of these, open regressions */
};

/* One result in its series. */
struct site_place {
	uint64_t series;
	int64_t result;
};

struct site {
	struct ask ask;
	struct trees trees;
	bool has_private; /* some tree keeps branches private */
	struct site_folder *folder;
	struct slice base, seed; /* of struct site_feed */
	int64_t since;
	struct progress progress;

	struct arena arena; /* of one page */
	struct buf html;

	FILE *spool;
	int64_t spooled;
	struct site_ref *refs;
	size_t n_refs, cap_refs;

	struct arena names; /* of groups, for the whole run */
	struct site_group *groups;
	size_t n_groups, cap_groups;
	uint32_t *table; /* hash table of groups: place + 1; 0: free */
	size_t n_table;

	struct site_place *places;
	size_t n_places, cap_places;

	int64_t newest; /* of site_front */
};

/* Whether a tree's owner keeps this to himself. */
bool site_is_private(const struct site *s, struct slice label,
		     struct slice tree, struct slice branch);

/* Writes s->html under this name, and empties it. */
enum status site_put(struct site *s, struct slice name, struct err *err);

/* -- one patch -- */

/* Its page, its line and its places. PH_NONE: there is nothing to show. */
enum status site_one_patch(struct site *s, const struct patch_row *patch,
			   struct err *err);

/* What a page tells of a result. Memory of s->arena. */
void site_fill_result(struct site *s, const struct result_row *row,
		      const struct patch_row *patch, struct slice report_url,
		      struct site_result *ret);

uint64_t site_series_of(const struct result_row *row);
/* "0123456789abcdef" */
struct slice site_series_name(uint64_t series, struct arena *arena);

/* -- lists -- */

void site_groups_release(struct site *s);
/* The group of this name, made where it is missing. */
struct site_group *site_group(struct site *s, enum site_kind kind,
			      struct slice name);
/* The newest patch of the walk belongs to it too. */
void site_group_add(struct site *s, struct site_group *g);
/* "host/lkp-spr-2sp4-0123456789.html", in s->arena. */
struct slice site_group_page(struct site *s, const struct site_group *g);

/* Appends a line and an entry (which may be empty), as the newest ref. */
enum status site_spool(struct site *s, const struct site_ref *ref,
		       struct slice line, struct slice entry, struct err *err);

/* All lists, the front page and the feeds. */
enum status site_lists(struct site *s, struct err *err);

/* How many entries a feed has. */
#define SITE_FEED 50

/* -- series -- */

/* All of them, from s->places, whose order it changes. */
enum status site_all_series(struct site *s, struct err *err);

#endif
