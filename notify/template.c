#include "notify/template.h"

#include "notify/words.h"
#include "ph/utf8.h"

#define NEST_MAX 8
#define HASH_LEN 12

static void put_verdict(struct buf *b, const struct notice_result *r)
{
	if (r->verdict != VERDICT_NONE || r->stopped)
		buf_add_str(b, words_verdict(r));
}

static void put_evidence(struct buf *b, const struct notice *n)
{
	char grade = words_grade(n->evidence);

	if (grade)
		buf_add_char(b, grade);
}

static void put_subject(struct buf *b, const struct notice *n)
{
	notice_subject(n, b);
}

static void put_text(struct buf *b, const struct notice *n)
{
	notice_text(n, b);
}

static void put_update(struct buf *b, const struct notice *n)
{
	if (n->kind == NOTICE_UPDATE)
		buf_add_str(b, "update");
}

/* Where a field's words are: a slice of the notice or of its headline, or a
 * function over one of them. */
#define OF_NOTICE(member) \
	.in_notice = true, .at = offsetof(struct notice, member)
#define OF_RESULT(member) .at = offsetof(struct notice_result, member)

static const struct field {
	const char *name, *help;
	bool in_notice;
	size_t at, max; /* max: bytes of it; 0: all */
	void (*notice_words)(struct buf *b, const struct notice *n);
	void (*result_words)(struct buf *b, const struct notice_result *r);
} fields[] = {
	{ "author", "the author's address", OF_NOTICE(author) },
	{ "base", "the commit before, 12 digits", OF_NOTICE(base),
	  .max = HASH_LEN },
	{ "before", "the old gain that this undoes", OF_NOTICE(before) },
	{ "branch", "branch", OF_NOTICE(branch) },
	{ "build", "compiler and kernel configuration", OF_NOTICE(build) },
	{ "change", "how much: 11.9%", .result_words = words_change },
	{ "closes", "the link for a Closes: tag", OF_NOTICE(closes) },
	{ "commit", "the commit, 12 digits", OF_NOTICE(commit),
	  .max = HASH_LEN },
	{ "evidence", "the grade: A, B, C or D", .notice_words = put_evidence },
	{ "failures", "failure counts that worsened", OF_NOTICE(failures) },
	{ "fix", "the known fix", OF_NOTICE(fix) },
	{ "hash", "the commit, whole", OF_NOTICE(commit) },
	{ "host", "the robot's host", OF_RESULT(host) },
	{ "label", "the tree bracket of the report's subject",
	  OF_NOTICE(label) },
	{ "machine", "the host and what it is", .result_words = words_host },
	{ "metric", "the headline's metric", OF_RESULT(metric) },
	{ "note", "a person's note with a forward", OF_NOTICE(note) },
	{ "params", "the test's parameters", OF_RESULT(params) },
	{ "patch", "our id of the patch", OF_NOTICE(patch) },
	{ "posted", "link of a posted patch", OF_NOTICE(posted_link) },
	{ "reasons", "why this grade", .notice_words = words_reasons },
	{ "report", "link of the report", OF_NOTICE(report_url) },
	{ "rerun", "link for running it again", OF_NOTICE(rerun_url) },
	{ "state", "the patch's state, when it is not open", OF_NOTICE(state) },
	{ "subject", "the usual subject", .notice_words = put_subject },
	{ "subsystem", "subsystem", OF_NOTICE(subsystem) },
	{ "test", "test case and parameters", .result_words = words_test },
	{ "testcase", "test case", OF_RESULT(testcase) },
	{ "text", "the usual text", .notice_words = put_text },
	{ "title", "the commit's title", OF_NOTICE(title) },
	{ "tree", "tree and branch", .notice_words = words_tree },
	{ "unit", "the unit in words", OF_RESULT(unit) },
	{ "update", "a text only in an update", .notice_words = put_update },
	{ "values", "91,713 -> 80,789 operations (higher is better)",
	  .result_words = words_values },
	{ "verdict", "WORSE, BETTER or STOPPED", .result_words = put_verdict },
};

