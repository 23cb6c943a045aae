/*
 * shortest_decimal.c - the fewest digits that read back as a binary number
 *
 * Why:    exports print numbers that must come back bit by bit, and nobody
 *         wants to see 0.1 as 0.10000000000000001.
 * How:    a number is mantissa * 2^e, and all reals nearer to it than to its
 *         neighbours read back as it. For numbers of everyday size that
 *         interval, scaled by 10^k to 17 digits before the point, is exact in
 *         128-bit integers; the multiple of the greatest power of ten in it
 *         is the answer. Other sizes try printf() with more and more digits.
 * Cost:   about 20 ns from 1e-14 to 1e17 (REAL 1e-34 to 1e9), else a few
 *         microseconds.
 */
#include "column/shortest_decimal.h"
#include "column/power_table.h"
#include "column/type.h"
#include <stdio.h>
#include <stdlib.h>

/* What of a binary format matters here. */
struct binary_format {
	int mantissa_bits;	/* with the hidden one */
	int digits;		/* that always suffice */
	int safe_digits;	/* that always survive */
	int power_limit;	/* 4 * mantissa * 5^limit fits 127 bits */
};

static const struct binary_format double_format = { 53, 17, 15, 31 };
static const struct binary_format real_format = { 24, 9, 6, 43 };

/* A number taken apart: mantissa * 2^exponent. */
struct binary {
	uint64_t mantissa;
	int exponent;
	bool is_edge;		/* the gap below is half the gap above */
};

static uint128_t power5(int n)
{
	if (n < POWER5_COUNT)
		return power5_table[n];
	return (uint128_t)power5_table[POWER5_COUNT - 1] *
	       power5_table[n - (POWER5_COUNT - 1)];
}

static struct shortest_decimal strip_zeros(uint64_t digits, int exponent)
{
	struct shortest_decimal out;

	if (digits % 100000000 == 0) {
		digits /= 100000000;
		exponent += 8;
	}
	if (digits % 100000000 == 0) {
		digits /= 100000000;
		exponent += 8;
	}
	if (digits % 10000 == 0) {
		digits /= 10000;
		exponent += 4;
	}
	if (digits % 100 == 0) {
		digits /= 100;
		exponent += 2;
	}
	while (digits % 10 == 0) {
		digits /= 10;
		exponent++;
	}
	out.digits = digits;
	out.exponent = exponent;
	return out;
}

/*
 * The multiple of step in low .. high that is closest to value / 2^shift
 * (a tie goes to the even one); 0 = none.
 */
static inline uint64_t multiple_within(uint128_t value, unsigned shift,
				uint64_t step, uint64_t low, uint64_t high)
{
	uint64_t below = (uint64_t)(value >> shift) / step * step;
	uint64_t above = below + step;
	uint128_t doubled_rest = (value - ((uint128_t)below << shift)) << 1;
	uint128_t gap = (uint128_t)step << shift;
	bool take_above = doubled_rest > gap ||
			  (doubled_rest == gap && (below / step & 1));

	if (below < low)
		take_above = true;
	else if (above > high)
		take_above = false;
	if (take_above)
		return above <= high && above >= low ? above : 0;
	return below >= low && below <= high ? below : 0;
}

/* False when the number is out of the range of 128-bit integers. */
static bool shortest_exact(const struct binary *number,
			   const struct binary_format *format,
			   struct shortest_decimal *out)
{
	int log2 = number->exponent + format->mantissa_bits - 1;
	/* floor(log2 * log10(2)); the scaled number has 17 or 18 digits */
	int scale = format->digits - 1 - ((log2 * 78913) >> 18);
	int shift = 2 - number->exponent - scale;
	uint128_t value, above, below, unit;
	uint64_t low, high, found;
	bool is_even = (number->mantissa & 1) == 0;

