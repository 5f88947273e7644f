#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mail/imap_session.h"

/*
 * public-inbox serves a list as slices of 50,000 mails, NAME.0, NAME.1, ...;
 * only the last one still grows. A run without gaps from 0 on is taken for
 * such slices, so that folders named by a year stay what they are.
 */
struct folder {
	struct slice name, base;
	uint64_t slice;
	bool sliced; /* named BASE.NUMBER */
	bool old;    /* a slice, and not the newest */
	bool run;    /* the newest of a run of slices */
};

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?%") != NULL;
}

static struct folder describe(struct slice name)
{
	struct folder f = { .name = name };
	const char *dot = slice_rchr(name, '.');
	struct slice digits;

	if (!dot || dot == name.ptr)
		return f;
	digits = slice_between(dot + 1, name.ptr + name.len);
	if (digits.len > 1 && digits.ptr[0] == '0')
		return f;
	f.sliced =
		slice_take_uint(&digits, UINT32_MAX, &f.slice) && !digits.len;
	f.base = slice_between(name.ptr, dot);
	return f;
}

/* By base, then by number; those without a number by name. */
static int by_slice(const void *a, const void *b)
{
	const struct folder *x = a, *y = b;
	int c;

	if (x->sliced != y->sliced)
		return x->sliced - y->sliced;
	if (!x->sliced)
		return slice_cmp(x->name, y->name);
	c = slice_cmp(x->base, y->base);
	return c ? c : (x->slice > y->slice) - (x->slice < y->slice);
}

/* The length of the run of one base that starts at f[0]. */
static size_t run_of(const struct folder *f, size_t n)
{
	size_t len = 1;

	while (len < n && f[len].sliced && slice_eq(f[len].base, f[0].base))
		len++;
	return len;
}

static void mark_old(struct folder *f, size_t n)
{
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		len = 1;
		if (!f[i].sliced)
			continue;
		len = run_of(f + i, n - i);
		/* sorted and distinct: no gap when the last says its place */
		if (f[i + len - 1].slice != len - 1)
			continue;
		for (size_t k = 0; k + 1 < len; k++)
			f[i + k].old = true;
		f[i + len - 1].run = true;
	}
}

static bool can_select(const struct mailimap_mailbox_list *box)
{
	const struct mailimap_mbx_list_flags *flags = box->mb_flag;

	return !flags || flags->mbf_type != MAILIMAP_MBX_LIST_FLAGS_SFLAG ||
	       flags->mbf_sflag != MAILIMAP_MBX_LIST_SFLAG_NOSELECT;
}

/* INBOX is INBOX in any case (RFC 3501, 5.1), and so is what lies below. */
static bool fits(struct slice pattern, struct slice name)
{
	if (slice_caseeq(slice_head(pattern, 5), S("INBOX")))
		return slice_caseglob(pattern, name);
	return slice_glob(pattern, name);
}

/* The server's "*" and "%" are wider or narrower than ours: match again. */
static size_t fitting(struct imap *imap, clist *list, struct folder *ret)
{
	struct slice pattern = slice_of(imap->box->folder);
	size_t n = 0;

	for (clistiter *i = clist_begin(list); i; i = clist_next(i)) {
		const struct mailimap_mailbox_list *box = clist_content(i);
		struct slice name;

		if (!box->mb_name || !can_select(box))
			continue;
		name = slice_of(imap_name_from_wire(&imap->names,
						    slice_of(box->mb_name)));
		if (fits(pattern, name))
			ret[n++] = describe(name);
	}
	return n;
}

static size_t drop_twins(struct folder *f, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!kept || !slice_eq(f[kept - 1].name, f[i].name))
			f[kept++] = f[i];
	return kept;
}

/* Whether a line is "* STATUS NAME (UIDVALIDITY 0)". */
static bool says_no_uids(struct slice line)
{
	return slice_caseskip(&line, S("* STATUS ")) &&
	       slice_find(line, S("(UIDVALIDITY 0)"));
}

/*
 * Above the slices of a list, public-inbox shows an empty folder without a
 * UIDVALIDITY, which cannot be read. libetpan's parser does not know a 0 there,
 * so the question is asked by hand.
 */
static bool has_uids(struct imap *imap, struct slice name)
{
	char *wire = imap_name_to_wire(&imap->names, name);
	struct slice line;
	struct buf command;
	bool sent, found = true;

	imap_begin(imap, 0);
	buf_init(&command);
	buf_printf(&command, "STATUS \"%s\" (UIDVALIDITY)", wire);
	sent = mailimap_send_current_tag(imap->session) == MAILIMAP_NO_ERROR &&
	       imap_send(imap, buf_slice(&command));
	buf_release(&command);
	if (!sent)
		return true;
	for (line = imap_line(imap); line.len && line.ptr[0] == '*';
	     line = imap_line(imap))
		if (says_no_uids(line))
			found = false;
	return found;
}

static bool is_parent(const struct folder *f, size_t n, struct slice name)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].run && slice_eq(f[i].base, name))
			return true;
	return false;
}

static bool is_wanted(struct imap *imap, const struct folder *f, size_t n,
		      const struct folder *one)
{
	if (one->old)
		return false;
	/* quotes in its name: no list's, and not to be put into a command */
	if (one->sliced || !is_parent(f, n, one->name) ||
	    strpbrk(one->name.ptr, "\"\\"))
		return true;
	return has_uids(imap, one->name);
}

static void choose(struct imap *imap, clist *list, const char *const **ret,
		   size_t *ret_n)
{
	size_t n = (size_t)clist_count(list), kept = 0;
	struct folder *f = arena_array(&imap->names, struct folder, n);
	const char **names = arena_array(&imap->names, const char *, n);

	n = fitting(imap, list, f);
	qsort(f, n, sizeof(*f), by_slice);
	n = drop_twins(f, n);
	mark_old(f, n);
	for (size_t i = 0; i < n; i++)
		if (is_wanted(imap, f, n, &f[i]))
			names[kept++] = f[i].name.ptr;
	*ret = names;
	*ret_n = kept;
}

/* LIST knows no "?": ask for more, and match here. */
static char *list_pattern(struct imap *imap)
{
	char *wire =
		imap_name_to_wire(&imap->names, slice_of(imap->box->folder));

	for (char *p = wire; *p; p++)
		if (*p == '?')
			*p = '*';
	return wire;
}

static enum status list_folders(struct imap *imap, const char *const **ret,
				size_t *ret_n, struct err *err)
{
	char doing[300];
	clist *list = NULL;
	enum status s;
	int r;

	imap_begin(imap, 0);
	r = mailimap_list(imap->session, "", list_pattern(imap), &list);
	snprintf(doing, sizeof(doing), "list the folders \"%s\"",
		 imap->box->folder);
	s = imap_result(imap, r, doing, err);
	if (s != PH_OK)
		return PH_RETRY;
	choose(imap, list, ret, ret_n);
	mailimap_list_result_free(list);
	/* asking after parents may have broken the stream */
	return imap_result(imap, MAILIMAP_NO_ERROR, doing, err);
}

enum status imap_folders(struct imap *imap, const char *const **ret,
			 size_t *ret_n, struct err *err)
{
	const char **one;

	arena_reset(&imap->names);
	if (is_pattern(imap->box->folder))
		return list_folders(imap, ret, ret_n, err);
	one = arena_array(&imap->names, const char *, 1);
	one[0] = arena_str(&imap->names, slice_of(imap->box->folder));
	*ret = one;
	*ret_n = 1;
	return PH_OK;
}
