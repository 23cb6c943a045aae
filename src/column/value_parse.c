/*
 * value_parse.c - text to values: numbers that are exact, flags, bytes
 *
 * Why:    every field of a CSV file passes here; nothing may be guessed,
 *         trimmed or rounded unasked.
 * How:    plain digits are read eight at a time (digit_scan.h); anything else
 *         that may be a number goes the general way (number_scan.c), which
 *         has no limit on length or exponent.
 * Cost:   2 to 6 ns for a plain number.
 */
#include "column/value_parse.h"
#include "column/decimal128.h"
#include "column/digit_scan.h"
#include "column/power_table.h"

#define INT64_DIGITS 19

/* word is lower case. */
static bool is_word(const char *data, size_t length, const char *word)
{
	for (size_t i = 0; i < length; i++)
		if ((data[i] | 0x20) != word[i])
			return false;
	return true;
}

int parse_boolean(const char *data, size_t length, uint8_t *out)
{
	switch (length) {
	case 1:
		*out = *data == '1' || is_word(data, 1, "t");
		return *out || *data == '0' || is_word(data, 1, "f")
			? 0 : ERROR_CAST;
	case 2:
		*out = 0;
		return is_word(data, 2, "no") ? 0 : ERROR_CAST;
	case 3:
		*out = 1;
		return is_word(data, 3, "yes") ? 0 : ERROR_CAST;
	case 4:
		*out = 1;
		return is_word(data, 4, "true") ? 0 : ERROR_CAST;
	case 5:
		*out = 0;
		return is_word(data, 5, "false") ? 0 : ERROR_CAST;
	default:
		return ERROR_CAST;
	}
}

/*
 * digits * 10^shift, exact or a half rounded away from zero; what has more
 * than precision digits is an overflow.
 */
static int number_to_decimal(const struct number_text *number, int64_t shift,
			     unsigned precision, bool round, int128_t *out)
{
	const char *at = number->digits;
	int64_t count = (int64_t)number->digit_count;
	int64_t kept = shift < 0 ? count + shift : count;
	uint128_t value = 0;

	*out = 0;
	if (count == 0)
		return 0;
	if (count + shift > (int64_t)precision)
		return ERROR_OVERFLOW;
	if (shift < 0 && !round)
		return ERROR_CAST;
	if (kept < 0)
		return 0;
	if (kept > INT64_DIGITS) {
		value = number_take19(&at, (size_t)kept - INT64_DIGITS);
		value *= (uint128_t)decimal_power10(INT64_DIGITS);
		value += number_take19(&at, INT64_DIGITS);
	} else {
		value = number_take19(&at, (size_t)kept);
	}
	if (shift > 0)
		value *= (uint128_t)decimal_power10((unsigned)shift);
	else if (shift < 0 && number_take19(&at, 1) >= 5)
		value++;
	if (value >= (uint128_t)decimal_power10(precision))
		return ERROR_OVERFLOW;
	*out = number->negative ? -(int128_t)value : (int128_t)value;
	return 0;
}

/* A whole number in any form that is exact: 1e3, 00000000000000000000012. */
static int parse_whole_slow(const char *data, size_t length, int64_t *out)
{
	struct number_text number;
	int128_t value;
	int rc;

	if (!number_scan(data, length, &number) ||
	    (number.has_point && !number.has_exponent))
		return ERROR_CAST;
	rc = number_to_decimal(&number, number.exponent, INT64_DIGITS, false,
			       &value);
	if (rc)
		return rc;
	if (value < INT64_MIN || value > INT64_MAX)
		return ERROR_OVERFLOW;
	*out = (int64_t)value;
	return 0;
}

int parse_int64(const char *data, size_t length, int64_t *out)
{
	bool negative;
	size_t skip;
	uint64_t value;

	*out = 0;
	if (length == 0)
		return ERROR_CAST;
	negative = *data == '-';
	skip = negative || *data == '+';
	if (length - skip - 1 >= INT64_DIGITS ||
	    !scan_digits(data + skip, length - skip, &value))
		return parse_whole_slow(data, length, out);
	if (value > (uint64_t)INT64_MAX + negative)
		return ERROR_OVERFLOW;
	*out = negative ? (int64_t)-value : (int64_t)value;
	return 0;
}

int parse_int32(const char *data, size_t length, int32_t *out)
{
	int64_t value;
	int rc = parse_int64(data, length, &value);

	*out = 0;
	if (rc)
		return rc;
	if (value < INT32_MIN || value > INT32_MAX)
		return ERROR_OVERFLOW;
	*out = (int32_t)value;
	return 0;
}

/* Digits with at most one point, if they fit 64 bits at scale. False = go
 * the general way. */
static inline bool parse_decimal_plain(const char *data, size_t length,
				       unsigned scale, uint64_t *out)
{
	unsigned fraction;
	uint64_t digits;

	if (!scan_number(data, length, &digits, &fraction) ||
	    fraction > scale || scale - fraction >= POWER10_COUNT)
		return false;
	return !__builtin_mul_overflow(digits, power10_table[scale - fraction],
				       out);
}

