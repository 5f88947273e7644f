/*
 * decision - what the desk's stages know about one message and hand on. For
 * the decide_*.c files and pipeline.c.
 */
#ifndef BOT_DECISION_H
#define BOT_DECISION_H

#include <stdbool.h>
#include <stdint.h>
#include "bot/desk.h"
#include "bot/facts.h"
#include "bot/news.h"
#include "bot/route.h"
#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "bot/store/patch.h"
#include "bot/store/query.h"

struct decision {
	struct desk *desk;
	int64_t now;
	struct arena *arena;

	/* before the transaction */
	struct message_row m;
	struct message mail;
	struct report report;
	struct slice author;		/* who the mail is to; may be empty */
	const struct commit_facts *git; /* NULL: nothing known */

	/* in it */
	int64_t replaces; /* the weaker copy; 0: none */
	struct identity id;
	struct patch_row patch;
	int old_rank;
	bool closed; /* before this report */
	struct result_row *results, *past;
	size_t n_results, n_past;
	struct facts_history history;
	struct notice *about; /* one a result: it as the headline */

	struct route_subject subject; /* its results: news, not silenced */
	size_t *place;		      /* of subject.results[i] in results */
	struct route_outcome outcome;
	struct branch branch; /* as the robot's table of trees has it */

	const struct outbox_row *notice; /* what a reply answers, or NULL */

	/* how it ends */
	enum message_state state;
	struct slice reason;
	int64_t patch_id; /* 0: none */
};

/*
 * A stage. PH_OK: go on. PH_NONE: state and reason are set, nothing more is to
 * be done. PH_RETRY before the transaction: git has been asked.
 */
typedef enum status decision_stage(struct decision *d, struct err *err);

/* before the transaction */
decision_stage decide_kind, decide_load, decide_ask_git;
/* in it */
decision_stage decide_proof, decide_copy, decide_count_fields, decide_results,
	decide_patch, decide_news, decide_weight, decide_history,
	decide_silence, decide_routes, decide_notices;

/* of a reply, and of a bounce, in the transaction */
decision_stage decide_thread, decide_sender, decide_command, decide_bounce;

/* Ends the decision: returns PH_NONE. */
enum status decision_end(struct decision *d, enum message_state state,
			 const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* One line of `why`. */
enum status decision_trace(struct decision *d, const char *step,
			   struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
