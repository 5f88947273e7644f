#include "bot/silence.h"

#include <sysexits.h>
#include "bot/store/query.h"
#include "ph/clock.h"
#include "ph/limits.h"

/* A silence as a matcher, and the patch it is for, if any. */
struct silence {
	struct config_match match;
	struct slice patch;
	bool anything; /* some key besides the patch */
};

static struct config_list *list_of(struct config_match *m, struct slice key)
{
	const struct {
		struct slice key;
		struct config_list *list;
	} known[] = {
		{ S("tree"), &m->tree },
		{ S("branch"), &m->branch },
		{ S("label"), &m->label },
		{ S("subsystem"), &m->subsystem },
		{ S("files"), &m->files },
		{ S("testcase"), &m->testcase },
		{ S("metric"), &m->metric },
		{ S("host"), &m->host },
		{ S("verdict"), &m->verdict },
		{ S("evidence"), &m->evidence },
		{ S("author"), &m->author },
		{ S("list"), &m->list },
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (slice_eq(known[i].key, key))
			return known[i].list;
	return NULL;
}

static void add_item(struct config_list *list, struct slice value,
		     struct arena *arena)
{
	const char **grown = arena_array(arena, const char *, list->n + 1);

	if (list->n)
		memcpy(grown, list->item, list->n * sizeof(*grown));
	grown[list->n] = arena_str(arena, value);
	list->item = grown;
	list->n++;
}

static void read_kept(struct slice text, struct arena *arena,
		      struct silence *ret)
{
	struct slice line, key;

	*ret = (struct silence){ 0 };
	while (slice_take_line(&text, &line)) {
		struct config_list *list;

		if (!slice_take_until(&line, '=', &key))
			continue;
		if (slice_eq(key, S("patch"))) {
			ret->patch = line;
			continue;
		}
		list = list_of(&ret->match, key);
		if (!list)
			continue;
		add_item(list, line, arena);
		ret->anything = true;
	}
}

/* A glob that fits no word there is would silence nothing, unseen. */
static enum status check_value(struct slice key, struct slice value,
			       struct err *err)
{
	static const struct {
		struct slice key, words;
		const char *said;
	} known[] = {
		{ S_INIT("verdict"), S_INIT("improvement regression"),
		  "improvement or regression" },
		{ S_INIT("evidence"), S_INIT("A B C D"), "A, B, C or D" },
	};

	if (value.len > LIMIT_METRIC)
		return err_exit(err, PH_BAD, EX_USAGE,
				"%.*s: a glob of over %d bytes", S_FMT(key),
				LIMIT_METRIC);
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		struct slice words = known[i].words, word;

		if (!slice_eq(key, known[i].key))
			continue;
		while (slice_take_word(&words, &word))
			if (slice_glob(value, word))
				return PH_OK;
		return err_exit(err, PH_BAD, EX_USAGE, "%.*s is %s, not %.*s",
				S_FMT(key), known[i].said, S_FMT(value));
	}
	return PH_OK;
}

enum status silence_words(const char *const *words, size_t n, struct buf *ret,
			  struct err *err)
{
	struct config_match none = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct slice word = slice_of(words[i]), value = word, key;

		if (!slice_take_until(&value, '=', &key) || !value.len ||
		    slice_chr(word, '\n'))
			return err_exit(err, PH_BAD, EX_USAGE,
					"\"%s\" is not KEY=GLOB", words[i]);
		if (!slice_eq(key, S("patch")) && !list_of(&none, key))
			return err_exit(err, PH_BAD, EX_USAGE,
					"\"%.*s\" is none of patch, tree, "
					"branch, label, subsystem, files, "
					"testcase, metric, host, verdict, "
					"evidence, author, list",
					S_FMT(key));
		if (check_value(key, value, err))
			return PH_BAD;
		buf_add_slice(ret, word);
		buf_add_char(ret, '\n');
	}
	if (!ret->len)
		return err_exit(err, PH_BAD, EX_USAGE,
				"what is to be silenced? KEY=GLOB is missing");
	return PH_OK;
}

struct search {
	const struct route_subject *subject;
	struct slice hex;
	struct arena *arena;
	bool *silenced;
	struct slice why;
};

/* The first silence that holds for a result gives the reason. */
static void try_one(void *arg, const struct silence_row *row)
{
	struct search *f = arg;
	size_t n = f->subject->n_results;
	bool *hit = arena_array(f->arena, bool, n + 1);
	struct silence silence;
	char until[32];

	read_kept(row->match, f->arena, &silence);
	if (silence.patch.len && !slice_starts(f->hex, silence.patch))
		return;
	if (!silence.anything && !silence.patch.len)
		return;
	if (!route_holds(&silence.match, f->subject, f->arena, hit, NULL))
		return;
	for (size_t i = 0; i < n; i++)
		f->silenced[i] = f->silenced[i] || hit[i];
	if (f->why.len)
		return;
	clock_rfc3339(row->until, until);
	f->why = slice_of(arena_printf(f->arena,
				       "silence %lld of %.*s until %s: %.*s",
				       (long long)row->id, S_FMT(row->author),
				       until, S_FMT(row->reason)));
}

enum status silence_find(struct store *s, const struct route_subject *subject,
			 struct slice hex, int64_t now, struct arena *arena,
			 bool *ret_silenced, struct slice *ret_why,
			 struct err *err)
{
	struct search f = { .subject = subject,
			    .hex = hex,
			    .arena = arena,
			    .silenced = ret_silenced };
	enum status st;

	memset(ret_silenced, 0, subject->n_results * sizeof(*ret_silenced));
	st = silence_each(s, now, arena, try_one, &f, err);
	if (st != PH_OK)
		return st;
	if (!f.why.len)
		return PH_NONE;
	*ret_why = f.why;
	return PH_OK;
}
