/*
 * The text between headline and first table: commit, tree, status lines, test
 * block, tags and links. Each line says by its first word what it is, so their
 * order does not matter.
 */
#include "mail/report/parse.h"

#include "ph/addr.h"
#include "ph/limits.h"

#define COMMIT_HEX 40

static bool all_hex(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_hex(s.ptr[i]))
			return false;
	return s.len > 0;
}

/* 40 hex digits ` ("` title `")`; the title may hold any of these. */
static bool take_commit(struct parse *p, struct slice s)
{
	struct slice id, whole;
	const char *end;

	slice_skip_blanks(&s);
	id = slice_head(s, COMMIT_HEX);
	if (id.len != COMMIT_HEX || !all_hex(id))
		return false;
	if (p->rep->commit.id.len)
		return true;
	p->rep->commit.id = id;
	s = slice_from(s, COMMIT_HEX);
	slice_skip_blanks(&s);
	if (!slice_skip(&s, S("(\"")))
		return true;
	whole = slice_ends(s, S("\")")) ? s : parse_unwrap(p, s, S("\")"));
	end = whole.len ? slice_rchr(whole, '"') : slice_rchr(s, '"');
	if (end)
		p->rep->commit.title =
			slice_between(whole.len ? whole.ptr : s.ptr, end);
	return true;
}

/* A git URL and a branch, on a line of their own behind the commit; until 2016
 * before it. */
static bool take_tree(struct parse *p, struct slice s)
{
	struct slice url, branch, rest;

	if (p->rep->commit.tree.len ||
	    (!p->rep->commit.id.len && p->headline != HEADLINE_CHANGES))
		return false;
	if (!slice_take_word(&s, &url) || !slice_take_word(&s, &branch) ||
	    slice_take_word(&s, &rest) || !slice_find(url, S("git")))
		return false;
	p->rep->commit.tree = url;
	p->rep->commit.branch = branch;
	return true;
}

/* `[still regression on linus/master      SHA40]` */
static bool take_status(struct parse *p, struct slice s)
{
	struct report *r = p->rep;
	struct status_line *status;
	struct slice text, commit;
	const char *on, *blank;

	if (!slice_starts(s, S("still ")) && !slice_starts(s, S("test failed")))
		return false;
	s = parse_unwrap(p, s, S("]"));
	if (!s.len)
		return false;
	s.len--;
	s = slice_trim(s);
	on = slice_find(s, S(" on "));
	blank = slice_rchr(s, ' ');
	if (!on || !blank)
		return false;
	text = slice_between(s.ptr, on + 3);
	commit = slice_between(blank + 1, s.ptr + s.len);
	if (commit.len != COMMIT_HEX || !all_hex(commit))
		return false;
	if (r->n_status == LIMIT_PARAMS)
		return true;
	r->status = arena_grow(p->arena, r->status, &p->cap_status, r->n_status,
			       sizeof(*r->status));
	status = &r->status[r->n_status++];
	status->text = text;
	if (blank > on + 3)
		status->ref = slice_trim(slice_between(on + 4, blank));
	status->commit = commit;
	return true;
}

/* "key: value" with a key of one word. */
static bool split_pair(struct slice s, struct slice *ret_key,
		       struct slice *ret_value)
{
	struct slice key;

	s = slice_trim(s);
	if (!slice_take_until(&s, ':', &key) || !key.len || slice_chr(key, ' '))
		return false;
	if (s.len && !is_blank(*s.ptr))
		return false;
	*ret_key = key;
	*ret_value = slice_trim(s);
	return true;
}

/* Fields that may follow the parameters where a copy lost its tabs. */
static bool is_other_field(struct slice key)
{
	static const struct slice fields[] = {
		S_INIT("compiler"), S_INIT("config"),
		S_INIT("version"),  S_INIT("test-description"),
		S_INIT("test-url"), S_INIT("testcase"),
		S_INIT("commit"),   S_INIT("url"),
	};

	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (slice_eq(key, fields[i]))
			return true;
	return false;
}

