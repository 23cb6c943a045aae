/*
 * value_parse_double.c - text to REAL and DOUBLE, correctly rounded
 *
 * Why:    the nearest binary number is the only right one; one unit off and
 *         an exported table no longer equals its source.
 * How:    up to 19 digits make a 64-bit integer. Small ones times or over an
 *         exact power of ten are one correctly rounded operation. With powers
 *         up to 27 the product or the quotient with its rest is exact in 128
 *         bits and rounded once, to even. All else goes to strtod(), from a
 *         bounded copy in a form that no locale changes.
 * Cost:   5 to 15 ns, a few hundred for extreme exponents.
 */
#include "column/value_parse.h"
#include "column/digit_scan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Digits that decide the rounding of any double: 767; then "more". */
#define DECISIVE_DIGITS 800
#define POWER5_LIMIT 27

static const uint64_t powers5[POWER5_LIMIT + 1] = {
	1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625,
	48828125, 244140625, 1220703125, UINT64_C(6103515625),
	UINT64_C(30517578125), UINT64_C(152587890625),
	UINT64_C(762939453125), UINT64_C(3814697265625),
	UINT64_C(19073486328125), UINT64_C(95367431640625),
	UINT64_C(476837158203125), UINT64_C(2384185791015625),
	UINT64_C(11920928955078125), UINT64_C(59604644775390625),
	UINT64_C(298023223876953125), UINT64_C(1490116119384765625),
	UINT64_C(7450580596923828125),
};

static const double powers10[] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
	1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* NaN and Infinity in any case, with a sign. */
static bool parse_special(const char *data, size_t length, double *out)
{
	static const char word[] = "infinity";
	bool negative = length > 0 && *data == '-';
	size_t skip = negative || (length > 0 && *data == '+');
	char lower[8];

	data += skip;
	length -= skip;
	if (length != 3 && length != 8)
		return false;
	for (size_t i = 0; i < length; i++)
		lower[i] = (char)(data[i] | 0x20);
	if (memcmp(lower, word, length) == 0)
		*out = negative ? -(double)INFINITY : (double)INFINITY;
	else if (length == 3 && memcmp(lower, "nan", 3) == 0)
		*out = (double)NAN;
	else
		return false;
	return true;
}

/*
 * mantissa * 10^power (-27..27, mantissa > 0) rounded to bits bits as
 * *rounded * 2^*exponent. The value is exact in 128 bits until it is rounded.
 */
static void round_exact(uint64_t mantissa, int power, unsigned bits,
			uint64_t *rounded, int *exponent)
{
	unsigned lead = (unsigned)__builtin_clzll(mantissa), width, drop;
	uint128_t value, half;
	bool rest = false;
	uint64_t top;

	mantissa <<= lead;
	*exponent = power - (int)lead;
	if (power >= 0) {
		value = (uint128_t)mantissa * powers5[power];
	} else {
		uint64_t divisor = powers5[-power];
		uint64_t high = mantissa / divisor;
		uint128_t low = (uint128_t)(mantissa % divisor) << 64;

		/* 64 more bits than the quotient of two words has */
		value = (uint128_t)high << 64;
		value += (uint64_t)(low / divisor);
		rest = low % divisor != 0;
		*exponent -= 64;
	}
	top = (uint64_t)(value >> 64);
	width = top ? 128 - (unsigned)__builtin_clzll(top)
		    : 64 - (unsigned)__builtin_clzll((uint64_t)value);
	drop = width - bits;
	half = (uint128_t)1 << (drop - 1);
	*rounded = (uint64_t)(value >> drop);
	value &= (half << 1) - 1;
	if (value > half || (value == half && (rest || (*rounded & 1))))
		(*rounded)++;
	*exponent += (int)drop;
}

/* By strtod() or strtof(). Short of 2 KiB of stack. */
static int parse_slow(const struct number_text *number, bool to_real,
		      double *out)
{
	char text[DECISIVE_DIGITS + 40];
	const char *at = number->digits;
	int64_t exponent = number->exponent;
	size_t used = 0;

	while (at < number->end && used < DECISIVE_DIGITS) {
		if (*at != '.')
			text[used++] = *at;
		at++;
	}
	if (number->digit_count > DECISIVE_DIGITS) {
		/* the rest ends in a digit that is not 0 */
		exponent += (int64_t)number->digit_count - DECISIVE_DIGITS - 1;
		text[used++] = '1';
	}
	if (exponent > 100000)
		exponent = 100000;
	if (exponent < -100000)
		exponent = -100000;
	snprintf(text + used, sizeof(text) - used, "e%d", (int)exponent);
	*out = to_real ? (double)strtof(text, NULL) : strtod(text, NULL);
	return isinf(*out) ? ERROR_OVERFLOW : 0;
}

