/*
 * What a mail is. The robot's operators write from its addresses, and people
 * quote its reports, so no single sign decides: the display name says who
 * writes, the subject and a headline that is not quoted say what it is.
 */
#include "mail/report/parse.h"

#include "ph/addr.h"

#define NAME_MAX_LEN 64
#define MISSPELT_MAX 2 /* "kernel test rboot" */

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edit distance (insert, delete, replace), ASCII case folded. */
static size_t distance(struct slice a, struct slice b)
{
	size_t row[NAME_MAX_LEN + 1];

	for (size_t k = 0; k <= b.len; k++)
		row[k] = k;
	for (size_t i = 0; i < a.len; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t k = 0; k < b.len; k++) {
			size_t above = row[k + 1];
			bool same = to_lower(a.ptr[i]) == to_lower(b.ptr[k]);

			row[k + 1] =
				min3(above + 1, row[k] + 1, diagonal + !same);
			diagonal = above;
		}
	}
	return row[b.len];
}

/* "'kernel test robot' via A-List": a list that may not send for intel.com
 * puts itself in. */
static struct slice without_list(struct slice name)
{
	const char *via = slice_find(name, S(" via "));

	if (via)
		name = slice_between(name.ptr, via);
	name = slice_trim(name);
	if (name.len > 1 && *name.ptr == '\'' && slice_ends(name, S("'")))
		name = slice_between(name.ptr + 1, name.ptr + name.len - 1);
	return name;
}

bool author_is_robot(struct slice name)
{
	static const struct slice names[] = {
		S_INIT("kernel test robot"), S_INIT("kbuild test robot"),
		S_INIT("kernel robot"),	     S_INIT("0day robot"),
		S_INIT("lkp robot"),
	};

	name = without_list(name);
	if (slice_caseeq(name, S("lkp")))
		return true;
	if (name.len > NAME_MAX_LEN)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (distance(names[i], name) <= MISSPELT_MAX)
			return true;
	return false;
}

enum author author_of(const struct message *msg)
{
	struct slice name = msg->from.name;

	if (name.len)
		return author_is_robot(name) ? AUTHOR_ROBOT : AUTHOR_PERSON;
	if (!msg->from.address.len)
		return AUTHOR_UNKNOWN;
	return addr_eq(msg->from.address, S("lkp@intel.com")) ? AUTHOR_ROBOT
							      : AUTHOR_PERSON;
}

static bool is_answer(const struct parse *p)
{
	return p->subject.reply || p->subject.forward ||
	       p->msg->in_reply_to.len || p->msg->n_references;
}

static enum report_kind kind_of_headline(const struct parse *p)
{
	if (p->headline == HEADLINE_PERFORMANCE)
		return REPORT_PERFORMANCE;
	if (p->headline == HEADLINE_FUNCTIONAL)
		return REPORT_FUNCTIONAL;
	if (p->headline == HEADLINE_CHANGES)
		return p->subject.old_change || p->subject.verdict
			       ? REPORT_PERFORMANCE
			       : REPORT_FUNCTIONAL;
	return p->headline == HEADLINE_BUILD ? REPORT_BUILD : REPORT_OTHER;
}

/*
 * An operator may start a thread with a report under the own name, and what
 * smatch found in a build is passed on by a person. Anyone else with the
 * robot's sentence answers or forwards it, whatever subject and header lack.
 */
static enum report_kind kind_of_person(const struct parse *p)
{
	if (is_answer(p))
		return REPORT_REPLY;
	if (addr_match(S("*@intel.com"), p->msg->from.address) &&
	    p->subject.commit.len && !p->depth)
		return kind_of_headline(p);
	if (p->headline == HEADLINE_BUILD)
		return p->subject.numbered ? REPORT_BUILD : REPORT_OTHER;
	return p->headline ? REPORT_REPLY : REPORT_OTHER;
}

/* The robot answers patches ("Re: [PATCH"), its operators its own reports. */
static bool is_operator(const struct parse *p)
{
	return p->subject.reply && !p->subject.patch &&
	       (p->subject.commit.len || p->subject.numbered);
}

enum report_kind kind_of(const struct parse *p)
{
	const struct subject *s = &p->subject;
	bool headline = p->headline && p->headline != HEADLINE_BUILD;

	if (p->author == AUTHOR_PERSON)
		return kind_of_person(p);
	if (headline && !p->depth)
		return kind_of_headline(p);
	if (is_operator(p) || (headline && s->reply))
		return REPORT_REPLY;
	if (s->build_status)
		return REPORT_BUILD_STATUS;
	if (s->patch && !s->reply)
		return REPORT_FIX;
	if (p->headline == HEADLINE_BUILD || s->numbered)
		return REPORT_BUILD;
	if (s->verdict || s->old_change)
		return REPORT_PERFORMANCE;
	if (p->bisect || s->commit.len)
		return REPORT_FUNCTIONAL;
	return s->reply ? REPORT_REPLY : REPORT_OTHER;
}
