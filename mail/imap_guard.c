#include "mail/imap_guard.h"

#include <stdio.h>
#include "ph/limits.h"

void imap_guard_init(struct imap_guard *g)
{
	*g = (struct imap_guard){ .other_left = LIMIT_IMAP_OTHER };
}

void imap_guard_command(struct imap_guard *g, uint64_t body_bytes)
{
	g->body_left = body_bytes;
	g->other_left = LIMIT_IMAP_OTHER;
	g->said[0] = '\0';
}

static bool refuse(struct imap_guard *g, const char *why)
{
	g->why = why;
	return false;
}

static struct slice head(const struct imap_guard *g)
{
	return (struct slice){ g->head, g->head_len };
}

/* resp-cond-state, resp-cond-bye and resp-cond-auth: free text follows. */
static bool is_condition(struct slice word)
{
	static const struct slice words[] = { S_INIT("OK"), S_INIT("NO"),
					      S_INIT("BAD"), S_INIT("BYE"),
					      S_INIT("PREAUTH") };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (slice_caseeq(word, words[i]))
			return true;
	return false;
}

/*
 * A line is text when it starts with "+", with a tag, or with "* " and a
 * condition. In text, quotes and parentheses mean nothing.
 */
static void decide_kind(struct imap_guard *g)
{
	struct slice s = head(g), word;

	g->kind = IMAP_LINE_TEXT;
	if (!slice_skip(&s, S("*")))
		return;
	g->kind = IMAP_LINE_DATA;
	if (slice_skip(&s, S(" ")) && s.len && s.ptr[0] != ' ' &&
	    slice_take_word(&s, &word) && is_condition(slice_trim(word)))
		g->kind = IMAP_LINE_TEXT;
}

/* "* 12 FETCH (" */
static bool is_fetch(const struct imap_guard *g)
{
	struct slice s = head(g);
	uint64_t n;

	return slice_skip(&s, S("* ")) && slice_take_uint(&s, UINT32_MAX, &n) &&
	       slice_caseskip(&s, S(" FETCH ("));
}

static uint64_t tail_of(const char *str)
{
	uint64_t tail = 0;

	while (*str)
		tail = tail << 8 | (unsigned char)*str++;
	return tail;
}

static bool after_body(const struct imap_guard *g)
{
	return g->tail == tail_of(" BODY[] ") || g->tail == tail_of("(BODY[] ");
}

/* Keeps the words of a refusal: "A1 NO text", "* BYE text". */
static void keep_refusal(struct imap_guard *g)
{
	struct slice s = head(g), tag, word;
	bool tagged, bye;

	if (!slice_take_word(&s, &tag) || !slice_take_word(&s, &word))
		return;
	tagged = !slice_eq(tag, S("*"));
	word = slice_trim(word);
	s = slice_trim(s);
	bye = !tagged && slice_caseeq(word, S("BYE"));
	g->bye |= bye;
	if (bye || (tagged && slice_caseeq(word, S("NO"))) ||
	    (tagged && slice_caseeq(word, S("BAD"))))
		snprintf(g->said, sizeof(g->said), "%.*s", S_FMT(s));
}