	if (scale < 0 || scale > format->power_limit ||
	    !(number->mantissa >> (format->mantissa_bits - 1)))
		return false;
	unit = power5(scale);
	value = 4 * number->mantissa * unit;
	above = 2 * unit;
	below = number->is_edge ? unit : above;
	if (shift < 1) {
		value <<= 1 - shift;
		above <<= 1 - shift;
		below <<= 1 - shift;
		shift = 1;
	}
	/* the ends belong to it when the mantissa is even */
	low = (uint64_t)((value - below - is_even) >> shift) + 1;
	high = (uint64_t)((value + above - !is_even) >> shift);
	/* the interval is under 300 wide: one multiple of 1000 at most */
	if (high % 1000 <= high - low) {
		*out = strip_zeros(high - high % 1000, -scale);
		return true;
	}
	found = multiple_within(value, (unsigned)shift, 100, low, high);
	if (!found)
		found = multiple_within(value, (unsigned)shift, 10, low,
					high);
	if (!found)
		found = multiple_within(value, (unsigned)shift, 1, low, high);
	while (found % 10 == 0) {
		found /= 10;
		scale--;
	}
	out->digits = found;
	out->exponent = -scale;
	return true;
}

static bool reads_back(uint64_t digits, int exponent, double value,
		       const struct binary_format *format)
{
	char text[64];

	snprintf(text, sizeof(text), "%llue%d", (unsigned long long)digits,
		 exponent);
	if (format == &real_format)
		return strtof(text, NULL) == (float)value;
	return strtod(text, NULL) == value;
}

/* By trial; value is exact also for REAL. */
static struct shortest_decimal shortest_by_trial(double value,
						 const struct binary *number,
						 const struct binary_format
						 *format)
{
	bool is_normal = number->mantissa >> (format->mantissa_bits - 1);
	uint64_t digits = 0;
	int exponent = 0;

	for (int count = is_normal ? format->safe_digits : 1;
	     count <= format->digits; count++) {
		char text[64];
		char *end;

		snprintf(text, sizeof(text), "%.*e", count - 1, value);
		digits = (uint64_t)(text[0] - '0');
		end = text + 1;
		if (*end == '.')
			for (end++; *end >= '0' && *end <= '9'; end++)
				digits = digits * 10 +
					 (uint64_t)(*end - '0');
		exponent = atoi(end + 1) - (count - 1);
		if (reads_back(digits, exponent, value, format))
			break;
		/* below an edge the closest may miss the narrow half */
		if (number->is_edge &&
		    reads_back(digits + 1, exponent, value, format)) {
			digits++;
			break;
		}
	}
	return strip_zeros(digits, exponent);
}

struct shortest_decimal shortest_from_double(double value)
{
	struct shortest_decimal out;
	struct binary number;
	uint64_t bits, field;

	memcpy(&bits, &value, sizeof(bits));
	field = bits >> 52 & 0x7ff;
	number.mantissa = bits & ((UINT64_C(1) << 52) - 1);
	number.is_edge = number.mantissa == 0 && field > 1;
	if (field)
		number.mantissa |= UINT64_C(1) << 52;
	number.exponent = (int)(field ? field : 1) - 1075;
	if (!shortest_exact(&number, &double_format, &out))
		out = shortest_by_trial(value, &number, &double_format);
	return out;
}

struct shortest_decimal shortest_from_real(float value)
{
	struct shortest_decimal out;
	struct binary number;
	uint32_t bits, field;

	memcpy(&bits, &value, sizeof(bits));
	field = bits >> 23 & 0xff;
	number.mantissa = bits & ((UINT32_C(1) << 23) - 1);
	number.is_edge = number.mantissa == 0 && field > 1;
	if (field)
		number.mantissa |= UINT32_C(1) << 23;
	number.exponent = (int)(field ? field : 1) - 150;
	if (!shortest_exact(&number, &real_format, &out))
		out = shortest_by_trial((double)value, &number, &real_format);
	return out;
}
