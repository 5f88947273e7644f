#include "mail/report/subject.h"

#include "mail/report/cell.h"

#define HASH_MIN 7
#define HASH_MAX 40

enum verdict subject_verdict(struct slice word)
{
	if (slice_eq(word, S("improvement")))
		return VERDICT_IMPROVEMENT;
	if (slice_eq(word, S("regression")))
		return VERDICT_REGRESSION;
	return VERDICT_NONE;
}

bool subject_take_percent(struct slice word, double *ret)
{
	double value;

	slice_skip(&word, S("+"));
	if (!cell_take_number(&word, &value) || !slice_eq(word, S("%")))
		return false;
	*ret = value < 0 ? -value : value;
	return true;
}

bool subject_take_change(struct slice s, struct slice *ret_metric,
			 double *ret_percent, enum verdict *ret_verdict)
{
	struct slice metric, percent, word, rest;
	double value;

	if (!slice_take_word(&s, &metric) || !slice_take_word(&s, &percent) ||
	    !slice_take_word(&s, &word) || slice_take_word(&s, &rest))
		return false;
	if (!subject_verdict(word) || !subject_take_percent(percent, &value))
		return false;
	*ret_metric = metric;
	*ret_percent = value;
	*ret_verdict = subject_verdict(word);
	return true;
}

/* ":", " :", "[2]:", "^2:" or ":" as wide as a Chinese character. */
static bool take_mark_end(struct slice *s)
{
	struct slice at = *s;
	uint64_t n;

	slice_skip_blanks(&at);
	if (slice_skip(&at, S("[")) || slice_skip(&at, S("^"))) {
		if (!slice_take_uint(&at, 9999, &n))
			return false;
		slice_skip(&at, S("]"));
	}
	if (!slice_skip(&at, S(":")) && !slice_skip(&at, S("\xef\xbc\x9a")))
		return false;
	*s = at;
	return true;
}

static bool take_mark(struct slice *s, const struct slice *marks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct slice at = *s;

		if (!slice_caseskip(&at, marks[i]) || !take_mark_end(&at))
			continue;
		*s = at;
		return true;
	}
	return false;
}

static bool take_reply_mark(struct slice *s, struct subject *ret)
{
	static const struct slice replies[] = {
		S_INIT("re"),
		S_INIT("aw"),
		S_INIT("sv"),
		S_INIT("\xe5\x9b\x9e\xe5\xa4\x8d"), /* Chinese: answer */
		S_INIT("\xe7\xad\x94\xe5\xa4\x8d"),
	};
	static const struct slice forwards[] = {
		S_INIT("fwd"), S_INIT("fw"), S_INIT("wg"),
		S_INIT("\xe8\xbd\xac\xe5\x8f\x91"), /* Chinese: passed on */
	};

	if (take_mark(s, replies, ARRAY_LEN(replies)))
		ret->reply = true;
	else if (take_mark(s, forwards, ARRAY_LEN(forwards)))
		ret->forward = true;
	else
		return false;
	return true;
}

/* "3/7" or "03/20" at the end of a bracket. */
static bool ends_in_count(struct slice s)
{
	const char *slash = slice_rchr(s, '/');
	size_t i = s.len;

	if (!slash || slash == s.ptr || !is_digit(slash[-1]))
		return false;
	while (i && is_digit(s.ptr[i - 1]))
		i--;
	return i < s.len && s.ptr + i == slash + 1;
}

static bool is_patch_tag(struct slice tag)
{
	struct slice word;

	while (slice_take_word(&tag, &word))
		if (slice_starts(word, S("PATCH")))
			return true;
	return false;
}

/* Nothing of the robot's may contain a bracket: tags do not nest. */
static bool take_tag(struct slice *s, struct subject *ret)
{
	struct slice at = *s, tag, word, more;

	if (!slice_skip(&at, S("[")) || !slice_take_until(&at, ']', &tag))
		return false;
	*s = at;
	if (is_patch_tag(tag)) {
		ret->patch = true;
	} else if (slice_chr(tag, ':')) {
		ret->numbered = ends_in_count(tag);
		ret->label = tag;
		ret->subsystem = (struct slice){ 0 };
		more = tag;
		if (ret->numbered && slice_take_word(&more, &word))
			ret->label = word;
	} else {
		ret->subsystem = tag;
	}
	return true;
}

static size_t hash_len(struct slice s)
{
	size_t n = 0;

	while (n < s.len && is_hex(s.ptr[n]))
		n++;
	return n >= HASH_MIN && n <= HASH_MAX ? n : 0;
}

/* `hex:` or, of bisection mails until 2020, `hex ("title"):`. */
static bool take_hash(struct slice *s, struct subject *ret)
{
	size_t n = hash_len(*s);
	struct slice at = slice_from(*s, n), title;
	const char *end;

	if (!n)
		return false;
	if (slice_skip(&at, S(":"))) {
		ret->commit = slice_head(*s, n);
		*s = at;
		return true;
	}
	if (!slice_skip(&at, S(" (\"")))
		return false;
	end = slice_find(at, S("\"):"));
	if (!end)
		return false;
	title = slice_between(at.ptr, end);
	ret->commit = slice_head(*s, n);
	ret->title = title;
	*s = slice_from(at, title.len + 3);
	return true;
}

static void take_old_change(struct slice s, struct subject *ret)
{
	struct slice percent, metric, rest;

	if (!slice_take_word(&s, &percent) || !slice_take_word(&s, &metric) ||
	    slice_take_word(&s, &rest) ||
	    !subject_take_percent(percent, &ret->percent))
		return;
	ret->metric = metric;
	ret->old_change = true;
}

/*
 * A mark of a language not listed: a word with a colon before what can only be
 * the robot's, "Antwort: [linus:master] ...". The robot itself writes none.
 */
static bool take_other_mark(struct slice *s)
{
	struct slice at = *s, word;

	if (!slice_take_word(&at, &word))
		return false;
	if (!slice_ends(word, S(":")) && !slice_ends(word, S("\xef\xbc\x9a")))
		return false;
	slice_skip_blanks(&at);
	if (!slice_starts(at, S("[")) &&
	    !slice_starts(slice_from(at, hash_len(at)), S(":")))
		return false;
	*s = at;
	return true;
}

/* "BUILD SUCCESS hex", or "hex BUILD DONE". */
static bool is_build_status(struct slice s)
{
	size_t n = hash_len(s);

	if (n)
		s = slice_from(s, n);
	return slice_starts(s, n ? S(" BUILD ") : S("BUILD "));
}

/* What stands before the hash. */
static bool take_front(struct slice *s, struct subject *ret,
		       bool *ret_other_mark)
{
	slice_skip_blanks(s);
	if (take_reply_mark(s, ret) || take_tag(s, ret))
		return true;
	if (hash_len(*s) || !take_other_mark(s))
		return false;
	*ret_other_mark = true;
	return true;
}

void subject_read(struct slice text, struct subject *ret)
{
	struct slice s = text;
	bool other_mark = false, hash;

	*ret = (struct subject){ 0 };
	while (take_front(&s, ret, &other_mark))
		;
	hash = take_hash(&s, ret);
	ret->build_status = !hash && is_build_status(s);
	ret->reply |= other_mark && (hash || ret->numbered);
	ret->tail = slice_trim(s);
	if (!hash)
		return;
	if (!subject_take_change(ret->tail, &ret->metric, &ret->percent,
				 &ret->verdict))
		take_old_change(ret->tail, ret);
}