const char *template_field(size_t i, const char **ret_help)
{
	if (i >= ARRAY_LEN(fields))
		return NULL;
	*ret_help = fields[i].help;
	return fields[i].name;
}

static const struct field *find_field(struct slice name)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (slice_eq(slice_of(fields[i].name), name))
			return &fields[i];
	return NULL;
}

/* How many letters two names share at their fronts and ends: enough to find
 * what was meant among few names. */
static size_t likeness(struct slice a, struct slice b)
{
	size_t front = 0, end = 0, most = a.len < b.len ? a.len : b.len;

	while (front < most && a.ptr[front] == b.ptr[front])
		front++;
	while (end < most - front &&
	       a.ptr[a.len - end - 1] == b.ptr[b.len - end - 1])
		end++;
	return front + end;
}

static const char *nearest_field(struct slice name)
{
	size_t best = 0, at = 0;

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		size_t like = likeness(name, slice_of(fields[i].name));

		if (like > best) {
			best = like;
			at = i;
		}
	}
	return fields[at].name;
}

static void put_slice(struct buf *b, const struct field *f,
		      const struct notice *n, const struct notice_result *r)
{
	const char *owner = f->in_notice ? (const char *)n : (const char *)r;
	struct slice s;

	memcpy(&s, owner + f->at, sizeof(s));
	utf8_put_clean(b, f->max ? slice_head(s, f->max) : s);
}

/* A field's words without outer blanks; scratch is overwritten. */
static struct slice words_of(const struct field *f, const struct notice *n,
			     struct buf *scratch)
{
	static const struct notice_result none;
	const struct notice_result *r = n->n_results ? &n->results[0] : &none;

	buf_reset(scratch);
	if (f->notice_words)
		f->notice_words(scratch, n);
	else if (f->result_words)
		f->result_words(scratch, r);
	else
		put_slice(scratch, f, n, r);
	return slice_trim(buf_slice(scratch));
}

struct reader {
	struct slice rest;
	size_t line;
	const struct field *open[NEST_MAX];
	bool shown[NEST_MAX]; /* whether what stands inside is shown */
	size_t depth;
	const struct notice *n; /* NULL: only checking */
	struct buf *out, scratch;
	size_t line_start; /* of the line being written, in out */
};

static bool is_shown(const struct reader *r)
{
	return r->out && (!r->depth || r->shown[r->depth - 1]);
}

static void put(struct reader *r, struct slice text)
{
	const char *end;

	for (const char *c = text.ptr; c < text.ptr + text.len; c++)
		r->line += *c == '\n';
	if (!is_shown(r))
		return;
	buf_add_slice(r->out, text);
	end = slice_rchr(text, '\n');
	if (end)
		r->line_start =
			r->out->len - (size_t)(text.ptr + text.len - end - 1);
}

/* A line that begins with '#' is a command to some readers of mail. */
static void put_field(struct reader *r, const struct field *f)
{
	struct slice words;

	if (!is_shown(r))
		return;
	words = words_of(f, r->n, &r->scratch);
	if (r->out->len == r->line_start && slice_starts(words, S("#")))
		buf_add_char(r->out, ' ');
	buf_add_slice(r->out, words);
}

static enum status open_section(struct reader *r, const struct field *f,
				bool when_text, struct err *err)
{
	bool shown = is_shown(r);

	if (r->depth == NEST_MAX)
		return err_set(err, PH_BAD,
			       "line %zu: sections nest deeper than %d",
			       r->line, NEST_MAX);
	if (shown)
		shown = (words_of(f, r->n, &r->scratch).len > 0) == when_text;
	r->open[r->depth] = f;
	r->shown[r->depth++] = shown;
	return PH_OK;
}

