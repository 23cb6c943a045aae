/*
 * decimal128.c - exact decimals of up to 38 digits
 *
 * Why:    money must not be rounded by binary fractions.
 * How:    a decimal is an unscaled int128 and a scale. A quotient needs its
 *         dividend at up to twice that width: two 128-bit halves, divided by
 *         schoolbook division in digits of 64 bits.
 * Limits: results beyond 38 digits are refused; nothing wraps.
 */
#include "column/decimal128.h"
#include "column/value_format.h"
#include "column/value_parse.h"

#define E19 UINT64_C(10000000000000000000)
#define HIGH(n) ((int128_t)E19 * (n))

static const int128_t powers10[DECIMAL_MAX_PRECISION + 1] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
	1000000000, INT64_C(10000000000), INT64_C(100000000000),
	INT64_C(1000000000000), INT64_C(10000000000000),
	INT64_C(100000000000000), INT64_C(1000000000000000),
	INT64_C(10000000000000000), INT64_C(100000000000000000),
	INT64_C(1000000000000000000), HIGH(1), HIGH(10), HIGH(100),
	HIGH(1000), HIGH(10000), HIGH(100000), HIGH(1000000), HIGH(10000000),
	HIGH(100000000), HIGH(1000000000), HIGH(INT64_C(10000000000)),
	HIGH(INT64_C(100000000000)), HIGH(INT64_C(1000000000000)),
	HIGH(INT64_C(10000000000000)), HIGH(INT64_C(100000000000000)),
	HIGH(INT64_C(1000000000000000)), HIGH(INT64_C(10000000000000000)),
	HIGH(INT64_C(100000000000000000)), HIGH(INT64_C(1000000000000000000)),
	HIGH(E19),
};

/* An unsigned 256-bit number. */
struct wide {
	uint128_t high;
	uint128_t low;
};

static uint128_t magnitude(int128_t value)
{
	return value < 0 ? -(uint128_t)value : (uint128_t)value;
}

int128_t decimal_power10(unsigned n)
{
	return powers10[n];
}

bool decimal_fits(int128_t unscaled, unsigned precision)
{
	return magnitude(unscaled) < (uint128_t)powers10[precision];
}

bool decimal_add(int128_t a, int128_t b, int128_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}

bool decimal_sub(int128_t a, int128_t b, int128_t *out)
{
	return !__builtin_sub_overflow(a, b, out);
}

bool decimal_mul(int128_t a, int128_t b, int128_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

bool decimal_rescale(int128_t value, unsigned from_scale, unsigned to_scale,
		     int128_t *out)
{
	int128_t result, power;
	uint128_t whole, rest;

	if (to_scale >= from_scale) {
		if (to_scale - from_scale > DECIMAL_MAX_PRECISION)
			return false;
		power = powers10[to_scale - from_scale];
		if (!decimal_mul(value, power, &result) ||
		    !decimal_fits(result, DECIMAL_MAX_PRECISION))
			return false;
		*out = result;
		return true;
	}
	if (from_scale - to_scale > DECIMAL_MAX_PRECISION)
		return false;
	power = powers10[from_scale - to_scale];
	whole = magnitude(value);
	if (whole >> 64 == 0 && power >> 64 == 0) {
		rest = (uint64_t)whole % (uint64_t)power;
		whole = (uint64_t)whole / (uint64_t)power;
	} else {
		rest = whole % (uint128_t)power;
		whole /= (uint128_t)power;
	}
	if (rest >= (uint128_t)power - rest)
		whole++;
	result = value < 0 ? -(int128_t)whole : (int128_t)whole;
	*out = result;
	return decimal_fits(result, DECIMAL_MAX_PRECISION);
}

static struct wide wide_mul(uint128_t a, uint128_t b)
{
	uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64);
	uint64_t b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
	uint128_t low = (uint128_t)a0 * b0;
	uint128_t mid0 = (uint128_t)a0 * b1;
	uint128_t mid1 = (uint128_t)a1 * b0;
	uint128_t mid = (low >> 64) + (uint64_t)mid0 + (uint64_t)mid1;
	struct wide out;

	out.low = (mid << 64) | (uint64_t)low;
	out.high = (uint128_t)a1 * b1 + (mid0 >> 64) + (mid1 >> 64) +
		   (mid >> 64);
	return out;
}

/*
 * One 64-bit digit of a quotient: the three-digit number (high, next) by the
 * two-digit divisor, whose top bit is set; high < divisor. The rest is left
 * in *high.
 */
static uint64_t divide_digit(uint128_t *high, uint64_t next,
			     uint128_t divisor)
{
	uint64_t top = (uint64_t)(divisor >> 64);
	uint64_t bottom = (uint64_t)divisor;
	uint128_t guess = *high / top;
	uint128_t rest = *high % top;

	/* the guess is at most two too great */
	while (guess >> 64 ||
	       guess * bottom > ((rest << 64) | next)) {
		guess--;
		rest += top;
		if (rest >> 64)
			break;
	}
	*high = ((*high << 64) | next) - guess * divisor;
	return (uint64_t)guess;
}

