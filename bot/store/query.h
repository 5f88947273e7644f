/*
 * query - what people ask the state: lists, counts, silences, field hits.
 * Readers page and never hold a transaction.
 */
#ifndef BOT_STORE_QUERY_H
#define BOT_STORE_QUERY_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/store/message.h"
#include "bot/store/delivery.h"
#include "bot/store/open.h"
#include "bot/store/patch.h"
#include "ph/arena.h"

/* One line of `list`. */
struct patch_line {
	struct patch_row patch;
	int64_t reports, better, worse;
	struct result_row worst; /* the worst regression, else the largest
				    improvement */
};

struct patch_filter {
	int64_t since;	      /* last seen at or after; 0: all */
	unsigned lives;	      /* bits 1 << life; 0: all */
	enum verdict verdict; /* VERDICT_NONE: any */
	struct slice text;    /* in the title; empty: any */
	int64_t limit;	      /* 0: all */
	int64_t forgotten;    /* regressions of mainline that nobody has closed,
				taken up or replied to, first seen before this
				time; 0: all patches */
};

enum status query_patch_line(struct store *s, const struct patch_row *patch,
			     struct arena *arena, struct patch_line *ret,
			     struct err *err);

/* Whether anybody minds, and where it has come to. */
struct patch_standing {
	bool replied;  /* a person's mail about it was seen */
	bool mainline; /* a report or git found it there; git: in one of the
			  configured merged branches but -next */
};

/* PH_NONE: no such patch. */
enum status query_standing(struct store *s, int64_t patch,
			   struct patch_standing *ret, struct err *err);

/* Newest first. Resets the arena now and then: what fn is given lives during
 * its call only. */
enum status query_patches(struct store *s, const struct patch_filter *f,
			  struct arena *arena,
			  void (*fn)(void *arg, const struct patch_line *line),
			  void *arg, struct err *err);

/* Messages by state (bits 1 << state), or the partial ones; newest first,
 * limit 0: all. The arena is reset before each. */
enum status query_messages(struct store *s, unsigned states, bool partial,
			   int64_t patch, int64_t limit, struct arena *arena,
			   void (*fn)(void *arg, const struct message_row *row),
			   void *arg, struct err *err);

/* Walks decided reports that arrived since a time, in the order they were
 * taken in: *id is the last one (0 at first), and becomes the next. PH_NONE: no
 * more. */
enum status query_next_report(struct store *s, int64_t since,
			      int64_t *ret_arrived, int64_t *id,
			      struct err *err);

struct store_counts {
	int64_t messages[MESSAGE_STATES];
	int64_t outbox[OUTBOX_STATES];
	int64_t patches, partial;
	int64_t later;		/* put into no digest so far */
	int64_t last_report;	/* arrival, 0: none */
	int64_t oldest_pending; /* due time, 0: none */
};

enum status query_counts(struct store *s, struct store_counts *ret,
			 struct err *err);

/* -- silences -- */

struct silence_row {
	int64_t id;
	struct slice match; /* lines "key=glob", as bot/silence.c reads them */
	struct slice author, reason;
	int64_t from, until;
};

enum status silence_add(struct store *s, const struct silence_row *row,
			int64_t *ret_id, struct err *err);
/* PH_NONE: no such silence, or it has ended. */
enum status silence_end(struct store *s, int64_t id, int64_t now,
			struct err *err);
/* Those in force at a time; at 0 all. */
enum status silence_each(struct store *s, int64_t at, struct arena *arena,
			 void (*fn)(void *arg, const struct silence_row *row),
			 void *arg, struct err *err);

/* -- drift: which fields were read, by week and kind of report -- */

enum status field_hit(struct store *s, int64_t week, enum report_kind kind,
		      struct slice field, bool hit, struct err *err);

struct field_row {
	int64_t week; /* days since 1970 of its Monday */
	enum report_kind kind;
	struct slice field;
	int64_t hits, total;
};

enum status field_each(struct store *s, int64_t since_week, struct arena *arena,
		       void (*fn)(void *arg, const struct field_row *row),
		       void *arg, struct err *err);

#endif
