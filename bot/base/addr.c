#include "ph/addr.h"

static bool is_atext(char c)
{
	return is_alpha(c) || is_digit(c) ||
	       slice_chr(S("!#$%&'*+-/=?^_`{|}~"), c);
}

/* RFC 5321 4.5.3.1.1: at most 64 octets; dots only between atoms. */
static bool local_valid(struct slice s)
{
	char before = '.';

	if (!s.len || s.len > 64)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '.' ? before == '.' : !is_atext(s.ptr[i]))
			return false;
		before = s.ptr[i];
	}
	return before != '.';
}

/* RFC 5321 4.5.3.1.2 and RFC 1035 2.3.4: 255 octets, labels of at most 63. */
static bool domain_valid(struct slice s)
{
	size_t label = 0;
	char before = '-';

	if (!s.len || s.len > 255)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '.') {
			if (!label || before == '-')
				return false;
			label = 0;
		} else if (is_alpha(c) || is_digit(c) || (c == '-' && label)) {
			if (++label > 63)
				return false;
		} else {
			return false;
		}
		before = c;
	}
	return label && before != '-';
}

bool addr_valid(struct slice s)
{
	const char *at = slice_chr(s, '@');

	if (!at)
		return false;
	return local_valid(slice_between(s.ptr, at)) &&
	       domain_valid(slice_between(at + 1, s.ptr + s.len));
}

enum status addr_parse(struct slice s, struct slice *ret_name,
		       struct slice *ret_address, struct err *err)
{
	struct slice name = { s.ptr, 0 }, address = slice_trim(s);
	const char *open = slice_rchr(address, '<');

	if (open) {
		if (address.ptr[address.len - 1] != '>')
			return err_set(err, PH_BAD,
				       "address \"%.*s\": no > at the end",
				       S_FMT(s));
		name = slice_trim(slice_between(address.ptr, open));
		address =
			slice_between(open + 1, address.ptr + address.len - 1);
	}
	if (name.len >= 2 && name.ptr[0] == '"' &&
	    name.ptr[name.len - 1] == '"')
		name = (struct slice){ name.ptr + 1, name.len - 2 };
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.ptr[i] < 0x20 || name.ptr[i] == 0x7f)
			return err_set(err, PH_BAD,
				       "address \"%.*s\": control character in "
				       "the name",
				       S_FMT(s));
	if (!addr_valid(address))
		return err_set(err, PH_BAD, "\"%.*s\" is not a mail address",
			       S_FMT(s));
	*ret_name = name;
	*ret_address = address;
	return PH_OK;
}

bool addr_eq(struct slice a, struct slice b)
{
	return slice_caseeq(a, b);
}

bool addr_match(struct slice glob, struct slice address)
{
	return slice_caseglob(glob, address);
}

bool addr_is_list(struct slice address)
{
	static const struct slice globs[] = {
		S_INIT("*@vger.kernel.org"), S_INIT("*@lists.*"),
		S_INIT("*@kvack.org"),	     S_INIT("*@googlegroups.com"),
		S_INIT("*@*.lists.*"),	     S_INIT("*@*.groups.io"),
		S_INIT("*@groups.io"),
	};

	for (size_t i = 0; i < ARRAY_LEN(globs); i++)
		if (addr_match(globs[i], address))
			return true;
	return false;
}
