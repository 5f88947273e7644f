/*
 * A row by its columns, as lkp-tests' lib/compare.rb prints it:
 *
 *	value 10 wide, deviation 6 wide (blanks or " ±NNN%")
 *	{ change 10 wide, "% " or two blanks, value, deviation }
 *	two blanks, name
 *
 * Eight bytes are looked at together: nine rows in ten of a report stand so,
 * and they are the bulk of all text we read. Each byte is checked; a line that
 * is any different is left to the token grammar of cell.c.
 */
#include "mail/report/cell.h"

#define EACH(byte)   (UINT64_C(0x0101010101010101) * (byte))
#define VALUE_WIDTH  10
#define CHANGE_WIDTH 12
#define BLANK_DEV    6
#define SIGN_DEV     7 /* the sign has two bytes */

static inline uint64_t load(const char *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

/* Eight digits as values 0 to 9, the first in the lowest byte. Neighbours
 * join to pairs, pairs to fours, fours to eight. */
static inline uint32_t join_digits(uint64_t d)
{
	d = (d * 10 + (d >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	d = (d * 100 + (d >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (uint32_t)(d * 10000 + (d >> 32));
}

/*
 * A number right-justified in eight bytes: blanks, one more blank or a sign
 * (*ret_lead), digits. False when the digits fill all eight.
 */
static inline bool right_number(uint64_t x, char *ret_lead, uint32_t *ret)
{
	uint64_t t = x ^ EACH('0');
	uint64_t other = (((t & EACH(0x7f)) + EACH(0x76)) | t) & EACH(0x80);
	uint64_t below;
	unsigned at;

	if (!other)
		return false;
	/* The last byte that is no digit, as a bit position. */
	at = (63 - (unsigned)__builtin_clzll(other)) & ~7u;
	if (at == 56)
		return false;
	below = (UINT64_C(1) << at) - 1;
	if ((x ^ EACH(' ')) & below)
		return false;
	*ret_lead = (char)(x >> at);
	*ret = join_digits(t & ~(below << 8 | 0xff));
	return true;
}

/* Signs come as they like: a branch on one would be foreseen half the time. */
static inline double with_sign(double value, bool negative)
{
	uint64_t bits, sign = (uint64_t)negative << 63;

	memcpy(&bits, &value, sizeof(bits));
	bits ^= sign;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline bool is_either(char c, char a, char b)
{
	return (c == a) | (c == b);
}

static inline bool two_digits(const char *p, uint32_t *ret)
{
	if (!is_digit(p[0]) || !is_digit(p[1]))
		return false;
	*ret = (uint32_t)((p[0] - '0') * 10 + (p[1] - '0'));
	return true;
}

/* "    550.53": the point in the eighth place. */
static inline bool point_value(const char *p, double *ret)
{
	uint32_t whole, cents;
	char lead;

	if (!right_number(load(p) << 8 | ' ', &lead, &whole) ||
	    !two_digits(p + 8, &cents))
		return false;
	*ret = with_sign((double)(whole * 100 + cents) / 100.0, lead == '-');
	return is_either(lead, ' ', '-');
}

static inline bool whole_value(const char *p, double *ret)
{
	uint32_t whole;
	char lead;

	if (p[0] != ' ' || p[1] != ' ' ||
	    !right_number(load(p + 2), &lead, &whole))
		return false;
	*ret = with_sign((double)whole, lead == '-');
	return is_either(lead, ' ', '-');
}

/* "2.331e+09", with one to four digits. Powers to 22 are exact. */
static inline bool exponent_value(const char *p, double *ret)
{
	static const double power[] = { 1e0,  1e1,  1e2,  1e3,	1e4,  1e5,
					1e6,  1e7,  1e8,  1e9,	1e10, 1e11,
					1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
					1e18, 1e19, 1e20, 1e21, 1e22 };
	uint32_t exponent;

	if (p[0] != ' ' || !is_digit(p[1]) || p[2] != '.' || !is_digit(p[3]) ||
	    !is_digit(p[4]) || !is_digit(p[5]) || p[6] != 'e' || p[7] != '+' ||
	    !two_digits(p + 8, &exponent) || exponent < 3 || exponent > 25)
		return false;
	*ret = (double)((p[1] - '0') * 1000 + (p[3] - '0') * 100 +
			(p[4] - '0') * 10 + (p[5] - '0')) *
	       power[exponent - 3];
	return true;
}

/* Anything else ten wide, as "    -2e+09" or nine digits. */
static bool other_value(const char *p, double *ret)
{
	struct slice s = { p, VALUE_WIDTH };

	return cell_take_number(&s, ret) && !s.len;
}

static inline bool fixed_value(const char *p, double *ret)
{
	if (p[7] == '.')
		return point_value(p, ret);
	if (p[7] == '+')
		return exponent_value(p, ret) || other_value(p, ret);
	return whole_value(p, ret) || other_value(p, ret);
}

static inline bool fixed_deviation(const char **p, int32_t *ret)
{
	const char *d = *p;
	uint32_t n;
	char lead;

	if (d[1] == ' ') {
		if (memcmp(d, "      ", BLANK_DEV) != 0)
			return false;
		*ret = -1;
		*p = d + BLANK_DEV;
		return true;
	}
	if (memcmp(d, " \xc2\xb1", 3) != 0 || d[6] != '%')
		return false;
	/* The three digits behind five blanks; a value stands before d. */
	if (!right_number((load(d - 2) & (UINT64_MAX << 40)) |
				  (EACH(' ') >> 24),
			  &lead, &n) ||
	    lead != ' ')
		return false;
	*ret = (int32_t)n;
	*p = d + SIGN_DEV;
	return true;
}

static bool other_change(const char *p, struct cell *ret)
{
	struct slice s = { p, CHANGE_WIDTH - 1 };

	return cell_take_change(&s, ret) &&
	       (!s.len || (s.len == 1 && *s.ptr == ' '));
}

static inline bool fixed_change(const char *p, struct cell *ret)
{
	uint32_t whole;
	char lead;

	if (p[11] != ' ')
		return false;
	if (p[8] != '.')
		return other_change(p, ret);
	if (!right_number(load(p), &lead, &whole) || !is_digit(p[9]))
		return false;
	ret->change =
		with_sign((double)(whole * 10 + (uint32_t)(p[9] - '0')) / 10.0,
			  lead == '-');
	ret->kind = p[10] == '%' ? CHANGE_RELATIVE : CHANGE_ABSOLUTE;
	return is_either(lead, '+', '-') && is_either(p[10], '%', ' ');
}

/* Whether any of eight bytes is a blank or control character. A byte over 160
 * may count as one: then the token grammar looks at the row. */
static inline uint64_t low_bytes(uint64_t x)
{
	return (x - EACH(' ' + 1)) & EACH(0x80);
}

/* The same for a name of len bytes; at least eight stand before it. */
static inline bool has_blank(const char *p, size_t len)
{
	const char *last = p + len - 8;
	uint64_t before = len < 8 ? UINT64_MAX >> (8 * len) : 0;
	uint64_t found =
		low_bytes((load(last) & ~before) | (EACH('~') & before));

	for (; p < last; p += 8)
		found |= low_bytes(load(p));
	return found;
}

bool cell_take_fixed_row(struct slice line, size_t n, struct cell *ret_cells,
			 struct slice *ret_metric)
{
	const char *p = line.ptr, *end = line.ptr + line.len;
	size_t left;

	for (size_t i = 0; i < n; i++) {
		struct cell *c = &ret_cells[i];

		/* Room for a change, a value and its deviation at their
		 * widest; the shortest row has a name behind them. */
		if (end - p < (i ? CHANGE_WIDTH : 0) + VALUE_WIDTH + SIGN_DEV)
			return false;
		c->change = 0;
		c->kind = CHANGE_NONE;
		if (i) {
			if (!fixed_change(p, c))
				return false;
			p += CHANGE_WIDTH;
		}
		if (!fixed_value(p, &c->value))
			return false;
		p += VALUE_WIDTH;
		if (!fixed_deviation(&p, &c->dev_pct))
			return false;
	}
	if (end - p < 3 || p[0] != ' ' || p[1] != ' ')
		return false;
	p += 2;
	left = (size_t)(end - p);
	if (!cell_begins_name(*p) || has_blank(p, left))
		return false;
	*ret_metric = (struct slice){ p, left };
	return true;
}
