/*
 * slice - borrowed bytes with a length, and the cursor moves over them.
 *
 * A slice owns nothing and need not end in NUL. The `take` and `skip` calls
 * move the front of *s past what they read and leave *s alone when they find
 * nothing. ASCII only: no locale has a say.
 */
#ifndef PH_SLICE_H
#define PH_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct slice {
	const char *ptr;
	size_t len;
};

/* For string literals, in code and in constant tables. */
#define S(lit) ((struct slice){ (lit), sizeof(lit) - 1 })
#define S_INIT(lit)                    \
	{                              \
		(lit), sizeof(lit) - 1 \
	}

/* For printf's "%.*s"; lengths over 1 MiB are cut for the message only. */
#define S_FMT(s) \
	((int)((s).len > 1048576 ? 1048576 : (s).len)), ((s).ptr ? (s).ptr : "")

static inline struct slice slice_of(const char *str)
{
	return (struct slice){ str, str ? strlen(str) : 0 };
}

static inline struct slice slice_between(const char *from, const char *to)
{
	return (struct slice){ from, (size_t)(to - from) };
}

static inline struct slice slice_from(struct slice s, size_t off)
{
	if (off > s.len)
		off = s.len;
	/* an empty slice may have no pointer to add to */
	return (struct slice){ off ? s.ptr + off : s.ptr, s.len - off };
}

static inline struct slice slice_head(struct slice s, size_t len)
{
	return (struct slice){ s.ptr, len < s.len ? len : s.len };
}

static inline bool slice_eq(struct slice a, struct slice b)
{
	return a.len == b.len && (!a.len || !memcmp(a.ptr, b.ptr, a.len));
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Of a digit in either case; -1: it is none. */
static inline int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return is_hex(c) ? c - 'a' + 10 : -1;
}

static inline bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline char to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Equal but for the case of ASCII letters. */
bool slice_caseeq(struct slice a, struct slice b);
/* Bytewise order, shorter first where one is a prefix. */
int slice_cmp(struct slice a, struct slice b);

bool slice_starts(struct slice s, struct slice prefix);
bool slice_ends(struct slice s, struct slice suffix);

/* The first place of needle, or NULL. An empty needle is at the front. */
const char *slice_find(struct slice s, struct slice needle);
const char *slice_chr(struct slice s, char c);
const char *slice_rchr(struct slice s, char c);

/* Takes a leading prefix off *s. Without a match *s stays as it was. */
bool slice_skip(struct slice *s, struct slice prefix);
bool slice_caseskip(struct slice *s, struct slice prefix);

/* Blanks are space and tab. */
void slice_skip_blanks(struct slice *s);
/* Without blanks, CR and LF at both ends. */
struct slice slice_trim(struct slice s);

/*
 * Takes the next line off *s, without its LF or CR LF. False at the end. The
 * last line needs no LF.
 */
bool slice_take_line(struct slice *s, struct slice *ret_line);

/* Takes bytes up to the next blank. False at the end; leading blanks are
 * skipped first. */
bool slice_take_word(struct slice *s, struct slice *ret_word);

/* Takes up to (and past) c; without c in *s nothing happens, false. */
bool slice_take_until(struct slice *s, char c, struct slice *ret);

/*
 * Takes an unsigned decimal number off *s. False without a digit, or when it
 * would pass max; *s is then as it was.
 */
bool slice_take_uint(struct slice *s, uint64_t max, uint64_t *ret);

/* Writes all of s to a file, over interruptions. False: errno says why, and
 * some of it may be written. */
bool slice_write(int fd, struct slice s);

/*
 * Whether s is a place on the web (http, https) in the characters of RFC 3986
 * alone, so that nothing in it ends the quotes, tag or line that it stands in.
 */
bool slice_is_web_url(struct slice s);

/*
 * Glob: '*' any bytes, '?' one byte, all else itself. Linear in
 * pattern x text, no recursion. Case matters.
 */
bool slice_glob(struct slice pattern, struct slice text);
/* The same without regard to ASCII case. */
bool slice_caseglob(struct slice pattern, struct slice text);

#endif
