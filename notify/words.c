#include "notify/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "ph/utf8.h"

#define HASH_SHOWN 12

/* Adds the digits of text with a comma before each third from the right; what
 * is no leading digit (sign before, decimals behind) stays as it is. */
static void put_thousands(struct buf *b, const char *text)
{
	size_t digits;

	if (*text == '-')
		buf_add_char(b, *text++);
	digits = strspn(text, "0123456789");
	for (size_t i = 0; i < digits; i++) {
		if (i && (digits - i) % 3 == 0)
			buf_add_char(b, ',');
		buf_add_char(b, text[i]);
	}
	buf_add_str(b, text + digits);
}

/* The robot's own forms (lkp-tests, lib/compare.rb): two decimals below 1000,
 * four digits above 1e8, between them whole and truncated. */
void words_number(struct buf *b, double value)
{
	double size = fabs(value);
	char text[64];

	if (size < 1000)
		snprintf(text, sizeof(text), "%.2f", value);
	else if (size > 1e8)
		snprintf(text, sizeof(text), "%.4g", value);
	else
		snprintf(text, sizeof(text), "%.0f", trunc(value));
	if (strchr(text, 'e'))
		buf_add_str(b, text);
	else
		put_thousands(b, text);
}

static void put_percent(struct buf *b, double percent)
{
	char text[64];

	if (percent < 100)
		snprintf(text, sizeof(text), "%.1f", percent);
	else if (percent < 1e6)
		snprintf(text, sizeof(text), "%.0f", percent);
	else
		snprintf(text, sizeof(text), "%.2g", percent);
	if (strchr(text, 'e'))
		buf_add_str(b, text);
	else
		put_thousands(b, text);
	buf_add_char(b, '%');
}

void words_change(struct buf *b, const struct notice_result *r)
{
	if (!r->has_percent)
		return;
	if (r->change_kind == CHANGE_ABSOLUTE)
		buf_printf(b, "%.1f points", r->percent);
	else
		put_percent(b, r->percent);
}

const char *words_verdict(const struct notice_result *r)
{
	if (r->stopped)
		return "STOPPED";
	switch (r->verdict) {
	case VERDICT_IMPROVEMENT:
		return "BETTER";
	case VERDICT_REGRESSION:
		return "WORSE";
	case VERDICT_NONE:
		break;
	}
	return "CHANGED";
}

void words_move(struct buf *b, const struct notice_result *r, const char *gap)
{
	buf_add_str(b, words_verdict(r));
	if (r->stopped)
		return;
	if (r->from_nothing) {
		buf_printf(b, "%sfrom nothing", gap);
	} else if (r->has_percent) {
		buf_add_str(b, gap);
		words_change(b, r);
	}
}

void words_result(struct buf *b, const struct notice_result *r)
{
	words_move(b, r, " ");
	if (r->metric.len)
		buf_add_char(b, ' ');
	utf8_put_clean(b, r->metric);
}

void words_values(struct buf *b, const struct notice_result *r)
{
	if (!r->has_values)
		return;
	words_number(b, r->base);
	buf_add_str(b, " -> ");
	words_number(b, r->value);
	if (r->unit.len) {
		buf_add_char(b, ' ');
		utf8_put_clean(b, r->unit);
	}
	if (r->better == BETTER_HIGHER)
		buf_add_str(b, " (higher is better)");
	else if (r->better == BETTER_LOWER)
		buf_add_str(b, " (lower is better)");
}

void words_reasons(struct buf *b, const struct notice *n)
{
	for (size_t i = 0; i < n->n_reasons; i++) {
		if (i)
			buf_add_str(b, "; ");
		utf8_put_clean(b, n->reasons[i]);
	}
}

char words_grade(enum evidence e)
{
	switch (e) {
	case EVIDENCE_A:
		return 'A';
	case EVIDENCE_B:
		return 'B';
	case EVIDENCE_C:
		return 'C';
	case EVIDENCE_D:
		return 'D';
	case EVIDENCE_NONE:
		break;
	}
	return 0;
}

static bool is_hash(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_hex(s.ptr[i]))
			return false;
	return s.len >= 8;
}

void words_commit(struct buf *b, struct slice commit, struct slice title)
{
	if (is_hash(commit))
		commit = slice_head(commit, HASH_SHOWN);
	utf8_put_clean(b, commit);
	if (!title.len)
		return;
	buf_add_str(b, commit.len ? " (\"" : "\"");
	utf8_put_clean(b, title);
	buf_add_str(b, commit.len ? "\")" : "\"");
}

/* What the robot's trees on kernel.org have in common says nothing. */
static struct slice tree_name(struct slice url)
{
	static const struct slice fronts[] = {
		S_INIT("https://git.kernel.org/cgit/linux/kernel/git/"),
		S_INIT("https://git.kernel.org/pub/scm/linux/kernel/git/"),
		S_INIT("git://git.kernel.org/pub/scm/linux/kernel/git/"),
		S_INIT("https://git.kernel.org/cgit/"),
		S_INIT("https://git.kernel.org/pub/scm/"),
		S_INIT("https://"),
	};

	for (size_t i = 0; i < ARRAY_LEN(fronts); i++)
		if (slice_skip(&url, fronts[i]))
			break;
	return url;
}

void words_place(struct buf *b, struct slice place)
{
	utf8_put_clean(b, tree_name(place));
}

void words_tree(struct buf *b, const struct notice *n)
{
	if (!n->tree.len) {
		utf8_put_clean(b, n->label);
		return;
	}
	words_place(b, n->tree);
	if (n->branch.len)
		buf_add_char(b, ' ');
	utf8_put_clean(b, n->branch);
}

static void put_joined(struct buf *b, struct slice first, const char *between,
		       struct slice second)
{
	utf8_put_clean(b, first);
	if (first.len && second.len)
		buf_add_str(b, between);
	utf8_put_clean(b, second);
}

void words_test(struct buf *b, const struct notice_result *r)
{
	struct slice rest = r->params, first = { NULL, 0 };

	/* "stress-ng shm, nr_threads=1", but "fsmark, disk=1SSD" */
	slice_take_word(&rest, &first);
	put_joined(b, r->testcase, slice_chr(first, '=') ? ", " : " ",
		   r->params);
}

void words_host(struct buf *b, const struct notice_result *r)
{
	put_joined(b, r->host, ": ", r->host_words);
}
