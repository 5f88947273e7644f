/*
 * parse - what the readers of a report's parts share while one mail is read.
 *
 * report.c walks over the text once and hands each line to the part that may
 * begin with it; a part takes the further lines it needs from p->lines.
 */
#ifndef MAIL_REPORT_PARSE_H
#define MAIL_REPORT_PARSE_H

#include "mail/report/lines.h"
#include "mail/report/subject.h"
#include "ph/report.h"

enum author {
	AUTHOR_UNKNOWN, /* bare text */
	AUTHOR_ROBOT,
	AUTHOR_PERSON,
};

enum headline_form {
	HEADLINE_NONE,
	HEADLINE_PERFORMANCE,
	HEADLINE_FUNCTIONAL,
	HEADLINE_CHANGES, /* until 2016: "the below changes on" */
	HEADLINE_BUILD,
};

struct parse {
	const struct message *msg;
	struct arena *arena;
	struct report *rep;
	struct err *err;
	struct lines lines;

	enum author author;
	struct subject subject;

	enum headline_form headline;
	uint32_t headline_line;
	uint32_t depth; /* quote depth of the headline */
	bool tagged;	/* a Reported-by tag was read */
	bool bisect;	/* "0day kernel testing robot", until 2020 */

	/* Where the next table's head may begin: behind the "====" rule, or at
	 * the "commit:" line of a table cut out by hand; at is NULL when there
	 * was none since the last table. */
	struct lines rule, commits;
	struct lines before; /* the line before the one in hand */

	size_t cap_rows, cap_failures, cap_cells, cap_fail_cells;
	size_t n_cells, n_fail_cells;
	size_t cap_tables, cap_results, cap_status, cap_warnings;
};

/*
 * Keeps a warning for a person, with the line it is about (0: the mail as a
 * whole). From the LIMIT_WARNINGSth on nothing is kept.
 */
void parse_warn(struct parse *p, uint32_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Bytes in a row without blanks, LF or doubled blanks, in the arena when they
 * had to be copied. */
struct slice parse_squeeze(struct parse *p, struct slice s);

/*
 * s with the lines after it joined on, as few as make it end in end; they are
 * then taken. Empty when three or an empty line do not: nothing is taken.
 */
struct slice parse_unwrap(struct parse *p, struct slice s, struct slice end);

/* Adds a pair; of one key the first stays. PH_BAD: over LIMIT_PARAMS, named by
 * what. */
enum status parse_add_pair(struct parse *p, struct pair **list, size_t *n,
			   size_t *cap, struct slice key, struct slice value,
			   const char *what);

/* headline.c: takes the headline when this is one, or one that does not count
 * for being quoted; what was read before is then a preface and dropped. */
bool headline_take(struct parse *p, const struct line *line);
/* head.c: takes what the line says, if anything. PH_BAD: over a ceiling. */
enum status head_take_line(struct parse *p, const struct line *line);
/* box.c: line is a frame, "+----+". */
enum status box_take(struct parse *p);
/* table.c: line is a row of dash groups, "---- ----". PH_NONE: it is not. */
enum status table_take(struct parse *p, const struct line *dashes);
/* table_head.c: axes and columns of the table whose dashes these are. */
enum status table_head_read(struct parse *p, const struct line *dashes,
			    struct table *t);
/* masked.c: the address or URL that s begins with, in one word and with its
 * "@", where an archive has taken it apart. Empty when it was cut. */
struct slice unmask(struct parse *p, struct slice s);
/* The same where only the host may be hidden. */
struct slice unmask_host(struct parse *p, struct slice s);
/* machine.c */
void machine_read(struct parse *p, struct slice text, struct machine *ret);
/* kind.c */
enum author author_of(const struct message *msg);
/* The robot's name, with two letters wrong at most. */
bool author_is_robot(struct slice name);
enum report_kind kind_of(const struct parse *p);
/* verify.c: joins results with their rows, says what disagrees. */
void verify_report(struct parse *p);

#endif
