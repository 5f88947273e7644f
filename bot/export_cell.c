#include "bot/export.h"

#include <math.h>
#include "bot/facts.h"
#include "ph/clock.h"
#include "ph/report.h"

typedef struct export_cell cell_fn(const struct finding *f,
				   struct arena *arena);

static struct export_cell text(struct slice s)
{
	return (struct export_cell){ .kind = s.len ? CELL_TEXT : CELL_NONE,
				     .text = s };
}

static struct export_cell word(const char *s)
{
	return (struct export_cell){ .kind = s && *s ? CELL_WORD : CELL_NONE,
				     .text = slice_of(s ? s : "") };
}

static struct export_cell number(bool known, double value)
{
	return (struct export_cell){
		.kind = known && isfinite(value) ? CELL_NUMBER : CELL_NONE,
		.number = value,
	};
}

static struct export_cell yes_or_no(bool yes)
{
	return (struct export_cell){ .kind = CELL_BOOL, .yes = yes };
}

static struct export_cell time_of(int64_t t, struct arena *arena)
{
	char said[32];

	if (!t)
		return word("");
	clock_rfc3339(t, said);
	return word(arena_printf(arena, "%s", said));
}

/* Cells that are a member and nothing else. */
#define CELL(name, value)                                             \
	static struct export_cell put_##name(const struct finding *f, \
					     struct arena *arena)     \
	{                                                             \
		(void)arena;                                          \
		return value;                                         \
	}

static const char *change_word(enum change_kind kind)
{
	static const char *const words[] = {
		[CHANGE_NONE] = "",
		[CHANGE_RELATIVE] = "relative",
		[CHANGE_ABSOLUTE] = "absolute",
	};

	return words[kind];
}

static const char *better_word(enum better better)
{
	static const char *const words[] = {
		[BETTER_UNKNOWN] = "",
		[BETTER_HIGHER] = "higher",
		[BETTER_LOWER] = "lower",
	};

	return words[better];
}

static const char *grade_word(enum evidence evidence)
{
	static const char *const words[] = {
		[EVIDENCE_NONE] = "", [EVIDENCE_A] = "A", [EVIDENCE_B] = "B",
		[EVIDENCE_C] = "C",   [EVIDENCE_D] = "D",
	};

	return words[evidence];
}

static const char *life_word(const struct patch_row *patch)
{
	return patch->id ? patch_life_name(patch->life) : "";
}

CELL(patch, text(f->patch.hex))
CELL(title, text(f->patch.title))
CELL(commit, text(f->result.commit))
CELL(tree, text(f->result.tree))
CELL(branch, text(f->result.branch))
CELL(label, text(f->patch.label))
CELL(subsystem, text(f->patch.subsystem))
CELL(posted, text(f->patch.posted_link))
CELL(state, word(life_word(&f->patch)))
CELL(testcase, text(f->result.testcase))
CELL(parameters, text(f->result.params))
CELL(host, text(f->result.host))
CELL(metric, text(f->result.metric))
CELL(unit, text(metric_unit(f->result.metric)))
CELL(better, word(better_word(metric_better(f->result.metric))))
CELL(verdict, word(verdict_name(f->result.verdict)))
CELL(percent, number(true, f->result.percent))
CELL(change, number(f->result.has_change, f->result.change))
CELL(change_kind, word(change_word(f->result.change_kind)))
CELL(base, number(f->result.has_values, f->result.base))
CELL(base_deviation, number(f->result.base_dev >= 0, f->result.base_dev))
CELL(value, number(f->result.has_values, f->result.value))
CELL(value_deviation, number(f->result.value_dev >= 0, f->result.value_dev))
CELL(effect, number(f->result.has_effect, f->result.effect))
CELL(evidence, word(grade_word(f->result.evidence)))
CELL(headline, yes_or_no(f->result.n == 0))
CELL(news, yes_or_no(f->result.news))
CELL(reason, text(f->result.why))
CELL(proof, word(proven_name(f->proven)))
CELL(message_id, text(f->msgid))
CELL(report, text(facts_report_url(f->msgid, arena)))
CELL(subject, text(f->subject))
CELL(reported, time_of(f->date, arena))
CELL(arrived, time_of(f->result.arrived, arena))
CELL(author, text(f->patch.author))

#define CELLS(X)           \
	X(patch)           \
	X(title)           \
	X(commit)          \
	X(tree)            \
	X(branch)          \
	X(label)           \
	X(subsystem)       \
	X(posted)          \
	X(state)           \
	X(testcase)        \
	X(parameters)      \
	X(host)            \
	X(metric)          \
	X(unit)            \
	X(better)          \
	X(verdict)         \
	X(percent)         \
	X(change)          \
	X(change_kind)     \
	X(base)            \
	X(base_deviation)  \
	X(value)           \
	X(value_deviation) \
	X(effect)          \
	X(evidence)        \
	X(headline)        \
	X(news)            \
	X(reason)          \
	X(proof)           \
	X(message_id)      \
	X(report)          \
	X(subject)         \
	X(reported)        \
	X(arrived)         \
	X(author)

#define NAME(name)     #name,
#define FUNCTION(name) put_##name,

const char *const export_names[] = { CELLS(NAME) };
static cell_fn *const functions[] = { CELLS(FUNCTION) };

const size_t n_export_names = ARRAY_LEN(export_names) - 1;

struct export_cell export_cell(const struct finding *f, size_t n,
			       struct arena *arena)
{
	return functions[n](f, arena);
}