static enum status close_section(struct reader *r, const struct field *f,
				 struct err *err)
{
	if (!r->depth || r->open[r->depth - 1] != f)
		return err_set(err, PH_BAD,
			       "line %zu: {{/%s}} ends no section that began "
			       "before it",
			       r->line, f->name);
	r->depth--;
	return PH_OK;
}

/* What stands inside the braces. */
static enum status take_sign(struct reader *r, struct slice sign,
			     struct err *err)
{
	const struct field *f;
	char kind = sign.len ? *sign.ptr : 0;

	if (kind == '!')
		return PH_OK;
	if (kind == '#' || kind == '^' || kind == '/')
		sign = slice_from(sign, 1);
	sign = slice_trim(sign);
	f = find_field(sign);
	if (!f)
		return err_set(err, PH_BAD,
			       "line %zu: no field \"%.*s\" (nearest: %s)",
			       r->line, S_FMT(slice_head(sign, 60)),
			       nearest_field(sign));
	if (kind == '#' || kind == '^')
		return open_section(r, f, kind == '#', err);
	if (kind == '/')
		return close_section(r, f, err);
	put_field(r, f);
	return PH_OK;
}

/* Whether a sign stands alone on its line: from its start to its end only
 * blanks around it. before is what stands in front of it in the template. */
static bool is_alone(struct slice before, struct slice after, struct slice sign)
{
	const char *line = slice_rchr(before, '\n');
	struct slice rest = after;

	if (!sign.len || !strchr("#^/!", *sign.ptr))
		return false;
	if (line)
		before = slice_from(before, (size_t)(line - before.ptr) + 1);
	slice_skip_blanks(&before);
	slice_skip_blanks(&rest);
	return !before.len && (!rest.len || *rest.ptr == '\n');
}

static void drop_line(struct reader *r)
{
	if (is_shown(r) && r->out->len > r->line_start)
		r->out->len = r->line_start;
	slice_skip_blanks(&r->rest);
	if (slice_skip(&r->rest, S("\n")))
		r->line++;
}

/* PH_OK: one more sign was read, and the text before it put out. PH_NONE: that
 * was all. */
static enum status step(struct reader *r, struct slice whole, struct err *err)
{
	const char *open = slice_find(r->rest, S("{{")), *end;
	struct slice sign, before;

	if (!open) {
		put(r, r->rest);
		r->rest.len = 0;
		return PH_NONE;
	}
	put(r, slice_between(r->rest.ptr, open));
	before = slice_between(whole.ptr, open);
	r->rest = slice_from(r->rest, (size_t)(open - r->rest.ptr) + 2);
	end = slice_find(r->rest, S("}}"));
	if (!end)
		return err_set(err, PH_BAD, "line %zu: {{ without its }}",
			       r->line);
	sign = slice_trim(slice_between(r->rest.ptr, end));
	r->rest = slice_from(r->rest, (size_t)(end - r->rest.ptr) + 2);
	if (is_alone(before, r->rest, sign))
		drop_line(r);
	return take_sign(r, sign, err);
}

static enum status run(struct slice text, const struct notice *n,
		       struct buf *out, struct err *err)
{
	struct reader r = { .rest = text, .line = 1, .n = n, .out = out };
	enum status s;

	r.line_start = out ? out->len : 0;
	do
		s = step(&r, text, err);
	while (s == PH_OK);
	if (s == PH_NONE) {
		s = PH_OK;
		if (r.depth)
			s = err_set(err, PH_BAD, "{{#%s}} without {{/%s}}",
				    r.open[r.depth - 1]->name,
				    r.open[r.depth - 1]->name);
	}
	buf_release(&r.scratch);
	return s;
}

enum status template_check(struct slice text, struct err *err)
{
	return run(text, NULL, NULL, err);
}

enum status template_render(struct slice text, const struct notice *n,
			    struct buf *ret, struct err *err)
{
	return run(text, n, ret, err);
}