int parse_decimal(const char *data, size_t length, unsigned precision,
		  unsigned scale, bool round, int128_t *out)
{
	struct number_text number;
	uint64_t value;
	size_t skip;

	*out = 0;
	if (length == 0)
		return ERROR_CAST;
	skip = *data == '-' || *data == '+';
	if (parse_decimal_plain(data + skip, length - skip, scale, &value)) {
		if (precision < POWER10_COUNT &&
		    value >= power10_table[precision])
			return ERROR_OVERFLOW;
		*out = *data == '-' ? -(int128_t)value : (int128_t)value;
		return 0;
	}
	if (!number_scan(data, length, &number))
		return ERROR_CAST;
	return number_to_decimal(&number, number.exponent + scale, precision,
				 round, out);
}

int parse_uuid(const char *data, size_t length, struct uuid *out)
{
	if (uuid_parse(out, data, length))
		return 0;
	memset(out, 0, sizeof(*out));
	return ERROR_CAST;
}

/* Value of a hex digit; over 15 for anything else. */
static unsigned hex_value(char c)
{
	unsigned digit = (unsigned)(uint8_t)c - '0';
	unsigned letter = ((unsigned)(uint8_t)c | 0x20) - 'a';

	return digit <= 9 ? digit : letter <= 5 ? letter + 10 : 16;
}

int parse_hex(const char *data, size_t length, uint8_t *out,
	      size_t *out_length)
{
	*out_length = 0;
	if (length >= 2 && data[0] == '\\' && data[1] == 'x') {
		data += 2;
		length -= 2;
	}
	if (length % 2)
		return ERROR_CAST;
	for (size_t i = 0; i < length / 2; i++) {
		unsigned high = hex_value(data[2 * i]);
		unsigned low = hex_value(data[2 * i + 1]);

		if ((high | low) > 15)
			return ERROR_CAST;
		out[i] = (uint8_t)(high << 4 | low);
	}
	*out_length = length / 2;
	return 0;
}

static int parse_bytes(const char *data, size_t length, struct arena *arena,
		       struct literal *out)
{
	uint8_t *bytes = arena_alloc_bytes(arena, length / 2);
	size_t byte_count;
	int rc;

	if (!bytes)
		return ERROR_NO_MEMORY;
	rc = parse_hex(data, length, bytes, &byte_count);
	if (rc)
		return rc;
	if (out->type.id == TYPE_FIXED && byte_count != out->type.length)
		return ERROR_CAST;
	out->value.bytes = byte_view(bytes, byte_count);
	return 0;
}

static int parse_tinyint(const char *data, size_t length, int32_t *out)
{
	int rc = parse_int32(data, length, out);

	if (!rc && (*out < INT8_MIN || *out > INT8_MAX)) {
		*out = 0;
		return ERROR_OVERFLOW;
	}
	return rc;
}

static int parse_into(const char *data, size_t length,
		      const struct time_zone *zone, struct arena *arena,
		      struct literal *out)
{
	switch (out->type.id) {
	case TYPE_BOOLEAN:
		return parse_boolean(data, length, &out->value.boolean);
	case TYPE_TINYINT:
		return parse_tinyint(data, length, &out->value.int32);
	case TYPE_INTEGER:
		return parse_int32(data, length, &out->value.int32);
	case TYPE_BIGINT:
		return parse_int64(data, length, &out->value.int64);
	case TYPE_REAL:
		return parse_real(data, length, &out->value.real);
	case TYPE_DOUBLE:
		return parse_double(data, length, &out->value.real64);
	case TYPE_DECIMAL:
		return parse_decimal(data, length, out->type.precision,
				     out->type.scale, false,
				     &out->value.decimal);
	case TYPE_DATE:
		return parse_date(data, length, &out->value.int32);
	case TYPE_TIME:
		return parse_time(data, length, &out->value.int64);
	case TYPE_TIMESTAMP:
		return parse_timestamp(data, length, &out->value.int64);
	case TYPE_TIMESTAMP_TZ:
		return parse_timestamp_tz(data, length, zone,
					  &out->value.int64);
	case TYPE_VARCHAR:
		out->value.bytes = byte_view(data, length);
		return 0;
	case TYPE_VARBINARY:
	case TYPE_FIXED:
		return parse_bytes(data, length, arena, out);
	case TYPE_UUID:
		return parse_uuid(data, length, &out->value.uuid);
	default:
		return ERROR_CAST;
	}
}

int parse_value(const char *data, size_t length, const struct type *type,
		struct arena *arena, struct literal *out)
{
	return parse_value_in(data, length, type, NULL, arena, out);
}

int parse_value_in(const char *data, size_t length, const struct type *type,
		   const struct time_zone *zone, struct arena *arena,
		   struct literal *out)
{
	int rc;

	*out = literal_null(*type);
	rc = parse_into(data, length, zone, arena, out);
	if (rc)
		*out = literal_null(*type);
	else
		out->is_null = false;
	return rc;
}
