/*
 * site - static pages: what they say, and their HTML, drawings and feeds.
 *
 * bot/ gathers, notify/site/ renders. Text is UTF-8 from outside and may hold
 * anything a mail can hold; all of it is escaped here and is never markup.
 * Pages are HTML that is well-formed XML too, and say to browsers that they
 * load nothing but their own style sheet. They hold no time of their making:
 * the same facts give the same bytes.
 *
 * Names of pages are relative to the site's folder: "patch/0123456789ab.html".
 */
#ifndef PH_SITE_H
#define PH_SITE_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/notice.h"
#include "ph/slice.h"

/* A result, in the list of a patch or as a point of a series. */
struct site_result {
	int64_t when;	     /* its report's arrival, seconds UTC */
	struct slice patch;  /* short id: its page */
	struct slice series; /* name of its series' page, without folder */
	struct slice title, commit, tree;
	struct slice testcase, params, host, metric;
	struct slice report_url;
	enum verdict verdict;
	double percent; /* magnitude */
	bool has_values;
	double base, value;
	int32_t base_dev, value_dev; /* per cent; negative: none printed */
	bool has_effect;
	double effect;
	enum evidence evidence;
	bool news;
};

struct site_report {
	int64_t when;
	struct slice subject, url;
	const char *proof; /* "dkim" */
};

struct site_patch {
	struct slice id, title, state, reason;
	struct slice commit, tree, branch, label, subsystem, posted;
	struct slice subsystem_page, tree_page; /* with folder; may be empty */
	int64_t first_seen, last_seen, state_since;
	/* What a notice of its newest report says; NULL: that report's text is
	 * kept no more, or read differently today. */
	const struct notice *notice;
	const struct slice *commits; /* all its hashes, oldest first */
	size_t n_commits;
	const struct site_result *results; /* newest first */
	size_t n_results, more_results;	   /* more: left out */
	const struct site_report *reports; /* newest first */
	size_t n_reports;
};

struct site_series {
	struct slice testcase, params, host, metric;
	struct slice unit;
	enum better better;
	const struct site_result *points; /* oldest first */
	size_t n_points, more_points;	  /* more: older, left out */
};

/* A patch in a list. */
struct site_line {
	struct slice id, title, state, metric, host;
	enum verdict verdict;
	double percent;
	int64_t better, worse; /* results */
	int64_t last_seen;
};

void site_patch_page(const struct site_patch *p, struct buf *ret);
void site_series_page(const struct site_series *s, struct buf *ret);

/*
 * A line of a list, as made for any folder: where the way to the top belongs
 * stands SITE_UP, which site_list puts right. (No text can hold it: control
 * characters are taken out.)
 */
#define SITE_UP '\001'
void site_line(const struct site_line *line, struct buf *ret);

struct site_link {
	struct slice name, page; /* page: relative to the list's own */
	int64_t patches, worse;	 /* worse: open regressions */
};

struct site_list {
	struct slice title;
	struct slice feed; /* the page's own feed, relative; may be empty */
	const struct slice *lines; /* of site_line */
	size_t n_lines;
	struct slice newer, older; /* pages beside it; empty: none */
};

/* In a folder below the top. */
void site_list_page(const struct site_list *l, struct buf *ret);

/* What there is of one kind: all test cases, each with its list. */
void site_names_page(struct slice title, const struct site_link *links,
		     size_t n, struct buf *ret);

struct site_front {
	int64_t patches, open;
	int64_t newest; /* arrival of the newest report; 0: none */
	struct {
		const struct slice *lines;
		size_t n;
	} worst, latest, better;
};

/* index.html */
void site_front_page(const struct site_front *f, struct buf *ret);

/* -- feeds, RFC 4287 -- */

/* An entry, with SITE_UP as in site_line. */
struct site_entry {
	struct slice id, title, state, metric, host, subsystem, values;
	enum verdict verdict;
	double percent;
	enum evidence evidence;
	int64_t published, updated;
};

void site_entry(const struct site_entry *e, struct buf *ret);

struct site_feed {
	struct slice title;
	struct slice self; /* its page, with folder */
	struct slice home; /* the page it belongs to, with folder */
	/* Where the site is to be found, with a slash at its end; empty: not
	 * known, links are relative. */
	struct slice base;
	struct slice seed; /* tells this site from others */
	int64_t updated;
	const struct slice *entries; /* of site_entry, newest first */
	size_t n_entries;
};

void site_feed_page(const struct site_feed *f, struct buf *ret);

/* -- names -- */

/*
 * A file's name for foreign text, without folder and ending: what is left of it
 * when all but small letters, digits and hyphens is taken out, and a hash that
 * tells it from others. Memory of the arena.
 */
struct slice site_name(struct slice text, struct arena *arena);

/* style.css */
extern const struct slice site_style;

#endif
