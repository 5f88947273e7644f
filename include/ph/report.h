/*
 * report - what one robot mail says.
 *
 * The robot's format has no specification; each rule in mail/report/ names the
 * form of lkp-tests' lib/compare.rb or the era of mails that it reads.
 * Everything here points into the message's text or the arena. A field that
 * could not be read is an empty slice, never a guess.
 */
#ifndef PH_REPORT_H
#define PH_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include "ph/arena.h"
#include "ph/err.h"
#include "ph/message.h"
#include "ph/slice.h"

enum report_kind {
	REPORT_OTHER,	     /* none of these */
	REPORT_PERFORMANCE,  /* a robot report with a headline percentage */
	REPORT_FUNCTIONAL,   /* dmesg, boot, selftest */
	REPORT_BUILD,	     /* errors or warnings of a build */
	REPORT_BUILD_STATUS, /* BUILD SUCCESS and the like */
	REPORT_FIX,	     /* a patch that the robot mails */
	REPORT_REPLY,	     /* a person, or an operator of the robot */
};

/* The robot's word, never derived from a sign. */
enum verdict { VERDICT_NONE, VERDICT_IMPROVEMENT, VERDICT_REGRESSION };

enum change_kind {
	CHANGE_NONE,	 /* not printed: the first column */
	CHANGE_RELATIVE, /* per cent of the base */
	CHANGE_ABSOLUTE, /* difference, in the metric's own unit */
};

enum better { BETTER_UNKNOWN, BETTER_HIGHER, BETTER_LOWER };

struct pair {
	struct slice key, value;
};

/* One measured value of a comparison table, as in "1.99 ± 7%". */
struct cell {
	double value;
	double change;	 /* against the first column, as printed ("+3.8e+98%"
			    of a base of 0 stays; "+Inf%" is HUGE_VAL) */
	int32_t dev_pct; /* printed deviation in per cent; negative: none */
	enum change_kind kind; /* CHANGE_NONE in the first column */
};

/* One cell of a "fail:runs" row. */
struct fail_cell {
	int64_t fails, runs;
	int64_t reproduction; /* as printed; has_reproduction says if */
	bool has_reproduction;
};

struct row {
	struct slice metric;
	uint32_t cell; /* index of its first cell, one a column */
	uint32_t line; /* line number in the text, from 1 */
};

struct column {
	struct slice id;      /* hex digits or a tag, from the commit list */
	struct slice title;   /* commit title; empty for a tag */
	struct slice heading; /* the header line's word: more hex digits */
};

struct table {
	struct pair *axes;
	size_t n_axes;
	struct column *columns;
	size_t n_columns;
	uint32_t first_row, n_rows;	    /* in report.rows */
	uint32_t first_failure, n_failures; /* in report.failures */
	uint32_t line;			    /* where it starts */
	uint32_t leftover; /* lines inside that no rule could read */
};

struct machine {
	struct slice description;	      /* as printed, blanks squeezed */
	struct slice host;		      /* tbox_group, as lkp-icl-2sp8 */
	int64_t threads, sockets;	      /* 0: not said */
	struct slice model, codename, memory; /* memory as "256G" */
};

struct result {
	struct slice testcase, metric;
	double percent; /* magnitude, as the robot prints it */
	enum verdict verdict;
	bool has_change;
	double change; /* signed, from the metric's table row; huge
				     or infinite where its base is 0 */
	enum change_kind change_kind;
	enum better better;
	bool contradicts; /* verdict against change and better */
	struct machine machine;
	struct pair *params;
	size_t n_params;
	int32_t table; /* index in tables; -1: none */
	int32_t row;   /* index in report.rows; -1: none */
};

struct status_line { /* [still regression on linus/master SHA40] */
	struct slice text, ref, commit;
};

struct report {
	enum report_kind kind;
	const struct message *message;
	struct slice id;   /* Message-ID: the header's, or recovered */
	bool id_recovered; /* taken from the body's links */

	struct {
		struct slice id; /* 10 to 40 hex digits */
		struct slice title, tree, branch, label, subsystem;
	} commit;
	struct { /* a patch as mailed to a list */
		struct slice url, base, link, subject;
	} posted;

	struct result *results; /* the headline first, then the boxes */
	size_t n_results;	/* 0: no headline */
	struct slice testcase, kconfig, compiler;
	struct machine machine;
	struct pair *params;
	size_t n_params;
	struct slice error; /* functional: the error id */
	struct status_line *status;
	size_t n_status;
	struct slice archive;	  /* download link */
	struct slice closes;	  /* Closes: or Link: URL */
	struct slice reported_by; /* address in the Reported-by tag */

	struct table *tables;
	size_t n_tables;
	struct row *rows, *failures; /* of all tables, in order */
	size_t n_rows, n_failures;
	struct cell *cells;	      /* rows[i].cell counts in here */
	struct fail_cell *fail_cells; /* failures[i].cell counts in here */

	bool partial;		/* a headline without its table or row, or
				     leftover lines in a table */
	struct slice *warnings; /* each with its line number */
	size_t n_warnings;
};

/*
 * Says what the message is and reads all it holds. Never fails on content:
 * a mail that is no report comes back with its kind and, for a person's reply,
 * whatever tables it quotes.
 * PH_OK: *ret is filled; it points at msg, which must outlive it.
 * PH_BAD: over a ceiling of limits.h, which is named.
 */
enum status report_read(const struct message *msg, struct arena *arena,
			struct report *ret, struct err *err);

static inline const struct cell *row_cells(const struct report *r,
					   const struct row *row)
{
	return r->cells + row->cell;
}

static inline const struct fail_cell *row_fails(const struct report *r,
						const struct row *row)
{
	return r->fail_cells + row->cell;
}

/*
 * The share of runs that failed, in per cent. The printed reproduction is not
 * a difference of these: the robot divides by the runs of the column to the
 * left, so that it may pass 100.
 */
static inline double fail_rate(const struct fail_cell *c)
{
	return c->runs ? 100.0 * (double)c->fails / (double)c->runs : 0;
}

/*
 * Whether a failure row counts runs. Until 2021 names such as
 * perf-profile.self.cycles-pp.error_entry matched the robot's pattern for
 * failures; their "0:4" is a sum of percentages.
 */
static inline bool failure_is_real(const struct row *row)
{
	return !slice_starts(row->metric, S("perf-profile."));
}

const char *report_kind_name(enum report_kind kind); /* "performance" */
const char *verdict_name(enum verdict verdict);	     /* "regression" */

/*
 * Which way is better for a metric: the robot's rule (its index-perf-all, then
 * index-latency-all; whole name, first match), compiled from
 * config/metrics.tsv.
 */
enum better metric_better(struct slice metric);
/* The unit in words for a value of the metric ("operations per second");
 * empty when unknown. Static memory. */
struct slice metric_unit(struct slice metric);
/* What the metric's family measures; empty when unknown. Static memory. */
struct slice metric_family_meaning(struct slice metric);
/* "Skylake" for lkp-skl-fpga01; empty when unknown. Static memory. */
struct slice host_cpu(struct slice host);
/* The host's class: its name without the index ("lkp-skl-fpga"). */
struct slice host_class(struct slice host);

#endif