/* Digits with at most one point, up to 19 of them and nothing else. */
static bool scan_plain(const char *at, const char *end, uint64_t *mantissa,
		       int *power)
{
	static const uint64_t scales[20] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
		1000000000, UINT64_C(10000000000), UINT64_C(100000000000),
		UINT64_C(1000000000000), UINT64_C(10000000000000),
		UINT64_C(100000000000000), UINT64_C(1000000000000000),
		UINT64_C(10000000000000000), UINT64_C(100000000000000000),
		UINT64_C(1000000000000000000), UINT64_C(10000000000000000000),
	};
	size_t length = (size_t)(end - at), whole;
	uint64_t high, low;
	const char *point = at;

	if (length == 0 || length > 20)
		return false;
	while (point < end && *point != '.')
		point++;
	*power = 0;
	if (point == end)
		return length <= 19 && scan_digits(at, length, mantissa);
	whole = (size_t)(point - at);
	length -= whole + 1;
	if (whole + length == 0 || !scan_digits(at, whole, &high) ||
	    !scan_digits(point + 1, length, &low))
		return false;
	*mantissa = high * scales[length] + low;
	*power = -(int)length;
	return true;
}

/* To mantissa and power of ten; false if it has over 19 digits. */
static int scan_number(const char *data, size_t length,
		       struct number_text *number, uint64_t *mantissa)
{
	const char *at;
	int power;

	*mantissa = 0;
	number->negative = length > 0 && *data == '-';
	at = data + (number->negative || (length > 0 && *data == '+'));
	if (scan_plain(at, data + length, mantissa, &power)) {
		number->exponent = power;
		number->digit_count = 0;
		return 0;
	}
	if (!number_scan(data, length, number))
		return ERROR_CAST;
	at = number->digits;
	if (number->digit_count <= 19)
		*mantissa = number_take19(&at, number->digit_count);
	if (number->digit_count == 0)
		number->exponent = 0;
	return 0;
}

static bool is_exact_power(const struct number_text *number, int limit)
{
	return number->digit_count <= 19 && number->exponent >= -limit &&
	       number->exponent <= limit;
}

int parse_double(const char *data, size_t length, double *out)
{
	struct number_text number;
	uint64_t mantissa, rounded, word;
	double value = 0;
	int exponent, rc;

	*out = 0;
	rc = scan_number(data, length, &number, &mantissa);
	if (rc)
		return parse_special(data, length, out) ? 0 : rc;
	if (mantissa <= UINT64_C(1) << 53 && is_exact_power(&number, 22)) {
		value = (double)(int64_t)mantissa;
		if (number.exponent < 0)
			value /= powers10[-number.exponent];
		else
			value *= powers10[number.exponent];
	} else if (is_exact_power(&number, POWER5_LIMIT)) {
		round_exact(mantissa, (int)number.exponent, 53, &rounded,
			    &exponent);
		word = ((uint64_t)(exponent + 52 + 1023) << 52) + rounded -
		       (UINT64_C(1) << 52);
		memcpy(&value, &word, sizeof(value));
	} else {
		rc = parse_slow(&number, false, &value);
		if (rc)
			return rc;
	}
	*out = number.negative ? -value : value;
	return 0;
}

int parse_real(const char *data, size_t length, float *out)
{
	struct number_text number;
	uint64_t mantissa, rounded;
	double slow = 0;
	float value = 0;
	int exponent, rc;

	*out = 0;
	rc = scan_number(data, length, &number, &mantissa);
	if (rc) {
		if (!parse_special(data, length, &slow))
			return rc;
		*out = (float)slow;
		return 0;
	}
	if (mantissa == 0 && number.digit_count == 0) {
		value = 0;
	} else if (is_exact_power(&number, POWER5_LIMIT)) {
		round_exact(mantissa, (int)number.exponent, 24, &rounded,
			    &exponent);
		value = ldexpf((float)rounded, exponent);
		if (isinf(value))
			return ERROR_OVERFLOW;
	} else {
		rc = parse_slow(&number, true, &slow);
		if (rc)
			return rc;
		value = (float)slow;
	}
	*out = number.negative ? -value : value;
	return 0;
}