/* n / divisor with the rest; n.high < divisor, so the quotient fits. */
static uint128_t wide_div(struct wide n, uint128_t divisor, uint128_t *rest)
{
	uint64_t divisor_high = (uint64_t)(divisor >> 64);
	unsigned shift = divisor_high ?
		(unsigned)__builtin_clzll(divisor_high) :
		64 + (unsigned)__builtin_clzll((uint64_t)divisor);
	uint128_t high, quotient;

	if (n.high == 0) {
		*rest = n.low % divisor;
		return n.low / divisor;
	}
	divisor <<= shift;
	high = n.high;
	if (shift) {
		high = (high << shift) | (n.low >> (128 - shift));
		n.low <<= shift;
	}
	quotient = divide_digit(&high, (uint64_t)(n.low >> 64), divisor);
	quotient <<= 64;
	quotient |= divide_digit(&high, (uint64_t)n.low, divisor);
	*rest = high >> shift;
	return quotient;
}

/* value * 10^exponent for exponent 0..76; false if it exceeds 256 bits. */
static bool wide_scale_up(uint128_t value, unsigned exponent,
			  struct wide *out)
{
	struct wide product, carry;

	if (exponent <= DECIMAL_MAX_PRECISION) {
		*out = wide_mul(value, (uint128_t)powers10[exponent]);
		return true;
	}
	product = wide_mul(value, (uint128_t)powers10[DECIMAL_MAX_PRECISION]);
	exponent -= DECIMAL_MAX_PRECISION;
	carry = wide_mul(product.low, (uint128_t)powers10[exponent]);
	out->low = carry.low;
	product = wide_mul(product.high, (uint128_t)powers10[exponent]);
	return product.high == 0 &&
	       !__builtin_add_overflow(product.low, carry.high, &out->high);
}

bool decimal_div(int128_t a, unsigned a_scale, int128_t b, unsigned b_scale,
		 unsigned result_scale, int128_t *out)
{
	int exponent = (int)result_scale - (int)a_scale + (int)b_scale;
	bool negative = (a < 0) != (b < 0);
	struct wide dividend = { 0, magnitude(a) };
	uint128_t divisor = magnitude(b), quotient, rest;

	if (exponent >= 0) {
		if (!wide_scale_up(magnitude(a), (unsigned)exponent,
				   &dividend))
			return false;
	} else {
		struct wide scaled;

		/* a divisor past 2^128 is over twice any dividend */
		wide_scale_up(divisor, (unsigned)-exponent, &scaled);
		if (scaled.high) {
			*out = 0;
			return true;
		}
		divisor = scaled.low;
	}
	if (dividend.high >= divisor)
		return false;
	quotient = wide_div(dividend, divisor, &rest);
	/* past that it could wrap */
	if (quotient >= (uint128_t)powers10[DECIMAL_MAX_PRECISION])
		return false;
	quotient += rest >= divisor - rest;
	if (quotient >= (uint128_t)powers10[DECIMAL_MAX_PRECISION])
		return false;
	*out = negative ? -(int128_t)quotient : (int128_t)quotient;
	return true;
}

bool decimal_mod(int128_t a, unsigned a_scale, int128_t b, unsigned b_scale,
		 int128_t *out)
{
	uint128_t divisor = magnitude(b), rest;
	struct wide dividend = { 0, magnitude(a) };
	struct wide scaled;

	if (b_scale > a_scale) {
		dividend = wide_mul(magnitude(a), (uint128_t)
				    powers10[b_scale - a_scale]);
	} else if (a_scale > b_scale) {
		scaled = wide_mul(divisor, (uint128_t)
				  powers10[a_scale - b_scale]);
		if (scaled.high) {
			/* |a| < |b| */
			*out = a;
			return true;
		}
		divisor = scaled.low;
	}
	dividend.high %= divisor;
	wide_div(dividend, divisor, &rest);
	if (rest > (uint128_t)powers10[DECIMAL_MAX_PRECISION])
		return false;
	*out = a < 0 ? -(int128_t)rest : (int128_t)rest;
	return true;
}

double decimal_to_double(int128_t unscaled, unsigned scale)
{
	static const double exact_powers[] = {
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
		1e22,
	};
	const int128_t exact_limit = INT64_C(1) << 53;
	char text[VALUE_TEXT_BYTES];
	double value = 0;
	size_t length;

	/* one correctly rounded division of two exact numbers */
	if (unscaled >= -exact_limit && unscaled <= exact_limit &&
	    scale < ARRAY_COUNT(exact_powers))
		return (double)(int64_t)unscaled / exact_powers[scale];
	length = format_decimal(text, unscaled, scale);
	parse_double(text, length, &value);
	return value;
}

bool decimal_from_double(double value, unsigned precision, unsigned scale,
			 int128_t *out)
{
	char text[VALUE_TEXT_BYTES];

	return parse_decimal(text, format_double(text, value), precision,
			     scale, true, out) == 0;
}

size_t decimal_to_bytes(int128_t value, uint8_t out[16])
{
	size_t length = 1;

	/* the fewest bytes whose sign bit still says the sign */
	while (length < 16 && value >> (8 * length - 1) != 0 &&
	       value >> (8 * length - 1) != -1)
		length++;
	for (size_t i = 0; i < length; i++)
		out[i] = (uint8_t)(value >> (8 * (length - 1 - i)));
	return length;
}

int128_t decimal_from_bytes(const uint8_t *data, size_t length)
{
	uint128_t value = 0;

	if (length == 0)
		return 0;
	if (length > 16) {
		data += length - 16;
		length = 16;
	}
	if (data[0] & 0x80)
		value = ~value;
	for (size_t i = 0; i < length; i++)
		value = (value << 8) | data[i];
	return (int128_t)value;
}
