/*
 * Addresses as web archives show them. Where the host is lost, it is the
 * robot's; a name that was cut, "l...@intel.com", is lost for good.
 *
 *	lkp@xxxxxxxxx  lkp@...			the host
 *	lkp () intel ! com			marc.info
 *	lkp at intel.com			pipermail
 *	lkp(a)intel.com  lkp [at] intel.com	hyperkitty and others
 */
#include "mail/report/parse.h"

#define HOST_MAX 255 /* RFC 1035 section 2.3.4 */

/* What stands for an "@"; *s is moved past it. */
static bool take_at(struct slice *s)
{
	static const struct slice forms[] = {
		S_INIT("()"),	S_INIT("at"),	S_INIT("(a)"),
		S_INIT("(at)"), S_INIT("[at]"),
	};
	struct slice at = *s, word;

	if (!slice_take_word(&at, &word))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (slice_eq(word, forms[i])) {
			*s = at;
			return true;
		}
	return false;
}

/* "intel.com" or "intel ! com", as the former; nothing may follow. */
static bool take_host(struct parse *p, struct slice s, struct slice *ret)
{
	struct slice host, word;

	if (!slice_take_word(&s, &host))
		return false;
	while (slice_take_word(&s, &word)) {
		if (!slice_eq(word, S("!")) || !slice_take_word(&s, &word) ||
		    host.len + word.len > HOST_MAX)
			return false;
		host = slice_of(arena_printf(p->arena, "%.*s.%.*s", S_FMT(host),
					     S_FMT(word)));
	}
	if (!slice_chr(host, '.'))
		return false;
	*ret = host;
	return true;
}

/* "lkp(a)intel.com": the sign within a word. */
static struct slice join_inside(struct parse *p, struct slice word)
{
	static const struct slice forms[] = {
		S_INIT("(a)"),
		S_INIT("(at)"),
		S_INIT("[at]"),
	};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		const char *at = slice_find(word, forms[i]);

		if (at)
			return slice_of(arena_printf(
				p->arena, "%.*s@%.*s",
				S_FMT(slice_between(word.ptr, at)),
				S_FMT(slice_from(word, (size_t)(at - word.ptr) +
							       forms[i].len))));
	}
	return word;
}

struct slice unmask_host(struct parse *p, struct slice s)
{
	const char *at = slice_rchr(s, '@');
	struct slice host;

	if (!at)
		return s;
	host = slice_between(at + 1, s.ptr + s.len);
	if (!slice_starts(host, S("xxx")) && !slice_eq(host, S("...")))
		return s;
	return slice_of(arena_printf(p->arena, "%.*s@intel.com",
				     S_FMT(slice_between(s.ptr, at))));
}

struct slice unmask(struct parse *p, struct slice s)
{
	struct slice word, host;

	if (!slice_take_word(&s, &word))
		return (struct slice){ 0 };
	if (slice_find(word, S("...@")))
		return (struct slice){ 0 };
	if (slice_chr(word, '@'))
		return unmask_host(p, word);
	if (take_at(&s) && take_host(p, s, &host))
		return slice_of(arena_printf(p->arena, "%.*s@%.*s", S_FMT(word),
					     S_FMT(host)));
	return join_inside(p, word);
}
