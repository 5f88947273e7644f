#include "bot/pipeline.h"

/*
 *	worker	   intake_read: screen, decode, recognise, prove, parse
 *	desk	   prepare, decide
 *	courier	   gate_check, channel_render, channel_send
 */

static decision_stage *const prepare[] = {
	decide_kind,	/* a report of performance, or something else */
	decide_load,	/* its text again, parsed */
	decide_ask_git, /* what the tree knows of its commit */
};

static decision_stage *const decide[] = {
	decide_proof,	     /* does it come from the robot */
	decide_copy,	     /* rung 1: is the same mail here already */
	decide_count_fields, /* which fields could be read, by week */
	decide_results,	     /* its results as rows */
	decide_patch,	     /* rungs 2 to 4, and the patch's row */
	decide_news,	     /* each result: news or repeat */
	decide_weight,	     /* each result: effect and evidence */
	decide_history,	     /* old mail is not told */
	decide_silence,	     /* what a person muted is not told */
	decide_routes,	     /* which channels */
	decide_notices,	     /* whom, and what exactly */
};

static decision_stage *const answer[] = {
	decide_thread,	/* which notice or report it answers */
	decide_sender,	/* may its sender command us */
	decide_command, /* do it, and say so */
};

static enum status run(decision_stage *const *stage, size_t n,
		       struct decision *d, struct err *err)
{
	enum status st = PH_OK;

	for (size_t i = 0; i < n && st == PH_OK; i++)
		st = stage[i](d, err);
	return st;
}

enum status pipeline_prepare(struct decision *d, struct err *err)
{
	return run(prepare, ARRAY_LEN(prepare), d, err);
}

enum status pipeline_decide(struct decision *d, struct err *err)
{
	return run(decide, ARRAY_LEN(decide), d, err);
}

enum status pipeline_answer(struct decision *d, struct err *err)
{
	if (d->m.bounce)
		return decide_bounce(d, err);
	if (d->m.kind != REPORT_REPLY)
		return PH_OK;
	return run(answer, ARRAY_LEN(answer), d, err);
}
