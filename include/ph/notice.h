/*
 * notice - the frozen facts of what is to be said, and their words.
 *
 * bot/ fills a struct notice when it decides, and stores it as versioned JSON
 * in the outbox; notify/ reads that JSON when the courier first claims the row
 * and renders it. Text fields are UTF-8 from outside and may hold anything a
 * mail can hold: every renderer escapes for its own form.
 * All memory belongs to the arena that was handed in.
 */
#ifndef PH_NOTICE_H
#define PH_NOTICE_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/err.h"
#include "ph/report.h"
#include "ph/slice.h"

#define NOTICE_VERSION 1

enum notice_kind {
	NOTICE_FIRST,	 /* the first telling of a patch to this target */
	NOTICE_UPDATE,	 /* something new about it, in the same thread */
	NOTICE_FORWARD,	 /* sent by a person's hand */
	NOTICE_DIGEST,	 /* many patches in lines */
	NOTICE_OPERATOR, /* a word to the operator: title and lines only */
	NOTICE_DRILL,	 /* a marked test */
	NOTICE_ANSWER,	 /* to a command by reply: title and lines only */
};

/* The value cells of the headline are texts exactly as the report printed
 * their numbers, with thousands separated by renderers only. */
struct notice_result {
	struct slice testcase, metric;
	struct slice params;	       /* "mode=process nr_task=100%" */
	struct slice host, host_words; /* "104 threads, 2 sockets, Skylake,
					  192G, performance" */
	enum verdict verdict;
	bool has_percent;
	double percent; /* magnitude of the change, from the row */
	enum change_kind change_kind;
	bool has_values;
	double base, value;
	int32_t base_dev, value_dev; /* printed per cent; negative: none */
	enum better better;
	struct slice unit;   /* in words, may be empty */
	bool stopped;	     /* the new value is 0 */
	bool from_nothing;   /* the base is 0 */
	bool contradiction;  /* row or direction against the verdict */
	bool repeat;	     /* told before */
	struct slice before; /* "seen before as X on Y" */
};

enum evidence {
	EVIDENCE_NONE,
	EVIDENCE_A,
	EVIDENCE_B,
	EVIDENCE_C,
	EVIDENCE_D,
};

struct notice_line {	    /* a line of "with", or of a digest */
	struct slice theme; /* "cache", "profile" */
	struct slice text;
};

struct notice {
	enum notice_kind kind;
	struct slice patch; /* our id of the patch, hex */
	struct slice key;   /* idempotency key, 64 hex digits */
	int64_t made;	    /* when decided, seconds UTC */

	struct slice title; /* commit title; or the operator's subject */
	struct slice commit, base, base_title; /* hex or tag; titles */
	struct slice tree, branch, label, subsystem;
	struct slice author;	  /* address, for display */
	struct slice posted_link; /* a posted patch: its link */

	struct notice_result *results; /* the headline first */
	size_t n_results;
	struct slice build; /* "gcc-13, x86_64-rhel-8.3" */

	enum evidence evidence;
	struct slice *reasons; /* of the grade, in words */
	size_t n_reasons;
	bool mixed; /* opposite verdicts elsewhere */
	bool has_effect, effect_at_least;
	double effect;
	struct slice failures; /* "exit_fail 0 of 4 -> 1 of 4" */
	struct notice_line *with;
	size_t n_with;
	struct slice before; /* the old gain that this undoes */
	struct slice fix;    /* "fixed by 0123456789ab (\"title\")" */
	bool too_good;
	struct slice state; /* of the patch: empty when open */
	struct slice note;  /* a person's word with a forward */

	struct slice report_id; /* Message-ID of the triggering report */
	struct slice report_url, rerun_url;
	bool with_tags; /* Reported-by and Closes may be shown */
	struct slice reported_by, closes;
	struct slice regzbot; /* a line that the kernel's tracker acts on;
				     empty: none */
	struct slice track;   /* the same line for a person to use */

	struct slice *lines; /* digest, operator, answer: its lines */
	size_t n_lines;
	struct slice period; /* digest: "2024-10-14 to 2024-10-21" */

	/* Known when it is rendered, and no part of the frozen facts: this
	 * goes to one person by mail, who may command by reply. */
	bool may_reply;

	/* threading */
	struct slice thread;	    /* Message-ID of the first notice to this
				     target; empty on the first */
	struct slice thread_remote; /* the service's id of it */
};

/*
 * Once, as the program starts: from then on the library that reads JSON ends
 * the program (71) when memory ends, as all else does. It would call the JSON
 * broken.
 */
void notice_init(void);

/* One line of JSON, {"version":1,...}; empty fields are left out. */
void notice_to_json(const struct notice *n, struct buf *ret);
/* PH_BAD: not our JSON, or a newer version. */
enum status notice_from_json(struct slice json, struct arena *arena,
			     struct notice *ret, struct err *err);

/* "WORSE 11.9% metric: title", one line, for subjects and chat. */
void notice_subject(const struct notice *n, struct buf *ret);

/* "WORSE 11.9% metric and 2 more  0123456789ab title": the patch's line in a
 * digest, for notice.lines; the title is cut where it passes 100 columns. */
void notice_digest_line(const struct notice *n, struct buf *ret);

/*
 * The mail's text, LF line ends: the numbers in the first five lines, own
 * lines within 75 columns (titles, metrics, tags and links are never broken).
 * A notice about a patch has at most 25 lines: what is least needed gives way
 * first. A digest or a word to the operator has its lines as they are, at most
 * NOTICE_LINES of them, and then says how many more there are.
 */
#define NOTICE_LINES 200
void notice_text(const struct notice *n, struct buf *ret);

#endif
