#include "mail/header.h"
#include "mail/proof.h"

/*
 * RFC 8601 section 2.2, read strictly:
 *	field	= id [version] ( ";" "none" / 1*( ";" result ) )
 *	result	= method ["/" version] "=" word ["reason" "=" value] *prop
 *	prop	= ptype "." property "=" pvalue
 * with blanks, folds and comments between any two of these. Servers write
 * header.b's Base64 without the quotes it should have, so a pvalue may hold
 * anything up to a blank, ";" or a parenthesis.
 */

static bool is_space(char c)
{
	return is_blank(c) || c == '\r' || c == '\n';
}

/* Comments nest. False: one does not end. */
static bool skip_comment(struct slice *s)
{
	size_t depth = 0, i = 0;

	do {
		if (i == s->len)
			return false;
		if (s->ptr[i] == '(')
			depth++;
		else if (s->ptr[i] == ')')
			depth--;
		else if (s->ptr[i] == '\\')
			i++;
		i++;
	} while (depth && i <= s->len);
	if (depth)
		return false;
	*s = slice_from(*s, i);
	return true;
}

static bool skip_space(struct slice *s)
{
	for (;;) {
		while (s->len && is_space(*s->ptr))
			*s = slice_from(*s, 1);
		if (!s->len || *s->ptr != '(')
			return true;
		if (!skip_comment(s))
			return false;
	}
}

/* RFC 2045's token. */
static bool is_token_char(char c)
{
	return c > ' ' && c < 0x7f && !slice_chr(S("()<>@,;:\\\"/[]?="), c);
}

static bool is_loose_char(char c)
{
	return c > ' ' && c < 0x7f && !slice_chr(S("();\""), c);
}

static bool take_run(struct slice *s, bool (*is_char)(char c),
		     struct slice *ret)
{
	size_t n = 0;

	while (n < s->len && is_char(s->ptr[n]))
		n++;
	*ret = slice_head(*s, n);
	*s = slice_from(*s, n);
	return n > 0;
}

/* Quotes come off; what stands behind a backslash stays with it, so that no
 * such value can equal a domain. */
static bool take_quoted(struct slice *s, struct slice *ret)
{
	size_t n = 1;

	while (n < s->len && s->ptr[n] != '"')
		n += s->ptr[n] == '\\' ? 2 : 1;
	if (n >= s->len)
		return false;
	*ret = (struct slice){ s->ptr + 1, n - 1 };
	*s = slice_from(*s, n + 1);
	return true;
}

static bool take_value(struct slice *s, bool (*is_char)(char c),
		       struct slice *ret)
{
	if (!skip_space(s))
		return false;
	if (s->len && *s->ptr == '"')
		return take_quoted(s, ret);
	return take_run(s, is_char, ret);
}

static bool skip_char(struct slice *s, struct slice c)
{
	return skip_space(s) && slice_skip(s, c);
}

static bool is_keyword_char(char c)
{
	return is_alpha(c) || is_digit(c) || c == '-' || c == '_';
}

static bool take_keyword(struct slice *s, struct slice *ret)
{
	return skip_space(s) && take_run(s, is_keyword_char, ret);
}

struct authres {
	struct slice method, result;
	struct slice domain; /* header.d */
	size_t n_domain;
};

static bool take_method(struct slice *s, struct authres *r)
{
	struct slice version;

	if (!take_keyword(s, &r->method))
		return false;
	if (skip_char(s, S("/")) && !take_keyword(s, &version))
		return false;
	return skip_char(s, S("=")) && take_keyword(s, &r->result);
}

/* One "reason=value" or "ptype.property=value". */
static bool take_prop(struct slice *s, struct authres *r)
{
	struct slice type, name, value;

	if (!take_keyword(s, &type))
		return false;
	if (!skip_char(s, S(".")))
		return slice_caseeq(type, S("reason")) &&
		       skip_char(s, S("=")) &&
		       take_value(s, is_token_char, &value);
	if (!take_keyword(s, &name) || !skip_char(s, S("=")) ||
	    !take_value(s, is_loose_char, &value))
		return false;
	if (slice_caseeq(type, S("header")) && slice_caseeq(name, S("d"))) {
		r->domain = value;
		r->n_domain++;
	}
	return true;
}

/* ";" result. False: malformed. */
static bool take_result(struct slice *s, struct authres *r)
{
	*r = (struct authres){ 0 };
	if (!skip_char(s, S(";")) || !take_method(s, r))
		return false;
	for (;;) {
		if (!skip_space(s))
			return false;
		if (!s->len || *s->ptr == ';')
			return true;
		if (!take_prop(s, r))
			return false;
	}
}

/* Takes the server's id and a version behind it. */
static bool take_server(struct slice *s, struct slice *ret)
{
	struct slice version;

	if (!take_value(s, is_loose_char, ret) || !skip_space(s))
		return false;
	if (s->len && is_digit(*s->ptr))
		take_run(s, is_keyword_char, &version);
	return true;
}

static bool is_none(struct slice s)
{
	struct slice word;

	return skip_char(&s, S(";")) && take_keyword(&s, &word) &&
	       slice_caseeq(word, S("none")) && skip_space(&s) && !s.len;
}

/* The topmost field of this server: those below it came with the mail, and
 * whoever wrote the mail may have written them. */
static bool find(struct slice header, struct slice server, struct slice *ret)
{
	struct header_field f;
	struct slice id;

	while (header_take(&header, &f)) {
		if (!header_is(&f, S("Authentication-Results")))
			continue;
		*ret = f.value;
		if (take_server(ret, &id) && slice_caseeq(id, server))
			return true;
	}
	return false;
}

static bool counts(const struct authres *r, const struct config_list *domains)
{
	return slice_caseeq(r->method, S("dkim")) &&
	       slice_caseeq(r->result, S("pass")) && r->n_domain == 1 &&
	       proof_lists(domains, r->domain);
}

static enum proof_verdict unproven(struct err *why, const char *text,
				   const char *server)
{
	err_set(why, PH_BAD, text, server);
	return PROOF_UNPROVEN;
}

enum proof_verdict proof_authres(const struct proof_mail *m, struct err *why)
{
	const char *server = m->trust->authserv_id;
	struct slice s, domain = { NULL, 0 };
	struct authres r;

	if (!server || !find(m->header, slice_of(server), &s))
		return unproven(why, "no Authentication-Results of %s",
				server ? server : "a configured server");
	if (is_none(s))
		return unproven(why, "%s checked nothing", server);
	do {
		if (!take_result(&s, &r))
			return unproven(why,
					"Authentication-Results of %s "
					"cannot be read",
					server);
		if (counts(&r, &m->trust->dkim))
			domain = r.domain;
	} while (s.len);
	if (!domain.ptr)
		return unproven(why,
				"%s found no valid signature of a domain "
				"in trust.dkim",
				server);
	err_set(why, PH_OK, "%s found a valid signature of %.*s", server,
		S_FMT(domain));
	return PROOF_PROVEN;
}
