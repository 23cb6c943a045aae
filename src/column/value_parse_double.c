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
#include "column/power_table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Digits that decide the rounding of any double: 767; then "more". */
#define DECISIVE_DIGITS 800
#define POWER5_LIMIT (POWER5_COUNT - 1)

/* NaN and Infinity in any case, with a sign. */
static bool parse_special(const char *data, size_t length, double *out)
{
	static const char word[] = "infinity";
	bool negative;
	size_t skip;
	char lower[8];

	if (length == 0)
		return false;
	negative = *data == '-';
	skip = negative || *data == '+';
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
		value = (uint128_t)mantissa * power5_table[power];
	} else {
		uint64_t divisor = power5_table[-power];
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

/* To mantissa (0 if over 19 digits) and power of ten. */
static int take_apart(const char *data, size_t length,
		      struct number_text *number, uint64_t *mantissa)
{
	const char *at;
	unsigned fraction;

	*mantissa = 0;
	if (length == 0)
		return ERROR_CAST;
	number->negative = *data == '-';
	at = data + (number->negative || *data == '+');
	if (scan_number(at, (size_t)(data + length - at), mantissa,
			&fraction)) {
		number->exponent = -(int64_t)fraction;
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

/* mantissa <= 2^53, power -22..22: one correctly rounded operation. */
static double double_from_short(uint64_t mantissa, int power)
{
	double value = (double)(int64_t)mantissa;

	return power < 0 ? value / exact_power_table[-power]
			 : value * exact_power_table[power];
}

/* The same for REAL; rounding a second time is harmless unless the double
 * lies just between two REALs. */
static float real_from_short(uint64_t mantissa, int power)
{
	const uint64_t dropped_bits = (UINT64_C(1) << 29) - 1;
	double value = double_from_short(mantissa, power);
	uint64_t word, rounded;
	int exponent;

	memcpy(&word, &value, sizeof(word));
	if ((word & dropped_bits) != UINT64_C(1) << 28)
		return (float)value;
	round_exact(mantissa, power, 24, &rounded, &exponent);
	return ldexpf((float)rounded, exponent);
}

int parse_double(const char *data, size_t length, double *out)
{
	struct number_text number;
	uint64_t mantissa, rounded, word;
	double value = 0;
	int exponent, rc;

	*out = 0;
	rc = take_apart(data, length, &number, &mantissa);
	if (rc)
		return parse_special(data, length, out) ? 0 : rc;
	if (mantissa <= UINT64_C(1) << 53 && is_exact_power(&number, 22)) {
		value = double_from_short(mantissa, (int)number.exponent);
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
	rc = take_apart(data, length, &number, &mantissa);
	if (rc) {
		if (!parse_special(data, length, &slow))
			return rc;
		*out = (float)slow;
		return 0;
	}
	if (mantissa <= UINT64_C(1) << 53 && is_exact_power(&number, 22)) {
		value = real_from_short(mantissa, (int)number.exponent);
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
