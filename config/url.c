#include "config/value.h"

static const struct {
	struct slice scheme;
	uint16_t port;
} usual_ports[] = {
	{ S_INIT("http"), 80 },	 { S_INIT("https"), 443 },
	{ S_INIT("imap"), 143 }, { S_INIT("imaps"), 993 },
	{ S_INIT("smtp"), 25 },	 { S_INIT("smtps"), 465 },
};

static uint16_t usual_port(struct slice scheme)
{
	for (size_t i = 0; i < ARRAY_LEN(usual_ports); i++)
		if (slice_eq(usual_ports[i].scheme, scheme))
			return usual_ports[i].port;
	return 0;
}

/* Takes "%XX" or one other byte off *s; -1: half an escape. */
static int take_byte(struct slice *s)
{
	int high, low, c = (unsigned char)*s->ptr;

	*s = slice_from(*s, 1);
	if (c != '%')
		return c;
	if (s->len < 2)
		return -1;
	high = hex_value(s->ptr[0]);
	low = hex_value(s->ptr[1]);
	*s = slice_from(*s, 2);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

enum status value_unescape(struct slice s, struct arena *arena,
			   const char **ret, struct err *err)
{
	char *out = arena_alloc(arena, s.len + 1), *end = out;

	while (s.len) {
		int c = take_byte(&s);

		if (c < 0x20 || c == 0x7f)
			return err_set(err, PH_BAD,
				       "has a %%XX that is none, or stands for "
				       "a control character");
		*end++ = (char)c;
	}
	*ret = out;
	return PH_OK;
}

static bool is_printable(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~')
			return false;
	return true;
}

/* host = "[" IPv6 "]" or letters, digits, dots, hyphens, underscores */
static bool take_host(struct slice *s, struct slice *ret)
{
	size_t n = 0;

	if (slice_skip(s, S("["))) {
		if (!slice_take_until(s, ']', ret) || !ret->len)
			return false;
		for (; n < ret->len; n++)
			if (!is_hex(to_lower(ret->ptr[n])) &&
			    ret->ptr[n] != ':' && ret->ptr[n] != '.')
				return false;
		return true;
	}
	while (n < s->len &&
	       (is_alpha(s->ptr[n]) || is_digit(s->ptr[n]) ||
		s->ptr[n] == '.' || s->ptr[n] == '-' || s->ptr[n] == '_'))
		n++;
	*ret = slice_head(*s, n);
	*s = slice_from(*s, n);
	return n > 0 && n < 256;
}

static enum status take_user(struct slice *authority, struct arena *arena,
			     const char **ret, struct err *err)
{
	const char *at = slice_rchr(*authority, '@');
	struct slice user;

	if (!at)
		return PH_OK;
	user = slice_between(authority->ptr, at);
	*authority = slice_between(at + 1, authority->ptr + authority->len);
	if (slice_chr(user, ':'))
		return err_set(err, PH_BAD,
			       "has a password inside: secrets come from "
			       "files, take it out of the URL");
	return value_unescape(user, arena, ret, err);
}

static enum status bad_scheme(const char *const *schemes, struct err *err)
{
	char list[128];

	value_join(schemes, list, sizeof(list));
	return err_set(err, PH_BAD, "must be a URL of %s, as %s://host/", list,
		       schemes[0]);
}

enum status value_url(struct slice s, const char *const *schemes,
		      struct arena *arena, struct config_url *ret,
		      struct err *err)
{
	struct config_url url = { .text = arena_str(arena, s) };
	const char *colon = slice_find(s, S("://"));
	struct slice scheme, authority, host, path = { "", 0 };
	unsigned which;
	uint64_t port;

	if (!colon || !is_printable(s))
		return bad_scheme(schemes, err);
	scheme = slice_between(s.ptr, colon);
	if (value_word(scheme, schemes, &which, err) != PH_OK)
		return bad_scheme(schemes, err);
	authority = slice_from(s, scheme.len + 3);
	for (size_t i = 0; i < authority.len; i++) {
		if (!slice_chr(S("/?#"), authority.ptr[i]))
			continue;
		path = slice_from(authority, i);
		authority = slice_head(authority, i);
		break;
	}
	if (take_user(&authority, arena, &url.user, err) != PH_OK)
		return PH_BAD;
	if (!take_host(&authority, &host))
		return err_set(err, PH_BAD, "has no host name after %s://",
			       schemes[which]);
	port = usual_port(scheme);
	if (slice_skip(&authority, S(":")) &&
	    (!slice_take_uint(&authority, UINT16_MAX, &port) || !port))
		return err_set(err, PH_BAD, "has a port that is none");
	if (authority.len)
		return err_set(err, PH_BAD,
			       "has something behind the host name that is "
			       "neither a port nor a path");
	slice_skip(&path, S("/"));
	url.scheme = schemes[which];
	url.host = arena_str(arena, host);
	url.path = arena_str(arena, path);
	url.port = (uint16_t)port;
	*ret = url;
	return PH_OK;
}