/* These end the parameters even where all lines are indented alike. */
static bool is_description(struct slice key)
{
	return slice_eq(key, S("test-description")) ||
	       slice_eq(key, S("test-url"));
}

/* One empty line stands before the parameters: three where all line ends were
 * doubled on the way. */
static bool is_doubled(const struct parse *p)
{
	struct lines ahead = p->lines;
	struct line line;

	return lines_take_filled(&ahead, &line) &&
	       ahead.number > p->lines.number + 3;
}

/* The next parameter; blank lines may come before the first, and in a doubled
 * text between any two. */
static bool take_parameter(struct parse *p, bool doubled, struct slice *ret_key,
			   struct slice *ret_value)
{
	bool first = !p->rep->n_params;
	struct lines ahead = p->lines;
	struct line line;
	bool indented;

	if (!lines_take_filled(&ahead, &line) || line.depth != p->depth)
		return false;
	indented = is_blank(*line.text.ptr);
	if (!first && !indented && ahead.number > p->lines.number + 1 + doubled)
		return false;
	if (!split_pair(line.text, ret_key, ret_value) ||
	    is_description(*ret_key) || (!indented && is_other_field(*ret_key)))
		return false;
	p->lines = ahead;
	return true;
}

/*
 * TAB key ": " value lines behind "parameters:". Indented by what a copy made
 * of the tab; in a collapsed copy by nothing.
 */
static enum status take_parameters(struct parse *p)
{
	struct report *r = p->rep;
	bool doubled = is_doubled(p);
	struct slice key, value;
	size_t cap = 0;

	if (r->n_params)
		return PH_OK;
	while (take_parameter(p, doubled, &key, &value))
		if (parse_add_pair(p, &r->params, &r->n_params, &cap, key,
				   value, "parameters"))
			return PH_BAD;
	return PH_OK;
}

static void set_once(struct slice *field, struct slice value)
{
	if (!field->len)
		*field = slice_trim(value);
}

/* The URL on the line. */
static struct slice find_url(struct parse *p, struct slice s)
{
	const char *at = slice_find(s, S("http"));

	return at ? unmask(p, slice_between(at, s.ptr + s.len))
		  : (struct slice){ 0 };
}

static void take_reported_by(struct parse *p, struct slice s)
{
	struct slice name, address;

	p->tagged = true;
	if (p->rep->reported_by.len)
		return;
	slice_take_until(&s, '<', &name);
	if (!slice_take_until(&s, '>', &address))
		address = s;
	address = unmask(p, address);
	if (addr_valid(address))
		p->rep->reported_by = address;
}

/* Mail may have wrapped the link behind its tag. */
static struct slice find_link(struct parse *p, struct slice s)
{
	struct slice url = find_url(p, s);
	struct lines ahead = p->lines;
	struct line line;

	if (url.len || slice_trim(s).len || !lines_take(&ahead, &line) ||
	    !slice_starts(slice_trim(line.text), S("http")))
		return url;
	p->lines = ahead;
	return find_url(p, line.text);
}

/* A link counts when the tag before it was read; patches have Links too. */
static bool take_closes(struct parse *p, struct slice s)
{
	struct slice url;

	if (!p->tagged || p->rep->closes.len)
		return false;
	url = find_link(p, s);
	if (!slice_find(url, S("lore.kernel.org")))
		return false;
	p->rep->closes = url;
	return true;
}

static bool take_tag(struct parse *p, struct slice s)
{
	if (slice_skip(&s, S("| ")))
		slice_skip_blanks(&s);
	if (slice_skip(&s, S("Reported-by:"))) {
		take_reported_by(p, s);
		return true;
	}
	if (slice_skip(&s, S("Closes:")) || slice_skip(&s, S("Link:")))
		return take_closes(p, s);
	return false;
}

