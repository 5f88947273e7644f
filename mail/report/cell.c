#include "mail/report/cell.h"

#include <math.h>
#include <stdlib.h>

/* Powers of ten that a double holds exactly. */
static const double power_of_ten[] = {
	1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,	1e8,  1e9,  1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

#define MANTISSA_MAX (UINT64_C(1) << 53)
#define NUMBER_MAX   40 /* bytes; the robot prints 10 */
#define EXPONENT_MAX 9999

void cell_skip_blanks(struct slice *s)
{
	do
		slice_skip_blanks(s);
	while (slice_skip(s, S("\xc2\xa0")));
}

/*
 * mantissa x 10^exponent. With both exact as doubles, one division or
 * multiplication rounds once, to the nearest; else the C library reads text.
 */
static double scale(uint64_t mantissa, int exponent, struct slice text)
{
	char copy[NUMBER_MAX + 1];

	if (mantissa <= MANTISSA_MAX && exponent >= -22 && exponent <= 22)
		return exponent < 0 ? (double)mantissa / power_of_ten[-exponent]
				    : (double)mantissa * power_of_ten[exponent];
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	return strtod(copy, NULL);
}

/* A mantissa over MANTISSA_MAX stays over it; its value is then not used. */
static size_t take_digits(struct slice *s, uint64_t *mantissa)
{
	size_t n = 0;

	for (; n < s->len && is_digit(s->ptr[n]); n++)
		if (*mantissa <= MANTISSA_MAX)
			*mantissa =
				*mantissa * 10 + (uint64_t)(s->ptr[n] - '0');
	*s = slice_from(*s, n);
	return n;
}

/* "e+09"; an 'e' without sign and digits belongs to what follows. */
static bool take_exponent(struct slice *s, int *ret)
{
	struct slice at = *s;
	bool negative;
	uint64_t e;

	if (!slice_skip(&at, S("e")))
		return false;
	negative = slice_skip(&at, S("-"));
	if (!negative && !slice_skip(&at, S("+")))
		return false;
	if (!slice_take_uint(&at, EXPONENT_MAX, &e))
		return false;
	*ret = negative ? -(int)e : (int)e;
	*s = at;
	return true;
}

/* The unsigned part: digits [ "." digits ] [ exponent ]. */
static bool take_magnitude(struct slice *s, double *ret)
{
	struct slice at = *s, fraction;
	uint64_t mantissa = 0;
	int exponent = 0;
	size_t after = 0;
	double value;

	if (!take_digits(&at, &mantissa))
		return false;
	fraction = at;
	if (slice_skip(&fraction, S("."))) {
		after = take_digits(&fraction, &mantissa);
		if (after)
			at = fraction;
	}
	take_exponent(&at, &exponent);
	if ((size_t)(at.ptr - s->ptr) > NUMBER_MAX)
		return false;
	value = scale(mantissa, exponent - (int)after,
		      slice_between(s->ptr, at.ptr));
	if (!isfinite(value))
		return false;
	*ret = value;
	*s = at;
	return true;
}

bool cell_take_number(struct slice *s, double *ret)
{
	struct slice at = *s;
	bool negative;
	double value;

	cell_skip_blanks(&at);
	negative = slice_skip(&at, S("-"));
	if (!take_magnitude(&at, &value))
		return false;
	*ret = negative ? -value : value;
	*s = at;
	return true;
}

/*
 * The sign and its ruins: UTF-8 read as Latin-1, Latin-1 read as Latin-2, the
 * replacement character (also read as cp1252), ASCII, the tilde of 2014, the
 * bare Latin-1 byte, HTML entities, the question mark of a mailer that may send
 * ASCII only, GB 2312 read as Latin-1. Quirks 020 to 029, 033 to 035.
 */
static bool take_plus_minus(struct slice *s)
{
	static const struct slice forms[] = {
		S_INIT("\xc2\xb1"),
		S_INIT("\xef\xbf\xbd"),
		S_INIT("\xc3\x82\xc2\xb1"),
		S_INIT("\xc4\x85"),
		S_INIT("\xc3\xaf\xc2\xbf\xc2\xbd"),
		S_INIT("+-"),
		S_INIT("+/-"),
		S_INIT("~"),
		S_INIT("\xb1"),
		S_INIT("&plusmn;"),
		S_INIT("&#177;"),
		S_INIT("?"),
		S_INIT("\xc2\xa1\xc3\x80"),
	};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (slice_skip(s, forms[i]))
			return true;
	return false;
}

static bool take_deviation(struct slice *s, int32_t *ret)
{
	struct slice at = *s;
	uint64_t n;

	cell_skip_blanks(&at);
	if (!take_plus_minus(&at))
		return false;
	/* A sign of two broken bytes leaves two of what stands for one. */
	if (!slice_skip(&at, S("\xef\xbf\xbd")))
		slice_skip(&at, S("?"));
	cell_skip_blanks(&at);
	if (!slice_take_uint(&at, INT32_MAX, &n) || !slice_skip(&at, S("%")))
		return false;
	*ret = (int32_t)n;
	*s = at;
	return true;
}

/* What may follow a number: a blank, the line's end, a deviation's sign. */
static bool at_border(struct slice s)
{
	return !s.len || is_blank(*s.ptr) || slice_starts(s, S("\xc2\xa0")) ||
	       take_plus_minus(&s);
}

bool cell_take_value(struct slice *s, struct cell *ret)
{
	struct slice at = *s;
	double value;

	if (!cell_take_number(&at, &value) || !at_border(at))
		return false;
	ret->dev_pct = -1;
	take_deviation(&at, &ret->dev_pct);
	ret->value = value;
	*s = at;
	return true;
}

bool cell_take_change(struct slice *s, struct cell *ret)
{
	struct slice at = *s;
	enum change_kind kind = CHANGE_ABSOLUTE;
	double value = HUGE_VAL;
	bool negative;

	cell_skip_blanks(&at);
	negative = slice_skip(&at, S("-"));
	if (!negative && !slice_skip(&at, S("+")))
		return false;
	if (!slice_skip(&at, S("Inf")) && !take_magnitude(&at, &value))
		return false;
	if (slice_skip(&at, S("%")))
		kind = CHANGE_RELATIVE;
	if (!at_border(at))
		return false;
	ret->change = negative ? -value : value;
	ret->kind = kind;
	*s = at;
	return true;
}

bool cell_take_fails(struct slice *s, struct fail_cell *ret)
{
	struct slice at = *s;
	uint64_t fails = 0, runs;

	cell_skip_blanks(&at);
	slice_take_uint(&at, INT64_MAX, &fails);
	if (!slice_skip(&at, S(":")) || !slice_take_uint(&at, INT64_MAX, &runs))
		return false;
	if (at.len && !is_blank(*at.ptr) && !slice_starts(at, S("\xc2\xa0")))
		return false;
	ret->fails = (int64_t)fails;
	ret->runs = (int64_t)runs;
	*s = at;
	return true;
}

bool cell_take_reproduction(struct slice *s, struct fail_cell *ret)
{
	struct slice at = *s;
	bool negative;
	uint64_t n;

	cell_skip_blanks(&at);
	negative = slice_skip(&at, S("-"));
	if (!negative)
		slice_skip(&at, S("+"));
	if (!slice_take_uint(&at, INT64_MAX, &n) || !slice_skip(&at, S("%")))
		return false;
	ret->reproduction = negative ? -(int64_t)n : (int64_t)n;
	ret->has_reproduction = true;
	*s = at;
	return true;
}
