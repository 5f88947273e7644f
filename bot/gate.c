#include "bot/gate.h"

#include "bot/hours.h"
#include "bot/silence.h"
#include "ph/addr.h"

static bool is_allowed(const struct config_channel *ch, struct slice target)
{
	for (size_t i = 0; i < ch->allow.n; i++)
		if (addr_match(slice_of(ch->allow.item[i]), target))
			return true;
	return !ch->allow.n;
}

static enum status check_address(const struct config_channel *ch,
				 struct slice target, struct slice *ret_why)
{
	if (ch->type != CHANNEL_MAIL)
		return PH_OK;
	if (!addr_valid(target)) {
		*ret_why = S("it is not a mail address we would use");
		return PH_NONE;
	}
	if (!is_allowed(ch, target)) {
		*ret_why = S("the channel's allow list does not have it");
		return PH_NONE;
	}
	if (addr_is_list(target) && !ch->list_consent) {
		*ret_why = S("it is a mailing list, and list_consent is not "
			     "true");
		return PH_NONE;
	}
	return PH_OK;
}

enum status gate_target(struct store *s, const struct config_channel *ch,
			struct slice target, struct arena *arena,
			struct slice *ret_why, struct err *err)
{
	enum status st = check_address(ch, target, ret_why);

	if (st != PH_OK || ch->type != CHANNEL_MAIL)
		return st;
	st = optout_get(s, target, arena, ret_why, err);
	if (st == PH_OK)
		return PH_NONE;
	return st == PH_NONE ? PH_OK : st;
}

int64_t gate_opens(const struct config_channel *ch, int64_t now)
{
	return hours_next(&ch->hours, now);
}

/* What a silence is held against, from the facts as frozen. */
static void subject_of(const struct notice *n, struct arena *arena,
		       struct route_subject *ret)
{
	struct route_result *results =
		arena_array(arena, struct route_result, n->n_results + 1);

	for (size_t i = 0; i < n->n_results; i++)
		results[i] = (struct route_result){
			.testcase = n->results[i].testcase,
			.metric = n->results[i].metric,
			.host = n->results[i].host,
			.verdict = n->results[i].verdict,
			.percent = n->results[i].percent,
			.evidence = i ? EVIDENCE_NONE : n->evidence,
		};
	*ret = (struct route_subject){ .tree = n->tree,
				       .branch = n->branch,
				       .label = n->label,
				       .subsystem = n->subsystem,
				       .author = n->author,
				       .results = results,
				       .n_results = n->n_results };
}

enum status gate_notice(struct store *s, const struct notice *n, int64_t now,
			struct arena *arena, struct slice *ret_why,
			struct err *err)
{
	struct route_subject subject;
	bool *silenced;
	enum status st;

	subject_of(n, arena, &subject);
	silenced = arena_array(arena, bool, subject.n_results + 1);
	st = silence_find(s, &subject, n->patch, now, arena, silenced, ret_why,
			  err);
	if (st == PH_OK)
		return silenced[0] ? PH_NONE : PH_OK;
	return st == PH_NONE ? PH_OK : st;
}

static enum status check_silence(struct store *s, const struct outbox_row *row,
				 int64_t now, struct arena *arena,
				 struct slice *ret_why, struct err *err)
{
	struct notice n = { 0 };
	enum status st;

	if (row->kind != NOTICE_FIRST && row->kind != NOTICE_UPDATE)
		return PH_OK;
	st = notice_from_json(row->facts, arena, &n, err);
	return st == PH_OK ? gate_notice(s, &n, now, arena, ret_why, err) : st;
}

enum status gate_check(const struct config *config, struct store *s,
		       const struct outbox_row *row, int64_t now,
		       struct arena *arena, enum outbox_state *ret_state,
		       struct slice *ret_why, struct err *err)
{
	const struct config_channel *ch =
		config_channel(config, arena_str(arena, row->channel));
	enum status st;

	*ret_state = OUTBOX_CANCELLED;
	if (!ch) {
		*ret_why = S("the configuration has no such channel any more");
		return PH_NONE;
	}
	if (!config->send) {
		*ret_state = OUTBOX_HELD;
		*ret_why = S("send was false when it was due");
		return PH_NONE;
	}
	/* who says stop gets this one word that it was heard */
	if (row->kind == NOTICE_ANSWER)
		return check_address(ch, row->target, ret_why);
	st = gate_target(s, ch, row->target, arena, ret_why, err);
	if (st == PH_OK)
		st = check_silence(s, row, now, arena, ret_why, err);
	return st;
}