static char capital(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

/* flag-keyword and flag-extension of RFC 3501, without "[". */
static bool is_atom(char c)
{
	return c > ' ' && c <= '~' && !slice_chr(S("(){%*\"\\[]"), c);
}

/* "PERMANENTFLAGS" SP "(" [flag-perm *(SP flag-perm)] ")" "]" */
static bool flags_byte(struct imap_guard *g, char c)
{
	bool starts =
		g->flags == IMAP_FLAGS_FIRST || g->flags == IMAP_FLAGS_NEXT;
	bool ends = g->flags == IMAP_FLAGS_ATOM || g->flags == IMAP_FLAGS_STAR;
	bool slash = g->flags == IMAP_FLAGS_SLASH;

	if (g->flags == IMAP_FLAGS_OPEN && c == '(')
		g->flags = IMAP_FLAGS_FIRST;
	else if (starts && c == '\\')
		g->flags = IMAP_FLAGS_SLASH;
	else if (slash && c == '*')
		g->flags = IMAP_FLAGS_STAR;
	else if (is_atom(c) && (starts || slash || g->flags == IMAP_FLAGS_ATOM))
		g->flags = IMAP_FLAGS_ATOM;
	else if (ends && c == ' ')
		g->flags = IMAP_FLAGS_NEXT;
	else if (c == ')' && (ends || g->flags == IMAP_FLAGS_FIRST))
		g->flags = IMAP_FLAGS_CLOSE;
	else if (g->flags == IMAP_FLAGS_CLOSE && c == ']')
		g->flags = IMAP_FLAGS_NONE;
	else
		return refuse(g, "malformed PERMANENTFLAGS");
	return true;
}

/*
 * libetpan frees lists that it never made when one of these two is malformed,
 * and cannot read any in a greeting.
 * Called with each byte behind "[" and its blanks, in every kind of line: it
 * looks for codes in odd places.
 */
static bool judge_code(struct imap_guard *g)
{
	struct slice s = { g->code, g->code_len };

	if (slice_eq(s, S("BADCHARSET")))
		return refuse(g, "BADCHARSET, though no charset was sent");
	if (!slice_skip(&s, S("PERMANENTFLAGS")) || !s.len)
		return true;
	if (!g->greeted)
		return refuse(g, "PERMANENTFLAGS in its greeting");
	if (!slice_eq(s, S(" ")))
		return refuse(g, "malformed PERMANENTFLAGS");
	g->flags = IMAP_FLAGS_OPEN;
	g->in_code = false;
	return true;
}

static bool code_byte(struct imap_guard *g, char c)
{
	if (g->flags)
		return flags_byte(g, c);
	if (c == '[') {
		g->in_code = true;
		g->code_len = 0;
		return true;
	}
	if (!g->in_code || (is_blank(c) && !g->code_len))
		return true;
	g->code[g->code_len++] = capital(c);
	g->in_code = c != ']' && g->code_len < sizeof(g->code);
	return judge_code(g);
}

static void next_line(struct imap_guard *g)
{
	g->greeted = true;
	g->line = 0;
	g->depth = g->blanks = 0;
	g->kind = IMAP_LINE_OPEN;
	g->quoted = g->escaped = false;
	g->brace = IMAP_BRACE_NONE;
	g->tail = 0;
	g->head_len = 0;
	g->in_code = false;
	g->flags = IMAP_FLAGS_NONE;
}

static bool start_literal(struct imap_guard *g)
{
	uint64_t *left = g->brace_body ? &g->body_left : &g->other_left;

	if (g->size > *left)
		return refuse(g, g->brace_body
					 ? "more mail than was asked for"
					 : "a literal that is no mail and over "
					   "the ceiling for those");
	*left -= g->size;
	g->literal = g->size;
	g->literal_is_body = g->brace_body;
	g->brace = IMAP_BRACE_NONE;
	return true;
}

static bool end_line(struct imap_guard *g)
{
	if (g->kind == IMAP_LINE_DATA) {
		if (g->quoted)
			return refuse(g, "a quoted string without an end");
		if (g->brace >= IMAP_BRACE_CLOSED)
			return start_literal(g);
	} else {
		keep_refusal(g);
	}
	next_line(g);
	return true;
}

/*
 * The size is judged at each digit and in every kind of line: the library
 * reads a literal in places where this grammar has none, and its 32 bits wrap.
 */
static bool brace_byte(struct imap_guard *g, char c)
{
	if (c == '{') {
		g->brace = IMAP_BRACE_OPEN;
		g->size = 0;
		g->brace_body = after_body(g) && is_fetch(g);
	} else if (g->brace == IMAP_BRACE_OPEN && is_digit(c)) {
		g->size = g->size * 10 + (uint64_t)(c - '0');
		if (g->size > LIMIT_IMAP_LITERAL)
			return refuse(g, "a literal of over 9 MiB");
	} else if (g->brace == IMAP_BRACE_OPEN && c == '}') {
		g->brace = IMAP_BRACE_CLOSED;
	} else if (g->brace == IMAP_BRACE_CLOSED && c == '\r') {
		g->brace = IMAP_BRACE_RETURN;
	} else if (g->brace >= IMAP_BRACE_CLOSED && g->kind == IMAP_LINE_DATA) {
		return refuse(g, "a literal that does not start on a new line");
	} else {
		g->brace = IMAP_BRACE_NONE;
	}
	return true;
}

static bool nest_byte(struct imap_guard *g, char c)
{
	if (c == '(' && ++g->depth > LIMIT_IMAP_NEST)
		return refuse(g, "parentheses nested over 32 deep");
	if (c == ')' && g->depth)
		g->depth--;
	return true;
}

static bool data_byte(struct imap_guard *g, char c)
{
	if (g->quoted) {
		if (g->escaped)
			g->escaped = false;
		else if (c == '\\')
			g->escaped = true;
		else if (c == '"')
			g->quoted = false;
		return true;
	}
	if (c == '"')
		g->quoted = true;
	return nest_byte(g, c) && brace_byte(g, c);
}

static bool count_other(struct imap_guard *g)
{
	if (++g->line > LIMIT_IMAP_LINE)
		return refuse(g, "a line of over 64 KiB");
	return true;
}

static bool line_byte(struct imap_guard *g, char c)
{
	if (!count_other(g))
		return false;
	if (!g->other_left--)
		return refuse(g, "more than 1 MiB that is no mail");
	if (c == '\0')
		return refuse(g, "a NUL byte outside a mail");
	if (g->kind == IMAP_LINE_OPEN &&
	    (c == '"' || c == '(' || c == '{' || c == '\n' ||
	     (c == ' ' && ++g->blanks == 2)))
		decide_kind(g);
	if (g->head_len < sizeof(g->head))
		g->head[g->head_len++] = c;
	if (!code_byte(g, c))
		return false;
	if (c == '\n')
		return end_line(g);
	if (g->kind == IMAP_LINE_DATA ? !data_byte(g, c) : !brace_byte(g, c))
		return false;
	g->tail = g->tail << 8 | (unsigned char)capital(c);
	return true;
}

/*
 * A literal that is no body still counts as part of its line, parentheses
 * included: should the library not have taken it for a literal, it would
 * read these bytes as grammar.
 */
static bool other_literal(struct imap_guard *g, const char *ptr, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!count_other(g) || (ptr[i] == '(' && !nest_byte(g, ptr[i])))
			return false;
	return true;
}

bool imap_guard_feed(struct imap_guard *g, const char *ptr, size_t len)
{
	size_t i = 0;

	if (g->why)
		return false;
	while (i < len) {
		size_t n = len - i;

		if (!g->literal) {
			if (!line_byte(g, ptr[i++]))
				return false;
			continue;
		}
		if (n > g->literal)
			n = (size_t)g->literal;
		if (!g->literal_is_body && !other_literal(g, ptr + i, n))
			return false;
		g->literal -= n;
		i += n;
	}
	return true;
}
