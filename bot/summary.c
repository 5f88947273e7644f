#include "bot/summary.h"

#include <sysexits.h>
#include "bot/history.h"
#include "bot/store/fix.h"
#include "bot/store/message.h"

size_t summary_worst(const struct result_row *rows, size_t n)
{
	size_t worst = 0;

	for (size_t i = 1; i < n; i++)
		if (rows[i].verdict > rows[worst].verdict ||
		    (rows[i].verdict == rows[worst].verdict &&
		     rows[i].percent > rows[worst].percent))
			worst = i;
	return worst;
}

static enum status read_report(struct store *s, const struct summary_of *of,
			       struct arena *arena, struct report *ret,
			       struct err *err)
{
	struct message *mail = arena_new(arena, struct message);
	enum status st = message_load(s, of->message, arena, mail, err);

	if (st == PH_OK)
		st = report_read(mail, arena, ret, err);
	if (st != PH_OK)
		return st;
	if (!of->n_now || of->n_now != ret->n_results)
		return err_exit(err, PH_BAD, EX_DATAERR,
				"its newest report is read differently today; "
				"process --again it first");
	return PH_OK;
}

static enum status find_fix(struct store *s, const struct summary_of *of,
			    struct arena *arena, struct facts_history *history,
			    struct err *err)
{
	struct fix_row fix;
	enum status st =
		fix_of_patch(s, of->patch->id, S(""), arena, &fix, err);

	if (st != PH_OK)
		return st == PH_NONE ? PH_OK : st;
	history->fix_commit = fix.fix;
	history->fix_title = fix.title;
	return PH_OK;
}

enum status summary_make(struct store *s, const struct summary_of *of,
			 const struct facts_ask *ask, struct arena *arena,
			 struct notice *ret, struct err *err)
{
	struct report *report = arena_new(arena, struct report);
	struct facts_history history = { 0 };
	struct facts_ask about = *ask;
	enum status st = read_report(s, of, arena, report, err);

	if (st != PH_OK)
		return st;
	about.headline = summary_worst(of->now, of->n_now);
	history_fill(of->now, of->n_now, of->past, of->n_past, of->patch, arena,
		     &history);
	if (!of->alone)
		st = history_opposite(s, &of->now[about.headline],
				      of->patch->id, arena, &history.opposite,
				      err);
	if (st == PH_OK)
		st = find_fix(s, of, arena, &history, err);
	if (st != PH_OK)
		return st;
	facts_fill(report, &history, &about, arena, ret);
	ret->patch = of->patch->hex;
	return PH_OK;
}