static bool take_archive(struct parse *p, struct slice s)
{
	if (!slice_find(s, S("download.01.org/0day-ci/archive/")))
		return false;
	if (!p->rep->archive.len)
		p->rep->archive = find_url(p, s);
	return true;
}

/* A field of one line: its name, and where its value goes. */
struct field {
	struct slice name, *value;
};

static bool take_named(const struct field *fields, size_t n, struct slice s)
{
	for (size_t i = 0; i < n; i++)
		if (slice_skip(&s, fields[i].name)) {
			set_once(fields[i].value, s);
			return true;
		}
	return false;
}

/* Where a patch was found; it is said before the test, and what looks like it
 * later is output of the test. */
static bool take_posted(struct report *r, struct slice s)
{
	const struct field fields[] = {
		{ S_INIT("url:"), &r->posted.url },
		{ S_INIT("base:"), &r->posted.base },
		{ S_INIT("patch link:"), &r->posted.link },
		{ S_INIT("patch subject:"), &r->posted.subject },
	};

	return !r->testcase.len && take_named(fields, ARRAY_LEN(fields), s);
}

static bool take_test(struct report *r, struct slice s)
{
	const struct field fields[] = {
		{ S_INIT("testcase:"), &r->testcase },
		{ S_INIT("in testcase:"), &r->testcase },
		{ S_INIT("config:"), &r->kconfig },
		{ S_INIT("compiler:"), &r->compiler },
	};

	return take_named(fields, ARRAY_LEN(fields), s);
}

/* A machine of the lab ends in "memory", where mail has wrapped it too. */
static bool take_machine(struct parse *p, struct slice s)
{
	struct slice whole = { 0 };

	if (!slice_skip(&s, S("test machine:")) &&
	    !slice_skip(&s, S("on test machine:")))
		return false;
	if (p->rep->machine.description.len)
		return true;
	if (slice_find(s, S(" thread")))
		whole = parse_unwrap(p, s, S("memory"));
	machine_read(p, whole.len ? whole : s, &p->rep->machine);
	return true;
}

static bool take_field(struct parse *p, struct slice s)
{
	return take_posted(p->rep, s) || take_test(p->rep, s) ||
	       take_machine(p, s);
}

static bool is_parameters(struct slice s)
{
	return slice_eq(s, S("parameters:")) ||
	       slice_eq(s, S("with following parameters:"));
}

/* The words a mail of bisection or build begins with, until 2020. */
static void take_marker(struct parse *p, struct slice s)
{
	static const struct slice build[] = {
		S_INIT("[auto build test "),
		S_INIT("I love your patch!"),
		S_INIT("tree: "),
	};

	for (size_t i = 0; i < ARRAY_LEN(build) && !p->headline; i++)
		if (slice_starts(s, build[i]))
			p->headline = HEADLINE_BUILD;
	if (slice_starts(s, S("0day kernel testing robot")))
		p->bisect = true;
}

static bool take_by_word(struct parse *p, struct slice s)
{
	switch (*s.ptr) {
	case 'c':
		if (slice_skip(&s, S("commit:")) ||
		    slice_skip(&s, S("commit ")))
			return take_commit(p, s);
		return take_field(p, s);
	case 'h':
		return take_archive(p, s) || take_tree(p, s);
	case 'g':
	case 's':
		return take_tree(p, s);
	case '[':
		return take_status(p, slice_from(s, 1));
	case '|':
	case 'R':
	case 'C':
	case 'L':
		return take_tag(p, s);
	default:
		return take_field(p, s);
	}
}

enum status head_take_line(struct parse *p, const struct line *line)
{
	struct slice s = line->text;

	slice_skip_blanks(&s);
	if (!s.len || (is_alpha(*s.ptr) && headline_take(p, line)))
		return PH_OK;
	if (p->headline ? line->depth != p->depth
			: p->author == AUTHOR_ROBOT && line->depth)
		return PH_OK;
	if (is_parameters(slice_trim(s)))
		return take_parameters(p);
	if (!take_by_word(p, s))
		take_marker(p, s);
	return PH_OK;
}
